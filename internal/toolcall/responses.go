package toolcall

import (
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

const responsesShapes = "a response with an output list, a list of items, or one item with a type that is known"

// What the items of a response are to a gate on tool calls, by their type. An item
// of any other type may be one that somebody runs, and so it blocks.
var (
	// responsesPlain run nothing: they are text, or say what came of something.
	responsesPlain = []string{
		"message", "reasoning", "compaction", "configuration_update",
		"function_call_output", "custom_tool_call_output", "computer_call_output", "local_shell_call_output",
		"shell_call_output", "apply_patch_call_output", "tool_search_output", "program_output", "mcp_approval_response",
	}
	// responsesExecuted are what the provider has run when the client sees them.
	responsesExecuted = []string{
		"mcp_call", "mcp_list_tools", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "program",
	}
	// responsesClient are the provider's own tools that the client runs. Callgate has
	// no schema for them.
	responsesClient = []string{"computer_call", "local_shell_call", "shell_call", "apply_patch_call", "tool_search_call"}

	// responsesKeys are the deciding keys of an item.
	responsesKeys = append([]string{
		"type", "id", "call_id", "role", "content", "status", "name", "namespace", "server_label", "function", "custom",
		"tool_calls", "function_call", "execution", "environment",
	}, argumentKeys...)
)

// responsesReader collects the calls of a response.
type responsesReader struct {
	callList
}

// decodeResponses reads the family of OpenAI Responses: a response ({output: […]}),
// a list of items, or one item.
func decodeResponses(body []byte) (callList, error) {
	var r responsesReader
	var err error
	switch rawjson.KindOf(body) {
	case rawjson.Object:
		err = r.object(body)
	case rawjson.Array:
		err = r.list(body)
	default:
		err = notAMessage(OpenAIResponses, responsesShapes)
	}
	return r.callList, err
}

func (r *responsesReader) list(body []byte) error {
	items, err := parts(OpenAIResponses, "list of items", body)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(items, isResponsesItem) {
		return notAMessage(OpenAIResponses, responsesShapes)
	}
	return r.items(items)
}

// isResponsesItem says whether an entry is an item of this format, so that a list
// of another format's is not taken for one of items that cannot be understood.
func isResponsesItem(raw []byte) bool {
	o, err := readObject(raw, "type")
	if err != nil {
		return false
	}
	kind, _ := plainText(o.value("type"))
	return responsesKind(kind) != kindUnknown
}

func (r *responsesReader) items(items [][]byte) error {
	for _, item := range items {
		if err := r.item(item); err != nil {
			return err
		}
	}
	return nil
}

func (r *responsesReader) object(body []byte) error {
	o, err := readObject(body, "output", "status", "incomplete_details", "type",
		"choices", "tool_calls", "function_call", "content", "candidates")
	if err != nil {
		return notAMessage(OpenAIResponses, responsesShapes)
	}
	if o.set("type") {
		if !isResponsesItem(body) {
			return notAMessage(OpenAIResponses, responsesShapes)
		}
		err := r.item(body)
		if err == nil && len(r.calls) > 0 && rawjson.KindOf(o.value("output")) == rawjson.Array {
			return r.malform(0) // a response, too
		}
		return err
	}
	if !o.has("output") {
		return notAMessage(OpenAIResponses, responsesShapes)
	}
	return r.response(o, holdsCalls(body, "output", "type"))
}

func (r *responsesReader) response(o object, hidden bool) error {
	for _, m := range o.found {
		if m.key != "output" {
			continue
		}
		items, err := parts(OpenAIResponses, "output", m.value)
		if err != nil {
			return err
		}
		r.own = r.own || m.exact
		if err := r.items(items); err != nil {
			return err
		}
	}
	if hidden || o.ambiguous("output", "status") || o.set("choices", "tool_calls", "function_call", "content", "candidates") {
		return r.malform(0)
	}
	if o.saysOneOf(unfinished, "status") || o.set("incomplete_details") {
		r.truncate(0)
	}
	return nil
}

// itemKind says what an item is to a gate on tool calls.
type itemKind uint8

const (
	kindUnknown itemKind = iota
	kindPlain
	kindExecuted
	kindClient
	kindFunction
	kindCustom
	kindApproval
)

func responsesKind(word string) itemKind {
	switch {
	case word == "function_call":
		return kindFunction
	case word == "custom_tool_call":
		return kindCustom
	case word == "mcp_approval_request":
		return kindApproval
	case slices.Contains(responsesPlain, word):
		return kindPlain
	case slices.Contains(responsesExecuted, word):
		return kindExecuted
	case slices.Contains(responsesClient, word):
		return kindClient
	}
	return kindUnknown
}

func (r *responsesReader) item(raw []byte) error {
	o, err := readObject(raw, responsesKeys...)
	if err != nil {
		return r.addMalformed("")
	}
	word, _ := plainText(o.value("type"))
	kind := responsesKind(word)
	r.own = r.own || kind > kindPlain && o.spelt("type")
	hidden := hidesCalls(raw, kind)
	switch {
	case o.ambiguous("type"), hidden && kind < kindFunction:
		return r.addMalformed(word)
	case isPlainItem(o, kind):
		return r.plain(o)
	case kind == kindExecuted, kind == kindClient && ranByProvider(word, o):
		server, _ := plainText(o.value("server_label"))
		name, _ := plainText(o.value("name"))
		r.ran(word, server, name)
		return nil
	case kind == kindUnknown, kind == kindClient:
		return r.addMalformed(word)
	}
	return r.addUnless(hidden, responsesCall(o, kind))
}

// hidesCalls says whether an item holds calls that are not its own. What is in the
// content of the others, who have none to read, is plain's to look through.
func hidesCalls(raw []byte, kind itemKind) bool {
	if kind == kindExecuted || kind == kindClient {
		return holdsCalls(raw, "type")
	}
	return holdsCalls(raw, "type", "content")
}

// isPlainItem says whether an item should hold no call. A message may leave its type out.
func isPlainItem(o object, kind itemKind) bool {
	return kind == kindPlain || !o.has("type") && isAssistant(o)
}

func isAssistant(o object) bool {
	role, _ := plainText(o.value("role"))
	return role == "assistant" && o.has("content")
}

// plain looks for calls in an item that should hold none.
func (r *responsesReader) plain(o object) error {
	for _, m := range o.found {
		if m.key != "content" {
			continue
		}
		if err := r.hiddenCalls(m.value); err != nil {
			return err
		}
	}
	return nil
}

// ranByProvider says of a tool that either side may run that the provider did.
func ranByProvider(word string, o object) bool {
	if o.ambiguous() {
		return false
	}
	switch word {
	case "tool_search_call":
		where, _ := plainText(o.value("execution"))
		return where == "server"
	case "shell_call":
		where, err := readObject(o.value("environment"), "type")
		return err == nil && !where.ambiguous() && where.word("type") == "container_reference"
	}
	return false
}

// responsesCall decodes an item that is a call:
//
//	{"type": "function_call", "call_id": "…", "name": "…", "namespace": "…", "arguments": "…"}
//	{"type": "custom_tool_call", "call_id": "…", "name": "…", "input": "…"}
//	{"type": "mcp_approval_request", "id": "…", "server_label": "…", "name": "…", "arguments": "…"}
//
// The last asks the client whether the provider may run a call, and so is one to judge.
func responsesCall(o object, kind itemKind) Call {
	var c Call
	idKey, serverKey, own := "call_id", "namespace", "arguments"
	switch kind {
	case kindCustom:
		own, c.answer = "input", answerCustom
	case kindApproval:
		idKey, serverKey, c.answer = "id", "server_label", answerApproval
	}
	idOK := c.setID(o.value(idKey))
	c.unsureID = !idOK || o.ambiguous(idKey)
	name, nameOK := plainText(o.value("name"))
	serverOK := c.setServer(o.value(serverKey))
	c.Name = name
	arguments := o.value(own)
	if kind == kindCustom {
		c.setFreeText(arguments)
	} else {
		c.setTextOrObject(arguments)
	}
	if o.saysOneOf(unfinished, "status") {
		c.truncate()
	}
	if c.unsureID || !nameOK || !serverOK || !sameArguments(o, arguments) || otherCall(o, kind) {
		c.Fault = Malformed
	}
	return c
}

// otherCall says whether the item may be read as another call than its type says.
func otherCall(o object, kind itemKind) bool {
	if server, _ := plainText(o.value("server_label")); kind == kindApproval && (server == "" || o.set("namespace")) {
		return true
	}
	return o.ambiguous() || o.set("function", "custom", "tool_calls", "function_call", "content")
}
