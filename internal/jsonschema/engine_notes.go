package jsonschema

// hit is one rule broken at one location.
type hit struct {
	rule
	locus int32
}

// locus is a location at or above a hit.
type locus struct {
	parent int32 // -1: this is the root
	key    keyRef
	index  int32 // of an item; -1: a member
	at     int32 // where its value starts; -1: it is absent
	// absent is what is missing here.
	absent *requirePlan
	best   int32 // the gravest of its hits; -1: none
}

// pendingKey is a key at the root of which a union has to say whether it is
// declared, and where its value starts.
type pendingKey struct {
	key keyRef
	at  int32
}

// note notes a broken rule at the value being read, and reports whether to go on: a
// quiet reading ends here.
func (e *engine) note(r rule) bool {
	if e.mute > 0 {
		return true
	}
	if e.quiet > 0 {
		return false
	}
	at := e.here()
	// Of several at one location only the gravest counts.
	if n := len(e.hits); n > 0 && e.hits[n-1].locus == at {
		if last := &e.hits[n-1]; r.graver(last.rule) {
			last.rule = r
		}
		return true
	}
	if len(e.hits) >= maxHits {
		e.pass()
		return false
	}
	e.hits = append(e.hits, hit{r, at})
	return true
}

// maxHits is a fault at every value. A schema that finds more is the reference's, who
// charges what they cost.
const maxHits = MaxArgumentValues

// noteAbsent notes a required property at its own place.
func (e *engine) noteAbsent(q *requirePlan) bool {
	if e.mute > 0 {
		return true
	}
	if e.quiet > 0 {
		return false
	}
	if len(e.hits) >= maxHits {
		e.pass()
		return false
	}
	parent := e.here()
	e.loci = append(e.loci, locus{parent: parent, index: -1, at: -1, absent: q, best: -1})
	e.hits = append(e.hits, hit{q.rule, int32(len(e.loci) - 1)}) //nolint:gosec // bounded by the hits
	return true
}

// here is the location of the value being read.
func (e *engine) here() int32 {
	if len(e.loci) == 0 {
		e.loci = append(e.loci, locus{parent: -1, index: -1, at: e.rootAt, best: -1})
	}
	at := int32(0)
	for i := range e.depth {
		c := &e.path[i]
		if c.locus < 0 {
			e.loci = append(e.loci, locus{parent: at, key: c.key, index: c.index, at: c.at, best: -1})
			c.locus = int32(len(e.loci) - 1) //nolint:gosec // bounded by the hits
		}
		at = c.locus
	}
	return at
}
