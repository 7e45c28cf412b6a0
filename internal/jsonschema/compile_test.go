package jsonschema

import (
	"slices"
	"testing"
)

// mustCompile compiles a schema that has no problems.
func mustCompile(t testing.TB, doc string, opts Options) *Compiled {
	t.Helper()
	c, problems, _ := Compile([]byte(doc), opts)
	if c == nil {
		t.Fatalf("Compile(%s): %v", doc, problems)
	}
	return c
}

// errorsOf gives the error strings of a judgement; a fault stands alone.
func errorsOf(res Result) []string {
	if res.Fault != NoFault {
		return []string{"arguments:" + string(res.Fault)}
	}
	if !res.Judged {
		return []string{"not judged"}
	}
	out := []string{}
	for _, v := range res.Violations {
		out = append(out, v.Error())
	}
	return out
}

// The table of the first seed: the error strings are exact.
func TestFlatSchema(t *testing.T) {
	const weather = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},` +
		`"units":{"type":"string","enum":["c","f"]},"any":{}},"required":["city"]}`
	c := mustCompile(t, weather, Options{})
	for _, tt := range []struct {
		args string
		want []string
	}{
		{`{"city":"Oslo"}`, []string{}},
		{`{"days":true,"tz":"UTC"}`, []string{"missing:city", "type:days", "unexpected:tz"}},
		{`{"city":"Oslo","days":3.0}`, []string{"type:days"}},
		{`{"city":"Oslo","units":"k"}`, []string{"enum:units"}},
		{`{"city":"Oslo","units":1}`, []string{"type:units"}},
		{`{"city":1}`, []string{"type:city"}},
		{`{"city":"Oslo","any":[{}]}`, []string{}},
		{`{}`, []string{"missing:city"}},
		{``, []string{"arguments:invalid_json"}},
		{`[]`, []string{"arguments:not_an_object"}},
	} {
		if got := errorsOf(c.Judge(Input{Raw: []byte(tt.args)})); !slices.Equal(got, tt.want) {
			t.Errorf("Judge(%s) = %q, want %q", tt.args, got, tt.want)
		}
	}
}
