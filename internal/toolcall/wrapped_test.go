package toolcall

import "testing"

// What one reader finds and another does not is refused, wherever it stands.
func TestCallsOfOtherFormatsBesideAnMCPRequest(t *testing.T) {
	for _, beside := range []string{
		`"tool_calls":[{"id":"1","type":"function","function":{"name":"evil","arguments":"{}"}}]`,
		`"choices":[{"message":{"tool_calls":[{"function":{"name":"evil","arguments":"{}"}}]}}]`,
		`"content":[{"type":"tool_use","id":"1","name":"evil","input":{}}]`,
		`"candidates":[{"content":{"parts":[{"functionCall":{"name":"evil"}}]}}]`,
		`"output":[{"type":"function_call","name":"evil","arguments":"{}"}]`,
		`"function_call":{"name":"evil","arguments":"{}"}`,
		`"functionCalls":[{"name":"evil"}]`,
		`"toolUse":{"name":"evil","toolUseId":"1"}`,
		`"item":{"type":"function_call","name":"evil","arguments":"{}"}`,
		`"content_block":{"type":"tool_use","id":"1","name":"evil","input":{}}`,
		`"response":{"output":[{"type":"function_call","name":"evil","arguments":"{}"}]}`,
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}},` + beside + `}`
		r, err := DecodeMessage(MCP, []byte(body))
		if err == nil && (len(r.Calls) != 1 || r.Calls[0].Fault != Malformed) {
			t.Errorf("%s: %+v", beside, r.Calls)
		}
	}
	r, err := DecodeMessage(MCP, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"content":[{"type":"tool_use"}],"tool_calls":[1]},"_meta":{"x":1}}}`))
	if err != nil || len(r.Calls) != 1 || r.Calls[0].Fault != NoFault {
		t.Errorf("a request whose arguments are like a message: %+v, %v", r.Calls, err)
	}
}

func TestEventsOfAStreamBesideAMessage(t *testing.T) {
	for _, beside := range []string{
		`"response":{"output":[{"type":"function_call","name":"evil","arguments":"{}","call_id":"2"}]}`,
		`"item":{"type":"function_call","name":"evil","arguments":"{}","call_id":"2"}`,
		`"content_block":{"type":"tool_use","id":"2","name":"evil","input":{}}`,
	} {
		body := `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"t","arguments":"{}"}}],` + beside + `}`
		for _, format := range []Format{OpenAIChat, Auto} {
			r, err := DecodeMessage(format, []byte(body))
			if err != nil {
				continue
			}
			malformed := false
			for i := range r.Calls {
				malformed = malformed || r.Calls[i].Fault == Malformed
			}
			if !malformed {
				t.Errorf("%s as %s: %+v", beside, format, r.Calls)
			}
		}
	}
}

func TestToolsInOtherPlaces(t *testing.T) {
	for body, want := range map[string]string{
		`{"messages":[],"tools":[{"type":"function","function":{"name":"a","googleSearch":{}}}]}`:                        "0:googleSearch,a!two_names",
		`{"messages":[],"tools":[{"type":"function","function":{"name":"a","tools":[{"name":"b"}]}}]}`:                   "0:a!ambiguous",
		`{"messages":[],"tools":[{"type":"function","function":{"name":"t"},"cache_control":{"type":"ephemeral"}}]}`:     "0:t",
		`{"messages":[],"tools":[{"type":"function","function":{"name":"t"},"providerOptions":{}}]}`:                     "0:t",
		`{"messages":[],"tools":[{"type":"function","function":{"name":"t"},"return":{"type":"string"}}]}`:               "0:t",
		`{"model":"m","contents":"x","config":{"tools":[{"functionDeclarations":[{"name":"delete_database"}]}]}}`:        "error",
		`{"contents":[],"setup":{"tools":[{"functionDeclarations":[{"name":"x"}]}]}}`:                                    "error",
		`{"input":"x","session":{"tools":[{"type":"function","name":"x"}]}}`:                                             "error",
		`{"contents":[],"generateContentRequest":{"tools":[{"functionDeclarations":[{"name":"x"}]}]}}`:                   "error",
		`{"contents":[],"generationConfig":{"temperature":1},"tools":[{"functionDeclarations":[{"name":"x"}]}]}`:         "0:x",
		`{"model":"m","contents":"x","config":{"temperature":1},"tools":[{"functionDeclarations":[{"name":"x"}]}]}`:      "0:x",
		`{"messages":[],"toolConfig":{"tools":[{"toolSpec":{"name":"a","inputSchema":{"json":{}},"googleSearch":{}}}]}}`: "0:googleSearch,a!two_names~7",
	} {
		got := "error"
		if o, err := DecodeOffer(Auto, []byte(body)); err == nil {
			got = outline(o)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
