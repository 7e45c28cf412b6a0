package jsonschema

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

type judgeCase struct {
	name, schema string
	opts         Options
	args         string
	want         []string
}

func TestJudge(t *testing.T) {
	nested, follow := Options{Undeclared: RejectNested}, Options{Undeclared: FollowSchema}
	absent := Options{NullsAbsent: true}
	newer := Options{Dialect: Draft2020}
	const union = `{"properties":{"v":{"anyOf":[{"type":"object","properties":{"kind":{"const":"car"},"plate":{"type":"string"}},"required":["kind","plate"]},` +
		`{"type":"object","properties":{"kind":{"const":"van"},"load":{"type":"integer"}},"required":["kind","load"]}]}}}`
	for _, tt := range []judgeCase{
		{"duplicate wins", `{"properties":{"a":{"type":"string"}}}`, Options{}, `{"a":1,"a":2,"b":1}`, []string{"duplicate:a", "unexpected:b"}},
		{"duplicate below any", `{"properties":{"a":{}}}`, Options{}, `{"a":[{"x":{"y":1,"y":2}}]}`, []string{"duplicate:a[0].x.y"}},
		{"duplicate undeclared", `{}`, Options{}, `{"a":1,"a":2}`, []string{"duplicate:a"}},
		{"nothing below unexpected", `{}`, Options{}, `{"a":{"x":1,"x":2,"__proto__":1}}`, []string{"unexpected:a"}},
		{"nothing below type", `{"properties":{"a":{"type":"string","properties":{"b":{"type":"string"}}}}}`, Options{}, `{"a":{"b":1}}`, []string{"type:a"}},
		{"type before enum", `{"properties":{"a":{"type":"string","enum":["x"]}}}`, Options{}, `{"a":1}`, []string{"type:a"}},
		{"enum before length", `{"properties":{"a":{"enum":["x"],"minLength":3}}}`, Options{}, `{"a":"y"}`, []string{"enum:a"}},
		{"pattern before length", `{"properties":{"a":{"pattern":"^x","minLength":3}}}`, Options{}, `{"a":"y"}`, []string{"pattern:a"}},
		{"proto", `{"additionalProperties":true}`, follow, `{"__proto__":1,"a":{"__proto__":{}}}`, []string{"unexpected:__proto__", "unexpected:a.__proto__"}},
		{"proto escaped", `{"additionalProperties":true}`, follow, `{"\u005f_proto__":1}`, []string{"unexpected:__proto__"}},
		{"proto by name", `{"properties":{"__proto__":{"type":"string"}}}`, Options{}, `{"__proto__":1}`, []string{"type:__proto__"}},
		{"proto by pattern", `{"patternProperties":{".*":{}}}`, Options{}, `{"__proto__":1}`, []string{"unexpected:__proto__"}},
		{"surplus items", `{"properties":{"a":{"items":[{"type":"string"}],"additionalItems":false}}}`, Options{}, `{"a":["x",1,2]}`, []string{"unexpected:a[1]", "unexpected:a[2]"}},
		{"propertyNames", `{"additionalProperties":true,"propertyNames":{"pattern":"^x"}}`, Options{}, `{"x":1,"y":1}`, []string{"unexpected:y"}},
		{"dependent required", `{"properties":{"a":{},"b":{}},"dependencies":{"a":["b"]}}`, Options{}, `{"a":1}`, []string{"missing:b"}},
		{"not", `{"properties":{"a":{"not":{"type":"string"}}}}`, Options{}, `{"a":"x"}`, []string{"schema:a"}},
		{"false root", `false`, Options{}, `{"a":1}`, []string{"schema:", "unexpected:a"}},
		{"true root", `true`, Options{}, `{"a":1}`, []string{"unexpected:a"}},
		{"boolean is no number", `{"properties":{"a":{"type":"number"}}}`, Options{}, `{"a":true}`, []string{"type:a"}},
		{"zero fraction", `{"properties":{"a":{"type":"integer"}}}`, Options{IntegersByValue: true}, `{"a":3.0}`, []string{}},
		{"exponent", `{"properties":{"a":{"type":"integer"}}}`, Options{}, `{"a":1e3}`, []string{"type:a"}},
		{"exact bound", `{"properties":{"a":{"maximum":9007199254740992}}}`, Options{}, `{"a":9007199254740993}`, []string{"range:a"}},
		{"exact multiple", `{"properties":{"a":{"multipleOf":0.01}}}`, Options{}, `{"a":19.99}`, []string{}},
		{"exact fraction", `{"properties":{"a":{"minimum":1.1}}}`, Options{}, `{"a":1.1}`, []string{}},
		{"huge refused by bound", `{"properties":{"a":{"maximum":10}}}`, Options{}, `{"a":1e1000001}`, []string{"range:a"}},
		{"huge within bounds", `{"properties":{"a":{"minimum":10}}}`, Options{}, `{"a":1e1000001}`, []string{"range:a"}},
		{"huge and enum", `{"properties":{"a":{"enum":[1,2]}}}`, Options{}, `{"a":1e1000001}`, []string{"enum:a"}},
		{"huge and type", `{"properties":{"a":{"type":"string"}}}`, Options{}, `{"a":1e1000001}`, []string{"type:a"}},
		{"huge anywhere", `{"properties":{"a":{}}}`, Options{}, `{"a":{"b":[` + strings.Repeat("1", 1001) + `]}}`, []string{"range:a.b[0]"}},
		{"at the bound", `{"properties":{"a":{}}}`, Options{}, `{"a":[` + strings.Repeat("1", 1000) + `,1e9999,1E-9999]}`, []string{}},
		{"tiny", `{"properties":{"a":{"multipleOf":3}}}`, Options{}, `{"a":1e-99999}`, []string{"range:a"}},
		{"unique by value", `{"properties":{"a":{"uniqueItems":true}}}`, Options{}, `{"a":[{"x":1,"y":2},{"y":2.0,"x":10e-1}]}`, []string{"items:a"}},
		{"object const", `{"properties":{"a":{"const":{"x":[1,null]}}}}`, Options{}, `{"a":{"x":[1.0,null]}}`, []string{}},

		{"union of types", `{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`, Options{}, `{"a":"5"}`, []string{"type:a"}},
		{"optional model", `{"properties":{"a":{"anyOf":[{"$ref":"#/definitions/m"},{"type":"null"}]}},"definitions":{"m":{"type":"object","properties":{"x":{"type":"integer"}},"required":["y"]}}}`,
			Options{}, `{"a":{"x":"1"}}`, []string{"missing:a.y", "type:a.x"}},
		{"blamed by const", union, Options{}, `{"v":{"kind":"van"}}`, []string{"missing:v.load"}},
		{"no branch to blame", union, Options{}, `{"v":{"kind":"bus"}}`, []string{"schema:v"}},
		{"discriminator absent", union, Options{}, `{"v":{}}`, []string{"schema:v"}},
		{"two matches", `{"properties":{"a":{"oneOf":[{"type":"integer"},{"type":"number"}]}}}`, Options{}, `{"a":5}`, []string{"schema:a"}},
		{"nested union of types", `{"properties":{"a":{"anyOf":[{"anyOf":[{"type":"string"},{"type":"null"}]},{"type":"object","required":["x"]}]}}}`, Options{}, `{"a":{}}`, []string{"missing:a.x"}},

		{"root union declares the blamed", `{"anyOf":[{"properties":{"k":{"const":1},"a":{}},"required":["k","a"]},{"properties":{"k":{"const":2},"b":{}},"required":["k","b"]}]}`,
			Options{}, `{"k":1,"b":2}`, []string{"missing:a", "unexpected:b"}},
		{"root union declares all", `{"anyOf":[{"properties":{"k":{"const":1},"a":{}},"required":["k","a"]},{"properties":{"k":{"const":2},"b":{}},"required":["k","b"]}]}`,
			Options{}, `{"k":3,"a":1,"b":2,"c":3}`, []string{"schema:", "unexpected:c"}},
		{"not declares nothing", `{"not":{"properties":{"a":{"type":"string"}},"required":["a"]}}`, Options{}, `{"a":1}`, []string{"unexpected:a"}},
		{"then declares", `{"properties":{"k":{}},"if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"properties":{"a":{}}},"else":{"properties":{"b":{}}}}`, Options{}, `{"k":1,"a":1,"b":1}`, []string{"unexpected:b"}},
		{"false additional declares nothing", `{"allOf":[{"properties":{"a":{}}},{"additionalProperties":false}]}`, Options{}, `{"a":1}`, []string{"unexpected:a"}},
		{"invalid value is declared", `{"properties":{"a":false}}`, Options{}, `{"a":1}`, []string{"schema:a"}},
		{"nested open", `{"properties":{"o":{"properties":{"a":{}}}}}`, Options{}, `{"o":{"b":1}}`, []string{}},
		{"nested closed", `{"properties":{"o":{"properties":{"a":{}}}}}`, nested, `{"o":{"b":1}}`, []string{"unexpected:o.b"}},
		{"nested bare object", `{"properties":{"o":{"type":"object"}}}`, nested, `{"o":{"b":1}}`, []string{}},
		{"nested root without list", `{"type":"object"}`, nested, `{"b":1}`, []string{"unexpected:b"}},
		{"nested items", `{"properties":{"l":{"items":{"properties":{"a":{}}}}}}`, nested, `{"l":[{"a":1},{"b":1}]}`, []string{"unexpected:l[1].b"}},
		{"nested contains", `{"properties":{"l":{"contains":{"properties":{"k":{"const":1}},"required":["k"]}}}}`, nested, `{"l":[{"k":1,"x":2}]}`, []string{}},
		{"unevaluated", `{"allOf":[{"properties":{"a":{"type":"string"}}}],"unevaluatedProperties":false}`, newer, `{"a":1,"b":2}`, []string{"type:a", "unexpected:b"}},
		{"unevaluated opens", `{"properties":{"a":{}},"unevaluatedProperties":{"type":"string"}}`, newer, `{"a":1,"b":2}`, []string{"type:b"}},
		{"plain schema", `{"properties":{"a":{}}}`, follow, `{"b":2}`, []string{}},

		{"null kept", `{"properties":{"a":{"type":"string"}}}`, Options{}, `{"a":null}`, []string{"type:a"}},
		{"null absent", `{"properties":{"a":{"type":"string"}}}`, absent, `{"a":null}`, []string{}},
		{"null required", `{"properties":{"a":{"type":"string"}},"required":["a"]}`, absent, `{"a":null}`, []string{"type:a"}},
		{"null required in a branch", `{"properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, absent, `{"a":null}`, []string{"type:a"}},
		{"null undeclared", `{"properties":{"a":{"type":"string"}}}`, absent, `{"b":null}`, []string{"unexpected:b"}},
		{"null accepted counts", `{"properties":{"a":{"type":["string","null"]}},"minProperties":1}`, absent, `{"a":null}`, []string{}},
		{"null absent does not count", `{"properties":{"a":{"type":"string"}},"minProperties":1}`, absent, `{"a":null}`, []string{"properties:"}},
		{"null below", `{"properties":{"l":{"items":{"properties":{"a":{"type":"string"}}}}}}`, absent, `{"l":[{"a":null},null]}`, []string{}},
		{"null and conjuncts", `{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"minLength":1}}}]}`, absent, `{"a":null}`, []string{}},
		{"null and branches", `{"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"null"}}}]}`, absent, `{"a":null}`, []string{}},
		{"null duplicate", `{"properties":{"a":{"type":"string"}}}`, absent, `{"a":null,"a":null}`, []string{"duplicate:a"}},
		{"null by another key's trigger", `{"properties":{"a":{"type":"string"},"b":{}},"dependencies":{"b":["a"]}}`, absent, `{"a":null,"b":1}`, []string{"type:a"}},

		{"formats in 2020-12", `{"properties":{"a":{"format":"date"}}}`, newer, `{"a":"x"}`, []string{"format:a"}},
		{"formats as annotation", `{"properties":{"a":{"format":"date"}}}`, Options{AnnotateFormats: true}, `{"a":"x"}`, []string{}},
		{"uuid", `{"properties":{"a":{"format":"uuid"}}}`, Options{}, `{"a":"x"}`, []string{"format:a"}},
		{"duration before it was defined", `{"properties":{"a":{"format":"duration"}}}`, Options{}, `{"a":"x"}`, []string{}},
		{"duration in 2020-12", `{"properties":{"a":{"format":"duration"}}}`, newer, `{"a":"x"}`, []string{"format:a"}},
		{"regex format", `{"properties":{"a":{"format":"regex"}}}`, Options{}, `{"a":"("}`, []string{"format:a"}},

		{"paths", `{"properties":{"a":{"properties":{"b.c":{"items":{"type":"string"}}}}}}`, Options{}, `{"a":{"b.c":[[1]]}}`, []string{"type:a.b.c[0]"}},
		{"control characters", `{}`, Options{}, `{"a\n\u202e":1}`, []string{`unexpected:a\u000a\u202e`}},
		{"syntax", `{}`, Options{}, `{"a":}`, []string{"arguments:invalid_json"}},
		{"surrogate", `{}`, Options{}, `{"a":"\ud800"}`, []string{"arguments:invalid_json"}},
		{"trailing", `{}`, Options{}, `{} {}`, []string{"arguments:invalid_json"}},
		{"depth", `{}`, Options{}, strings.Repeat(`{"a":`, 129) + "1" + strings.Repeat("}", 129), []string{"arguments:too_deep"}},
		{"depth at the bound", `{"additionalProperties":true}`, Options{}, strings.Repeat(`{"a":`, 128) + "1" + strings.Repeat("}", 128), []string{}},
		{"bytes", `{}`, Options{}, `{"a":"` + strings.Repeat("x", MaxArgumentBytes) + `"}`, []string{"arguments:too_large"}},
		{"values", `{}`, Options{}, `{"a":[` + strings.Repeat("1,", MaxArgumentValues) + `1]}`, []string{"arguments:too_large"}},
	} {
		c := mustCompile(t, tt.schema, tt.opts)
		if got := errorsOf(c.Judge(Input{Raw: []byte(tt.args)})); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNoParameters(t *testing.T) {
	for _, u := range []Undeclared{Reject, RejectNested, FollowSchema} {
		c := mustCompile(t, "", Options{Undeclared: u})
		if got := errorsOf(c.Judge(Input{Raw: []byte(`{"a":{"b":1}}`)})); !slices.Equal(got, []string{"unexpected:a"}) {
			t.Errorf("%d: %q", u, got)
		}
		if !c.Judge(Input{Raw: []byte(`{}`)}).OK() {
			t.Errorf("%d: {} is refused", u)
		}
	}
}

func TestEnvelopeOnly(t *testing.T) {
	c := EnvelopeOnly()
	for args, want := range map[string][]string{
		`{"a":{"b":[1]}}`:          {},
		`[]`:                       {"arguments:not_an_object"},
		`{"a":{"b":1,"b":2}}`:      {"duplicate:a.b"},
		`{"a":{"__proto__":1}}`:    {"unexpected:a.__proto__"},
		`{"a":1e10000}`:            {"range:a"},
		`{"a":` + "\"\xff\"" + `}`: {"arguments:invalid_json"},
	} {
		if got := errorsOf(c.Judge(Input{Raw: []byte(args)})); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestFreeText(t *testing.T) {
	text := mustCompile(t, `{"$ref":"#/definitions/t","definitions":{"t":{"type":"string","pattern":"^x"}}}`, Options{})
	object := mustCompile(t, `{"properties":{"a":{}}}`, Options{})
	if !text.AllowsString() || object.AllowsString() {
		t.Error("AllowsString", text.AllowsString(), object.AllowsString())
	}
	for _, tt := range []struct {
		c    *Compiled
		raw  string
		want []string
	}{
		{text, "x\n", []string{}},
		{text, "y", []string{"pattern:"}},
		{text, "x\xff", []string{"arguments:invalid_json"}},
		{object, "x", []string{"arguments:not_an_object"}},
	} {
		if got := errorsOf(tt.c.Judge(Input{Raw: []byte(tt.raw), FreeText: true})); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.raw, got, tt.want)
		}
	}
	if out, ok := text.Canonical(nil, Input{Raw: []byte("x\"\n"), FreeText: true}); !ok || string(out) != `"x\"\n"` {
		t.Errorf("canonical %s %t", out, ok)
	}
}

func TestCanonical(t *testing.T) {
	c := mustCompile(t, `{"properties":{"a":{"type":"string"},"b":{}}}`, Options{NullsAbsent: true})
	for raw, want := range map[string]string{
		`{"b": 1.00, "\u0061" : "\u00e9\/"}`:     `{"a":"é/","b":1.00}`,
		`{"a":null,"b":{"z":1e3,"y":[null,{}]}}`: `{"b":{"y":[null,{}],"z":1e3}}`,
		`{"b":{"𐀀":1,"￮":2}}`:                    `{"b":{"￮":2,"𐀀":1}}`,
		`{"a":1,"a":2}`:                          "",
		`{"a":`:                                  "",
		`[]`:                                     "",
	} {
		out, ok := c.Canonical([]byte(">"), Input{Raw: []byte(raw)})
		if ok != (want != "") || string(out) != ">"+want {
			t.Errorf("%s: %s %t", raw, out, ok)
		}
	}
}

func TestViolation(t *testing.T) {
	c := mustCompile(t, `{"properties":{"a~/b":{"type":["string","null"]},"n":{"maximum":10},"p":{"pattern":"^x$"},"e":{"enum":["c","f"]},"l":{"maxItems":1}},"required":["m"]}`, Options{})
	res := c.Judge(Input{Raw: []byte(`{"a~/b":1,"n":11.5,"p":"secret","e":"secret","l":["secret",2]}`)})
	want := []Violation{
		{CodeEnum, "/e", "e", "enum", `one of "c", "f"`, "string", `"e" must be one of "c", "f"`},
		{CodeItems, "/l", "l", "maxItems", "at most 1 item", "array", `"l" must have at most 1 item`},
		{CodeMissing, "/m", "m", "required", "a value", "absent", `"m" is required`},
		{CodePattern, "/p", "p", "pattern", "a match of ^x$", "string", `"p" must be a match of ^x$`},
		{CodeRange, "/n", "n", "maximum", "at most 10", "number", `"n" must be at most 10`},
		{CodeType, "/a~0~1b", "a~/b", "type", "string or null", "integer", `"a~/b" must be string or null, not integer`},
	}
	if !slices.Equal(res.Violations, want) {
		t.Errorf("got %+v", res.Violations)
	}
}

// A value that is made to be expensive is judged or given up in about a second,
// and the verdict on it does not depend on the clock.
func TestHostileValues(t *testing.T) {
	many := `{"a":[` + strings.Repeat(`{"b":1},`, 49_000) + `1]}`
	deepList := `{"a":` + strings.Repeat(`[`, 120) + strings.Repeat(`]`, 120) + `}`
	doubling := `{"properties":{"a":{"$ref":"#/definitions/d0"}},"definitions":{` + repeat(22, ",", func(i int) string {
		return fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/definitions/d%d"},{"$ref":"#/definitions/d%d"}]}`, i, i+1, i+1)
	}) + `,"d22":{"type":"string"}}}`
	recursive := `{"properties":{"a":{"$ref":"#/definitions/n"}},"definitions":{"n":{"anyOf":[{"items":{"$ref":"#/definitions/n"}},{"items":{"allOf":[{"$ref":"#/definitions/n"}]}}]}}}`
	branches := `{"properties":{"a":{"items":{"anyOf":[` + repeat(200, ",", func(i int) string {
		return fmt.Sprintf(`{"properties":{"b":{"const":"%d"}},"required":["b"]}`, i)
	}) + `]}}}}`
	numbers := `{"a":[` + strings.Repeat(`1e1000001,`, 50_000) + `1]}`
	for _, tt := range []struct{ name, schema, args, first string }{
		{"doubling", doubling, `{"a":"x"}`, ""},
		{"doubling, wrong", doubling, `{"a":1}`, "type:a"},
		{"many", `{"properties":{"a":{"items":{"type":["object","integer"],"properties":{"b":{"type":"integer","minimum":0}}}}}}`, many, ""},
		{"many errors", `{"properties":{"a":{"items":{"properties":{"b":{"type":"string"}}}}}}`, many, "type:a[0].b"},
		{"too many pairs", branches, many, "arguments:too_costly"},
		{"recursion", recursive, deepList, ""},
		{"numbers", `{"properties":{"a":{"items":{"multipleOf":7,"maximum":10}}}}`, numbers, "range:a[0]"},
		{"patterns", `{"properties":{"a":{"items":{"type":["object","integer"],"patternProperties":{` + repeat(100, ",", func(i int) string { return fmt.Sprintf(`"^%d":{}`, i) }) + `}}}}}`, many, ""},
		{"long text", `{"properties":{"a":{"pattern":"^([a-z0-9]+[-._]?)*$","maxLength":10}}}`, `{"a":"` + strings.Repeat("x", 500_000) + `"}`, "length:a"},
		{"longest chain at every level", `{"$ref":"#/definitions/d0","definitions":{` + repeat(120, ",", func(i int) string {
			return fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/definitions/d%d"}]}`, i, i+1)
		}) + `,"d120":{"properties":{"a":{"$ref":"#"}}}}}`, strings.Repeat(`{"a":`, 128) + "1" + strings.Repeat("}", 128), ""},
		{"long name", `{"additionalProperties":{"additionalProperties":{"type":"string"}}}`,
			`{"` + strings.Repeat("k", 200_000) + `":{` + repeat(25_000, ",", func(i int) string { return fmt.Sprintf(`"%d":1`, i) }) + `}}`, "type:" + strings.Repeat("k", 256) + "…"},
		{"formats", `{"properties":{"a":{"allOf":[` + repeat(2000, ",", func(int) string { return `{"format":"uri"}` }) + `]}}}`, `{"a":"` + strings.Repeat("x", 500_000) + `"}`, "arguments:too_costly"},
		{"much required", `{"properties":{"a":{"items":{"required":[` + repeat(10_000, ",", func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `]}}}}`, many, "arguments:too_costly"},
		{"unique", `{"properties":{"a":{"uniqueItems":true}}}`, many, "items:a"},
		{"lookahead on many", `{"properties":{"a":{"items":{"pattern":"^(?!x)(a+)+$"}}}}`, `{"a":[` + strings.Repeat(`"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",`, 10_000) + `1]}`, "arguments:too_costly"},
		{"unevaluated", `{"$schema":"https://json-schema.org/draft/2020-12/schema","allOf":[` + repeat(200, ",", func(i int) string {
			return fmt.Sprintf(`{"patternProperties":{"^%d":{}}}`, i)
		}) + `],"unevaluatedProperties":false}`, `{` + repeat(20_000, ",", func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + `}`, "arguments:too_costly"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := mustCompile(t, tt.schema, Options{})
			start := cpuTime(t)
			res := c.Judge(Input{Raw: []byte(tt.args)})
			took := cpuTime(t) - start
			got := append(errorsOf(res), "")
			t.Log(took, len(got))
			if got[0] != tt.first {
				t.Errorf("got %q, want %q", got[0], tt.first)
			}
		})
	}
}
