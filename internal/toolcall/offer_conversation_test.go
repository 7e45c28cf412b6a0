package toolcall

import (
	"strings"
	"testing"
)

// Every way in which a conversation brings or names a tool is seen, at any place where
// blocks stand.
func TestToolsInTheConversation(t *testing.T) {
	blocks := []struct{ about, block, want string }{
		{"an addition by name", `{"type":"tool_addition","name":"x"}`, ` ; x`},
		{"an addition of a reference", `{"type":"tool_addition","tool":{"type":"tool_reference","name":"x"}}`, ` ; x`},
		{"an addition of references", `{"type":"tool_addition","tools":[{"type":"tool_reference","tool_name":"x"},{"type":"mcp_tool_reference","server_name":"s","name":"y"}]}`, ` ; x,s/y`},
		{"an addition of definitions", `{"type":"tool_addition","tools":[{"name":"x","input_schema":{}},{"type":"tool_definition","definition":{"name":"y"}}]}`, `0:x~2020 1:y`},
		{"an addition of a function", `{"type":"tool_addition","tool":{"type":"function","function":{"name":"x","parameters":{}}}}`, `0:x~7`},
		{"an addition with both", `{"type":"tool_addition","name":"x","tool":{"name":"y"}}`, ` ; y,x`},
		{"a type in another spelling", `{"type":"ToolAddition","tool":{"name":"x"}}`, ` ; x`},
		{"a reference", `{"type":"tool_reference","tool_name":"x"}`, ` ; x`},
		{"a reference in a result", `{"type":"tool_result","tool_use_id":"t","content":[{"type":"tool_reference","tool_name":"x"}]}`, ` ; x`},
		{"references of a search", `{"type":"tool_search_tool_result","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"x"}]}}`, ` ; x`},
		{"an addition in a result", `{"type":"tool_result","content":[{"type":"tool_addition","name":"x"}]}`, ` ; x`},
		{"an addition in an output", `{"type":"function_call_output","output":[{"type":"tool_addition","name":"x"}]}`, ` ; x`},
		{"tools of a block", `{"type":"text","tools":[{"name":"x"}]}`, `0:x`},
		{"a removal", `{"type":"tool_removal","tool":{"type":"tool_reference","name":"x"}}`, ``},
		{"text", `{"type":"text","text":"tool_addition"}`, ``},
	}
	places := map[string]string{
		"a list of content":  `{"messages":[{"role":"user","content":[BLOCK]}]}`,
		"one block":          `{"messages":[{"role":"user","content":BLOCK}]}`,
		"the second content": `{"messages":[{"role":"user","content":"x","content":[BLOCK]}]}`,
		"no content":         `{"messages":[BLOCK]}`,
		"a result":           `{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text"},BLOCK]}]}]}`,
		"system":             `{"messages":[],"system":[BLOCK]}`,
		"one system block":   `{"messages":[],"system":BLOCK}`,
		"input":              `{"model":"m","messages":[],"input":[BLOCK]}`,
		"one item":           `{"model":"m","messages":[],"input":BLOCK}`,
		"content of an item": `{"model":"m","messages":[],"input":[{"role":"user","content":[BLOCK]}]}`,
		"instructions":       `{"model":"m","messages":[],"instructions":[BLOCK]}`,
		"extra_body":         `{"model":"m","messages":[],"extra_body":{"messages":[{"content":[BLOCK]}]}}`,
	}
	for place, body := range places {
		for _, b := range blocks {
			for _, format := range []Format{Anthropic, OpenAIChat, Bedrock} {
				o, err := DecodeOffer(format, replaced(body, b.block))
				if err != nil || outline(o) != b.want {
					t.Errorf("%s: %s in %s: %q, %v; want %q", format, b.about, place, outline(o), err, b.want)
				}
			}
		}
	}
	for about, block := range map[string]string{
		"an addition of nothing":      `{"type":"tool_addition"}`,
		"an addition of an empty one": `{"type":"tool_addition","tools":[{}]}`,
		"an addition of text":         `{"type":"tool_addition","tool":"x"}`,
		"a reference to nothing":      `{"type":"tool_reference"}`,
		"a reference to two":          `{"type":"tool_reference","name":"x","tool_name":"y"}`,
		"a reference to one twice":    `{"type":"tool_reference","name":"x","Name":"y"}`,
	} {
		for place, body := range places {
			if o, err := DecodeOffer(Anthropic, replaced(body, block)); !is400(err) {
				t.Errorf("%s in %s: %q, %v", about, place, outline(o), err)
			}
		}
	}
}

func replaced(body, block string) []byte { return []byte(strings.Replace(body, "BLOCK", block, 1)) }

func TestOneItemOfInput(t *testing.T) {
	for body, want := range map[string]string{
		`{"input":{"type":"additional_tools","tools":[{"type":"function","name":"x"}]}}`:         `0:x`,
		`{"input":[{"type":"mcp_list_tools","tools":[{"name":"x"}]}]}`:                           ``,
		`{"input":[{"type":"mcp_list_tools","Type":"additional_tools","tools":[{"name":"x"}]}]}`: `0:x`,
		`{"input":"tools"}`: ``,
	} {
		o, err := DecodeOffer(OpenAIResponses, []byte(body))
		if err != nil || outline(o) != want {
			t.Errorf("%s: %q, %v; want %q", body, outline(o), err, want)
		}
	}
}

// A result names a server's tool by the composed name: that is what the entry offers.
func TestReferencesToServersTools(t *testing.T) {
	const reference = `"messages":[{"content":[{"type":"tool_reference","tool_name":"gh_search"}]}]`
	for tools, want := range map[string]string{
		`[{"type":"mcp_toolset","mcp_server_name":"gh"}]`:                                                                          `0:mcp:gh ; mcp:gh`,
		`[{"type":"mcp_toolset","mcp_server_name":"gh","default_config":{"enabled":false},"configs":{"search":{"enabled":true}}}]`: `0:gh/search ; gh/search`,
		`[{"type":"mcp_toolset","mcp_server_name":"gh","default_config":{"enabled":false},"configs":{"other":{"enabled":true}}}]`:  `0:gh/other ; gh_search`,
		`[{"type":"mcp_toolset","mcp_server_name":"gh"},{"name":"gh_search"}]`:                                                     `0:mcp:gh 1:gh_search ; gh_search`,
		`[{"name":"search"}]`: `0:search ; gh_search`,
	} {
		o, err := DecodeOffer(Anthropic, []byte(`{"tools":`+tools+`,`+reference+`}`))
		if err != nil || outline(o) != want {
			t.Errorf("%s: %q, %v; want %q", tools, outline(o), err, want)
		}
	}
}
