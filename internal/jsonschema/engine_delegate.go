package jsonschema

import (
	"unsafe"

	"github.com/callgate/callgate/internal/rawjson"
)

// delegate has the reference judge one value, by the subschemas that the engine
// leaves to it, and takes over what it finds. It reports whether to go on.
func (e *engine) delegate(list []*schema, start int) bool {
	end := e.skip(start)
	// A tree costs about a step for each byte of it.
	if !e.lookAgain(end - start) {
		return false
	}
	tree, fault := parseTree(e.src[start:end])
	if fault != NoFault {
		e.pass()
		return false
	}
	r := &reference{c: e.c, byValue: e.byValue, memo: map[memoKey]*outcome{}, work: e.work, steps: e.patternSteps}
	valid, seen := true, map[*outcome]role{}
	for _, s := range list {
		o := r.eval(s, tree, nil)
		valid = valid && o.valid
		if e.quiet == 0 && !r.exceeded {
			r.place(o, reports, seen)
		}
	}
	if r.exceeded || r.unsure {
		e.pass()
		return false
	}
	e.work, e.patternSteps = r.work, r.steps
	switch {
	case valid:
		return true
	case e.quiet > 0:
		return false
	}
	e.distinct = true
	return e.adopt(tree, e.here())
}

// adopt notes what the reference found at and below a location.
func (e *engine) adopt(n *node, at int32) bool {
	for _, f := range n.findings {
		if len(e.hits) >= maxHits {
			e.pass()
			return false
		}
		e.hits = append(e.hits, hit{rule{f.schema, codeID(f.code.rank()), keywordNamed(f.keyword)}, at}) //nolint:gosec // a few codes
	}
	for _, key := range sortedKeys(n.missing) {
		if !e.adopt(n.missing[key], e.child(at, n.missing[key])) {
			return false
		}
	}
	for _, m := range n.members {
		if m.found() && !e.adopt(m, e.child(at, m)) {
			return false
		}
	}
	for _, item := range n.items {
		if item.found() && !e.adopt(item, e.child(at, item)) {
			return false
		}
	}
	return true
}

// found says that something was found at or below the location.
func (n *node) found() bool {
	if len(n.findings)+len(n.missing) > 0 {
		return true
	}
	for _, m := range n.members {
		if m.found() {
			return true
		}
	}
	for _, item := range n.items {
		if item.found() {
			return true
		}
	}
	return false
}

// child makes a locus of a location of the reference's.
func (e *engine) child(parent int32, n *node) int32 {
	l := locus{parent: parent, index: int32(n.index), at: -1, best: -1} //nolint:gosec // at most MaxArgumentValues
	if n.index < 0 {
		start := int32(len(e.keys)) //nolint:gosec // at most some times the source
		e.keys = append(e.keys, n.key...)
		l.key = keyRef{start: start, end: int32(len(e.keys)), decoded: true} //nolint:gosec // the same
	}
	if n.kind == rawjson.Invalid {
		l.absent = &requirePlan{name: n.key}
	} else {
		// Raw is a part of the source.
		l.at = int32(uintptr(unsafe.Pointer(unsafe.SliceData(n.raw))) - uintptr(unsafe.Pointer(unsafe.SliceData(e.src)))) //nolint:gosec // within it
	}
	e.loci = append(e.loci, l)
	return int32(len(e.loci) - 1) //nolint:gosec // bounded by the hits
}
