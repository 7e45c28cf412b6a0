package jsonschema

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	lib "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callgate/callgate/internal/rawjson"
)

// disagreement is a schema and a value on which judges differ.
type disagreement struct {
	doc, value []byte
	dialect    Dialect
	opts       Options
	what       string
	details    string
}

func (f *disagreement) String() string {
	return fmt.Sprintf("%s\nschema  %s\nvalue   %s\noptions %+v\n%s", f.what, f.doc, f.value, f.opts, f.details)
}

// differential judges generated values by generated schemas, by all judges.
type differential struct {
	*rand.Rand
	mode      generatorMode
	instances int // for each schema

	schemas, refused, executions, valid, library, sampled, engine int
	explained                                                     map[string]int
}

// trial is one schema, compiled for each judge.
type trial struct {
	doc     []byte
	dialect Dialect
	plain   *Compiled // for comparison with the library
	library func(any) error
	other   *Compiled // under other options; may be nil
}

// differentialOptions are the settings beside plain JSON Schema.
func differentialOptions(r *rand.Rand) Options {
	return Options{
		Undeclared: Undeclared(r.IntN(3)),
		// Rare settings are rare here.
		IntegersByValue: r.IntN(3) == 0, NullsAbsent: r.IntN(5) == 0, AnnotateFormats: r.IntN(5) == 0, AllowProto: r.IntN(5) == 0,
	}
}

func plainOptions(d Dialect) Options {
	opts := conformance(d)
	opts.AnnotateFormats = false
	return opts
}

func newTrial(doc []byte, dialect Dialect, opts Options) *trial {
	var p, w problems
	c := compile(doc, openly(plainOptions(dialect)), &p, &w)
	if c == nil || p.any() {
		return nil
	}
	t := &trial{doc: doc, dialect: dialect, plain: c}
	if validate, ok := libraryJudge(doc, dialect); ok {
		t.library = validate
	}
	opts.Dialect = dialect
	p, w = problems{}, problems{}
	if t.other = compile(doc, openly(opts), &p, &w); p.any() {
		t.other = nil
	}
	return t
}

// schema judges some values by one schema.
func (d *differential) schema() *disagreement {
	doc, dialect := generateSchema(d.Rand, d.mode)
	d.schemas++
	opts := differentialOptions(d.Rand)
	if d.mode == generateUnions && d.IntN(2) == 0 {
		opts.Undeclared = Reject // where unions decide what is declared
	}
	t := newTrial(doc, dialect, opts)
	if t == nil {
		d.refused++
		return nil
	}
	if t.library == nil {
		return &disagreement{doc, nil, dialect, t.plain.opts, "compiles here, not in the library", ""}
	}
	values := newInstanceGenerator(d.Rand, doc)
	for range d.instances {
		raw := bytes.Clone(values.next(d.IntN(4) > 0))
		if found := d.execute(t, raw); found != nil {
			return found
		}
		if d.IntN(50) == 0 {
			if found := d.rewritten(t, raw); found != nil {
				return found
			}
		}
	}
	return nil
}

// execute judges one value by all.
func (d *differential) execute(t *trial, raw []byte) *disagreement {
	d.executions++
	if d.executions%2 == 0 && t.other != nil {
		if found := sameJudgement(t.other, raw, d.executions%4 == 0); found != nil {
			return found.with(t)
		}
	}
	if d.executions%8 == 0 {
		d.sampled++
		if judgedByEngine(t.plain, raw, true) {
			d.engine++
		}
	}
	engine, reference := t.plain.engineValue(raw), t.plain.judgeValue(raw)
	if !sameUpToCost(engine, reference) {
		return resultsDiffer(t.plain, raw, engine, reference, " on a value of any kind").with(t)
	}
	if reference.OK() {
		d.valid++
	}
	return d.asLibrary(t, raw, reference)
}

func (f *disagreement) with(t *trial) *disagreement {
	f.doc, f.dialect = t.doc, t.dialect
	return f
}

// sameJudgement holds Judge to the reference.
func sameJudgement(c *Compiled, raw []byte, byValue bool) *disagreement {
	in := Input{Raw: raw, IntegersByValue: byValue}
	engine, reference := c.Judge(in), c.Reference().Judge(in)
	if !sameUpToCost(engine, reference) {
		return resultsDiffer(c, raw, engine, reference, " on arguments")
	}
	count, fault := c.Locate(in)
	if fault != engine.Fault || count != len(engine.Violations) && count <= maxViolations/8 {
		return &disagreement{value: raw, opts: c.opts, what: "located and reported differ", details: fmt.Sprintf("located %d %q\nreported %+v", count, fault, engine)}
	}
	return nil
}

// sameUpToCost lets the engine, which asks less, have an answer where the reference
// is out of budget.
func sameUpToCost(engine, reference Result) bool {
	return reference.Fault == TooCostly && engine.Fault != TooCostly || sameResult(engine, reference)
}

func resultsDiffer(c *Compiled, raw []byte, engine, reference Result, what string) *disagreement {
	return &disagreement{
		value: raw, opts: c.opts, what: "engine and reference differ" + what,
		details: fmt.Sprintf("engine    %+v\nreference %+v", engine, reference),
	}
}

// judgedByEngine says that the engine judges the value to its end, without handing it
// over to the reference.
func judgedByEngine(c *Compiled, raw []byte, anyRoot bool) bool {
	if c.planned == nil {
		return false
	}
	e := new(engine)
	e.start(c, Input{Raw: raw}, NewBudget())
	return e.read(c.planned.root, anyRoot)
}

// asLibrary holds the verdict to the library's.
func (d *differential) asLibrary(t *trial, raw []byte, reference Result) *disagreement {
	if !guarded(raw) {
		d.explained["text or number that the library does not take"]++
		return nil
	}
	if reference.Fault == TooCostly {
		d.explained["too costly"]++
		return nil
	}
	if levels(raw) > maxLibraryLevels {
		d.explained["deeper than the library judges in time"]++
		return nil
	}
	value, err := lib.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		d.explained["text or number that the library does not take"]++
		return nil
	}
	d.library++
	verdict := t.library(value)
	if (verdict == nil) == reference.OK() {
		return nil
	}
	if why := t.explains(raw); why != "" {
		d.explained[why]++
		return nil
	}
	return &disagreement{
		t.doc, raw, t.dialect, t.plain.opts, "reference and library differ",
		fmt.Sprintf("reference %q %s\nlibrary   %v", errorsOf(reference), reference.Fault, verdict),
	}
}

// maxLibraryLevels bounds what the library takes for recursion through two subschemas,
// which doubles with each level.
const maxLibraryLevels = 9

// levels counts the levels of a text that is JSON.
func levels(raw []byte) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// explains names the reason for which the library judges otherwise; "" is none.
func (t *trial) explains(_ []byte) string {
	if unlike(t.doc) {
		return "format that the library has in every draft"
	}
	return ""
}

// rewritten demands that another spelling of the value changes nothing.
func (d *differential) rewritten(t *trial, raw []byte) *disagreement {
	v, err := rawjson.Parse(raw, rawjson.Limits{MaxDepth: MaxArgumentDepth, MaxValues: MaxArgumentValues})
	if err != nil {
		return nil
	}
	w := rewriter{d.Rand, true, true, true}
	text := w.write(nil, v)
	for _, c := range []*Compiled{t.plain, t.other} {
		if c == nil {
			continue
		}
		if found := sameCanonical(c, raw, text); found != nil {
			return found.with(t)
		}
		if found := sameInSmallBudget(c, raw); found != nil {
			return found.with(t)
		}
		before, after := sortedResult(c.engineValue(raw)), sortedResult(c.engineValue(text))
		if !sameResult(before, after) {
			return (&disagreement{
				value: raw, opts: c.opts, what: "spelling matters",
				details: fmt.Sprintf("spelled   %s\nbefore    %+v\nafter     %+v", text, before, after),
			}).with(t)
		}
	}
	return nil
}

// sameCanonical demands one canonical form of all spellings.
func sameCanonical(c *Compiled, raw, text []byte) *disagreement {
	before, ok := c.Canonical(nil, Input{Raw: raw})
	after, ok2 := c.Canonical(nil, Input{Raw: text})
	if ok == ok2 && bytes.Equal(before, after) {
		return nil
	}
	return &disagreement{
		value: raw, opts: c.opts, what: "canonical forms differ",
		details: fmt.Sprintf("spelled   %s\nbefore    %s %t\nafter     %s %t", text, before, ok, after, ok2),
	}
}

// sameInSmallBudget demands what NewSmallBudget promises.
func sameInSmallBudget(c *Compiled, raw []byte) *disagreement {
	small := NewSmallBudget()
	got, want := c.Judge(Input{Raw: raw, Budget: small}), c.Judge(Input{Raw: raw})
	if small.Exhausted() || sameResult(got, want) {
		return nil
	}
	return &disagreement{
		value: raw, opts: c.opts, what: "the small budget changes the result",
		details: fmt.Sprintf("small     %+v\nwhole     %+v", got, want),
	}
}

func (d *differential) String() string {
	return fmt.Sprintf("%d executions, %d valid, %d held to the library, %.1f %% judged by the engine alone, %d schemas, of which %d do not compile; explained: %v",
		d.executions, d.valid, d.library, 100*float64(d.engine)/float64(max(d.sampled, 1)), d.schemas, d.refused, d.explained)
}
