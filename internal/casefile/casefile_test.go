package casefile

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callgate/callgate/internal/toolcall"
)

func parsed(t *testing.T, text string) Case {
	t.Helper()
	c, problems := Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	return c
}

func TestTheRequest(t *testing.T) {
	for name, tc := range map[string]struct {
		input, more string
		kind        Kind
		want        string
	}{
		"a request":              {`{"messages":[],"request":{"tools":[]}}`, ``, Offer, `{"message":{"format":"Auto","body":{"tools":[]}}}`},
		"with its format":        {`{"request":{"tools":[]},"format":"Gemini"}`, ``, Offer, `{"message":{"format":"Gemini","body":{"tools":[]}}}`},
		"as a review has it":     {`{"request":{"body":{"tools":[]},"format":"MCP"}}`, ``, Offer, `{"message":{"body":{"tools":[]},"format":"MCP"}}`},
		"names":                  {`{"tools":["a"]}`, ``, Offer, `{"tools":["a"]}`},
		"a message":              {`{"message":{"content":[]}}`, ``, Calls, `{"message":{"format":"Auto","body":{"content":[]}}}`},
		"calls, wrong as may be": {`{"calls":[{"arguments":{"a":1,"a":1e999}}]}`, ``, Calls, `{"calls":[{"arguments":{"a":1,"a":1e999}}]}`},
		"a call, with context":   {`{"call":{}}`, `,"context":{"tenant":"a"},"onBehalfOf":{}`, Execution, `{"call":{},"context":{"tenant":"a"},"onBehalfOf":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			c := parsed(t, `{"name":"n","input":`+tc.input+tc.more+`,"expected":{"verdict":"allow"}}`)
			if c.Kind != tc.kind || string(c.Request) != tc.want {
				t.Errorf("kind %d, request %s; want %d, %s", c.Kind, c.Request, tc.kind, tc.want)
			}
			if got := string(c.Envelope()); got != `{"apiVersion":"`+toolcall.APIVersion+`","kind":"`+reviewKinds[tc.kind]+`","request":`+tc.want+`}` {
				t.Errorf("the envelope is %s", got)
			}
		})
	}
}

func TestReformatted(t *testing.T) {
	c := parsed(t, `{"name":"n","input":{"request":{"tools":[1,1]}},"context":{"tenant":"a"},"expected":{"verdict":"allow"}}`)
	if !c.Guessed {
		t.Error("no format was guessed")
	}
	again := c.Reformatted(toolcall.OpenAIChat)
	if got := string(again.Request); got != `{"message":{"format":"OpenAIChat","body":{"tools":[1,1]}},"context":{"tenant":"a"}}` || again.Guessed {
		t.Errorf("reformatted to %s", got)
	}
}

func TestValidator(t *testing.T) {
	for text, want := range map[string]*Validator{
		`true`:                            {Valid: true},
		`false`:                           {},
		`{"valid":true,"reason":"fine"}`:  {Valid: true, Reason: "fine"},
		`{"valid":false,"reason":"evil"}`: {Reason: "evil"},
		`{"error":"timeout"}`:             {Cause: "timeout"},
	} {
		c := parsed(t, `{"name":"n","input":{"tools":[]},"validator":`+text+`,"expected":{"verdict":"allow"}}`)
		if diff := cmp.Diff(want, c.Validator); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{`1`, `"yes"`, `{}`, `{"valid":"true"}`, `{"error":""}`, `{"valid":true,"error":"x"}`, `{"vald":true}`} {
		if _, problems := Parse([]byte(`{"name":"n","input":{"tools":[]},"validator":` + text + `,"expected":{"verdict":"allow"}}`)); len(problems) == 0 {
			t.Errorf("%s is no problem", text)
		}
	}
}

func TestCompare(t *testing.T) {
	const (
		blocked = `{"allowed":false,"results":[{"id":"1","allowed":false,"code":"invalid_arguments","errors":["missing:a"],"feedback":"say a","warnings":[]}]}`
		passed  = `{"allowed":true,"results":[{"id":"1","allowed":true,"code":"ok","errors":[]}]}`
		two     = `{"allowed":false,"results":[{"id":"1","allowed":true,"code":"ok","errors":[]},{"id":"2","allowed":false,"code":"forbidden","errors":["forbidden:rbac"]}]}`
		offered = `{"allowed":true,"reasonCode":"tool-validation.ok","details":{"requestedTools":["a"],"undeclaredTools":[]},"permittedTools":["a"]}`
		refused = `{"allowed":false,"reasonCode":"tool-validation.invalid"}`
		ran     = `{"ok":true,"allowed":true,"code":"ok","result":{"n":1,"s":"x"}}`
		missed  = `{"ok":false,"allowed":true,"code":"not_found"}`
	)
	for _, tc := range []struct{ input, expected, answer, want string }{
		{"calls", `{"verdict":"block"}`, blocked, ``},
		{"calls", `{"verdict":"allow"}`, blocked, `verdict`},
		{"calls", `{"verdict":"block"}`, `{"allowed":false,"results":[{"allowed":false,"code":"malformed_call"}]}`, `code`},
		{"calls", `{"verdict":"block","code":"malformed_call"}`, `{"allowed":false,"results":[{"allowed":false,"code":"malformed_call"}]}`, ``},
		{"calls", `{"verdict":"block"}`, ``, `refused`},
		{"calls", `{"verdict":"block","refused":true}`, ``, ``},
		{"calls", `{"verdict":"block","refused":true}`, blocked, `refused`},
		{"calls", `{"verdict":"block","reason_code":"ok"}`, blocked, `reason_code`},
		{"calls", `{"reason_code":"invalid_arguments"}`, blocked, ``},
		{"calls", `{"code":"invalid_arguments","errors":["missing:a"],"feedbackContains":"a","warnings":[]}`, blocked, ``},
		{"calls", `{"errors":[]}`, blocked, `errors`},
		{"calls", `{"errors":["missing:a","missing:b"]}`, blocked, `errors`},
		{"calls", `{"feedbackContains":"b"}`, blocked, `feedbackContains`},
		{"calls", `{"violations":[]}`, blocked, `violations`},
		{"calls", `{"verdict":"allow","reason_code":"ok"}`, passed, ``},
		{"calls", `{"verdict":"allow","reason_code":"tool-validation.ok"}`, passed, `reason_code`},
		{"calls", `{"reason_code":"forbidden","results":[{"code":"ok"},{"id":"2","errors":["forbidden:rbac"]}]}`, two, ``},
		{"calls", `{"results":[{"code":"ok"}]}`, two, `results`},
		{"calls", `{"results":[{"code":"ok"},{"code":"ok"}]}`, two, `results[1].code`},
		{"calls", `{"code":"ok"}`, two, `code`},
		{"tools", `{"verdict":"allow","reason_code":"ok"}`, offered, ``},
		{"tools", `{"verdict":"allow","reason_code":"tool-validation.ok","details":{"requestedTools":["a"]},"permittedTools":["a"]}`, offered, ``},
		{"tools", `{"details":{"requestedTools":["b"]}}`, offered, `details`},
		{"tools", `{"verdict":"block","reason_code":"tool-validation.invalid"}`, refused, ``},
		{"tools", `{"verdict":"block","reason_code":"ok"}`, refused, `reason_code`},
		{"call", `{"verdict":"allow","result":{"n":1,"s":"x"}}`, ran, ``},
		{"call", `{"result":{"n":1}}`, ran, `result`},
		{"call", `{"result":{"n":1.0,"s":"x"}}`, ran, `result`},
		{"call", `{"verdict":"block","code":"not_found","ok":false}`, missed, ``},
		{"call", `{"verdict":"allow"}`, missed, `verdict`},
	} {
		input := map[string]string{"calls": `{"calls":[]}`, "tools": `{"tools":[]}`, "call": `{"call":{}}`}[tc.input]
		c := parsed(t, `{"name":"n","input":`+input+`,"expected":`+tc.expected+`}`)
		got := ""
		a := Answer{Response: json.RawMessage(tc.answer)}
		if tc.answer == "" {
			a = Answer{Refused: "the review is no review"}
		}
		for _, d := range c.Compare(a) {
			got += d.Path
		}
		if got != tc.want {
			t.Errorf("%s of %s: differs in %q, want %q", tc.expected, tc.answer, got, tc.want)
		}
	}
}

func TestCoverage(t *testing.T) {
	c := NewCoverage()
	c.Call("a", "ok", []string{"p/r"})
	c.Offer("b", "tool-validation.ok")
	got := c.Of([]string{"c", "a", "a"}, []string{"ok", "forbidden"}, []string{"p/r"})
	want := Summary{
		Tools: Part{Touched: 1, Whole: 2, Untouched: []string{"c"}},
		Codes: Part{Touched: 1, Whole: 2, Untouched: []string{"forbidden"}},
		Rules: Part{Touched: 1, Whole: 1, Untouched: []string{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, input := range []string{`{"calls":[{"name":"a"}]}`, `{"request":{"format":"MCP","body":{}}}`, `{"tools":["a"]}`, `{"call":{"a":1,"a":2}}`} {
		f.Add(fmt.Appendf(nil, `{"name":"n","input":%s,"expected":{"verdict":"block","results":[{"code":"ok"}]},"validator":{"valid":true}}`, input), []byte(`{"allowed":true,"results":[{"code":"ok"}]}`))
	}
	f.Fuzz(func(t *testing.T, text, answer []byte) {
		c, problems := Parse(text)
		if len(problems) > 0 {
			return
		}
		if !json.Valid(c.Envelope()) {
			t.Errorf("the envelope is no JSON: %s", c.Envelope())
		}
		c.Compare(Answer{Response: answer})
		again := c.Reformatted(toolcall.MCP)
		again.Envelope()
	})
}
