package jsonschema

import (
	"errors"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/rawjson"
)

// Judge judges raw JSON bytes. It never panics: should the engine fail, the
// value counts as too costly to judge and is not allowed.
//
// Faults come in this order: too_large by bytes; then, in the order of the
// text, whichever of invalid_json, too_deep and too_large by values is met
// first; then not_an_object; then too_costly.
func (c *Compiled) Judge(in Input) (res Result) {
	if c.planned == nil || in.FreeText {
		return c.Reference().Judge(in)
	}
	return c.judgeBytes(in, false)
}

// judgeBytes judges by the engine, and by the reference where the engine leaves it
// to that.
func (c *Compiled) judgeBytes(in Input, anyRoot bool) (res Result) {
	budget := in.budget()
	e := engines.Get().(*engine) //nolint:forcetypeassert // nothing else is in there
	defer func() {
		if recover() != nil {
			res = Result{Fault: TooCostly}
		}
	}()
	if e.start(c, in, budget); !e.read(c.planned.root, anyRoot) {
		e.release()
		return c.judgeRaw(in, anyRoot)
	}
	budget.settleEngine(e)
	switch {
	case e.fault != NoFault:
		res = Result{Fault: e.fault}
	case len(e.hits) == 0:
		res = Result{Judged: true}
	default:
		e.settle()
		res = Result{Judged: true, Violations: e.report(budget)}
	}
	e.release()
	return res
}

// Locate judges as Judge does and counts the violations, without putting them into
// words: their locations, rules and kinds are known then. It is for whoever only
// wants to know whether, and for measuring what words cost.
func (c *Compiled) Locate(in Input) (violations int, fault Fault) {
	if c.planned == nil || in.FreeText {
		res := c.Judge(in)
		return len(res.Violations), res.Fault
	}
	budget := in.budget()
	e := engines.Get().(*engine) //nolint:forcetypeassert // nothing else is in there
	if e.start(c, in, budget); !e.read(c.planned.root, false) {
		e.release()
		res := c.judgeRaw(in, false)
		return len(res.Violations), res.Fault
	}
	budget.settleEngine(e)
	if e.fault == NoFault && len(e.hits) > 0 {
		e.settle()
		violations = e.found()
	}
	fault = e.fault
	e.release()
	return violations, fault
}

// judgeRaw judges by the reference, whatever the root is with anyRoot.
func (c *Compiled) judgeRaw(in Input, anyRoot bool) Result {
	if !anyRoot {
		return c.Reference().Judge(in)
	}
	root, fault := parseTree(in.Raw)
	if fault != NoFault {
		return Result{Fault: fault}
	}
	return c.judgeTree(root, c.opts.IntegersByValue || in.IntegersByValue, in.budget())
}

// engineValue judges a value of any kind by the engine, for the tests of
// conformance.
func (c *Compiled) engineValue(raw []byte) Result {
	if c.planned == nil {
		return c.judgeRaw(Input{Raw: raw}, true)
	}
	return c.judgeBytes(Input{Raw: raw}, true)
}

// Reference gives the slow judge of the same schema: the second oracle, which
// answers as the engine does and shares no code with it beyond the compiled
// schema, and the judge of what the engine does not judge itself.
func (c *Compiled) Reference() Judge { return slowJudge{c} }

type slowJudge struct{ *Compiled }

// Judge never panics: see Compiled.Judge.
func (c slowJudge) Judge(in Input) (res Result) {
	defer func() {
		if recover() != nil {
			res = Result{Fault: TooCostly}
		}
	}()
	root, fault := c.read(in)
	if fault != NoFault {
		return Result{Fault: fault}
	}
	return c.judgeTree(root, c.opts.IntegersByValue || in.IntegersByValue, in.budget())
}

// read turns the input into the tree to judge, absent nulls not yet removed.
func (c *Compiled) read(in Input) (*node, Fault) {
	if in.FreeText {
		return c.readText(in.Raw)
	}
	root, fault := parseTree(in.Raw)
	if fault == NoFault && root.kind != rawjson.Object {
		return nil, NotAnObject
	}
	return root, fault
}

// readText takes a free text as a string, which the root must admit by type.
func (c *Compiled) readText(raw []byte) (*node, Fault) {
	switch {
	case len(raw) > MaxArgumentBytes:
		return nil, TooLarge
	case !utf8.Valid(raw):
		return nil, InvalidJSON
	case !c.allowsString:
		return nil, NotAnObject
	}
	text := string(raw)
	return &node{index: -1, kind: rawjson.String, raw: rawjson.AppendString(nil, text), text: text, runes: -1}, NoFault
}

func parseTree(raw []byte) (*node, Fault) {
	if len(raw) > MaxArgumentBytes {
		return nil, TooLarge
	}
	v, err := rawjson.Parse(raw, rawjson.Limits{MaxDepth: MaxArgumentDepth, MaxValues: MaxArgumentValues})
	switch {
	case err == nil:
		return newTree(v), NoFault
	case errors.Is(err, rawjson.ErrTooDeep):
		return nil, TooDeep
	case errors.Is(err, rawjson.ErrTooMany):
		return nil, TooLarge
	}
	return nil, InvalidJSON
}

// judgeTree judges a tree whatever its root is.
func (c *Compiled) judgeTree(root *node, byValue bool, budget *Budget) Result {
	r := newReference(c, byValue, budget)
	defer budget.settle(r)
	if c.opts.NullsAbsent {
		r.dropNulls(root)
	}
	o := r.eval(c.root, root, c.rootScope())
	seen := map[*outcome]role{}
	if !r.exceeded {
		r.place(o, reports, seen)
		r.envelope(root, seen)
	}
	if r.exceeded || r.unsure {
		return Result{Fault: TooCostly}
	}
	return Result{Judged: true, Violations: r.report(root, budget)}
}

// rootScope is the empty dynamic scope, nil where no reference is dynamic.
func (c *Compiled) rootScope() *scope {
	if !c.dynamic {
		return nil
	}
	return &scope{}
}
