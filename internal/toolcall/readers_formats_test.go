package toolcall

import (
	"encoding/json"

	"github.com/callgate/callgate/internal/rawjson"
)

// goReaders decode into structs, as Go programs do: keys in any case, the last of
// equal ones, and what does not fit is left out.
var goReaders = map[Format]func([]byte) []reading{
	OpenAIChat:      goChat,
	OpenAIResponses: goResponses,
	Anthropic:       goAnthropic,
	Gemini:          goGemini,
	Bedrock:         goBedrock,
	MCP:             goMCP,
}

type goItem struct {
	Type             string          `json:"type"`
	Name             string          `json:"name"`
	Arguments, Input json.RawMessage `json:",omitempty"`
}

func goResponses(b []byte) []reading {
	var items []goItem
	if rawjson.KindOf(b) == rawjson.Array {
		_ = json.Unmarshal(b, &items)
	} else {
		var body struct {
			goItem
			Output []goItem `json:"output"`
		}
		_ = json.Unmarshal(b, &body)
		items = append(body.Output, body.goItem)
	}
	var out []reading
	for _, item := range items {
		switch item.Type {
		case "function_call", "mcp_approval_request":
			out = append(out, reading{item.Name, argumentText(item.Arguments)})
		case "custom_tool_call":
			out = append(out, reading{item.Name, argumentText(item.Input)})
		}
	}
	return out
}

func goAnthropic(b []byte) []reading {
	var blocks []goItem
	if rawjson.KindOf(b) == rawjson.Array {
		_ = json.Unmarshal(b, &blocks)
	} else {
		var body struct {
			goItem
			Content []goItem `json:"content"`
		}
		_ = json.Unmarshal(b, &body)
		blocks = append(body.Content, body.goItem)
	}
	var out []reading
	for _, block := range blocks {
		if block.Type == "tool_use" {
			out = append(out, reading{block.Name, argumentText(block.Input)})
		}
	}
	return out
}

type goFunctionCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type goPart struct {
	Camel *goFunctionCall `json:"functionCall"`
	Snake *goFunctionCall `json:"function_call"`
}

func goGemini(b []byte) []reading {
	type content struct {
		Parts []goPart `json:"parts"`
	}
	var body struct {
		goPart
		content
		Candidates []struct {
			Content content `json:"content"`
		} `json:"candidates"`
	}
	_ = json.Unmarshal(b, &body)
	var parts []goPart
	for _, c := range body.Candidates {
		parts = append(parts, c.Content.Parts...)
	}
	var out []reading
	for _, p := range append(append(parts, body.Parts...), body.goPart) {
		for _, c := range []*goFunctionCall{p.Camel, p.Snake} {
			if c != nil {
				out = append(out, reading{c.Name, argumentText(c.Args)})
			}
		}
	}
	return out
}

type goUse struct {
	ToolUse *struct {
		Type  string          `json:"type"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"toolUse"`
}

func goBedrock(b []byte) []reading {
	type message struct {
		Content []goUse `json:"content"`
	}
	var body struct {
		goUse
		message
		ToolUseID json.RawMessage `json:"toolUseId"`
		Type      string          `json:"type"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		Output    struct {
			Message message `json:"message"`
		} `json:"output"`
	}
	_ = json.Unmarshal(b, &body)
	var out []reading
	for _, u := range append(append(body.Output.Message.Content, body.Content...), body.goUse) {
		if u.ToolUse != nil && u.ToolUse.Type != "server_tool_use" {
			out = append(out, reading{u.ToolUse.Name, argumentText(u.ToolUse.Input)})
		}
	}
	if body.ToolUseID != nil && body.Type != "server_tool_use" {
		out = append(out, reading{body.Name, argumentText(body.Input)})
	}
	return out
}

func (t tree) responses() []reading {
	items := append(t.get("output").list(), t)
	if t.is(rawjson.Array) {
		items = t.list()
	}
	var out []reading
	for _, item := range items {
		switch item.get("type").text() {
		case "function_call", "mcp_approval_request":
			out = append(out, reading{item.get("name").text(), argumentText(item.get("arguments").raw)})
		case "custom_tool_call":
			out = append(out, reading{item.get("name").text(), argumentText(item.get("input").raw)})
		}
	}
	return out
}

func (t tree) anthropic() []reading {
	blocks := append(t.get("content").list(), t)
	if t.is(rawjson.Array) {
		blocks = t.list()
	}
	var out []reading
	for _, block := range blocks {
		if block.get("type").text() == "tool_use" {
			out = append(out, reading{block.get("name").text(), argumentText(block.get("input").raw)})
		}
	}
	return out
}

func (t tree) gemini() []reading {
	var parts []tree
	for _, c := range t.get("candidates").list() {
		parts = append(parts, c.get("content", "parts").list()...)
	}
	parts = append(append(parts, t.get("parts").list()...), t)
	var out []reading
	for _, p := range parts {
		for _, key := range []string{"functionCall", "function_call"} {
			if c := p.get(key); c.is(rawjson.Object) {
				out = append(out, reading{c.get("name").text(), argumentText(c.get("args").raw)})
			}
		}
	}
	return out
}

func (t tree) bedrock() []reading {
	blocks := append(t.get("output", "message", "content").list(), t.get("content").list()...)
	var out []reading
	use := func(u tree) {
		if u.is(rawjson.Object) && u.get("type").text() != "server_tool_use" {
			out = append(out, reading{u.get("name").text(), argumentText(u.get("input").raw)})
		}
	}
	for _, block := range append(blocks, t) {
		use(block.get("toolUse"))
	}
	if len(t.get("toolUseId").raw) > 0 {
		use(t)
	}
	return out
}
