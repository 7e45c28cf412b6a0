package jsonschema

import (
	"reflect"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	const v2020 = `"$schema":"https://json-schema.org/draft/2020-12/schema",`
	for _, tt := range []struct {
		name, schema string
		opts         Options
		want         Explanation
		warning      string
	}{
		{
			"all by the engine", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string","pattern":"^x"},{"$ref":"#/definitions/b"}]}},"definitions":{"b":{"enum":[1]}}}`,
			Options{}, Explanation{Engine: []string{"$ref", "anyOf", "enum", "pattern", "properties", "type"}}, "",
		},
		{
			"one argument by the reference", `{` + v2020 + `"properties":{"a":{"allOf":[{"properties":{"b":true}}],"unevaluatedProperties":false},"c":{"minimum":1}}}`,
			Options{}, Explanation{
				Engine:    []string{"minimum", "properties"},
				Reference: []Delegated{{Path: "/properties/a", Keyword: "unevaluatedProperties", Reason: "it depends on what other keywords have looked at"}},
			}, "/properties/a values here are judged by the slower",
		},
		{
			"nulls that may be absent", `{"properties":{"a":{"type":"integer"}},"dependencies":{"a":["b"]}}`, Options{NullsAbsent: true}, Explanation{
				Engine:    []string{"dependencies", "properties", "type"},
				Reference: []Delegated{{Reason: "a null may count as absent, which is settled before anything is judged; calls without a null member are the engine's"}},
			}, "",
		},
		{
			"the whole schema", `{` + v2020 + `"properties":{"a":{"type":"string"}},"unevaluatedProperties":false}`,
			Options{}, Explanation{
				Reference: []Delegated{{Path: "", Keyword: "unevaluatedProperties", Reason: "it depends on what other keywords have looked at, and so does what is declared", Whole: true}},
			}, " the whole schema is judged by the slower",
		},
		{
			"a union in a closed world", `{"properties":{"a":{"oneOf":[{"properties":{"b":{}},"required":["b"]},{"properties":{"c":{}},"required":["c"]}]}}}`,
			Options{Undeclared: RejectNested}, Explanation{
				Reference: []Delegated{{Path: "/properties/a", Keyword: "oneOf", Reason: "it decides what is declared, and undeclared properties are refused at every level", Whole: true}},
			}, "/properties/a the whole schema is judged by the slower",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, list, warnings := Compile([]byte(tt.schema), tt.opts)
			if c == nil {
				t.Fatal(list)
			}
			if got := c.Explain(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			said := ""
			for _, w := range warnings {
				if strings.Contains(w.Message, "slower") {
					said = w.Path + " " + w.Message
				}
			}
			if !strings.HasPrefix(said, tt.warning) || (said == "") != (tt.warning == "") {
				t.Errorf("warning %q, want %q", said, tt.warning)
			}
		})
	}
}

// What the reference is asked about one argument is found where it is.
func TestDelegatedFindings(t *testing.T) {
	c := mustCompile(t, `{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"l":{"items":{
		"properties":{"a":{"type":"integer"}},"required":["k/~"],"unevaluatedProperties":false}}}}`, Options{})
	for _, raw := range []string{
		`{"l":[{"a":1,"k/~":2},{"a":"x","b":1},{"\u0061":[],"k\/~":{}},7]}`, `{"l":[{}],"x":{}}`, `{"l":[{"k/~":1,"k/~":2}]}`, `{"l":[]}`,
	} {
		sameAsReference(t, c, nil, []byte(raw))
	}
	if got := errorsOf(c.Judge(Input{Raw: []byte(`{"l":[{"a":"x"}]}`)})); len(got) != 2 || got[0] != "missing:l[0].k/~" || got[1] != "type:l[0].a" {
		t.Errorf("got %q", got)
	}
}
