package jsonschema

import (
	"bytes"
	"slices"
	"testing"

	lib "github.com/santhosh-tekuri/jsonschema/v6"
)

// differenceTopic is one deliberate difference from plain JSON Schema: a section
// of docs/conformance.md, whose examples TestDifferences evaluates.
type differenceTopic struct {
	title, words string
	examples     []differenceExample
}

// differenceExample is a schema, arguments, and what becomes of them.
type differenceExample struct {
	schema, args string
	// plain is what JSON Schema makes of it.
	plain plainVerdict
	// byDefault are the errors under the default settings.
	byDefault []string
	// setting is another one, in the words of spec.arguments; "" where there is
	// none that changes anything.
	setting string
	opts    Options
	then    []string
}

// plainVerdict is what plain JSON Schema says; the library is asked.
type plainVerdict string

const (
	plainFits    plainVerdict = "fits"
	plainRefused plainVerdict = "does not fit"
	// plainUndefined: JSON Schema speaks of values, and such a text has none or
	// more than one.
	plainUndefined plainVerdict = "undefined"
)

var (
	followSchema  = Options{Undeclared: FollowSchema}
	rejectNested  = Options{Undeclared: RejectNested}
	byValueOption = Options{IntegersByValue: true}
)

var differences = []differenceTopic{
	{"Closed world",
		"JSON Schema lets through every property that a schema does not mention. A model's call with a misspelled argument would pass, " +
			"so by default a property that nothing declares is `unexpected` at the root, and with `undeclared: RejectNested` wherever a " +
			"subschema in place has `properties` or `patternProperties`. `undeclared: FollowSchema` is plain JSON Schema.",
		[]differenceExample{
			{`{"properties":{"city":{}}}`, `{"town":1}`, plainFits, []string{"unexpected:town"}, "undeclared: FollowSchema", followSchema, nil},
			{`{"properties":{"at":{"properties":{"city":{}}}}}`, `{"at":{"town":1}}`, plainFits, nil, "undeclared: RejectNested", rejectNested, []string{"unexpected:at.town"}},
			{`{"additionalProperties":true}`, `{"town":1}`, plainFits, nil, "undeclared: RejectNested", rejectNested, nil},
			{`{"properties":{"at":{"additionalProperties":{}}}}`, `{"at":{"town":1}}`, plainFits, nil, "undeclared: RejectNested", rejectNested, nil},
			{`{"anyOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`, `{"a":1,"c":1}`, plainFits, []string{"unexpected:c"}, "undeclared: FollowSchema", followSchema, nil},
			{`{"not":{"properties":{"a":{"type":"string"}}}}`, `{"a":1}`, plainFits, []string{"unexpected:a"}, "undeclared: FollowSchema", followSchema, nil},
			{`{}`, `{"a":1}`, plainFits, []string{"unexpected:a"}, "undeclared: FollowSchema", followSchema, nil},
		}},
	{"Lexical integers",
		"Since Draft 6 `3.0` and `1e3` are integers. Many tools read them into a type that refuses them, or truncate, so by default an " +
			"integer is written without fraction and exponent. `integers: Value` is plain JSON Schema. A boolean is never a number.",
		[]differenceExample{
			{`{"properties":{"n":{"type":"integer"}}}`, `{"n":3.0}`, plainFits, []string{"type:n"}, "integers: Value", byValueOption, nil},
			{`{"properties":{"n":{"type":"integer"}}}`, `{"n":1e3}`, plainFits, []string{"type:n"}, "integers: Value", byValueOption, nil},
			{`{"properties":{"n":{"type":"number"}}}`, `{"n":3}`, plainFits, nil, "", Options{}, nil},
			{`{"properties":{"n":{"enum":[3]}}}`, `{"n":3.0}`, plainFits, nil, "", Options{}, nil},
			{`{"properties":{"n":{"type":"integer"}}}`, `{"n":true}`, plainRefused, []string{"type:n"}, "integers: Value", byValueOption, []string{"type:n"}},
		}},
	{"`__proto__`",
		"A key by which programs in JavaScript are attacked. It is `unexpected` at any depth and under every setting, unless a " +
			"`properties` in place names it: neither a pattern nor an opening `additionalProperties` declares it.",
		[]differenceExample{
			{`{"additionalProperties":true}`, `{"__proto__":1}`, plainFits, []string{"unexpected:__proto__"}, "undeclared: FollowSchema", followSchema, []string{"unexpected:__proto__"}},
			{`{"properties":{"a":{}}}`, `{"a":[{"__proto__":1}]}`, plainFits, []string{"unexpected:a[0].__proto__"}, "undeclared: FollowSchema", followSchema, []string{"unexpected:a[0].__proto__"}},
			{`{"patternProperties":{"^_":{}}}`, `{"__proto__":1}`, plainFits, []string{"unexpected:__proto__"}, "", Options{}, nil},
			{`{"properties":{"__proto__":{}}}`, `{"__proto__":1}`, plainFits, nil, "", Options{}, nil},
		}},
	{"Bounds on numbers",
		"Numbers are compared exactly, whatever their size. So that nobody can make this dear, a literal of more than 1,000 digits or with " +
			"an exponent beyond ±9,999 is refused even where the schema has no bound: `enum` where an enum refuses it, else `range`.",
		[]differenceExample{
			{`{"properties":{"n":{}}}`, `{"n":1e9999}`, plainFits, nil, "", Options{}, nil},
			{`{"properties":{"n":{}}}`, `{"n":1e10000}`, plainFits, []string{"range:n"}, "undeclared: FollowSchema", followSchema, []string{"range:n"}},
			{`{"properties":{"n":{"enum":["x"]}}}`, `{"n":1e10000}`, plainRefused, []string{"enum:n"}, "", Options{}, nil},
			{`{"properties":{"n":{"maximum":9007199254740992}}}`, `{"n":9007199254740993}`, plainRefused, []string{"range:n"}, "", Options{}, nil},
			{`{"properties":{"n":{"multipleOf":0.01}}}`, `{"n":19.99}`, plainFits, nil, "", Options{}, nil},
		}},
	{"Duplicate keys",
		"JSON Schema does not say which of two equal keys counts, and decoders differ, so that the tool might run with another value than the " +
			"one that was judged. Such a key is `duplicate` at any depth and under every setting; keys are compared after unescaping.",
		[]differenceExample{
			{`{"properties":{"a":{}}}`, `{"a":1,"a":2}`, plainUndefined, []string{"duplicate:a"}, "undeclared: FollowSchema", followSchema, []string{"duplicate:a"}},
			{`{"properties":{"a":{}}}`, `{"a":{"b":1,"\u0062":1}}`, plainUndefined, []string{"duplicate:a.b"}, "", Options{}, nil},
		}},
	{"Arguments are an object, in JSON",
		"A value that is no object is refused before any schema is asked, and so is a text that is no JSON by RFC 8259, with invalid UTF-8 or with " +
			"an unpaired surrogate: what cannot be decoded in one way only is not judged. `docs/verdicts.md` has the bounds on size and depth.",
		[]differenceExample{
			{`{}`, `[]`, plainFits, []string{"arguments:not_an_object"}, "", Options{}, nil},
			{`{"properties":{"a":{}}}`, `{"a":"\ud83d"}`, plainUndefined, []string{"arguments:invalid_json"}, "", Options{}, nil},
		}},
	{"Formats",
		"From 2019-09 on `format` asserts nothing unless a vocabulary says so. Whoever writes a format means it, so that by default the " +
			"formats of `docs/formats.md` are checked in every draft that has them. `formats: Annotate` switches them off.",
		[]differenceExample{
			{`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"d":{"format":"date"}}}`, `{"d":"today"}`, plainFits, []string{"format:d"}, "formats: Annotate", Options{AnnotateFormats: true}, nil},
		}},
	{"Nulls",
		"A null is a value like any other by default, as in JSON Schema. With `nulls: Absent` a null that no schema accepts or requires counts " +
			"as an absent property, because many models write one for an argument that they leave out.",
		[]differenceExample{
			{`{"properties":{"a":{"type":"string"}}}`, `{"a":null}`, plainRefused, []string{"type:a"}, "nulls: Absent", Options{NullsAbsent: true}, nil},
			{`{"properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":null}`, plainRefused, []string{"type:a"}, "nulls: Absent", Options{NullsAbsent: true}, []string{"type:a"}},
		}},
}

func TestDifferences(t *testing.T) {
	for _, topic := range differences {
		for _, e := range topic.examples {
			checkExample(t, e.schema, e.args, Options{}, e.byDefault)
			if e.setting != "" {
				checkExample(t, e.schema, e.args, e.opts, e.then)
			}
			if got := plainly(t, e.schema, e.args); e.plain != plainUndefined && got != e.plain {
				t.Errorf("%s: %s on %s: plain JSON Schema says %q, listed as %q", topic.title, e.schema, e.args, got, e.plain)
			}
		}
	}
}

func checkExample(t *testing.T, doc, args string, opts Options, want []string) {
	t.Helper()
	c := mustCompile(t, doc, opts)
	judgeAll(t, c, []byte(args))
	if got := errorsOf(judgeInput(t, c, Input{Raw: []byte(args)})); !slices.Equal(got, want) {
		t.Errorf("%s on %s under %+v: got %q, want %q", doc, args, opts, got, want)
	}
}

// plainly asks the library, in its own settings: it judges by the letter of the
// drafts.
func plainly(t *testing.T, doc, args string) plainVerdict {
	t.Helper()
	schema, err := lib.UnmarshalJSON(bytes.NewReader([]byte(doc)))
	if err != nil {
		t.Fatal(doc, err)
	}
	c := lib.NewCompiler()
	c.UseLoader(nil)
	c.DefaultDraft(lib.Draft7)
	const url = "https://tool.invalid/example.json"
	if err := c.AddResource(url, schema); err != nil {
		t.Fatal(doc, err)
	}
	s, err := c.Compile(url)
	if err != nil {
		t.Fatal(doc, err)
	}
	value, err := lib.UnmarshalJSON(bytes.NewReader([]byte(args)))
	if err != nil {
		return plainUndefined
	}
	if s.Validate(value) != nil {
		return plainRefused
	}
	return plainFits
}

// refusedSchema is a document that JSON Schema takes and Compile does not.
type refusedSchema struct {
	doc, path, why string
}

var refusedSchemas = []refusedSchema{
	{`{"$ref":"https://example.org/a.json"}`, "/$ref", "a reference leads out of the document"},
	{`{"$ref":"#"}`, "", "a reference leads to itself, with no step into the value"},
	{`{"properties":{"a":{"anyOf":[{"type":"string"},{}]}}}`, "/properties/a/anyOf/1", "a branch accepts everything, and the union with it"},
	{`{"properties":{"a":{"prefixItems":[{"type":"string"}]}}}`, "/properties/a/prefixItems", "Draft 7, which nobody chose, ignores the keyword"},
	{`{"properties":{"a":{"$ref":"#/definitions/s","maxLength":3}},"definitions":{"s":{"type":"string"}}}`, "/properties/a/maxLength", "Draft 7, which nobody chose, ignores what stands beside `$ref`"},
	{`{"properties":{"a":{"type":"string"},"a":{"type":"integer"}}}`, "/properties/a", "a key occurs twice"},
	{`{"$schema":"https://example.org/meta"}`, "/$schema", "none of the five drafts"},
	{`{"minimum":1e401}`, "/minimum", "a number beyond 400 digits or an exponent of 400"},
}

func TestRefusedSchemas(t *testing.T) {
	for _, r := range refusedSchemas {
		c, list, _ := Compile([]byte(r.doc), Options{})
		if c != nil || len(list) != 1 || list[0].Path != r.path {
			t.Errorf("%s: got problems %v, want one at %q", r.doc, list, r.path)
		}
	}
}
