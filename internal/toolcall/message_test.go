package toolcall

import (
	"strings"
	"testing"
)

func TestMCPCalls(t *testing.T) {
	request := func(params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + params + `}`
	}
	one := func(want string) []string { return []string{want} }
	const good = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{}}}`
	tests := []callTest{
		{"request", request(`{"name":"t","arguments":{"a":1},"_meta":{"Name":"x"},"requestState":"s"}`), one(`#7 t {"a":1}`)},
		{"text id", `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"t","arguments":{}}}`, one(`x t {}`)},
		{"notification", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t","arguments":{}}}`, one(` t {}`)},
		{"no version", `{"method":"tools/call","params":{"name":"t","arguments":{}}}`, one(` t {}`)},
		{"other version", `{"jsonrpc":"1.0","method":"tools/call","params":{"name":"t","arguments":{}}}`, one("malformed t")},
		{"id object", `{"id":{},"method":"tools/call","params":{"name":"t","arguments":{}}}`, one("malformed t")},
		{"no arguments", request(`{"name":"t"}`), one(`#7 t {} arguments:empty`)},
		{"arguments null", request(`{"name":"t","arguments":null}`), one(`#7 t {} arguments:empty`)},
		{"arguments string", request(`{"name":"t","arguments":"{}"}`), one(`#7 t "{}"`)},
		{"arguments empty string", request(`{"name":"t","arguments":""}`), one(`#7 t ""`)},
		{"arguments list", request(`{"name":"t","arguments":[]}`), one(`#7 t []`)},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, one("malformed ")},
		{"params null", request(`null`), one("malformed ")},
		{"params list", request(`["t",{}]`), one("malformed ")},
		{"no name", request(`{"arguments":{}}`), one("malformed ")},
		{"name list", request(`{"name":["t"],"arguments":{}}`), one("malformed ")},
		{"name with surrogate", request(`{"name":"\udfff","arguments":{}}`), one("malformed \ufffd")},
		{"two names", request(`{"name":"t","name":"u","arguments":{}}`), one("malformed t")},
		{"case variant of name", request(`{"name":"t","NAME":"u","arguments":{}}`), one("malformed t")},
		{"case variant of arguments", request(`{"name":"t","Arguments":{}}`), one("malformed t")},
		{"long s in params", `{"method":"tools/call","param\u017f":{"name":"t"}}`, one("malformed t")},
		{"Params", `{"method":"tools/call","params":{"name":"t"},"Params":{"name":"u"}}`, one("malformed t")},
		{"Method", `{"jsonrpc":"2.0","method":"ping","Method":"tools/call","params":{"name":"t"}}`, one("malformed t")},
		{"Method alone", `{"jsonrpc":"2.0","Method":"tools/call","params":{"name":"t"}}`, one("malformed t")},
		{"method twice", `{"jsonrpc":"2.0","method":"ping","method":"tools/call","params":{"name":"t"}}`, one("malformed t")},
		{"case variant of the method", `{"jsonrpc":"2.0","method":"Tools/Call","params":{"name":"t"}}`, one("malformed t")},
		{"method with space", `{"jsonrpc":"2.0","method":"tools/call ","params":{"name":"t"}}`, one("malformed t")},
		{"method number", `{"jsonrpc":"2.0","method":1,"params":{"name":"t"}}`, one("malformed t")},
		{"another name beside params", `{"method":"tools/call","name":"u","params":{"name":"t"}}`, one("malformed t")},
		{"arguments beside params", `{"method":"tools/call","arguments":{},"params":{"name":"t"}}`, one("malformed t")},
		{"surrogate in a key", `{"method":"tools/call","params":{"name":"t","na\ud800me":"u"}}`, one("malformed t")},
		{"batch", `[` + good + `,{"jsonrpc":"2.0","id":2,"method":"ping"},` + request(`{"name":"u"}`) + `]`, []string{"#7 t {}", "#7 u {} arguments:empty"}},
		{"batch with a response", `[{"jsonrpc":"2.0","id":1,"result":{}},` + good + `]`, one("#7 t {}")},
		{"batch with what cannot be read", `[` + good + `,{"id":1},7,[` + good + `]]`, []string{"#7 t {}", "malformed ", "malformed ", "malformed "}},
		{"batch with an unversioned other", `[{"method":"ping"},` + good + `]`, []string{"malformed ", "#7 t {}"}},
		{"response with params", `[{"jsonrpc":"2.0","id":1,"result":{},"params":{"name":"t"}}]`, one("malformed ")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := DecodeMessage(MCP, []byte(tt.body))
			tt.check(t, r.Calls, err)
		})
	}
}

func TestMessagesWithoutCalls(t *testing.T) {
	tests := []struct {
		name   string
		format Format
		body   string
		status int
	}{
		{"MCP other method", MCP, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 422},
		{"MCP other method with params twice", MCP, `{"jsonrpc":"2.0","method":"ping","params":{},"params":{}}`, 422},
		{"MCP batch of others", MCP, `[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":1,"error":{}}]`, 422},
		{"MCP response", MCP, `{"jsonrpc":"2.0","id":1,"result":{}}`, 422},
		{"MCP other method without version", MCP, `{"id":1,"method":"tools/list"}`, 400},
		{"MCP empty batch", MCP, `[]`, 400},
		{"MCP bare params", MCP, `{"name":"t","arguments":{}}`, 400},
		{"MCP empty object", MCP, `{}`, 400},
		{"MCP text", MCP, `"{}"`, 400},
		{"MCP too large a batch", MCP, `[` + strings.Repeat(`0,`, maxBatch) + `0]`, 400},
		{"MCP 129 calls", MCP, `[` + strings.Repeat(`0,`, 128) + `0]`, 400},
		{"chat message", OpenAIChat, `{"role":"assistant","content":"hi"}`, 422},
		{"chat message, null", OpenAIChat, `{"content":"hi","tool_calls":null}`, 422},
		{"chat message, empty", OpenAIChat, `{"role":"assistant","content":null,"tool_calls":[],"function_call":null}`, 422},
		{"chat message with parts", OpenAIChat, `{"role":"assistant","content":[{"type":"text","text":"tool_use"}]}`, 422},
		{"chat response", OpenAIChat, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"hi"}}]}`, 422},
		{"chat response without choices", OpenAIChat, `{"choices":[]}`, 422},
		{"chat cut short without calls", OpenAIChat, `{"choices":[{"finish_reason":"length","message":{"content":"hi"}}]}`, 422},
		{"chat user message", OpenAIChat, `{"role":"user","content":"hi"}`, 400},
		{"chat empty object", OpenAIChat, `{}`, 400},
		{"chat list", OpenAIChat, `[{"function":{"name":"t"}}]`, 400},
		{"chat text", OpenAIChat, `"{}"`, 400},
		{"chat flat call", OpenAIChat, `{"type":"function","name":"t","arguments":"{}"}`, 400},
		{"chat tool_calls an object", OpenAIChat, `{"tool_calls":{}}`, 400},
		{"chat choices an object", OpenAIChat, `{"choices":{}}`, 400},
		{"chat choice without message", OpenAIChat, `{"choices":[{"text":"hi"}]}`, 400},
		{"chat choice with message null", OpenAIChat, `{"choices":[{"message":null}]}`, 400},
		{"chat choice a number", OpenAIChat, `{"choices":[1]}`, 400},
		{"chat message a text", OpenAIChat, `{"choices":[{"message":"hi"}]}`, 400},
		{"chat 129 calls", OpenAIChat, `{"tool_calls":[` + strings.Repeat(`0,`, 128) + `0]}`, 400},
		{"chat 129 calls in two", OpenAIChat, `{"tool_calls":[` + strings.Repeat(`0,`, 127) + `0],"function_call":{}}`, 400},
		{"chat empty", OpenAIChat, ``, 400},
		{"chat no JSON", OpenAIChat, `{"role":"assistant",}`, 400},
		{"native", Native, `{}`, 400},

		{"Responses without calls", OpenAIResponses, `{"object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}]}`, 422},
		{"Responses with nothing", OpenAIResponses, `{"output":[]}`, 422},
		{"Responses results", OpenAIResponses, `[{"type":"function_call_output","call_id":"c","output":"x"}]`, 422},
		{"Responses one message", OpenAIResponses, `{"type":"message","role":"assistant","content":[]}`, 422},
		{"Responses unknown item", OpenAIResponses, `{"type":"tool_call","name":"t","args":{}}`, 400},
		{"Responses item in upper case", OpenAIResponses, `{"type":"Function_Call","name":"t","arguments":"{}"}`, 400},
		{"Responses event", OpenAIResponses, `{"type":"response.completed","response":{"output":[]}}`, 400},
		{"Responses empty list", OpenAIResponses, `[]`, 400},
		{"Responses list of others", OpenAIResponses, `[{"type":"tool_use","name":"t","input":{}}]`, 400},
		{"Responses output an object", OpenAIResponses, `{"output":{}}`, 400},
		{"Responses output null", OpenAIResponses, `{"output":null}`, 400},
		{"Responses empty object", OpenAIResponses, `{}`, 400},
		{"Responses text", OpenAIResponses, `"x"`, 400},
		{"Responses 129 calls", OpenAIResponses, `{"output":[` + strings.Repeat(`0,`, 128) + `0]}`, 400},
		{"Responses 1025 items", OpenAIResponses, `{"output":[` + strings.Repeat(`{"type":"reasoning"},`, 1024) + `{"type":"reasoning"}]}`, 400},

		{"Anthropic without calls", Anthropic, `{"type":"message","role":"assistant","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn"}`, 422},
		{"Anthropic empty content", Anthropic, `{"role":"assistant","content":[]}`, 422},
		{"Anthropic text block", Anthropic, `{"type":"text","text":"x"}`, 422},
		{"Anthropic content list", Anthropic, `[{"type":"text","text":"x"}]`, 422},
		{"Anthropic text content", Anthropic, `{"role":"assistant","content":"x"}`, 422},
		{"Anthropic text content of a response", Anthropic, `{"type":"message","role":"assistant","content":"","stop_reason":"end_turn"}`, 422},
		{"Anthropic text content of a user", Anthropic, `{"role":"user","content":"x"}`, 400},
		{"Anthropic content null", Anthropic, `{"role":"assistant","content":null}`, 400},
		{"Anthropic user message", Anthropic, `{"role":"user","content":[{"type":"text","text":"x"}]}`, 400},
		{"Anthropic unknown block", Anthropic, `{"type":"tool_call","name":"t","args":{}}`, 400},
		{"Anthropic no role", Anthropic, `{"content":[]}`, 400},
		{"Anthropic empty list", Anthropic, `[]`, 400},
		{"Anthropic empty object", Anthropic, `{}`, 400},
		{"Anthropic 129 calls", Anthropic, `{"role":"assistant","content":[` + strings.Repeat(`0,`, 128) + `0]}`, 400},

		{"Gemini without calls", Gemini, `{"candidates":[{"content":{"parts":[{"text":"x"}],"role":"model"},"finishReason":"STOP"}]}`, 422},
		{"Gemini refused", Gemini, `{"candidates":[{"finishReason":"SAFETY"}]}`, 422},
		{"Gemini no candidates", Gemini, `{"candidates":[]}`, 422},
		{"Gemini empty parts", Gemini, `{"role":"model","parts":[]}`, 422},
		{"Gemini call null", Gemini, `{"functionCall":null}`, 422},
		{"Gemini bare call", Gemini, `{"name":"t","args":{}}`, 400},
		{"Gemini text part", Gemini, `{"text":"x"}`, 400},
		{"Gemini parts an object", Gemini, `{"parts":{}}`, 400},
		{"Gemini candidates an object", Gemini, `{"candidates":{}}`, 400},
		{"Gemini candidate a number", Gemini, `{"candidates":[7]}`, 400},
		{"Gemini content a text", Gemini, `{"candidates":[{"content":"x"}]}`, 400},
		{"Gemini list", Gemini, `[{"functionCall":{"name":"t"}}]`, 400},
		{"Gemini 129 calls", Gemini, `{"parts":[` + strings.Repeat(`0,`, 128) + `0]}`, 400},

		{"Bedrock without calls", Bedrock, `{"output":{"message":{"role":"assistant","content":[{"text":"x"}]}},"stopReason":"end_turn"}`, 422},
		{"Bedrock message", Bedrock, `{"role":"assistant","content":[{"text":"x"},{"cachePoint":{"type":"default"}}]}`, 422},
		{"Bedrock user message", Bedrock, `{"role":"user","content":[{"text":"x"}]}`, 400},
		{"Bedrock user message in the output", Bedrock, `{"output":{"message":{"role":"user","content":[{"text":"x"}]}}}`, 400},
		{"Bedrock text content", Bedrock, `{"role":"assistant","content":"x"}`, 400},
		{"Bedrock no message", Bedrock, `{"output":{}}`, 400},
		{"Bedrock output a list", Bedrock, `{"output":[]}`, 400},
		{"Bedrock empty object", Bedrock, `{}`, 400},
		{"Bedrock 129 calls", Bedrock, `{"role":"assistant","content":[` + strings.Repeat(`0,`, 128) + `0]}`, 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := DecodeMessage(tt.format, []byte(tt.body))
			wantStatus(t, err, tt.status)
			if len(r.Calls) > 0 {
				t.Errorf("%d calls beside the error", len(r.Calls))
			}
		})
	}
}
