package jsonschema

import (
	"github.com/callgate/callgate/internal/rawjson"
)

// anyObject is for objects that nothing is said of.
var anyObject = &objectPlan{other: itemPlan{plan: anyPlan}}

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
}

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
	start := i
	if p.allowed&(1<<atObject) == 0 {
		return e.wrongContainer(p, atObject, i)
	}
	r := objectRun{plan: p.object, start: i, unknown: len(e.unknown)}
	if r.plan == nil {
		r.plan = anyObject
	}
	var few [fewWords]uint64
	r.seen = few[:]
	held := len(e.bits)
	if r.plan.words > fewWords {
		r.seen = e.moreWords(r.plan.words)
	}
	e.depth++
	end := e.members(&r, i)
	e.depth--
	e.unknown = e.unknown[:r.unknown]
	e.bits = e.bits[:held]
	if r.set > 0 {
		e.sets = e.sets[:r.set-1]
	}
	if end < 0 || !e.objectRules(p, &r) {
		return -1
	}
	if len(p.values) > 0 && !e.containerValues(p, start, end) {
		return -1
	}
	if len(p.fixed) == 0 && p.logic == nil && len(e.pending) == 0 {
		return end
	}
	return e.finishObject(p, start, end)
}

// wrongContainer reads a container of a kind that a type keyword refuses. It has
// been counted.
func (e *engine) wrongContainer(p *plan, kind, i int) int {
	if !e.allows(p, kind, i) {
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
func (e *engine) members(r *objectRun, i int) int {
	b := e.src
	crumb := &e.path[e.depth-1]
	crumb.index = -1
	i = rawjson.SkipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	o := r.plan
	for {
		if i >= len(b) || b[i] != '"' {
			return e.stop(InvalidJSON)
		}
		key := keyRef{quote: int32(i), start: int32(i + 1)} //nolint:gosec // at most 512 KiB
		place := -1
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
		if i < len(b) && b[i] <= ' ' {
			i = rawjson.SkipSpace(b, i)
		}
		if i >= len(b) || b[i] != ':' {
			return e.stop(InvalidJSON)
		}
		i++
		if i < len(b) && b[i] <= ' ' {
			i = rawjson.SkipSpace(b, i)
		}
		crumb.key, crumb.at, crumb.locus = key, int32(i), -1 //nolint:gosec // at most 512 KiB
		if place >= 0 && r.seen[place/64]&(1<<(place%64)) == 0 && o.members[place].plain {
			r.seen[place/64] |= 1 << (place % 64)
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
		if i < len(b) && b[i] <= ' ' {
			i = rawjson.SkipSpace(b, i)
		}
		if i >= len(b) {
			return e.stop(InvalidJSON)
		}
		switch b[i] {
		case '}':
			return i + 1
		case ',':
		default:
			return e.stop(InvalidJSON)
		}
		i++
		if i < len(b) && b[i] <= ' ' {
			i = rawjson.SkipSpace(b, i)
		}
	}
}

func startsWith(b []byte, i int, quoted string) bool {
	return len(quoted) > 2 && len(b)-i >= len(quoted) && b[i+1] == quoted[1] && string(b[i:i+len(quoted)]) == quoted
}

func (e *engine) decodeKey(k keyRef) keyRef {
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
		if r.seen[place/64]&(1<<(place%64)) != 0 {
			return e.repeated(r, key, i)
		}
		r.seen[place/64] |= 1 << (place % 64)
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
	plans := few[:0]
	for g := range o.groups {
		group := &o.groups[g]
		before := len(plans)
		for k := range group.patterns {
			if e.matches(group.patterns[k].pattern, e.keyBytes(key)) {
				plans = append(plans, group.patterns[k].plan)
			}
			if e.stopped() {
				return -1
			}
		}
		if len(plans) > before || group.rest == nil {
			continue
		}
		for k := range group.rest.unexpected {
			wrong = true
			if !e.note(group.rest.unexpected[k]) {
				return -1
			}
		}
		if group.rest.plan != nil {
			plans = append(plans, group.rest.plan)
		}
	}
	switch {
	case wrong:
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

// objectRules judges what the whole object has to have.
func (e *engine) objectRules(p *plan, r *objectRun) bool {
	o := r.plan
	if o.weight > 0 && !e.step(o.weight) {
		return false
	}
	e.distinct = e.distinct || o.twice
	for k := range o.require {
		if o.words == 1 && o.required&^r.seen[0] == 0 {
			break
		}
		if q := &o.require[k]; r.seen[q.key/64]&(1<<(q.key%64)) == 0 && !e.noteAbsent(q) {
			return false
		}
	}
	for k := range o.depends {
		d := &o.depends[k]
		if r.seen[d.trigger/64]&(1<<(d.trigger%64)) == 0 {
			continue
		}
		for n := range d.needs {
			if q := &d.needs[n]; r.seen[q.key/64]&(1<<(q.key%64)) == 0 && !e.noteAbsent(q) {
				return false
			}
		}
	}
	for k := range o.counts {
		c := &o.counts[k]
		if c.min >= 0 && r.count < c.min && !e.note(rule{c.schema, idProperties, kwMinProperties}) ||
			c.max >= 0 && r.count > c.max && !e.note(rule{c.schema, idProperties, kwMaxProperties}) {
			return false
		}
	}
	return true
}
