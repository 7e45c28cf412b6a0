package jsonschema

import (
	"github.com/callgate/callgate/internal/rawjson"
)

// workBudget bounds what one value may cost: one unit is one distinct
// (subschema, location) pair, which takes about a microsecond with its share of
// garbage collection, so that using all up takes less than a second. A value at
// the bound on values, against a schema that applies five subschemas to each,
// needs 500,000.
const workBudget = 800_000

// maxRecursion bounds the descent. Compile refuses chains of more than
// maxChain subschemas in one place, so only dynamic references get here.
const maxRecursion = 2 * maxChain * MaxArgumentDepth

// reference is one judgement in progress. It evaluates every subschema at every
// location where it applies, once, and keeps the outcomes as a graph; what is
// reported, what is in place and what counts as declared are read off the graph
// afterwards. Nothing in it is fast, so that it is easy to believe.
type reference struct {
	c        *Compiled
	byValue  bool
	memo     map[memoKey]*outcome
	work     int
	steps    int // left for backtracking patterns
	depth    int
	exceeded bool
	// unsure: a pattern overran its steps, so that what seems to fit may not.
	unsure bool
}

type memoKey struct {
	schema *schema
	node   *node
	scope  *scope
}

// scope is the dynamic scope: the schema resources entered, outermost first.
// Schemas without dynamic references have none.
type scope struct {
	parent   *scope
	resource *resource
	children map[*resource]*scope
}

// outcome is what one subschema makes of one location.
type outcome struct {
	schema *schema
	node   *node
	done   bool
	valid  bool
	// typed says that it fails by type right here.
	typed bool
	// findings are its own, at this location or at an absent property of it.
	findings []finding
	// inPlace are the outcomes of subschemas that apply here too.
	inPlace []placed
	// below are the outcomes at children.
	below []placed

	props *evaluatedProps
	items *evaluatedItems
}

// role is the part that an outcome plays for the one above it. The greater
// includes the lesser.
type role uint8

const (
	declares role = iota + 1 // it only declares keys: an item that contains matched
	listed                   // and it closes the location: a branch of a failed union
	reports                  // and it reports: everything that has to hold
)

// placed is an outcome with its role.
type placed struct {
	*outcome
	role role
}

// finding is one rule broken at one location.
type finding struct {
	at      *node
	code    Code
	keyword string
	schema  *schema
}

func newReference(c *Compiled, byValue bool, b *Budget) *reference {
	r := &reference{c: c, byValue: byValue, memo: map[memoKey]*outcome{}}
	r.work, r.steps = b.share()
	return r
}

// spend takes units off the budget and reports whether any is left.
func (r *reference) spend(units int) bool {
	r.work -= units
	if r.work < 0 {
		r.exceeded = true
	}
	return !r.exceeded
}

// eval judges one location by one subschema, once.
func (r *reference) eval(s *schema, n *node, sc *scope) *outcome {
	sc = sc.enter(s)
	key := memoKey{s, n, sc}
	if o := r.memo[key]; o != nil {
		if !o.done {
			// A reference that leads back here without a step into a child.
			r.exceeded = true
		}
		return o
	}
	o := &outcome{schema: s, node: n, valid: true}
	r.memo[key] = o
	r.depth++
	if r.depth > maxRecursion {
		r.exceeded = true
	}
	if r.spend(1) {
		r.apply(o, sc)
	}
	r.depth--
	o.done = true
	return o
}

func (r *reference) apply(o *outcome, sc *scope) {
	s := o.schema
	if s.always != nil {
		if !*s.always {
			o.fail(o.node, CodeSchema, "")
		}
		return
	}
	r.applyAny(o)
	r.applyReferences(o, sc)
	switch o.node.kind {
	case rawjson.Object:
		if s.obj != nil {
			r.applyObject(o, sc)
		}
	case rawjson.Array:
		if s.arr != nil {
			r.applyArray(o, sc)
		}
	case rawjson.String:
		if s.str != nil {
			r.applyString(o)
		}
	case rawjson.Number:
		if s.num != nil {
			applyNumber(o)
		}
	}
	r.applyLogic(o, sc)
	r.applyUnevaluated(o, sc)
}

// applyAny judges the keywords that look at a value of any kind.
func (r *reference) applyAny(o *outcome) {
	s, n := o.schema, o.node
	if s.types != 0 && s.types&r.kindsOf(n) == 0 {
		o.fail(n, CodeType, "type")
		o.typed = true
	}
	r.applyEnum(o, s.enum, "enum")
	r.applyEnum(o, s.constant, "const")
	if s.format != nil && n.kind == rawjson.String {
		if r.spend(len(n.text)/64) && !s.format.match(n.text) {
			o.fail(n, CodeFormat, "format")
		}
	}
}

func (r *reference) applyEnum(o *outcome, e *enum, keyword string) {
	if e != nil && r.spend(len(o.node.raw)/250) && !e.has(o.node) {
		o.fail(o.node, CodeEnum, keyword)
	}
}

// kindsOf gives the kinds that a value is of: an integer is a number too.
func (r *reference) kindsOf(n *node) kinds {
	switch n.kind {
	case rawjson.Null:
		return kindNull
	case rawjson.Bool:
		return kindBoolean
	case rawjson.String:
		return kindString
	case rawjson.Array:
		return kindArray
	case rawjson.Object:
		return kindObject
	}
	if lexicalInteger(n.raw) || r.byValue && n.number().integral() {
		return kindNumber | kindInteger
	}
	return kindNumber
}

// applyReferences follows $ref, $recursiveRef and $dynamicRef.
func (r *reference) applyReferences(o *outcome, sc *scope) {
	s := o.schema
	if s.ref != nil {
		o.join(r.eval(s.ref, o.node, sc), true)
	}
	if s.recursive != nil {
		o.join(r.eval(sc.resolveRecursive(s.recursive), o.node, sc), true)
	}
	if s.dynamic != nil {
		o.join(r.eval(sc.resolveDynamic(s.dynamic), o.node, sc), true)
	}
}

// fail notes a finding and makes the outcome invalid.
func (o *outcome) fail(at *node, code Code, keyword string) {
	o.valid = false
	o.findings = append(o.findings, finding{at: at, code: code, keyword: keyword, schema: o.schema})
}

// join adds an outcome at the same location that must hold too. typed carries
// a type failure up, as $ref and allOf do.
func (o *outcome) join(sub *outcome, typed bool) {
	o.inPlace = append(o.inPlace, placed{sub, reports})
	o.valid = o.valid && sub.valid
	o.typed = o.typed || typed && sub.typed
}

// descend adds an outcome at a child that must hold too.
func (o *outcome) descend(sub *outcome) {
	o.below = append(o.below, placed{sub, reports})
	o.valid = o.valid && sub.valid
}

// enter gives the scope inside a schema. A nil scope stays nil: the schema has
// no dynamic references.
func (sc *scope) enter(s *schema) *scope {
	if sc == nil || s.resource == nil || sc.has(s.resource) {
		return sc
	}
	if next := sc.children[s.resource]; next != nil {
		return next
	}
	if sc.children == nil {
		sc.children = map[*resource]*scope{}
	}
	next := &scope{parent: sc, resource: s.resource}
	sc.children[s.resource] = next
	return next
}

func (sc *scope) has(res *resource) bool {
	for ; sc != nil; sc = sc.parent {
		if sc.resource == res {
			return true
		}
	}
	return false
}

// resolveRecursive gives the target of $recursiveRef: where the initial one has
// $recursiveAnchor, the outermost resource in scope that has it too.
func (sc *scope) resolveRecursive(initial *schema) *schema {
	if !initial.recursiveAnchor {
		return initial
	}
	target := initial
	for ; sc != nil; sc = sc.parent {
		if sc.resource != nil && sc.resource.recursive {
			target = sc.resource.root
		}
	}
	return target
}

// resolveDynamic gives the target of $dynamicRef: the outermost resource in
// scope that has the anchor, where the initial target has it.
func (sc *scope) resolveDynamic(d *dynamicRef) *schema {
	target := d.target
	if d.anchor == "" {
		return target
	}
	for ; sc != nil; sc = sc.parent {
		if sc.resource != nil {
			if s := sc.resource.anchors[d.anchor]; s != nil {
				target = s
			}
		}
	}
	return target
}
