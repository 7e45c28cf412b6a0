package toolcall

import (
	"strings"
	"testing"
)

func TestWhatTheValidatorGets(t *testing.T) {
	for body, want := range map[string]string{
		`{"tools":[{"type":"mcp","server_label":"w","server_url":"https://user:s3cret@h.example:8443/s3cret/mcp?api_key=s3cret#s3cret","authorization":"s3cret","access_token":"s3cret","oauth":{"client_secret":"s3cret"},"headers":{"X":"s3cret"},"require_approval":{"never":{"tool_names":["a"]}},"allowed_tools":["a"]}]}`: `[{"type":"mcp","server_label":"w","server_url":"https://h.example:8443","require_approval":{"never":{"tool_names":["a"]}},"allowed_tools":["a"]}]`,
		`{"tools":[{"type":"mcp","server_label":"w","server_url":"s3cret","connector_id":"s3cret"}]}`:                                                                                                               `[{"type":"mcp","server_label":"w"}]`,
		`{"messages":[],"mcp_servers":[{"name":"w","command":"npx","args":["--key=s3cret"],"env":{"KEY":"s3cret"},"tool_configuration":{"allowed_tools":["a"],"token":"s3cret"}}]}`:                                 `[{"name":"w","tool_configuration":{"allowed_tools":["a"]}}]`,
		`{"tools":[{"type":"mcp_toolset","mcp_server_name":"w","headers":{"X":"s3cret"},"configs":{"a":{"enabled":true,"api_key":"s3cret"},"b":"s3cret"},"default_config":{"enabled":false,"password":"s3cret"}}]}`: `[{"type":"mcp_toolset","mcp_server_name":"w","configs":{"a":{"enabled":true},"b":null},"default_config":{"enabled":false}}]`,
		`{"tools":[{"mcpServers":[{"name":"w","streamableHttpTransport":{"url":"https://s3cret","headers":{"Authorization":"s3cret"}}}]}]}`:                                                                         `[{"mcpServers":[{"name":"w"}]}]`,
		`{"tools":[{"googleMaps":{"authConfig":{"apiKey":"s3cret"}}},{"retrieval":{"externalApi":{"apiAuth":"s3cret"}}},{"newSearch":{"token":"s3cret"}}]}`:                                                         `[{"googleMaps":{}},{"retrieval":{}},{"newSearch":{}}]`,
		`{"tools":[{"type":"function","function":{"name":"a","description":"d","parameters":{"properties":{"token":{}}},"auth":"s3cret"},"metadata":{"key":"s3cret"},"Authorization":"s3cret"}]}`:                   `[{"type":"function","function":{"name":"a","description":"d","parameters":{"properties":{"token":{}}}}}]`,
		`{"tools":[{"functionDeclarations":[{"name":"a","parameters":{"type":"OBJECT"},"secret":"s3cret"}]}]}`:                                                                                                      `[{"functionDeclarations":[{"name":"a","parameters":{"type":"OBJECT"}}]}]`,
		`{"toolConfig":{"tools":[{"toolSpec":{"name":"a","inputSchema":{"json":{"type":"object"}},"key":"s3cret"}}]}}`:                                                                                              `[{"toolSpec":{"name":"a","inputSchema":{"json":{"type":"object"}}}}]`,
		`{"tools":[{"type":"namespace","name":"n","tools":[{"type":"web_search","filters":{"allowed_domains":["x"]},"api_key":"s3cret"}]}]}`:                                                                        `[{"type":"namespace","name":"n","tools":[{"type":"web_search","filters":{"allowed_domains":["x"]}}]}]`,
	} {
		for _, format := range messageFormats {
			o, err := DecodeOffer(format, []byte(strings.Replace(body, "{", `{"contents":[],"input":"","modelId":"m","model":"m",`, 1)))
			if err != nil {
				t.Fatalf("%s: %s: %v", format, body, err)
			}
			if got := string(o.RequestTools); got != want {
				t.Errorf("%s: %s\ngot  %s\nwant %s", format, body, got, want)
			}
		}
	}
	o, err := DecodeNames([]byte(`["a","b"]`))
	if err != nil || string(o.RequestTools) != `["a","b"]` {
		t.Errorf("%s, %v", o.RequestTools, err)
	}
}

func TestHostOfAnAddress(t *testing.T) {
	for address, want := range map[string]string{
		`"https://h.example/mcp"`:            `"https://h.example"`,
		`"https://u:p@h.example:1?k=v"`:      `"https://h.example:1"`,
		`"https://u:p@x@[2001:db8::1]#frag"`: `"https://[2001:db8::1]"`,
		`"https://h.example\\@s3cret"`:       `"https://h.example"`,
		`"h.example/s3cret"`:                 ``,
		`"https://"`:                         ``,
		`"https://s3 cret"`:                  ``,
		`{"url":"https://h.example"}`:        ``,
	} {
		if got := string(shownHost([]byte(address))); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
