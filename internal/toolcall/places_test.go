package toolcall

import (
	"slices"
	"strings"
	"testing"
)

// A message of one format may hold the calls of another, for a reader of many. Each is
// found and judged, or blocks the message, whether or not that has calls of its own.
func TestCallsInPlacesOfOtherFormats(t *testing.T) {
	const (
		chat      = `{"id":"c","type":"function","function":{"name":"safe","arguments":"{}"}}`
		other     = `{"id":"d","type":"function","function":{"name":"delete_database","arguments":"{}"}}`
		toolUse   = `{"type":"tool_use","id":"t","name":"delete_database","input":{}}`
		function  = `{"type":"function_call","call_id":"f","name":"delete_database","arguments":"{}"}`
		gemini    = `{"functionCall":{"name":"delete_database","args":{}}}`
		bedrock   = `{"toolUse":{"toolUseId":"b","name":"delete_database","input":{}}}`
		chatCalls = `"choices":[{"message":{"role":"assistant","tool_calls":[` + chat + `]}}]`
	)
	hidden := []string{
		`"content":[` + toolUse + `]`, `"content":` + toolUse, `"output":[` + function + `]`, `"outputs":[` + function + `]`,
		`"candidates":[{"content":{"parts":[` + gemini + `]}}]`, `"parts":[` + gemini + `]`, `"functionCalls":[{"name":"delete_database"}]`,
		`"functionCall":{"name":"delete_database"}`, `"output":{"message":{"content":[` + bedrock + `]}}`, `"toolUse":{"name":"delete_database"}`,
		`"tool_calls":[` + other + `]`, `"message":{"tool_calls":[` + other + `]}`, `"function_call":{"name":"delete_database"}`,
		`"content":[{"type":"text","content":[` + toolUse + `]}]`, `"method":"tools/call","params":{"name":"delete_database"}`,
	}
	hosts := map[Format][]string{
		OpenAIChat:      {`{` + chatCalls + `,`, `{"choices":[{"message":{"role":"assistant","content":"x"}}],`, `{"role":"assistant","tool_calls":[` + chat + `],`},
		OpenAIResponses: {`{"output":[{"type":"reasoning"}],`, `{"type":"message","role":"assistant","content":[],`, `{"type":"reasoning",`, `{"type":"mcp_call","name":"x",`, `{"output":[{"role":"assistant","content":"x"}],`},
		Anthropic: {`{"type":"text","role":"assistant",`, `{"type":"tool_result","role":"assistant",`, `{"type":"server_tool_use","role":"assistant",`,
			`{"type":"message","role":"assistant","content":[{"type":"text","text":"x"}],`},
		Gemini:  {`{"candidates":[{"content":{"parts":[{"text":"x"}]}}],`, `{"role":"model","parts":[{"text":"x"}],`},
		Bedrock: {`{"output":{"message":{"role":"assistant","content":[{"text":"x"}]}},`, `{"role":"assistant","content":[{"text":"x"}],`},
		MCP:     {`{"jsonrpc":"2.0","id":1,"result":{},`},
	}
	for format, bodies := range hosts {
		blocked := func(r Review, err error) bool {
			return isMalformed(r) || is400(err) || slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Name == "delete_database" })
		}
		for _, host := range bodies {
			for _, members := range hidden {
				body := []byte(host + members + `}`)
				if r, err := DecodeMessage(format, body); !blocked(r, err) {
					t.Errorf("%s: %s: %+v, %v", format, body, r.Calls, err)
				}
				if r, err := DecodeMessage(Auto, body); !blocked(r, err) {
					t.Errorf("%s: %s: %+v, %v", Auto, body, r.Calls, err)
				}
			}
		}
	}
}

func isMalformed(r Review) bool {
	for _, c := range r.Calls {
		if c.Fault == Malformed {
			return true
		}
	}
	return false
}

func is400(err error) bool {
	e, ok := err.(*EnvelopeError) //nolint:errorlint // this package wraps none
	return ok && e.Status == statusBadRequest
}

// What a provider is known to send beside its calls, or in results, is no call.
func TestPlacesWithoutCalls(t *testing.T) {
	const call = `{"type":"tool_use","id":"t","name":"t","input":{}}`
	for body, format := range map[string]Format{
		`{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"x"}],"tool_calls":[{"function":{"name":"t"}}],"function_call":null,"refusal":null,"annotations":[],"reasoning_details":[{"type":"reasoning.text"}]},"logprobs":{"content":[{"token":"x"}]}}],"usage":{}}`:                                                                                                                            OpenAIChat,
		`{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"t","arguments":{}}}]},"done":true}`:                                                                                                                                                                                                                                                                                                               OpenAIChat,
		`{"object":"response","output":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"x"}]},{"type":"mcp_call","output":"x"},{"type":"computer_call_output","output":{"type":"computer_screenshot"}},{"type":"function_call","name":"t","arguments":"{}"}],"text":{"format":{"type":"text"}},"tools":[{"type":"function","name":"t"}]}`:                                                                         OpenAIResponses,
		`{"type":"message","role":"assistant","content":[{"type":"tool_search_tool_result","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"t"}]}},{"type":"web_search_tool_result","content":{"type":"web_search_tool_result_error"}},{"type":"web_fetch_tool_result","content":{"type":"web_fetch_result","content":{"type":"document"}}},` + call + `],"usage":{"server_tool_use":{}}}`: Anthropic,
		`{"candidates":[{"content":{"parts":[{"toolCall":{"toolType":"x","args":{}}},{"functionCall":{"name":"t"}}]}}],"usageMetadata":{}}`:                                                                                                                                                                                                                                                                                                           Gemini,
		`{"output":{"message":{"role":"assistant","content":[{"toolResult":{"content":[{"text":"x"}]}},{"toolUse":{"name":"t"}}]}},"usage":{},"metrics":{}}`:                                                                                                                                                                                                                                                                                          Bedrock,
	} {
		r, err := DecodeMessage(format, []byte(body))
		if err != nil || len(r.Calls) != 1 || r.Calls[0].Fault != NoFault {
			t.Errorf("%s: %+v, %v", body, r.Calls, err)
		}
	}
}

func TestWhatTheProviderRanIsNoPlaceForCalls(t *testing.T) {
	for body, format := range map[string]Format{
		`{"parts":[{"toolCall":{"functionCalls":[{"name":"t"}]}}]}`:                                                                                 Gemini,
		`{"output":[{"type":"shell_call","call_id":"s","action":{"commands":["rm"]},"environment":{"type":"container_reference","type":"local"}}]}`: OpenAIResponses,
		`{"output":[{"type":"shell_call","environment":{"type":"container_reference","Type":"local"}}]}`:                                            OpenAIResponses,
		`{"output":[{"role":"assistant","content":"x","tool_calls":[{"function":{"name":"t"}}]}]}`:                                                  OpenAIResponses,
		`{"output":[{"type":"tool_search_call","execution":"server","execution":"client"}]}`:                                                        OpenAIResponses,
		`{"output":[{"type":"message","role":"assistant","content":[],"content":[{"type":"function_call"}]}]}`:                                      OpenAIResponses,
		`[` + strings.Repeat(`{"type":"text","content":[`, 8) + strings.Repeat(`]}`, 8) + `]`:                                                       Anthropic,
	} {
		r, err := DecodeMessage(format, []byte(body))
		if err != nil || len(r.Calls) != 1 || r.Calls[0].Fault != Malformed || len(r.Executed) > 0 {
			t.Errorf("%s: %+v, %v", body, r, err)
		}
	}
	wantExecuted(t, OpenAIResponses, `{"output":[{"type":"shell_call","environment":{"type":"container_reference","container_id":"x"}}]}`, one("shell_call"))
}
