package jsonschema

import (
	"github.com/callgate/callgate/internal/rawjson"
)

// fewWords is how many words of seen keys are kept on the stack: 256 names.
const fewWords = 4

// objectRun is one object being read.
type objectRun struct {
	plan  *objectPlan
	start int
	seen  []uint64
	count int // distinct keys
	next  int // the member that the schema names next
	// unknown is where the object's keys outside the table begin in engine.unknown.
	unknown int
	set     int // of engine.sets, 0: none
	bits    int // where its words begin in engine.bits, if they do
}

// saw says that the object has had a key of the table, and see that it has now.
func (r *objectRun) saw(place int) bool { return r.seen[place/64]&(1<<(place%64)) != 0 }

func (r *objectRun) see(place int) { r.seen[place/64] |= 1 << (place % 64) }

func (e *engine) object(p *plan, i int) int {
	if e.depth >= MaxArgumentDepth {
		return e.stop(TooDeep)
	}
	if !e.count() {
		return -1
	}
	if p.byKind != nil {
		p = p.byKind[atObject]
	}
	if p.allowed&(1<<atObject) == 0 {
		return e.wrongContainer(p, atObject, i)
	}
	var few [fewWords]uint64
	r := objectRun{plan: p.object, start: i, seen: few[:], unknown: len(e.unknown), bits: len(e.bits)}
	if r.plan.words > fewWords {
		r.seen = e.moreWords(r.plan.words)
	}
	e.depth++
	end := e.members(&r, i)
	e.depth--
	e.forget(&r)
	if end < 0 || !e.objectRules(&r) {
		return -1
	}
	if p.plain && len(p.values) == 0 && len(e.pending) == 0 {
		return end
	}
	return e.wholeObject(p, i, end)
}

// forget gives back what the object's keys took.
func (e *engine) forget(r *objectRun) {
	e.unknown, e.bits = e.unknown[:r.unknown], e.bits[:r.bits]
	if r.set > 0 {
		e.sets = e.sets[:r.set-1]
	}
}

// wholeObject judges what takes the whole object, and not just its keys.
func (e *engine) wholeObject(p *plan, start, end int) int {
	if len(p.values) > 0 && !e.containerValues(p, start, end) {
		return -1
	}
	return e.finishObject(p, start, end)
}

// wrongContainer reads a container of a kind that a type keyword refuses. It has
// been counted.
func (e *engine) wrongContainer(p *plan, kind, i int) int {
	if !e.allows(p, kind) {
		return -1
	}
	e.left++
	end := e.hidden(i)
	if end < 0 {
		return -1
	}
	return e.finish(p, i, end)
}

func (e *engine) moreWords(n int) []uint64 {
	from := len(e.bits)
	for range n {
		e.bits = append(e.bits, 0)
	}
	return e.bits[from:]
}

// members reads from the opening brace to behind the closing one.
func (e *engine) members(r *objectRun, i int) int { //nolint:gocyclo,funlen // split by key, colon and comma it took 4.5 % more of a usual call
	b := e.src
	crumb := &e.path[e.depth-1]
	crumb.index = -1
	// from is where the value before ends.
	from := i + 1
	i = rawjson.SkipSpace(b, from)
	if i < len(b) && b[i] == '}' {
		return e.closed(from, i)
	}
	o := r.plan
	for {
		if i >= len(b) || b[i] != '"' {
			return e.stop(InvalidJSON)
		}
		key := keyRef{quote: int32(i), start: int32(i + 1)} //nolint:gosec // at most 512 KiB
		var place int
		if r.next < len(o.members) && startsWith(b, i, o.members[r.next].quoted) {
			place = r.next
			i += len(o.members[place].quoted)
			key.end = int32(i - 1) //nolint:gosec // at most 512 KiB
		} else {
			end, form := rawjson.ScanString(b, i)
			if form >= rawjson.BadSurrogate {
				return e.stop(InvalidJSON)
			}
			key.end = int32(end - 1) //nolint:gosec // at most 512 KiB
			if form&rawjson.Escaped != 0 {
				key = e.decodeKey(key)
			}
			place = o.keys.find(e.keyBytes(key))
			i = end
		}
		i = past(b, i)
		if i >= len(b) || b[i] != ':' {
			return e.stop(InvalidJSON)
		}
		i = past(b, i+1)
		if !e.countAgain(i - from) {
			return -1
		}
		crumb.key, crumb.at, crumb.locus = key, int32(i), -1 //nolint:gosec // at most 512 KiB
		if place >= 0 && !r.saw(place) && o.members[place].plain {
			r.see(place)
			r.count++
			r.next = place + 1
			i = e.value(o.members[place].plan, i)
		} else {
			i = e.member(r, key, place, i)
			crumb.index = -1
		}
		if i < 0 {
			return -1
		}
		from = i
		i = past(b, i)
		if i >= len(b) {
			return e.stop(InvalidJSON)
		}
		switch b[i] {
		case '}':
			return e.closed(from, i)
		case ',':
		default:
			return e.stop(InvalidJSON)
		}
		i = past(b, i+1)
	}
}

// closed gives the offset behind a closing bracket, and counts the blanks before it where
// they are read again.
func (e *engine) closed(from, i int) int {
	if !e.countAgain(i - from) {
		return -1
	}
	return i + 1
}

// past gives the offset of the next byte that is no white space. It is small enough to
// be inlined, because there mostly is none.
func past(b []byte, i int) int {
	if i < len(b) && b[i] <= ' ' {
		return rawjson.SkipSpace(b, i)
	}
	return i
}

func startsWith(b []byte, i int, quoted string) bool {
	return len(quoted) > 2 && len(b)-i >= len(quoted) && b[i+1] == quoted[1] && string(b[i:i+len(quoted)]) == quoted
}

func (e *engine) decodeKey(k keyRef) keyRef {
	if !e.base {
		e.lookAgain(int(k.end-k.start) / bytesPerStep)
	}
	start := len(e.keys)
	e.keys = rawjson.AppendText(e.keys, e.src[k.start:k.end])
	return keyRef{k.quote, int32(start), int32(len(e.keys)), true} //nolint:gosec // at most 512 KiB
}

func (e *engine) keyBytes(k keyRef) []byte {
	if k.decoded {
		return e.keys[k.start:k.end]
	}
	return e.src[k.start:k.end]
}

// member reads the value of a member that is not simply the next expected one: a
// repeated key, one that the schema does not name, or one that it does not want.
func (e *engine) member(r *objectRun, key keyRef, place, i int) int {
	o := r.plan
	if place >= 0 {
		if r.saw(place) {
			return e.repeated(r, key, i)
		}
		r.see(place)
		r.next = place + 1
	} else if e.base && !e.remember(r, key) {
		return e.repeated(r, key, i)
	}
	r.count++
	for k := range o.names {
		if !e.fitsQuietly(o.names[k].plan, int(key.quote)) && (e.stopped() || !e.note(o.names[k].rule)) {
			return -1
		}
	}
	if place >= 0 {
		return e.named(r, &o.members[place], key, i)
	}
	return e.unnamed(r, key, i)
}

func (e *engine) named(r *objectRun, m *memberPlan, key keyRef, i int) int {
	wrong := m.closedOut && e.base
	if wrong && r.plan.dynamic {
		e.postpone(key, i)
		wrong = false
	}
	if wrong && !e.note(rule{nil, idUnexpected, kwAdditionalProperties}) {
		return -1
	}
	return e.item(&m.itemPlan, wrong, i)
}

// item reads a value that may be unexpected where it is.
func (e *engine) item(p *itemPlan, wrong bool, i int) int {
	for k := range p.unexpected {
		wrong = true
		if !e.note(p.unexpected[k]) {
			return -1
		}
	}
	if wrong {
		return e.hidden(i)
	}
	return e.value(p.plan, i)
}

// unnamed reads the value of a key that the schema does not name.
func (e *engine) unnamed(r *objectRun, key keyRef, i int) int {
	o := r.plan
	wrong := false
	if e.base && e.undeclared(r, key, i) {
		wrong = true
		if !e.note(rule{nil, idUnexpected, kwAdditionalProperties}) {
			return -1
		}
	}
	if e.stopped() {
		return -1
	}
	if !o.patterns {
		return e.item(&o.other, wrong, i)
	}
	return e.byPattern(o, key, wrong, i)
}

// undeclared says that the key is one that nothing in place declares.
func (e *engine) undeclared(r *objectRun, key keyRef, i int) bool {
	o := r.plan
	name := e.keyBytes(key)
	if !e.proto && string(name) == protoKey {
		return true
	}
	if !o.closed || o.opens {
		return false
	}
	for g := range o.groups {
		for k := range o.groups[g].patterns {
			if e.matches(o.groups[g].patterns[k].pattern, name) {
				return false
			}
		}
	}
	if o.dynamic {
		e.postpone(key, i)
		return false
	}
	return true
}

// postpone leaves it to the unions and conditions at the root to declare a key.
func (e *engine) postpone(key keyRef, i int) {
	if e.mute == 0 {
		e.pending = append(e.pending, pendingKey{key, int32(i)}) //nolint:gosec // at most 512 KiB
	}
}

// byPattern reads the value by each plan that applies to its key: the first is the
// one that looks after everything, the others read it again.
func (e *engine) byPattern(o *objectPlan, key keyRef, wrong bool, i int) int {
	var few [8]*plan
	plans, refused, ok := e.plansFor(o, key, few[:0])
	switch {
	case !ok:
		return -1
	case wrong || refused:
		return e.hidden(i)
	case len(plans) == 0:
		return e.value(anyPlan, i)
	case len(plans) > 1 && o.nested:
		return e.pass()
	}
	end := e.value(plans[0], i)
	for _, p := range plans[1:] {
		if end < 0 || !e.reread(p, i) {
			return -1
		}
	}
	return end
}

// plansFor adds the plans that apply to a key. refused says that a group has none for
// it and admits no other keys, which is noted.
func (e *engine) plansFor(o *objectPlan, key keyRef, plans []*plan) (_ []*plan, refused, ok bool) {
	for g := range o.groups {
		group := &o.groups[g]
		before := len(plans)
		for k := range group.patterns {
			if e.matches(group.patterns[k].pattern, e.keyBytes(key)) {
				plans = append(plans, group.patterns[k].plan)
			}
			if e.stopped() {
				return plans, refused, false
			}
		}
		if len(plans) > before || group.rest == nil {
			continue
		}
		for k := range group.rest.unexpected {
			refused = true
			if !e.note(group.rest.unexpected[k]) {
				return plans, refused, false
			}
		}
		if group.rest.plan != nil {
			plans = append(plans, group.rest.plan)
		}
	}
	return plans, refused, true
}

// objectRules judges what keys the object has to have.
func (e *engine) objectRules(r *objectRun) bool {
	o := r.plan
	if o.weight > 0 && !e.step(o.weight) {
		return false
	}
	for w, required := range o.required {
		if required&^r.seen[w] != 0 {
			if !e.demand(o, o.require, r) {
				return false
			}
			break
		}
	}
	for k := range o.depends {
		if d := &o.depends[k]; r.saw(d.trigger) && !e.demand(o, d.needs, r) {
			return false
		}
	}
	return len(o.counts) == 0 || e.counted(o.counts, r.count, rule{nil, idProperties, kwMinProperties}, kwMaxProperties)
}

// demand notes which of the keys the object lacks.
func (e *engine) demand(o *objectPlan, keys []requirePlan, r *objectRun) bool {
	for k := range keys {
		q := &keys[k]
		if r.saw(q.key) {
			continue
		}
		e.distinct = e.distinct || o.twice
		if !e.noteAbsent(q) {
			return false
		}
	}
	return true
}
