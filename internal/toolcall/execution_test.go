package toolcall_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/toolcall"
)

func executionBody(request string) []byte {
	return []byte(`{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallExecution","request":` + request + `}`)
}

func TestDecodeExecution(t *testing.T) {
	const call = `{"id":"c","server":"s","name":"n","arguments":{"a":1}}`
	chat := func(calls string) string {
		return `"message":{"format":"OpenAIChat","body":{"role":"assistant","tool_calls":[` + calls + `]}}`
	}
	const one = `{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}`
	for name, test := range map[string]struct{ request, err string }{
		"a call":                    {`{"uid":"u","call":` + call + `}`, ""},
		"a message":                 {`{` + chat(one) + `}`, ""},
		"everything":                {`{"uid":"u","call":` + call + `,"context":{"tenant":"t","attributes":{}},"onBehalfOf":{"namespace":"n","serviceAccountName":"a"}}`, ""},
		"two calls in a message":    {`{` + chat(one+","+one) + `}`, "holds 2 calls"},
		"both":                      {`{"call":` + call + `,` + chat(one) + `}`, "both call and message"},
		"neither":                   {`{"uid":"u"}`, "neither call nor message"},
		"calls":                     {`{"calls":[` + call + `]}`, "unknown field"},
		"a call twice":              {`{"call":` + call + `,"call":` + call + `}`, "twice"},
		"an unknown key of a call":  {`{"call":{"name":"n","argument":{}}}`, `request.call has the unknown field`},
		"another case":              {`{"Call":` + call + `}`, "must be spelt"},
		"a uid with a slash":        {`{"uid":"a/b","call":` + call + `}`, "request.uid"},
		"an account without a name": {`{"call":` + call + `,"onBehalfOf":{"namespace":"n"}}`, "onBehalfOf"},
		"no request":                {`null`, "request"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := toolcall.DecodeExecution(executionBody(test.request))
			if test.err == "" {
				if err != nil || len(r.Calls) != 1 || r.Calls[0].Name != "n" {
					t.Errorf("%+v, %v; want one call to n", r, err)
				}
				return
			}
			e, ok := errors.AsType[*toolcall.EnvelopeError](err)
			if !ok || e.Status != 400 || !strings.Contains(e.Message, test.err) {
				t.Errorf("error %v, want one of status 400 about %q", err, test.err)
			}
		})
	}
}

// What is wrong with the call is the call's, and blocks; what it says it is has to be an
// execution.
func TestDecodeExecutionFaults(t *testing.T) {
	r, err := toolcall.DecodeExecution(executionBody(`{"call":{"name":"a","Name":"b"}}`))
	if err != nil || r.Calls[0].Fault != toolcall.Malformed {
		t.Errorf("%+v, %v; want a malformed call", r, err)
	}
	if _, err := toolcall.DecodeReview(executionBody(`{"call":{"name":"a"}}`)); err == nil {
		t.Error("an execution passes for a review")
	}
	review := strings.Replace(string(executionBody(`{"call":{"name":"a"}}`)), "ToolCallExecution", "ToolCallReview", 1)
	if _, err := toolcall.DecodeExecution([]byte(review)); err == nil {
		t.Error("a review passes for an execution")
	}
}

func TestReplyResult(t *testing.T) {
	const result = `{"title":"a \"b\"","n":1}`
	for format, test := range map[toolcall.Format]struct{ body, want string }{
		toolcall.OpenAIChat: {`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}]}`,
			`{"role":"tool","tool_call_id":"c","content":"{\"title\":\"a \\\"b\\\"\",\"n\":1}"}`},
		toolcall.OpenAIResponses: {`{"output":[{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}]}`,
			`{"type":"function_call_output","call_id":"c","output":"{\"title\":\"a \\\"b\\\"\",\"n\":1}"}`},
		toolcall.Anthropic: {`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"n","input":{}}]}`,
			`{"type":"tool_result","tool_use_id":"c","content":"{\"title\":\"a \\\"b\\\"\",\"n\":1}"}`},
		toolcall.Gemini: {`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c","name":"n","args":{}}}]}}]}`,
			`{"functionResponse":{"id":"c","name":"n","response":{"output":` + result + `}}}`},
		toolcall.Bedrock: {`{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"n","input":{}}}]}}}`,
			`{"toolResult":{"toolUseId":"c","status":"success","content":[{"json":` + result + `}]}}`},
		toolcall.MCP: {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"n","arguments":{}}}`,
			`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"title\":\"a \\\"b\\\"\",\"n\":1}"}],"structuredContent":` + result + `}}`},
	} {
		t.Run(string(format), func(t *testing.T) {
			r, err := toolcall.DecodeMessage(format, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			got := toolcall.ReplyResult(r, []byte(result))
			if len(got) != 1 || string(got[0]) != test.want || !json.Valid(got[0]) {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

// Nobody is told that a call may go ahead which Callgate has run already, nor answered
// where there is no way to.
func TestNoReplyOfAResult(t *testing.T) {
	for name, test := range map[string]struct {
		format toolcall.Format
		body   string
	}{
		"an approval":    {toolcall.OpenAIResponses, `{"output":[{"type":"mcp_approval_request","id":"c","server_label":"s","name":"n","arguments":"{}"}]}`},
		"a notification": {toolcall.MCP, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"n","arguments":{}}}`},
	} {
		r, err := toolcall.DecodeMessage(test.format, []byte(test.body))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := toolcall.ReplyResult(r, []byte(`{}`)); len(got) != 0 {
			t.Errorf("%s: answered %s", name, got)
		}
	}
	if got := toolcall.ReplyResult(toolcall.Review{Format: toolcall.Native, Calls: make([]toolcall.Call, 1)}, []byte(`{}`)); got != nil {
		t.Errorf("a native call: answered %s", got)
	}
}
