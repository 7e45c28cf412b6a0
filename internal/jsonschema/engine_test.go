package jsonschema

import (
	"bytes"
	"reflect"
	"testing"
)

// sameAsReference holds the engine's result to the reference's. The reference may
// say too_costly where the engine, which asks less, has an answer.
func sameAsReference(t *testing.T, c *Compiled, doc, raw []byte) {
	t.Helper()
	for _, byValue := range []bool{false, true} {
		in := Input{Raw: raw, IntegersByValue: byValue}
		sameCanonically(t, c, in)
		got, want := c.Judge(in), c.Reference().Judge(in)
		if want.Fault == TooCostly && got.Fault != TooCostly {
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nschema %s\nvalue  %s\nby value %t\nengine    %+v\nreference %+v", c.opts, doc, raw, byValue, got, want)
		}
	}
}

// sameCanonically holds the canonical form, which is written while the text is read, to
// the one that is written from a tree.
func sameCanonically(t *testing.T, c *Compiled, in Input) {
	t.Helper()
	got, ok := c.Canonical([]byte(">"), in)
	want, wanted := c.Reference().Canonical([]byte(">"), in)
	if ok != wanted || !bytes.Equal(got, want) {
		t.Fatalf("%s\ncanonical %s %t\nof a tree %s %t", in.Raw, got, ok, want, wanted)
	}
}

// variants are the settings under which a schema means something different.
var variants = []Options{
	{}, {Undeclared: RejectNested}, {Undeclared: FollowSchema, AllowProto: true}, {NullsAbsent: true},
	{Undeclared: FollowSchema, IntegersByValue: true, AnnotateFormats: true}, {Dialect: Draft2020},
}

func TestEngineAsReference(t *testing.T) {
	for _, doc := range fuzzSchemas {
		for _, opts := range variants {
			c, _, _ := Compile([]byte(doc), opts)
			if c == nil {
				continue
			}
			for _, v := range nasty {
				sameAsReference(t, c, []byte(doc), []byte(v))
			}
		}
	}
}

// What generated schemas brought to light.
func TestEngineFindings(t *testing.T) {
	for _, tt := range []struct{ schema, value string }{
		{`{"required":["b"],"dependencies":{"ab":["b"]}}`, `{"ab":{}}`},
		{`{"required":["x-y"],"oneOf":[{"required":["x-y"]}]}`, `{}`},
		{`{"properties":{"s":{"properties":{"x":{}},"not":{"required":["z"]}}},"not":{"required":["z"]}}`, `{"s":{"q":1}}`},
		{`{"properties":{"l":{"uniqueItems":true}}}`, `{"l":[{"a":{"c":[1,{}],"b":"x"},"":1.0},{"\u0000":1},{"":10e-1,"a":{"b":"\u0078","c":[1.0,{}]}}]}`},
		{`{"properties":{"l":{"uniqueItems":true}}}`, `{"l":[{"ab":"c","b":[]},{"a":"bc","b":[]},{"b":[[]],"a":1},{"b":[[],[]],"a":1},{"b":[[],[]],"a":true}]}`},
		{`{"properties":{"l":{"uniqueItems":true}}}`, `{"l":[["s1:a"],["a"],"[s1:a]",[["a"]],[false,null],[null,false]]}`},
		{`{"properties":{"a":{}},"anyOf":[{"required":["x"],"properties":{"b":{}}},{"required":["y"],"properties":{"c":{}}},{"type":"array","properties":{"d":{}}}]}`, `{"b":1}`},
		{`{"properties":{"a":{}},"anyOf":[{"required":["x"],"properties":{"b":{}}},{"required":["y"],"properties":{"c":{}}},{"type":"array","properties":{"d":{}}}]}`, `{"b":1,"d":2,"q":3}`},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{}},"anyOf":[{"properties":{"b":{}},"unevaluatedProperties":{"type":"integer"}},{"required":["z"]}]}`, `{"c":1,"b":2}`},
	} {
		for _, opts := range variants {
			if c, _, _ := Compile([]byte(tt.schema), opts); c != nil {
				sameAsReference(t, c, []byte(tt.schema), []byte(tt.value))
			}
		}
	}
}

func FuzzEngine(f *testing.F) {
	for i, s := range fuzzSchemas {
		for _, v := range nasty {
			f.Add([]byte(s), []byte(v), uint8(i))
		}
	}
	readSuite(f, func(_ string, d Dialect, g suiteGroup) {
		for i, tt := range g.Tests {
			if d == Draft7 || d == Draft2020 {
				f.Add([]byte(g.Schema), []byte(tt.Data), uint8(i))
				f.Add([]byte(`{"properties":{"a":`+string(g.Schema)+`}}`), []byte(`{"a":`+string(tt.Data)+`}`), uint8(i))
			}
		}
	})
	f.Fuzz(func(t *testing.T, doc, raw []byte, variant uint8) {
		c, _, _ := Compile(doc, variants[int(variant)%len(variants)])
		if c != nil {
			sameAsReference(t, c, doc, raw)
		}
	})
}
