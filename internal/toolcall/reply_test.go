package toolcall

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/rawjson"
)

func TestReply(t *testing.T) {
	const chat = `{"tool_calls":[{"id":"a","function":{"name":"t","arguments":"{}"}},{"id":"b","type":"custom","custom":{"name":"u","input":"x"}},{"id":"a","function":{"name":"v"}}]}`
	request := func(id, params string) string {
		return `{"jsonrpc":"2.0",` + id + `"method":"tools/call","params":{"name":"t"` + params + `}}`
	}
	for _, tt := range []struct {
		name   string
		format Format
		body   string
		texts  []string
		want   []string
	}{
		{"chat", OpenAIChat, chat, []string{"no \"x\"\n", "", "two"}, []string{
			`{"role":"tool","tool_call_id":"a","content":"no \"x\"\n"}`, `{"role":"tool","tool_call_id":"a","content":"two"}`}},
		{"chat, custom", OpenAIChat, chat, []string{"", "no"}, []string{`{"role":"tool","tool_call_id":"b","content":"no"}`}},
		{"chat, legacy", OpenAIChat, `{"function_call":{"name":"t","arguments":"{}"}}`, []string{"no"}, []string{`{"role":"function","name":"t","content":"no"}`}},
		{"chat without id", OpenAIChat, `{"message":{"tool_calls":[{"function":{"name":"t","arguments":{}}}]}}`, []string{"no"}, []string{`{"role":"tool","name":"t","content":"no"}`}},
		{"chat, numeric id", OpenAIChat, `{"id":7.0,"function":{"name":"t","arguments":{}}}`, []string{"no"}, []string{`{"role":"tool","tool_call_id":7.0,"content":"no"}`}},
		{"chat, what cannot be understood", OpenAIChat, `{"tool_calls":[7,{"id":"a","name":"t"}]}`, []string{"no", "no"}, []string{`{"role":"tool","tool_call_id":"a","content":"no"}`}},
		{"Responses", OpenAIResponses, `[{"type":"function_call","call_id":"a","name":"t","arguments":"{}"},{"type":"custom_tool_call","call_id":"b","name":"t","input":"x"},` +
			`{"type":"mcp_approval_request","id":"c","server_label":"s","name":"t","arguments":"{}"},{"type":"computer_call","call_id":"d"},{"type":"function_call","name":"t"}]`,
			[]string{"1", "2", "3", "4", "5"}, []string{
				`{"type":"function_call_output","call_id":"a","output":"1"}`,
				`{"type":"custom_tool_call_output","call_id":"b","output":"2"}`,
				`{"type":"mcp_approval_response","approval_request_id":"c","approve":false,"reason":"3"}`}},
		{"Anthropic", Anthropic, `[{"type":"tool_use","id":"a","name":"t","input":{}},{"type":"tool_use","name":"t","input":{}}]`, []string{"1", "2"}, []string{
			`{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"1"}`}},
		{"Gemini", Gemini, `{"parts":[{"functionCall":{"id":"a","name":"t"}},{"functionCall":{"name":"u"}}]}`, []string{"1", "2"}, []string{
			`{"functionResponse":{"id":"a","name":"t","response":{"error":"1"}}}`, `{"functionResponse":{"name":"u","response":{"error":"2"}}}`}},
		{"Gemini, long name", Gemini, `{"functionCall":{"name":"` + strings.Repeat("n", 600) + `"}}`, []string{"1"}, []string{
			`{"functionResponse":{"name":"` + strings.Repeat("n", 128) + `…","response":{"error":"1"}}}`}},
		{"Bedrock", Bedrock, `{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"t"}},{"toolUse":{"name":"t"}}]}`, []string{"1", "2"}, []string{
			`{"toolResult":{"toolUseId":"a","status":"error","content":[{"text":"1"}]}}`}},
		{"MCP", MCP, `[` + request(`"id":1.50,`, ``) + `,` + request(`"id":"x",`, ``) + `,` + request(`"id":"",`, ``) + `]`, []string{"1", "2", "3"}, []string{
			`{"jsonrpc":"2.0","id":1.50,"result":{"isError":true,"content":[{"type":"text","text":"1"}]}}`,
			`{"jsonrpc":"2.0","id":"x","result":{"isError":true,"content":[{"type":"text","text":"2"}]}}`,
			`{"jsonrpc":"2.0","id":"","result":{"isError":true,"content":[{"type":"text","text":"3"}]}}`}},
		{"MCP notification", MCP, request(``, ``), []string{"1"}, nil},
		{"MCP id that cannot be used", MCP, request(`"id":{},`, ``), []string{"1"}, []string{`{"jsonrpc":"2.0","id":null,"result":{"isError":true,"content":[{"type":"text","text":"1"}]}}`}},
		{"MCP id null", MCP, request(`"id":null,`, ``), []string{"1"}, []string{`{"jsonrpc":"2.0","id":null,"result":{"isError":true,"content":[{"type":"text","text":"1"}]}}`}},
		{"MCP of the stateless revision", MCP, request(`"id":1,`, `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`), []string{"1"}, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","isError":true,"content":[{"type":"text","text":"1"}]}}`}},
		{"MCP of an older revision", MCP, request(`"id":1,`, `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}`), []string{"1"}, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"1"}]}}`}},
		{"MCP of no revision", MCP, request(`"id":1,`, `,"_meta":{"io.modelcontextprotocol/protocolVersion":"latest"}`), []string{"1"}, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"1"}]}}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := DecodeMessage(tt.format, []byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, reply := range Reply(r, tt.texts) {
				if _, err := rawjson.Check(reply, 8); err != nil {
					t.Errorf("%s: %v", reply, err)
				}
				got = append(got, string(reply))
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	native := Review{Format: Native, Calls: []Call{{ID: "a", Name: "t"}}}
	if got := Reply(native, []string{"no"}); got != nil {
		t.Errorf("a native call is answered with %s", got)
	}
}

// A result finds its call by id, or by name. Where readers may take different ones, or
// there is none, no result is ready to append.
func TestCallsThatCannotBeAnswered(t *testing.T) {
	const chat = `"function":{"name":"t","arguments":"{}"}}`
	for body, format := range map[string]Format{
		`{"id":"A","id":"B",` + chat:                                                       OpenAIChat,
		`{"ID":"Z",` + chat:                                                                OpenAIChat,
		`{"id":"A","ID":"Z",` + chat:                                                       OpenAIChat,
		`{"id":[],` + chat:                                                                 OpenAIChat,
		`{"id":"A","\ud800":"x",` + chat:                                                   OpenAIChat,
		`{"function":{"arguments":"{}"}}`:                                                  OpenAIChat,
		`{"function":{"name":"","arguments":"{}"}}`:                                        OpenAIChat,
		`{"function":{"name":"t","name":"u"}}`:                                             OpenAIChat,
		`{"name":"u","function":{"name":"t"}}`:                                             OpenAIChat,
		`{"function":{"name":"t"},"function":{"name":"u"}}`:                                OpenAIChat,
		`{"function_call":{"arguments":"{}"}}`:                                             OpenAIChat,
		`{"function_call":{"name":"t","Name":"u"}}`:                                        OpenAIChat,
		`{"tool_calls":[{"id":"A",` + chat + `],"tool_calls":[{"id":"B",` + chat + `]}`:    OpenAIChat,
		`{"type":"function_call","call_id":"A","call_id":"B","name":"t","arguments":"{}"}`: OpenAIResponses,
		`{"type":"function_call","callId":"A","name":"t","arguments":"{}"}`:                OpenAIResponses,
		`{"type":"function_call","id":"A","name":"t","arguments":"{}"}`:                    OpenAIResponses,
		`{"type":"mcp_approval_request","id":"A","Id":"B","server_label":"s","name":"t"}`:  OpenAIResponses,
		`{"type":"tool_use","id":"A","id":"B","name":"t","input":{}}`:                      Anthropic,
		`{"type":"tool_use","name":"t","input":{}}`:                                        Anthropic,
		`{"functionCall":{"id":"A","args":{}}}`:                                            Gemini,
		`{"functionCall":{"id":"A","name":"","args":{}}}`:                                  Gemini,
		`{"functionCall":{"id":"A","name":"t","name":"u"}}`:                                Gemini,
		`{"functionCall":{"id":"A","id":"B","name":"t"}}`:                                  Gemini,
		`{"functionCall":{"name":"t"},"functionCall":{"name":"u"}}`:                        Gemini,
		`{"functionCall":7}`:                                                               Gemini,
		`{"toolUse":{"toolUseId":"A","tool_use_id":"B","name":"t"}}`:                       Bedrock,
		`{"toolUse":{"name":"t"}}`:                                                         Bedrock,
		`{"toolUse":{"toolUseId":"A","name":"t"},"toolUse":{"toolUseId":"B","name":"u"}}`:  Bedrock,
	} {
		r, err := DecodeMessage(format, []byte(body))
		if err != nil || len(r.Calls) == 0 {
			t.Fatalf("%s: %v", body, err)
		}
		texts := make([]string, len(r.Calls))
		for i := range texts {
			texts[i] = "no"
		}
		if got := Reply(r, texts); got != nil {
			t.Errorf("%s is answered with %s", body, got)
		}
		if got := ReplyResult(r, []byte(`{}`)); got != nil {
			t.Errorf("the result of %s is %s", body, got)
		}
	}
	// Of a JSON-RPC request, whoever waits for an answer gets one to no id.
	for _, id := range []string{`"id":1,"id":2`, `"ID":1`, `"id":1,"Id":2`} {
		r, err := DecodeMessage(MCP, []byte(`{"jsonrpc":"2.0",`+id+`,"method":"tools/call","params":{"name":"t"}}`))
		if err != nil || len(r.Calls) != 1 {
			t.Fatal(err)
		}
		if got := Reply(r, []string{"no"}); len(got) != 1 || !strings.Contains(string(got[0]), `"id":null`) {
			t.Errorf("%s is answered with %s", id, got)
		}
	}
}
