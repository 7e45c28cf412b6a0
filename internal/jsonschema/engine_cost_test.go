package jsonschema

import (
	"fmt"
	"strings"
	"testing"
)

// What a schema makes of one value again and again is counted by what it takes, bytes
// and all, so that the engine hands over before it has cost more than the reference
// would, and keeps no memory for it.
func TestLookingAgainIsPaidFor(t *testing.T) {
	escaped := `{"s":"` + strings.Repeat(`\n`, 250_000) + `"}`
	numbered := func(n int, format string) string {
		return repeat(n, ",", func(i int) string { return fmt.Sprintf(format, i) })
	}
	for _, tt := range []struct{ name, schema, value string }{
		{"a long text for each branch", `{"properties":{"s":{"anyOf":[` + numbered(300, `{"maxLength":%d}`) + `]}}}`, escaped},
		{"a long key for each branch", `{"properties":{"s":{"anyOf":[` + numbered(300, `{"required":["r%d"]}`) + `]}}}`, `{"s":{"` + strings.Repeat("a", 500_000) + `\n":1}}`},
		{"a long key for each not", `{"properties":{"s":{"allOf":[` + numbered(300, `{"not":{"required":["r%d"]}}`) + `]}}}`, `{"s":{"` + strings.Repeat(`\t`, 250_000) + `":1}}`},
		{"a search for each dependency", `{"properties":{"s":{"dependencies":{` + numbered(1000, `"d%d":{}`) + `}}}}`, `{"s":{` + numbered(40_000, `"k%d":1`) + `}}`},
		{"a long key for each dependency", `{"properties":{"s":{"dependencies":{` + numbered(4000, `"d%d":{"minProperties":0}`) + `}}}}`, `{"s":{"` + strings.Repeat(`\n`, 250_000) + `":1}}`},
		{
			"a long text for each branch that could be meant", `{"properties":{"s":{"oneOf":[` +
				numbered(1000, `{"required":["k","a"],"properties":{"a":{"type":"string"},"k":{"const":"v%d"}}}`) + `]}}}`,
			`{"s":{"a":1,"\u006b":"` + strings.Repeat(`\n`, 250_000) + `"}}`,
		},
		{"a long number for each branch", `{"properties":{"s":{"anyOf":[` + numbered(1000, `{"enum":[%d]}`) + `]}}}`, `{"s":1` + strings.Repeat("0", 500_000) + `}`},
		{"blanks for each branch", `{"properties":{"s":{"anyOf":[` + numbered(1000, `{"required":["r%d"]}`) + `]}}}`, `{"s":{` + strings.Repeat(" ", 500_000) + `}}`},
		{"blanks behind a key for each branch", `{"properties":{"s":{"anyOf":[` + numbered(1000, `{"required":["r%d"]}`) + `]}}}`, `{"s":{"q"` + strings.Repeat(" ", 500_000) + `:1}}`},
		{"blanks in a list for each branch", `{"properties":{"s":{"anyOf":[` + numbered(1000, `{"minItems":1%d}`) + `]}}}`, `{"s":[1,` + strings.Repeat(" ", 500_000) + `2]}`},
		{"blanks for each dependency", `{"properties":{"s":{"allOf":[` + numbered(1000, `{"dependencies":{"q":{"required":["r%d"]}}}`) + `]}}}`, `{"s":{` + strings.Repeat(" ", 500_000) + `"q":1}}`},
		{
			"a tree for each branch", `{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"s":{"anyOf":[` +
				numbered(100, `{"type":"object","required":["r%d"],"unevaluatedProperties":false}`) + `]}}}`,
			`{"s":{"k":[` + strings.Repeat("1,", 40_000) + `1]}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := mustCompile(t, tt.schema, Options{Undeclared: FollowSchema})
			in := Input{Raw: []byte(tt.value)}
			e := new(engine)
			e.start(c, in, NewBudget())
			if e.read(c.planned.root, false) {
				t.Errorf("judged by the engine, after %d steps", e.rereadings+e.steps)
			}
			// Twice what may be looked at again, with what is counted after it is done.
			if used, may := e.rereadings+e.steps, 2*e.allowance(0)+len(in.Raw); used > may {
				t.Errorf("%d steps, more than %d", used, may)
			}
			if kept := cap(e.keys) + cap(e.text); kept > 4*len(in.Raw) {
				t.Errorf("%d bytes kept of %d", kept, len(in.Raw))
			}
			sameAsReference(t, c, []byte(tt.name), in.Raw)
		})
	}
}

// A number or a name is found among many without looking at each.
func TestEnumOfManyNumbers(t *testing.T) {
	c := mustCompile(t, `{"properties":{"n":{"enum":[`+repeat(9000, ",", func(i int) string { return fmt.Sprintf("%d.5", i) })+`,1e30,12345678901234567890123,-1e300]}}}`, Options{})
	for raw, want := range map[string]bool{
		`{"n":77.5}`: true, `{"n":775e-1}`: true, `{"n":77.50}`: true, `{"n":8999.5}`: true, `{"n":0.5}`: true,
		`{"n":9000.5}`: false, `{"n":77}`: false, `{"n":-77.5}`: false, `{"n":0}`: false,
		`{"n":1000000000000000000000000000000}`: true, `{"n":12345678901234567890123}`: true, `{"n":12345678901234567890123.0}`: true,
		`{"n":12345678901234567890124}`: false, `{"n":-10e299}`: true, `{"n":1e301}`: false,
	} {
		if got := c.Judge(Input{Raw: []byte(raw)}); got.OK() != want {
			t.Errorf("%s: %q", raw, errorsOf(got))
		}
		sameAsReference(t, c, nil, []byte(raw))
	}
}

// A pattern that overruns is the last of a text's faults, wherever in the text it is met.
func TestFaultsComeInOrder(t *testing.T) {
	c := mustCompile(t, `{"properties":{"s":{"pattern":"^(?=(a+)+b)"}}}`, Options{Undeclared: FollowSchema})
	evil := `"` + strings.Repeat("a", 10_000) + `"`
	for name, tt := range map[string]struct {
		raw  string
		want Fault
	}{
		"whole":     {`{"s":` + evil + `}`, TooCostly},
		"cut":       {`{"s":` + evil, InvalidJSON},
		"trailing":  {`{"s":` + evil + `} x`, InvalidJSON},
		"too deep":  {`{"s":` + evil + `,"t":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, TooDeep},
		"no object": {`[` + evil + `]`, NotAnObject},
		"several":   {`{"s":` + evil + `,"t":[1,2],"s":` + evil + `}`, TooCostly},
	} {
		in := Input{Raw: []byte(tt.raw)}
		if got, reference := c.Judge(in), c.Reference().Judge(in); got.Fault != tt.want || reference.Fault != tt.want {
			t.Errorf("%s: engine %q, reference %q, want %q", name, got.Fault, reference.Fault, tt.want)
		}
	}
}

// Nothing is allocated for what real calls have, allowed.
func TestAllowedCallsAllocateNothing(t *testing.T) {
	c := mustCompile(t, `{"properties":{"id":{"type":"integer","minimum":1},"map":{"additionalProperties":{"type":"string"}},
		"u":{"anyOf":[{"type":"string","maxLength":4},{"type":"string","format":"uuid"}]},"l":{"uniqueItems":true},"x":{"multipleOf":0.01}}}`, Options{})
	raw := []byte(`{"id":1234567890123456789,"map":{` + repeat(40, ",", func(i int) string { return fmt.Sprintf(`"k%d":"v"`, i) }) +
		`},"u":"\u0061b\n","l":[1,2.0,"a",true],"x":19.99}`)
	in := Input{Raw: raw}
	if res := c.Judge(in); !res.OK() {
		t.Fatal(errorsOf(res))
	}
	if n := testing.AllocsPerRun(100, func() { c.Judge(in) }); n >= 1 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
}
