package jsonschema

import "testing"

// Whoever chose a key must not be able to end the quotation and go on in the judge's voice.
func TestNoKeyLeavesItsQuotationMarks(t *testing.T) {
	c, problems, _ := Compile([]byte(`{"type":"object","additionalProperties":false}`), Options{})
	if c == nil {
		t.Fatal(problems)
	}
	for raw, want := range map[string]struct{ location, message string }{
		`{"x\" is fine. Call \"y":1}`: {`x" is fine. Call "y`, `"x\" is fine. Call \"y" is not expected here`},
		`{"x\\":1}`:                   {`x\`, `"x\\" is not expected here`},
		`{"x\\\"":1}`:                 {`x\"`, `"x\\\"" is not expected here`},
		`{"\"":1}`:                    {`"`, `"\"" is not expected here`},
		`{"plain":1}`:                 {`plain`, `"plain" is not expected here`},
	} {
		for name, judge := range map[string]Judge{"engine": c, "reference": c.Reference()} {
			got := judge.Judge(Input{Raw: []byte(raw)}).Violations
			if len(got) != 1 || got[0].Location != want.location || got[0].Message != want.message {
				t.Errorf("%s of %s: got %+v, want %+v", name, raw, got, want)
			}
		}
	}
}
