package toolcall

import "testing"

// What the conversation defines again passes where it is the same tool.
func TestToolsDefinedAgain(t *testing.T) {
	const listed = `{"type":"function","name":"web_search","description":"d","parameters":{"type":"object","properties":{"q":{"type":"string"},"n":{}}}}`
	for again, want := range map[string]string{
		listed: `0:web_search~7 1:web_search~7`,
		`{"name":"web_search","strict":null,"description":"other","defer_loading":true,"parameters":{"properties":{"n":{}, "q":{"type":"\u0073tring"}},"type":"object"}}`: `0:web_search~7 1:web_search~7`,
		`{"type":"function","function":{"name":"web_search","parameters":{"type":"object","properties":{"q":{"type":"string"},"n":{}}}}}`:                                 `0:web_search~7 1:web_search~7`,
		`{"type":"web_search"}`:                                                                                       `0:web_search!declared_twice~7 1:web_search!declared_twice`,
		`{"type":"function","name":"web_search"}`:                                                                     `0:web_search!declared_twice~7 1:web_search!declared_twice`,
		`{"type":"custom","name":"web_search","format":{}}`:                                                           `0:web_search!declared_twice~7 1:web_search!declared_twice`,
		`{"type":"function","name":"web_search","parameters":{"type":"object"}}`:                                      `0:web_search!declared_twice~7 1:web_search!declared_twice~7`,
		`{"type":"function","name":"other","parameters":{"type":"object"}},{"type":"function","name":"other"}`:        `0:web_search~7 1:other!declared_twice~7 2:other!declared_twice`,
		`{"type":"function","name":"other"},{"type":"function","name":"other"}`:                                       `0:web_search~7 1:other 2:other`,
		`{"type":"namespace","name":"n","tools":[{"name":"a","parameters":{}},{"name":"a","parameters":{}}]}`:         `0:web_search~7 1:n/a~7 1:n/a~7`,
		`{"type":"namespace","name":"n","tools":[{"name":"a","parameters":{}},{"name":"a","parameters":{"not":{}}}]}`: `0:web_search~7 1:n/a!declared_twice~7 1:n/a!declared_twice~7`,
	} {
		o, err := DecodeOffer(OpenAIResponses, []byte(`{"tools":[`+listed+`],"input":[{"type":"additional_tools","tools":[`+again+`]}]}`))
		if err != nil || outline(o) != want {
			t.Errorf("%s\ngot  %s, %v\nwant %s", again, outline(o), err, want)
		}
	}
	for again, want := range map[string]string{
		`{"type":"mcp","server_label":"w","server_url":"https://a","headers":{"X":"y"}}`: `0:mcp:w 1:mcp:w`,
		`{"type":"mcp","server_label":"w","server_url":"https://b"}`:                     `0:mcp:w!declared_twice 1:mcp:w!declared_twice`,
		`{"type":"mcp","server_label":"w","connector_id":"c"}`:                           `0:mcp:w!declared_twice 1:mcp:w!declared_twice`,
	} {
		o, err := DecodeOffer(OpenAIResponses, []byte(`{"tools":[{"type":"mcp","server_label":"w","server_url":"https://a"}],"input":[{"type":"additional_tools","tools":[`+again+`]}]}`))
		if err != nil || outline(o) != want {
			t.Errorf("%s\ngot  %s, %v\nwant %s", again, outline(o), err, want)
		}
	}
	// The same between two places of the conversation alone.
	o, err := DecodeOffer(Anthropic, []byte(`{"messages":[{"content":[{"type":"tool_addition","tool":{"name":"a","input_schema":{}}},{"type":"tool_addition","tool":{"name":"a","input_schema":{"type":"object"}}}]}]}`))
	if want := `0:a!declared_twice~2020 1:a!declared_twice~2020`; err != nil || outline(o) != want {
		t.Errorf("got %s, %v, want %s", outline(o), err, want)
	}
}
