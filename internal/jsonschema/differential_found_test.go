package jsonschema

import "testing"

// foundDisagreements are what generated schemas found once, made small.
var foundDisagreements = []struct {
	why, doc, value string
	dialect         Dialect
	opts            Options
}{
	{"an absent property demanded twice is missing once", `{"required":["b"],"dependentRequired":{"ab":["b"]}}`, `{"ab":{}}`, Draft2020, Options{}},
	{"the same by a union with one branch left", `{"required":["b"],"oneOf":[{"required":["b"]}]}`, `{}`, Draft6, Options{Undeclared: FollowSchema}},
	{"the same by two dependencies", `{"dependencies":{"b":["d"],"c":["d"]}}`, `{"c":4,"b":0}`, Draft4, Options{Undeclared: RejectNested}},
	{"not declares nothing, and postpones nothing", `{"properties":{" ":{"$ref":"#"}},"not":{}}`, `{" ":{"q":604}}`, Draft7, Options{Undeclared: RejectNested}},
	{"a plan that is the reference's declares what it declares", `{"dependentSchemas":{"a":{"allOf":[{"unevaluatedProperties":{}}]}}}`, `{"a":1}`, Draft2019, Options{}},
	{"the same by a union", `{"anyOf":[{"properties":{"aa":{}},"unevaluatedProperties":false},{}]}`, `{"aa":"a"}`, Draft2020, Options{}},
	{"a location with a fault has no violations", `{"not":{}}`, `{"a":1},`, Draft2020, Options{}},
}

func TestFoundDisagreements(t *testing.T) {
	for _, f := range foundDisagreements {
		trial := newTrial([]byte(f.doc), f.dialect, f.opts)
		if trial == nil || trial.library == nil || trial.other == nil {
			t.Fatalf("%s: %s does not compile", f.why, f.doc)
		}
		d := &differential{Rand: newRandom(1, 1), explained: map[string]int{}}
		for range 4 { // once for each of its turns
			if found := d.execute(trial, []byte(f.value)); found != nil {
				t.Errorf("%s: %v", f.why, found)
				break
			}
		}
	}
}
