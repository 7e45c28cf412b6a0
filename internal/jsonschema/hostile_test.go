package jsonschema

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// repeat joins n texts made by f.
func repeat(n int, sep string, f func(int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, sep)
}

// fill repeats as often as fits into a schema document.
func fill(head, tail, sep string, f func(int) string) string {
	n := 0
	for size := len(head) + len(tail); size < MaxSchemaBytes; n++ {
		size += len(f(n)) + len(sep)
	}
	return head + repeat(n-1, sep, f) + tail
}

// cpuTime is what the process has used: on a busy machine the clock says little.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// A schema that is made to be expensive is refused or compiled, in about a second of
// CPU without the race detector.
func TestHostileSchemas(t *testing.T) {
	nest := func(n int, open, inner, end string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	for name, doc := range map[string]string{
		"many properties":       fill(`{"properties":{`, `}}`, ",", func(i int) string { return fmt.Sprintf(`"%d":{}`, i) }),
		"properties to a limit": `{"properties":{` + repeat(4090, ",", func(i int) string { return fmt.Sprintf(`"%d":{"type":"string"}`, i) }) + `}}`,
		"errors":                fill(`{"properties":{`, `}}`, ",", func(i int) string { return fmt.Sprintf(`"%d":{"type":"x"}`, i) }),
		"errors to a limit":     `{"properties":{` + repeat(4000, ",", func(i int) string { return fmt.Sprintf(`"%d":{"type":"x"}`, i) }) + `}}`,
		"branches":              `{"anyOf":[` + repeat(4000, ",", func(i int) string { return fmt.Sprintf(`{"type":"string","maxLength":%d}`, i) }) + `]}`,
		"enum":                  fill(`{"enum":[`, `]}`, ",", func(i int) string { return fmt.Sprint(i * 1000003) }),
		"enum to a limit":       `{"enum":[` + repeat(19000, ",", func(i int) string { return fmt.Sprint(i) }) + `]}`,
		"enum of equals":        `{"enum":[` + repeat(19000, ",", func(i int) string { return "1e" + fmt.Sprint(i%2) }) + `]}`,
		"numbers":               `{"properties":{` + repeat(4000, ",", func(i int) string { return fmt.Sprintf(`"%d":{"multipleOf":1e400}`, i) }) + `}}`,
		"absurd number":         `{"minimum":1e99999999}`,
		"absurd small number":   `{"minimum":1e-99999999}`,
		"digits":                `{"minimum":` + strings.Repeat("9", 190000) + `}`,
		"deep":                  nest(62, `{"not":`, `{}`, `}`),
		"too deep":              nest(70, `{"not":`, `{}`, `}`),
		"very deep":             strings.Repeat(`{"not":`, 20000),
		"refs to defs": `{"$defs":{` + repeat(500, ",", func(i int) string { return fmt.Sprintf(`"d%d":{"type":"string"}`, i) }) +
			`},"properties":{` + repeat(3000, ",", func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d%d"}`, i, i%500) }) + `}}`,
		"refs to too many defs": `{"$defs":{` + repeat(2000, ",", func(i int) string { return fmt.Sprintf(`"d%d":{"type":"string"}`, i) }) +
			`},"properties":{` + repeat(2000, ",", func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d%d"}`, i, i) }) + `}}`,
		"refs into a nest": `{"x":` + nest(30, `{"x":`, `[`+repeat(1000, ",", func(int) string { return `{"type":"string"}` })+`]`, `}`) +
			`,"allOf":[` + repeat(30, ",", func(i int) string { return `{"$ref":"#` + strings.Repeat("/x", i+1) + `"}` }) + `]}`,
		"chain of refs": `{"$ref":"#/definitions/d0","definitions":{` + repeat(3000, ",", func(i int) string {
			return fmt.Sprintf(`"d%d":{"$ref":"#/definitions/d%d"}`, i, (i+1)%3001)
		}) + `,"d3000":{}}}`,
		"branches of one allOf": `{"definitions":{"a":{"allOf":[` + repeat(1300, ",", func(i int) string {
			return fmt.Sprintf(`{"properties":{"p%d":{"const":1}}}`, i)
		}) + `]}},"anyOf":[` + repeat(1000, ",", func(int) string { return `{"$ref":"#/definitions/a"}` }) + `]}`,
		"patterns":         fill(`{"patternProperties":{`, `}}`, ",", func(i int) string { return fmt.Sprintf(`"^%d[a-z]{900}$":{}`, i) }),
		"class patterns":   fill(`{"patternProperties":{`, `}}`, ",", func(i int) string { return fmt.Sprintf(`"%d\\p{L}\\P{Lu}":{}`, i) }),
		"classes":          `{"pattern":"` + strings.Repeat(`\\p{L}`, 30000) + `"}`,
		"a class":          `{"pattern":"[` + strings.Repeat(`\\p{L}`, 30000) + `]"}`,
		"repetitions":      `{"pattern":"` + nest(8, `(`, `a`, `){1000}`) + `"}`,
		"groups":           `{"pattern":"` + strings.Repeat("(", 100000) + `"}`,
		"alternatives":     `{"pattern":"` + strings.Repeat("a|", 90000) + `"}`,
		"ids":              `{"definitions":{` + repeat(3000, ",", func(i int) string { return fmt.Sprintf(`"%d":{"$id":"i%d"}`, i, i) }) + `}}`,
		"anchors":          `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{` + repeat(3000, ",", func(i int) string { return fmt.Sprintf(`"%d":{"$dynamicAnchor":"i%d","$dynamicRef":"#i%d"}`, i, i, i) }) + `}}`,
		"2020 to a limit":  `{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{` + repeat(4000, ",", func(i int) string { return fmt.Sprintf(`"%d":{"type":"string"}`, i) }) + `}}`,
		"required":         `{"required":[` + repeat(19000, ",", func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `]}`,
		"long name":        `{"properties":{"` + strings.Repeat("k", 100_000) + `":{"properties":{` + repeat(4000, ",", func(i int) string { return fmt.Sprintf(`"%d":{}`, i) }) + `}}}}`,
		"required pattern": `{"patternProperties":{` + repeat(1000, ",", func(i int) string { return fmt.Sprintf(`"(x+x+)+%d":{}`, i) }) + `},"required":[` + repeat(15000, ",", func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			start := cpuTime(t)
			c, problems, warnings := Compile([]byte(doc), Options{})
			took := cpuTime(t) - start
			first := ""
			if len(problems) > 0 {
				first = problems[0].Path + " " + problems[0].Message
			}
			t.Logf("%d bytes, %v, compiled %t, %d problems, %d warnings, %s", len(doc), took, c != nil, len(problems), len(warnings), first)
			// No bound on time is asserted: where a bound on work is missing, these
			// take minutes, and the package's deadline tells.
			if c != nil && len(problems) > 0 {
				t.Error("compiled, with problems")
			}
		})
	}
}
