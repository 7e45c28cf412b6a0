package toolcall

import (
	"strings"
	"testing"
)

// autoTests are bare messages and the one format each fits, "" for none or several.
var autoTests = []struct {
	body string
	want Format
}{
	{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`, MCP},
	{`[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`, MCP},
	{`{"choices":[]}`, OpenAIChat},
	{`{"role":"assistant","content":"hi"}`, OpenAIChat},
	{`{"function":{"name":"t"}}`, OpenAIChat},
	{`{"role":"assistant","content":[{"type":"text","text":"x"}],"tool_calls":[{"id":"1","function":{"name":"t","arguments":"{}"}}]}`, OpenAIChat},
	{`{"function_call":{"name":"t","arguments":"{}"}}`, OpenAIChat},
	{`{"type":"function_call","call_id":"c","name":"t","arguments":"{}"}`, OpenAIResponses},
	{`{"type":"custom_tool_call","call_id":"c","name":"t","input":"x"}`, OpenAIResponses},
	{`{"type":"web_search_call"}`, OpenAIResponses},
	{`[{"type":"reasoning"},{"type":"function_call","call_id":"c","name":"t","arguments":"{}"}]`, OpenAIResponses},
	{`{"object":"response","output":[]}`, OpenAIResponses},
	{`{"type":"tool_use","id":"i","name":"t","input":{}}`, Anthropic},
	{`[{"type":"text","text":"x"},{"type":"tool_use","id":"i","name":"t","input":{}}]`, Anthropic},
	{`{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"t","input":{}}]}`, Anthropic},
	{`{"type":"message","role":"assistant","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn"}`, Anthropic},
	{`{"functionCall":{"name":"t","args":{}}}`, Gemini},
	{`{"function_call":{"name":"t","args":{}}}`, Gemini},
	{`{"candidates":[]}`, Gemini},
	{`{"role":"model","parts":[{"text":"x"}]}`, Gemini},
	{`{"toolUse":{"toolUseId":"i","name":"t","input":{}}}`, Bedrock},
	{`{"toolUseId":"i","name":"t","input":{}}`, Bedrock},
	{`{"role":"assistant","content":[{"toolUse":{"toolUseId":"i","name":"t","input":{}}}]}`, Bedrock},
	{`{"output":{"message":{"role":"assistant","content":[{"text":"x"}]}},"stopReason":"end_turn"}`, Bedrock},

	{`{"function":{"name":"t"},"method":"tools/call"}`, ""},
	{`{"choices":[],"output":[]}`, ""},
	{`{"function_call":{"name":"t"}}`, ""},
	{`[{"type":"tool_use","name":"t","input":{}},{"type":"function_call","name":"t","arguments":"{}"}]`, ""},
	{`{"role":"assistant","content":[{"type":"text","text":"x"}]}`, ""},
	{`{"name":"t","arguments":{}}`, ""},
	{`{"name":"t","args":{},"id":"1","type":"tool_call"}`, ""},
	{`{"toolCallId":"1","toolName":"t","input":{}}`, ""},
	{`{}`, ""},
	{`7`, ""},
	{`{"choices":[]`, ""},
	{``, ""},
}

func TestSniffMessage(t *testing.T) {
	for _, tt := range autoTests {
		got, ok := SniffMessage([]byte(tt.body))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("SniffMessage(%s) = %q, %v, want %q", tt.body, got, ok, tt.want)
		}
	}
}

// Auto gives what the format gives that fits, and a 400 where none or several do.
func TestAuto(t *testing.T) {
	for _, tt := range autoTests {
		r, err := DecodeMessage(Auto, []byte(tt.body))
		if tt.want == "" {
			wantStatus(t, err, 400)
			continue
		}
		want, wantErr := DecodeMessage(tt.want, []byte(tt.body))
		if r.Format != want.Format || len(r.Calls) != len(want.Calls) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%s: %+v, %v, want %+v, %v", tt.body, r, err, want, wantErr)
		}
	}
	for body, want := range map[string]string{
		`{"choices":[],"output":[]}`:                          "more than one format (OpenAIChat, OpenAIResponses)",
		`{"name":"t","args":{}}`:                              "fits none of the formats OpenAIChat, OpenAIResponses, Anthropic, Gemini, Bedrock, MCP",
		`{"tool_calls":[` + strings.Repeat("0,", 128) + `0]}`: "more than 128 calls",
	} {
		_, err := DecodeMessage(Auto, []byte(body))
		if got := wantStatus(t, err, 400); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", body, got, want)
		}
	}
}
