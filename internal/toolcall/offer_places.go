package toolcall

import (
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// requestKeys are fields by which a body is a request of the format, tools or none.
var requestKeys = map[Format][]string{
	OpenAIChat:      {"messages", "model", "tools", "functions", "tool_choice"},
	OpenAIResponses: {"input", "model", "tools", "instructions", "prompt", "previous_response_id", "conversation"},
	Anthropic:       {"messages", "model", "tools", "system", "mcp_servers"},
	Gemini:          {"contents", "tools", "toolConfig", "tool_config", "systemInstruction", "system_instruction", "generationConfig"},
	Bedrock:         {"messages", "modelId", "toolConfig", "system", "inferenceConfig"},
	MCP:             {"tools"},
}

// offerKeys are the deciding fields of a request's body: every place where one of the
// formats, or a proxy between two of them, has tools or names them.
var offerKeys = []string{
	"tools", "functions", "tool_choice", "function_call", "toolConfig", "tool_config", "mcp_servers", "messages", "input", "instructions", "system",
	"web_search_options", "result", "additionalModelRequestFields", "extra_body",
}

// maxConversation bounds the messages or items of a request, and the parts of one
// message. Anthropic, which has the highest bound of its own, takes 100,000 messages.
const maxConversation = 100_000

// offerReader collects the entries of one offer.
type offerReader struct {
	format  Format
	entries []OfferEntry
	chosen  []string
	// raw are the entries as they are offered.
	raw [][]byte
	// next is the place that the next entry of a list has.
	next int
	// servers are the MCP servers of the body, with what names a toolset gave.
	servers, toolsets []string
	// read: some list of tools was there.
	read bool
	// surfacing: the list that is read stands in the conversation.
	surfacing bool
	// named has the names of the entries.
	named map[string]bool
	// reading is the innermost entry that is read.
	reading []byte
	// tooMany: there are more names or entries than MaxOffered.
	tooMany bool
	names   int
}

// body reads an object that is a request, or that a request has for another's sake
// (Bedrock's additionalModelRequestFields).
func (r *offerReader) body(raw []byte) error {
	o, err := readObject(raw, offerKeys...)
	if err != nil {
		return badRequest("the body must be an object of at most %d fields", maxMembers)
	}
	o.alias("tool_config", "toolConfig")
	if o.ambiguous() {
		return badRequest("a field of the request that says which tools it offers occurs twice or is spelt differently; "+
			"send each of %s once", "tools, functions, tool_choice, toolConfig, mcp_servers, messages, system, input, instructions")
	}
	for _, place := range []struct {
		key  string
		read func([]byte) error
	}{
		{"tools", func(v []byte) error { return r.list("tools", v, r.entry) }},
		{"functions", func(v []byte) error { return r.list("functions", v, r.entry) }},
		{"toolConfig", r.toolConfig},
		{"result", r.result},
		{"web_search_options", r.searchOptions},
		{"mcp_servers", func(v []byte) error { return r.list("mcp_servers", v, r.server) }},
		{"messages", r.messages},
		{"input", r.input},
		{"instructions", r.input},
		{"system", r.blocks},
		{"tool_choice", r.choice},
		{"function_call", r.choice},
		{"additionalModelRequestFields", r.inner},
		{"extra_body", r.inner},
	} {
		v := o.value(place.key)
		if v == nil || isNull(v) {
			continue
		}
		if err := place.read(v); err != nil {
			return err
		}
	}
	return nil
}

// inner reads a body within the body. That there is one says nothing of the outer's
// format.
func (r *offerReader) inner(raw []byte) error {
	if rawjson.KindOf(raw) != rawjson.Object {
		return badRequest("the fields that a request passes on to the model must be an object")
	}
	read := r.read
	err := r.body(raw)
	r.read = read
	return err
}

// list reads the entries of one list.
func (r *offerReader) list(key string, raw []byte, read func([]byte)) error {
	entries, err := rawjson.Elements(raw, MaxOffered)
	if err != nil || r.next+len(entries) > MaxOffered {
		return badRequest("the request's %s must be a list, and the tools of a request at most %d", key, MaxOffered)
	}
	r.read = true
	for _, raw := range entries {
		read(raw)
		r.raw = append(r.raw, raw)
		r.next++
		if r.tooMany {
			return tooManyOffered()
		}
	}
	return nil
}

func tooManyOffered() error {
	return badRequest("the request offers or names more than %d tools", MaxOffered)
}

// toolConfig reads Bedrock's {tools, toolChoice}, and Gemini's
// {functionCallingConfig: {allowedFunctionNames}}.
func (r *offerReader) toolConfig(raw []byte) error {
	o, err := readObject(raw, "tools", "toolChoice", "functionCallingConfig", "function_calling_config")
	if err != nil {
		return badRequest("the request's toolConfig must be an object")
	}
	o.alias("function_calling_config", "functionCallingConfig")
	if o.ambiguous() {
		return badRequest("a field of the request's toolConfig occurs twice or is spelt differently")
	}
	if tools := o.value("tools"); tools != nil && !isNull(tools) {
		if err := r.list("toolConfig.tools", tools, r.unionEntry); err != nil {
			return err
		}
	}
	if choice := o.value("toolChoice"); choice != nil && !isNull(choice) {
		if err := r.choice(choice); err != nil {
			return err
		}
	}
	calling := o.value("functionCallingConfig")
	if calling == nil || isNull(calling) {
		return nil
	}
	return r.callingConfig(calling)
}

// result reads the answer of an MCP server to tools/list.
func (r *offerReader) result(raw []byte) error {
	o, err := readObject(raw, "tools")
	if err != nil || o.ambiguous() || !o.has("tools") {
		return badRequest("the request's result must be an object with one list of tools")
	}
	return r.list("result.tools", o.value("tools"), r.entry)
}

// searchOptions stands for the web search of chat models that have it built in.
func (r *offerReader) searchOptions(raw []byte) error {
	if rawjson.KindOf(raw) != rawjson.Object {
		return badRequest("the request's web_search_options must be an object")
	}
	r.add(nil, OfferEntry{Names: []string{"web_search"}})
	r.raw = append(r.raw, []byte(`{"type":"web_search"}`))
	r.next++
	return nil
}

// add puts an entry at the place of the list that is being read.
func (r *offerReader) add(raw []byte, e OfferEntry) {
	e.Index = r.next
	r.entries = append(r.entries, e)
	r.names += len(e.Names)
	if r.named == nil {
		r.named = map[string]bool{}
	}
	for _, name := range e.Names {
		r.named[name] = true
	}
	r.tooMany = r.tooMany || len(r.entries) > MaxOffered || r.names > MaxOffered
	if raw != nil {
		r.raw = append(r.raw, raw)
		r.next++
	}
}

func (r *offerReader) choose(names ...string) {
	for _, name := range names {
		if !slices.Contains(r.chosen, name) {
			r.chosen = append(r.chosen, name)
			r.tooMany = r.tooMany || len(r.chosen) > MaxOffered
		}
		if r.tooMany {
			return
		}
	}
}

// offer ends the reading: MCP servers that no toolset names are offered whole, and a
// name that two entries declare is no name at all.
func (r *offerReader) offer() Offer {
	r.declaredTwice()
	return Offer{Format: r.format, Entries: r.entries, Chosen: r.chosen, RequestTools: forValidator(r.raw)}
}

// hasKey says whether an object has one of the keys.
func hasKey(raw []byte, keys []string) bool {
	members, err := rawjson.Members(raw, maxMembers)
	return err == nil && slices.ContainsFunc(members, func(m rawjson.Member) bool { return slices.Contains(keys, m.Key) })
}
