package hostile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/jsonschema"
)

// keyed is an object of n members with short keys, and more in front and behind.
func keyed(first string, n int, last string) string {
	return "{" + first + repeat(n, ",", func(i int) string { return `"` + strconv.FormatInt(int64(i)+1_000, 36) + `":0` }) + last + "}"
}

func keyCases() []hostileCase {
	known := `{"properties":{` + repeat(4_000, ",", func(i int) string { return `"` + strconv.FormatInt(int64(i)+1_000, 36) + `":{"type":"integer"}` }) + `},"additionalProperties":false}`
	required := func(n int) string {
		names := repeat(n, ",", func(i int) string { return fmt.Sprintf(`"p%d"`, i) })
		return `{"properties":{` + repeat(n, ",", func(i int) string { return fmt.Sprintf(`"p%d":{}`, i) }) + `},"required":[` + names + `]}`
	}
	given := func(n int) string {
		return `{` + repeat(n, ",", func(i int) string { return fmt.Sprintf(`"p%d":0`, n-1-i) }) + `}`
	}
	open := jsonschema.Options{Undeclared: jsonschema.FollowSchema}
	return []hostileCase{
		{name: "100,000 keys", schema: `{"additionalProperties":true}`, calls: []string{keyed("", 100_000, "")}, fault: jsonschema.TooLarge},
		{name: "55,000 keys, additionalProperties true", schema: `{"additionalProperties":true}`, calls: []string{keyed("", 55_000, "")}},
		{name: "55,000 keys, additionalProperties a schema", schema: `{"additionalProperties":{"type":"integer"}}`, calls: []string{keyed("", 55_000, "")}},
		{name: "55,000 keys, additionalProperties false", schema: `{"additionalProperties":false}`, calls: []string{keyed("", 55_000, "")},
			errors: []string{"unexpected:100", "unexpected:1000", "unexpected:1001"}, count: -1},
		{name: "55,000 keys, undeclared", schema: `{"properties":{"a":{}}}`, calls: []string{keyed("", 55_000, "")}, errors: []string{"unexpected:100", "unexpected:1000"}, count: -1},
		{name: "55,000 keys, 4,000 known", schema: known, calls: []string{keyed("", 55_000, "")}, errors: []string{"unexpected:1000", "unexpected:1001"}, count: -1},
		{name: "4,000 keys, all known", schema: known, calls: []string{keyed("", 4_000, "")}},
		{name: "55,000 keys, propertyNames", schema: `{"propertyNames":{"pattern":"^[a-z0-9]+$"}}`, opts: open, calls: []string{keyed("", 55_000, "")}},
		{name: "55,000 keys, 40 patterns", opts: open, calls: []string{keyed("", 55_000, "")}, fault: jsonschema.TooCostly,
			schema: `{"patternProperties":{` + repeat(40, ",", func(i int) string { return fmt.Sprintf(`"^[0-9a-z]{1,%d}$":{"type":"integer"}`, i+4) }) + `}}`},
		{name: "a key twice, by an escape", schema: `{"properties":{"a":{}}}`, calls: []string{`{"a":1,"\u0061":2}`}, errors: []string{"duplicate:a"}, count: 1},
		{name: "a key twice, by an escape, among 50,000", schema: `{"additionalProperties":true}`, calls: []string{keyed(`"aaaa":1,`, 50_000, `,"\u0061aaa":2`)}, errors: []string{"duplicate:aaaa"}, count: 1},
		{name: "25,000 keys twice", schema: `{"additionalProperties":true}`, calls: []string{"{" + repeat(2, ",", func(int) string { return strings.Trim(keyed("", 25_000, ""), "{}") }) + "}"},
			errors: []string{"duplicate:100", "duplicate:101"}, count: -1},
		{name: "65 required, none given", schema: required(65), calls: []string{`{}`}, errors: []string{"missing:p0", "missing:p1", "missing:p10"}, count: 65},
		{name: "65 required, all given", schema: required(65), calls: []string{given(65)}},
		{name: "300 required, none given", schema: required(300), calls: []string{`{}`}, errors: []string{"missing:p0"}, count: 300},
		{name: "300 required, all given", schema: required(300), calls: []string{given(300)}},
		{name: "300 required, the first absent", schema: required(300), calls: []string{strings.Replace(given(300), `"p0":0`, `"q":0`, 1)}, errors: []string{"missing:p0", "unexpected:q"}, count: 2},
	}
}

func containerCases() []hostileCase {
	numbers := repeat(50_000, ",", func(i int) string { return strconv.Itoa(i + 100_000) })
	objects := repeat(24_000, ",", func(i int) string { return fmt.Sprintf(`{"a":%d,"b":0}`, i) })
	unique := property("l", `{"uniqueItems":true}`)
	return []hostileCase{
		{name: "10,000 levels", schema: property("l", `{}`), calls: []string{`{"l":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`}, fault: jsonschema.TooDeep},
		{name: "250,000 levels, never closed", schema: property("l", `{}`), calls: []string{`{"l":` + strings.Repeat(`[`, 250_000)}, fault: jsonschema.TooDeep},
		{name: "100,001 values", schema: property("l", `{}`), calls: []string{`{"l":[` + repeat(100_000, ",", the("0")) + `]}`}, fault: jsonschema.TooLarge},
		{name: "50,000 unique numbers", schema: unique, calls: []string{`{"l":[` + numbers + `]}`}},
		{name: "50,000 numbers, the last again", schema: unique, calls: []string{`{"l":[` + numbers + `,1000000e-1]}`}, errors: []string{"items:l"}, count: 1},
		{name: "50,000 unique strings", schema: unique, calls: []string{`{"l":["` + strings.ReplaceAll(numbers, ",", `","`) + `"]}`}},
		{name: "24,000 unique objects", schema: unique, calls: []string{`{"l":[` + objects + `]}`}},
		{name: "24,000 objects, the last again", schema: unique, calls: []string{`{"l":[` + objects + `,{"b":0.0,"a":23999}]}`}, errors: []string{"items:l"}, count: 1},
		{name: "contains, 50,000 items", schema: property("l", `{"contains":{"const":"x"}}`), calls: []string{`{"l":[` + numbers + `]}`}, errors: []string{"items:l"}, count: 1},
		{name: "an enum of lists, 24,000 objects", schema: property("l", `{"items":{"enum":[[1],{"a":1,"b":0}]}}`), calls: []string{`{"l":[` + objects + `]}`},
			errors: []string{"enum:l[0]", "enum:l[10000]"}, count: -1},
	}
}
