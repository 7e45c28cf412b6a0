package jsonschema

import "github.com/callgate/callgate/internal/rawjson"

// fitsQuietly reads a value again and says whether it fits. It notes nothing. What
// it says means nothing where the engine has stopped.
func (e *engine) fitsQuietly(p *plan, i int) bool {
	slot, known := e.answerTo(p, i)
	if known {
		return slot.fits
	}
	base := e.base
	if base {
		e.leaveBase()
	}
	keys := len(e.keys)
	e.quiet++
	end := e.value(p, i)
	e.quiet--
	// Nothing was noted that keeps a key.
	e.keys = e.keys[:keys]
	if base {
		e.enterBase()
	}
	if e.stopped() {
		return false
	}
	if e.mute == 0 {
		*slot = answer{e.turn, p.id, int32(i), end >= 0} //nolint:gosec // at most 512 KiB
	}
	return end >= 0
}

// reread reads a value again that has to fit, and notes what is wrong with it. It
// reports whether to go on.
func (e *engine) reread(p *plan, i int) bool {
	if e.quiet > 0 {
		return e.fitsQuietly(p, i)
	}
	base := e.base
	if base {
		e.leaveBase()
	}
	// What it notes may be at locations that have been noted before.
	e.distinct = true
	end := e.value(p, i)
	if base {
		e.enterBase()
	}
	return end >= 0
}

// again judges the keywords that need the value read again.
func (e *engine) again(p *plan, start int) bool {
	if e.mute > 0 {
		return true
	}
	l := p.logic
	if len(l.delegated) > 0 && !e.delegate(l.delegated, start) {
		return false
	}
	for k := range l.unions {
		if !e.union(&l.unions[k], start) {
			return false
		}
	}
	if len(l.nots) > 0 && !e.negations(l.nots, start) {
		return false
	}
	for k := range l.conditions {
		if !e.condition(&l.conditions[k], start) {
			return false
		}
	}
	return len(l.dependents) == 0 || e.dependents(l.dependents, start)
}

func (e *engine) negations(list []notPlan, start int) bool {
	for k := range list {
		if n := &list[k]; e.fitsQuietly(n.plan, start) && !e.note(n.rule) || e.stopped() {
			return false
		}
	}
	return true
}

func (e *engine) dependents(list []dependentPlan, start int) bool {
	for k := range list {
		if d := &list[k]; e.memberAt(start, d.key) >= 0 && !e.mustFit(d.plan, start) || e.stopped() {
			return false
		}
	}
	return true
}

// collecting says that keys at the root wait for the plans in place to declare them.
func (e *engine) collecting() bool { return len(e.pending) > 0 && e.depth == 0 && e.quiet == 0 }

// mustFit reads a value again by a plan that is in place.
func (e *engine) mustFit(p *plan, start int) bool {
	if e.collecting() {
		e.inPlace = append(e.inPlace, p)
	}
	return e.reread(p, start)
}

func (e *engine) condition(c *conditionPlan, start int) bool {
	branch := c.elseP
	if e.fitsQuietly(c.ifP, start) {
		branch = c.thenP
		if e.collecting() {
			e.inPlace = append(e.inPlace, c.ifP)
		}
	}
	if e.stopped() {
		return false
	}
	return branch == nil || e.mustFit(branch, start)
}

// union judges the branches that the kind of the value leaves, at least two.
func (e *engine) union(u *unionPlan, start int) bool {
	matches := 0
	for k := range u.branches {
		b := &u.branches[k]
		if !e.fitsQuietly(b.plan, start) {
			if e.stopped() {
				return false
			}
			continue
		}
		matches++
		if e.collecting() {
			e.inPlace = append(e.inPlace, b.plan)
		} else if u.keyword == kwAnyOf {
			return true
		}
	}
	switch {
	case matches == 0:
		return e.blame(u, start)
	case matches > 1 && u.keyword == kwOneOf:
		return e.note(u.rule)
	}
	return true
}

// blame finds the branch whose faults are the union's: the only one whose
// discriminating properties are all there and right.
func (e *engine) blame(u *unionPlan, start int) bool {
	if e.quiet > 0 {
		return false
	}
	var blamed *branchPlan
	for k := range u.branches {
		b := &u.branches[k]
		if !e.discriminated(b, start) {
			continue
		}
		if blamed != nil {
			blamed = nil
			break
		}
		blamed = b
	}
	if e.stopped() {
		return false
	}
	if blamed != nil {
		return e.mustFit(blamed.plan, start)
	}
	if e.collecting() {
		// All branches declare, those too that the kind of the value rules out.
		e.moreInPlace = true
		for k := range u.branches {
			e.inPlace = append(e.inPlace, u.branches[k].plan)
		}
	}
	return e.note(u.rule)
}

func (e *engine) discriminated(b *branchPlan, start int) bool {
	for _, l := range b.limits {
		at := e.memberAt(start, l.key)
		if at < 0 || !e.among(l.values, at) {
			return false
		}
	}
	return len(b.limits) > 0
}

// memberAt finds the value of a key in an object that has been read before; -1
// where it has none, or is no object.
func (e *engine) memberAt(start int, key string) int {
	b := e.src
	// Whoever asks for one member after the other may ask on after the hand-over.
	if b[start] != '{' || e.stopped() {
		return -1
	}
	from := start + 1
	i := rawjson.SkipSpace(b, from)
	for b[i] == '"' {
		name, end := e.textAt(i)
		found := string(name) == key
		i = rawjson.SkipSpace(b, rawjson.SkipSpace(b, end)+1)
		if !found {
			i = rawjson.SkipSpace(b, e.skip(i))
		}
		if !e.lookAgain(1 + (i-from)/bytesPerStep) {
			return -1
		}
		if found {
			return i
		}
		if from = i; b[i] == ',' {
			i = rawjson.SkipSpace(b, i+1)
		}
	}
	e.longAgain(i - from)
	return -1
}

// among says that an enum has the value at i, which has been read before.
func (e *engine) among(p *enumPlan, i int) bool {
	switch e.src[i] {
	case '"':
		text, end := e.textAt(i)
		return e.longAgain(end-i) && p.strings.find(text) >= 0
	case 't':
		return p.yes
	case 'f':
		return p.no
	case 'n':
		return p.null
	case '{', '[':
		return p.containers && e.amongContainers(p, i, e.skip(i))
	}
	end, _ := rawjson.ScanNumber(e.src, i)
	return e.longAgain(end-i) && p.hasNumber(e.src[i:end])
}

// textAt gives the text of a string that has been read before, good until the next
// one is decoded.
func (e *engine) textAt(i int) (text []byte, end int) {
	end, form := rawjson.ScanString(e.src, i)
	text = e.src[i+1 : end-1]
	if form&rawjson.Escaped != 0 {
		text = e.decode(i, text)
	}
	return text, end
}

// containerValues judges enum and const on an array or object.
func (e *engine) containerValues(p *plan, start, end int) bool {
	for k := range p.values {
		v := &p.values[k]
		if v.values.containers && e.amongContainers(v.values, start, end) {
			continue
		}
		if e.stopped() || !e.note(v.rule) {
			return false
		}
	}
	return true
}

// amongContainers compares as the reference does, which is rare enough to allocate.
func (e *engine) amongContainers(p *enumPlan, start, end int) bool {
	if !e.spend((end-start)/250) || !e.lookAgain(end-start) {
		return false
	}
	tree, fault := parseTree(e.src[start:end])
	return fault == NoFault && p.source.has(tree)
}

// finishObject settles, at the root, the keys that only a union or a condition can
// declare.
func (e *engine) finishObject(p *plan, start, end int) int {
	if e.finish(p, start, end) < 0 {
		return -1
	}
	if !e.collecting() || !e.base {
		return end
	}
	crumb := &e.path[0]
	for _, k := range e.pending {
		declared, known := e.declaredIn(e.keyBytes(k.key))
		if !known {
			return e.pass()
		}
		if declared {
			continue
		}
		// The value has been read as if it were declared by nothing: whatever was
		// noted below it is hidden by this.
		e.depth, crumb.key, crumb.index, crumb.at, crumb.locus = 1, k.key, -1, k.at, -1
		e.distinct = true
		e.note(rule{nil, idUnexpected, kwAdditionalProperties})
		e.depth = 0
	}
	return end
}

// declaredIn says whether a plan in place by a union or condition declares the key.
// known is false where that depends on a union within.
func (e *engine) declaredIn(name []byte) (declared, known bool) {
	known = !e.moreInPlace
	for _, p := range e.inPlace {
		if p.byKind != nil {
			p = p.byKind[atObject]
		}
		if p.logic != nil && p.logic.declares() {
			known = false
			continue
		}
		if p.object.declares(e, name) {
			return true, true
		}
	}
	return false, known
}

// declares says that the plan's schemas declare a key.
func (o *objectPlan) declares(e *engine, name []byte) bool {
	if o.opens {
		return true
	}
	for g := range o.groups {
		group := &o.groups[g]
		if group.properties[string(name)] != nil {
			return true
		}
		for k := range group.patterns {
			if e.matches(group.patterns[k].pattern, name) {
				return true
			}
		}
	}
	return false
}
