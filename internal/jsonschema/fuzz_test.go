package jsonschema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	lib "github.com/santhosh-tekuri/jsonschema/v6"
)

// nasty are values that decoders and validators are known to stumble over.
var nasty = []string{
	`{}`, `{"a":1}`, `{"a":1,"a":2}`, `{"a":{"b":[1,2,{"c":null}]}}`, `{"a":1e1000001}`, `{"a":1.0}`, `{"a":10e-1}`,
	`{"a":-0}`, `{"a":1e400}`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`, `{"__proto__":1}`, `{"a":9007199254740993}`,
	`{"\u0061":true}`, `[]`, `null`, `{"a":[1,1.0,"1"]}`, `{"a":19.99,"b":"x"}`, `{} {}`, "{\"a\":\"\xff\"}",
	`{"a":null,"b":null}`, `{"a":{"a":{"a":{}}}}`, `{"a":"2026-01-01"}`,
}

var fuzzSchemas = []string{
	`{"type":"object","properties":{"a":{"type":"integer","minimum":1.1,"maximum":10}},"required":["a"]}`,
	`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"},{"$ref":"#/definitions/n"}]}},"definitions":{"n":{"type":"object","properties":{"a":{"$ref":"#/definitions/n"}},"required":["a"]}}}`,
	`{"properties":{"a":{"items":{"enum":[1,"1",null,[1],{"c":1.0}]},"uniqueItems":true,"contains":{"type":"integer"}}}}`,
	`{"patternProperties":{"^a|b$":{"multipleOf":0.01}},"additionalProperties":false,"propertyNames":{"maxLength":1}}`,
	`{"if":{"required":["a"]},"then":{"properties":{"a":{"const":1}}},"else":{"minProperties":2}}`,
	`{"$schema":"https://json-schema.org/draft/2020-12/schema","allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false,"dependentRequired":{"a":["b"]}}`,
	`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"prefixItems":[{"type":"integer"}],"items":{"type":"string"},"unevaluatedItems":false,"contains":{"const":1},"minContains":2}}}`,
	`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"a":{"$recursiveRef":"#"}},"unevaluatedProperties":{"type":"string"}}`,
	`{"oneOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":{"type":"string","format":"date","pattern":"^\\d+"}}}],"not":{"required":["c"]}}`,
	`{"dependencies":{"a":["b"],"b":{"properties":{"a":{"type":["integer","null"]}}}}}`,
	`true`, `false`, `{}`,
}

// guarded says that the library can take the text: it panics or burns time on
// numbers far out, and decodes what is no JSON.
func guarded(text []byte) bool {
	if !json.Valid(text) {
		return false
	}
	tree, fault := parseTree(text)
	return fault == NoFault && tree.tame()
}

func (n *node) tame() bool {
	if n.duplicate || oversizedFor(n, 60, 60) {
		return false
	}
	for _, m := range n.members {
		if !m.tame() {
			return false
		}
	}
	for _, item := range n.items {
		if !item.tame() {
			return false
		}
	}
	return true
}

func oversizedFor(n *node, digits int, exponent int64) bool {
	return n.num == nil && len(n.raw) > 0 && (n.raw[0] == '-' || n.raw[0] >= '0' && n.raw[0] <= '9') &&
		oversized(string(n.raw), digits, exponent)
}

// libraryJudge compiles the schema as Compile does and judges by the library.
func libraryJudge(doc []byte, d Dialect) (func(any) error, bool) {
	var p, w problems
	document := readDocument(doc, Options{Dialect: d}, &p, &w)
	if document == nil {
		return nil, false
	}
	value, err := lib.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return nil, false
	}
	c := lib.NewCompiler()
	c.UseLoader(nil)
	c.DefaultDraft(d.library())
	c.UseRegexpEngine(document.engine)
	c.AssertFormat()
	registerFormats(c)
	if c.AddResource("https://tool.invalid/x.json", value) != nil {
		return nil, false
	}
	s, err := c.Compile("https://tool.invalid/x.json")
	if err != nil {
		return nil, false
	}
	return s.Validate, true
}

// unlike says that a schema has something that the library judges otherwise on
// purpose: formats beyond the list.
func unlike(doc []byte) bool {
	for _, name := range []string{`duration`, `period`, `semver`} {
		if bytes.Contains(doc, []byte(name)) {
			return true
		}
	}
	return bytes.Contains(doc, []byte(`\u`)) && bytes.Contains(doc, []byte(`format`))
}

func FuzzJudgeAgainstLibrary(f *testing.F) {
	for i, s := range fuzzSchemas {
		for _, v := range nasty {
			f.Add([]byte(s), []byte(v), i%2 == 0)
		}
	}
	count := 0
	readSuite(f, func(_ string, _ Dialect, g suiteGroup) {
		for _, tt := range g.Tests {
			if count++; count%7 == 0 {
				f.Add([]byte(g.Schema), []byte(tt.Data), count%2 == 0)
			}
		}
	})
	f.Fuzz(func(t *testing.T, doc, text []byte, newer bool) {
		dialect := Draft7
		if newer {
			dialect = Draft2020
		}
		if len(doc) > 4096 || len(text) > 4096 || unlike(doc) || !guarded(text) || !guarded(doc) {
			return
		}
		opts := conformance(dialect)
		opts.AnnotateFormats = false
		var p, w problems
		c := compile(doc, openly(opts), &p, &w)
		if c == nil || p.any() {
			return
		}
		validate, ok := libraryJudge(doc, dialect)
		if !ok {
			t.Fatalf("compiles here, not there: %s", doc)
		}
		value, err := lib.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return
		}
		res := c.judgeValue(text)
		if res.Fault != NoFault {
			t.Fatalf("fault %s: %s on %s", res.Fault, doc, text)
		}
		if want := validate(value); (want == nil) != res.OK() {
			t.Fatalf("schema %s\nvalue %s\ngot %v\nlibrary %v", doc, text, errorsOf(res), want)
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, s := range fuzzSchemas {
		f.Add([]byte(s), uint8(0))
	}
	count := 0
	readSuite(f, func(_ string, _ Dialect, g suiteGroup) {
		if count++; count%3 == 0 {
			f.Add([]byte(g.Schema), uint8(count))
		}
	})
	f.Fuzz(func(t *testing.T, doc []byte, settings uint8) {
		opts := optionsFrom(settings)
		c, problems, warnings := Compile(doc, opts)
		again, problems2, warnings2 := Compile(doc, opts)
		if !reflect.DeepEqual(problems, problems2) || !reflect.DeepEqual(warnings, warnings2) || (c == nil) != (again == nil) {
			t.Fatalf("not the same twice: %v %v", problems, problems2)
		}
		if (c == nil) == (len(problems) == 0) {
			t.Fatalf("compiled %t with problems %v", c != nil, problems)
		}
		for _, p := range problems {
			if len(p.Message) > maxMessage || p.Message == "" || strings.Contains(p.Message, "simplify it") {
				t.Fatalf("message %q", p.Message)
			}
		}
	})
}

func optionsFrom(settings uint8) Options {
	return Options{
		Undeclared: Undeclared(settings % 3), NullsAbsent: settings&4 != 0, AnnotateFormats: settings&8 != 0,
		IntegersByValue: settings&16 != 0, Dialect: []Dialect{Unspecified, Draft7, Draft2020, Draft4}[settings>>6],
	}
}

func FuzzJudge(f *testing.F) {
	for _, s := range fuzzSchemas {
		for i, v := range nasty {
			f.Add([]byte(s), []byte(v), uint8(i*37))
		}
	}
	f.Fuzz(func(t *testing.T, doc, text []byte, settings uint8) {
		c, _, _ := Compile(doc, optionsFrom(settings))
		if c == nil {
			return
		}
		in := Input{Raw: text, FreeText: settings&32 != 0}
		before := bytes.Clone(text)
		res := c.Judge(in)
		if !bytes.Equal(before, text) {
			t.Fatal("the input was changed")
		}
		if again := c.Judge(in); !reflect.DeepEqual(res, again) {
			t.Fatalf("not the same twice: %v %v", res, again)
		}
		checkResult(t, res)
		out, ok := c.Canonical(nil, in)
		if ok && !in.FreeText {
			twice, ok := c.Canonical(nil, Input{Raw: out})
			if !ok || !bytes.Equal(out, twice) && !c.opts.NullsAbsent {
				t.Fatalf("canonical %q, again %q", out, twice)
			}
		}
		if res.OK() && !ok {
			t.Fatal("allowed without a canonical form")
		}
	})
}

func checkResult(t *testing.T, res Result) {
	t.Helper()
	if res.Judged == (res.Fault != NoFault) || res.Fault != NoFault && len(res.Violations) > 0 {
		t.Fatalf("result %+v", res)
	}
	if !slices.IsSorted(errorsOf(res)) {
		t.Fatalf("not sorted: %q", errorsOf(res))
	}
	seen := map[string]bool{}
	for _, v := range res.Violations {
		if seen[v.Pointer] || v.Message == "" || len(v.Expected) > maxShown || v.Code.rank() < 0 {
			t.Fatalf("violation %+v", v)
		}
		seen[v.Pointer] = true
	}
}

// FuzzPattern holds the two engines against each other where both can run.
func FuzzPattern(f *testing.F) {
	for _, p := range []string{`^(a+)+$`, `a|b`, `[^\d]{2,3}?`, `\bx\B`, `(?<n>a*)*b`, `^\s\S$`, `(?:a|ab)(?:c|bcd)(?:d*)`, `[\w-.]`} {
		for _, s := range []string{"", "a", "aab", "x y", "abcd", "\u00a0z"} {
			f.Add(p, s)
		}
	}
	f.Fuzz(func(t *testing.T, source, text string) {
		if len(source) > 200 || len(text) > 60 || !utf8.ValidString(source) || !utf8.ValidString(text) {
			return
		}
		tree, err := parsePattern(source)
		if err != nil || tree.backtracks {
			return
		}
		re, err := regexp.Compile(re2Text(tree.reNode))
		if err != nil {
			return
		}
		matched, left := compileProgram(tree).search([]rune(text), matchSteps)
		if left > 0 && matched != re.MatchString(text) {
			t.Fatalf("%q on %q: backtracking %t, RE2 %t", source, text, matched, !matched)
		}
	})
}
