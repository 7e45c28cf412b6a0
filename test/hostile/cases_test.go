package hostile

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/internal/jsonschema"
)

// hostileCase is one schema, what is judged by it as one review, and the answer to the
// last of it.
type hostileCase struct {
	name   string
	schema string
	opts   jsonschema.Options
	calls  []string
	fault  jsonschema.Fault
	// errors are the first ones, and count is how many there are; -1: as many as a report
	// of 1,024 violations and 128 KiB holds.
	errors []string
	count  int
}

// repeat joins n texts made by f.
func repeat(n int, sep string, f func(int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, sep)
}

func the(s string) func(int) string { return func(int) string { return s } }

// property makes a schema for arguments with one property.
func property(name, schema string) string {
	return `{"type":"object","properties":{"` + name + `":` + schema + `}}`
}

// hostileCases lists all cases.
func hostileCases() []hostileCase {
	var list []hostileCase
	for _, part := range [][]hostileCase{
		numberCases(), doublingCases(), textCases(), keyCases(), containerCases(), recursionCases(), reportCases(), reviewCases(),
	} {
		list = append(list, part...)
	}
	return list
}

func numberCases() []hostileCase {
	far := `{"n":[` + repeat(100, ",", the("1e1000000")) + `]}`
	many := `{"n":[` + repeat(40_000, ",", the("1e99999999")) + `]}`
	digits := `{"n":` + strings.Repeat("9", 500_000) + `}`
	return []hostileCase{
		{name: "1e99999999", schema: property("n", `{}`), calls: []string{`{"n":1e99999999}`}, errors: []string{"range:n"}, count: 1},
		{name: "1e99999999 as an integer", schema: property("n", `{"type":"integer"}`), opts: jsonschema.Options{IntegersByValue: true},
			calls: []string{`{"n":1e99999999}`}, errors: []string{"range:n"}, count: 1},
		{name: "1e99999999 against an enum", schema: property("n", `{"enum":[1,2.5,1e400]}`), calls: []string{`{"n":1e99999999}`}, errors: []string{"enum:n"}, count: 1},
		{name: "100 x 1e1000000", schema: property("n", `{"items":{"maximum":10,"multipleOf":0.01}}`), calls: []string{far},
			errors: []string{"range:n[0]", "range:n[10]", "range:n[11]"}, count: 100},
		{name: "40,000 x 1e99999999", schema: property("n", `{"items":{"type":"integer","maximum":10,"multipleOf":0.01}}`), opts: jsonschema.Options{IntegersByValue: true},
			calls: []string{many}, errors: []string{"range:n[0]", "range:n[10000]"}, count: -1},
		{name: "40,000 x 1e9999 with multipleOf", schema: property("n", `{"items":{"multipleOf":7e-300}}`),
			calls: []string{`{"n":[` + repeat(40_000, ",", the("1e9999")) + `]}`}, errors: []string{"range:n[0]", "range:n[10000]"}, count: -1},
		{name: "500,000 digits", schema: property("n", `{"maximum":10,"multipleOf":3}`), calls: []string{digits}, errors: []string{"range:n"}, count: 1},
	}
}

// doubling is a schema that applies its innermost part 2^n times.
func doubling(keyword, inner string, n int) string {
	return `{"definitions":{"d0":` + inner + `,` + repeat(n, ",", func(i int) string {
		return fmt.Sprintf(`"d%d":{"%s":[{"$ref":"#/definitions/d%d"},{"$ref":"#/definitions/d%d"}]}`, i+1, keyword, i, i)
	}) + `},"properties":{"n":{"$ref":"#/definitions/d` + fmt.Sprint(n) + `"}}}`
}

func doublingCases() []hostileCase {
	const least = `{"minimum":5}`
	var list []hostileCase
	for _, d := range []struct {
		name, schema, call string
		errors             []string
	}{
		{"allOf, valid", doubling("allOf", least, 22), `{"n":7}`, nil},
		{"allOf, invalid", doubling("allOf", least, 22), `{"n":1}`, []string{"range:n"}},
		{"allOf, of another type", doubling("allOf", `{"type":"integer"}`, 22), `{"n":"x"}`, []string{"type:n"}},
		{"anyOf, valid", doubling("anyOf", least, 22), `{"n":7}`, nil},
		{"anyOf, invalid", doubling("anyOf", least, 22), `{"n":1}`, []string{"schema:n"}},
		{"anyOf, of another type", doubling("anyOf", `{"type":"integer"}`, 22), `{"n":"x"}`, []string{"type:n"}},
		{"oneOf", doubling("oneOf", least, 22), `{"n":7}`, []string{"schema:n"}},
		{"anyOf, a list of 40,000", doubling("anyOf", `{"type":"array","items":{"minimum":5}}`, 22), `{"n":[` + repeat(40_000, ",", the("1")) + `]}`, []string{"schema:n"}},
	} {
		list = append(list, hostileCase{name: "doubling 22 times by " + d.name, schema: d.schema, calls: []string{d.call}, errors: d.errors, count: len(d.errors)})
	}
	return list
}

func textCases() []hostileCase {
	short, long := strings.Repeat("a", 10_000), strings.Repeat("a", 500_000)
	return []hostileCase{
		{name: "^(a+)+$ on 10 kB", schema: property("s", `{"pattern":"^(a+)+$"}`), calls: []string{`{"s":"` + short + `b"}`}, errors: []string{"pattern:s"}, count: 1},
		{name: "^(?=a)(a+)+$ on 10 kB", schema: property("s", `{"pattern":"^(?=a)(a+)+$"}`), calls: []string{`{"s":"` + short + `b"}`}, fault: jsonschema.TooCostly},
		{name: "(x+x+)+y on 500 kB", schema: property("s", `{"pattern":"(x+x+)+y"}`), calls: []string{`{"s":"` + strings.Repeat("x", 500_000) + `"}`}, errors: []string{"pattern:s"}, count: 1},
		{name: "500 kB against a pattern", schema: property("s", `{"pattern":"^[a-z]+$","maxLength":1000}`), calls: []string{`{"s":"` + long + `"}`}, errors: []string{"length:s"}, count: 1},
		{name: "500 kB against a pattern that fails at its end", schema: property("s", `{"pattern":"^[a-z]+$","maxLength":1000}`),
			calls: []string{`{"s":"` + long + `."}`}, errors: []string{"pattern:s"}, count: 1},
		{name: "500 kB of escapes against a length", schema: property("s", `{"maxLength":1000}`), calls: []string{`{"s":"` + strings.Repeat(`\u00e9`, 80_000) + `"}`}, errors: []string{"length:s"}, count: 1},
		{name: "a large pattern", schema: property("s", `{"pattern":"^(.{0,200}x.{0,200}y){1,20}$"}`), calls: []string{`{"s":"` + strings.Repeat("x", 20_000) + `"}`}, errors: []string{"pattern:s"}, count: 1},
		{name: "1 MiB of one string", schema: property("s", `{}`), calls: []string{`{"s":"` + strings.Repeat("a", 1<<20) + `"}`}, fault: jsonschema.TooLarge},
		{name: "invalid UTF-8 behind 400 kB", schema: property("s", `{}`), calls: []string{`{"s":"` + strings.Repeat("a", 400_000) + "\xff\"}"}, fault: jsonschema.InvalidJSON},
		{name: "a lone surrogate behind 400 kB", schema: property("s", `{}`), calls: []string{`{"s":"` + strings.Repeat("ä", 200_000) + `\ud83d"}`}, fault: jsonschema.InvalidJSON},
	}
}
