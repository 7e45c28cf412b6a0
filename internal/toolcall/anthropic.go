package toolcall

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

const anthropicShapes = "a message with a content list, a content list, or one block with a type that is known"

// What the blocks of a message are to a gate on tool calls, by their type. A block
// of any other type may be one that somebody runs, and so it blocks.
var (
	// anthropicPlain run nothing; so do those whose type ends in tool_result.
	anthropicPlain = []string{
		"text", "thinking", "redacted_thinking", "image", "document", "search_result", "container_upload", "compaction", "fallback",
	}
	// anthropicExecuted are what the provider has run when the client sees them.
	anthropicExecuted = []string{"server_tool_use", "mcp_tool_use"}

	// anthropicKeys are the deciding keys of a block. Those of other formats are here
	// because a reader of many formats finds calls by them.
	anthropicKeys = append([]string{"type", "id", "name", "server_name", "function", "toolUse", "functionCall"}, argumentKeys...)
)

// anthropicReader collects the calls of a message.
type anthropicReader struct {
	callList
}

// decodeAnthropic reads the family of Anthropic Messages: a message ({content: […]},
// which is also the whole response), its content, or one block.
func decodeAnthropic(body []byte) (callList, error) {
	var r anthropicReader
	var err error
	switch rawjson.KindOf(body) {
	case rawjson.Object:
		err = r.object(body)
	case rawjson.Array:
		err = r.list(body)
	default:
		err = notAMessage(Anthropic, anthropicShapes)
	}
	return r.callList, err
}

func (r *anthropicReader) list(body []byte) error {
	blocks, err := parts(Anthropic, "content", body)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(blocks, isAnthropicBlock) {
		return notAMessage(Anthropic, anthropicShapes)
	}
	return r.blocks(blocks)
}

func (r *anthropicReader) object(body []byte) error {
	if !isAnthropicBlock(body) {
		return r.message(body)
	}
	o, err := readObject(body, "content")
	if err != nil {
		return r.addMalformed("")
	}
	if err := r.block(body); err != nil {
		return err
	}
	if len(r.calls) > 0 && o.set("content") {
		return r.malform(0) // a message, too
	}
	return nil
}

// isAnthropicBlock says whether an entry is a block of this format, so that a list
// of another format's is not taken for one of blocks that cannot be understood.
func isAnthropicBlock(raw []byte) bool {
	o, err := readObject(raw, "type")
	if err != nil {
		return false
	}
	kind, _ := plainText(o.value("type"))
	return anthropicKind(kind) != kindUnknown
}

func anthropicKind(word string) itemKind {
	switch {
	case word == "tool_use":
		return kindFunction
	case slices.Contains(anthropicExecuted, word):
		return kindExecuted
	case slices.Contains(anthropicPlain, word), word == "tool_result", strings.HasSuffix(word, "_tool_result"):
		return kindPlain
	}
	return kindUnknown
}

func (r *anthropicReader) message(body []byte) error {
	o, err := readObject(body, "type", "role", "content", "stop_reason",
		"choices", "tool_calls", "function_call", "output", "candidates")
	if err != nil || !o.has("content") || !isAnthropicMessage(o) {
		return notAMessage(Anthropic, anthropicShapes)
	}
	r.own = o.spelt("stop_reason")
	for _, m := range o.found {
		if m.key != "content" {
			continue
		}
		if err := r.content(m.value); err != nil {
			return err
		}
	}
	others := o.set("choices", "tool_calls", "function_call", "output", "candidates") || holdsCalls(body, "type", "content")
	return r.settle(o, others || o.ambiguous("type", "role", "content", "stop_reason"))
}

// content reads a message's content, of which text alone has no calls.
func (r *anthropicReader) content(raw []byte) error {
	if rawjson.KindOf(raw) == rawjson.String {
		r.anyones = true
		return nil
	}
	blocks, err := parts(Anthropic, "content", raw)
	if err != nil {
		return err
	}
	return r.blocks(blocks)
}

// settle gives all calls what the message around them says of them.
func (r *anthropicReader) settle(o object, ambiguous bool) error {
	if ambiguous {
		return r.malform(0)
	}
	if o.saysOneOf(cutReasons, "stop_reason") {
		r.truncate(0)
	}
	return nil
}

// isAnthropicMessage says whether an object with content is one that a model wrote.
func isAnthropicMessage(o object) bool {
	kind, _ := plainText(o.value("type"))
	role, _ := plainText(o.value("role"))
	return (kind == "message" || !o.has("type")) && (role == "assistant" || kind == "message" && !o.has("role"))
}

func (r *anthropicReader) blocks(blocks [][]byte) error {
	for _, block := range blocks {
		if err := r.block(block); err != nil {
			return err
		}
	}
	return nil
}

func (r *anthropicReader) block(raw []byte) error {
	o, err := readObject(raw, anthropicKeys...)
	if err != nil {
		return r.addMalformed("")
	}
	word, _ := plainText(o.value("type"))
	kind := anthropicKind(word)
	r.own = r.own || kind > kindPlain && o.spelt("type")
	switch {
	case o.ambiguous("type"), kind == kindUnknown, o.set("function", "toolUse", "functionCall"):
		return r.addMalformed(word)
	case kind != kindFunction && holdsCalls(raw, "type"):
		return r.addMalformed(word)
	case kind == kindPlain:
		return nil
	case kind == kindExecuted:
		server, _ := plainText(o.value("server_name"))
		name, _ := plainText(o.value("name"))
		r.ran(word, server, name)
		return nil
	}
	return r.addUnless(holdsCalls(raw, "type"), toolUse(o, "id"))
}

// toolUse decodes a block that is a call, with its id under idKey:
//
//	{"type": "tool_use", "id": "…", "name": "…", "input": {…}}
//	{"toolUseId": "…", "name": "…", "input": {…}}
func toolUse(o object, idKey string) Call {
	var c Call
	idOK := c.setID(o.value(idKey))
	c.unsureID = !idOK || o.ambiguous(idKey)
	name, nameOK := plainText(o.value("name"))
	c.Name = name
	input := o.value("input")
	c.setObjectOrEmpty(input)
	if c.unsureID || !nameOK || o.ambiguous() || !sameArguments(o, input) {
		c.Fault = Malformed
	}
	return c
}
