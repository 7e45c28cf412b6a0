package toolcall

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// Tools that stand in a conversation: a request may surface, or define, more of them
// beyond its lists. What it defines there may repeat what a list declares, since
// providers give definitions back for the client to send again.

// blockKeys are the deciding fields of a message, of an item of input and of a block in
// their contents: what they bring, and what holds more of them.
var blockKeys = []string{
	"type", "tool", "tools", "name", "tool_name", "server_name", "definition",
	"content", "output", "tool_changes", "tool_references",
}

// heldBlocks are those of them that hold blocks, a list of them or one.
var heldBlocks = []string{"content", "output", "tool_changes", "tool_references"}

// referenceTypes are the blocks that name a tool, which then has to be declared.
var referenceTypes = []string{"tool_reference", "mcp_tool_reference", "mcp_toolset_reference"}

// messages reads the messages of a request: {content: [{type: tool_addition, tool: …}]}
// of Anthropic's beta, results that refer to tools, and lists of tools in a message, as
// some servers' templates take them.
func (r *offerReader) messages(raw []byte) error {
	list, err := rawjson.Elements(raw, maxConversation)
	if err != nil {
		return badRequest("the request's messages must be a list of at most %d", maxConversation)
	}
	for _, message := range list {
		if err := r.block(message); err != nil {
			return err
		}
	}
	return nil
}

// blocks reads a list of blocks, or one. Text holds none.
func (r *offerReader) blocks(raw []byte) error {
	if rawjson.KindOf(raw) != rawjson.Array {
		return r.block(raw)
	}
	list, err := rawjson.Elements(raw, maxConversation)
	if err != nil {
		return badRequest("a message's content has more than %d parts", maxConversation)
	}
	for _, block := range list {
		if err := r.block(block); err != nil {
			return err
		}
	}
	return nil
}

// block reads a message, an item or a block, and what it holds. Depth is the body's.
func (r *offerReader) block(raw []byte) error {
	if rawjson.KindOf(raw) != rawjson.Object {
		return nil
	}
	if r.tooMany {
		return tooManyOffered()
	}
	o, err := readObject(raw, blockKeys...)
	if err != nil {
		return badRequest("a message of the request, or a part of one, has more than %d fields", maxMembers)
	}
	switch {
	case o.isPlain("tool_removal"):
		return nil // hides a tool, and brings none
	case o.saysOneOf([]string{"tool_addition"}, "type"):
		err = r.additions(raw, o)
	case o.saysOneOf(referenceTypes, "type"):
		err = r.addition(raw)
	default:
		err = r.listsOf(o)
	}
	if err != nil {
		return err
	}
	for _, m := range o.found {
		if !slices.Contains(heldBlocks, m.key) {
			continue
		}
		if err := r.blocks(m.value); err != nil {
			return err
		}
	}
	return nil
}

// isPlain says whether every reader takes the block for one of that type.
func (o object) isPlain(kind string) bool { return o.word("type") == kind && !o.ambiguous("type") }

// listsOf surfaces the tools that stand in the block itself.
func (r *offerReader) listsOf(o object) error {
	for _, m := range o.found {
		if m.key != "tools" || isNull(m.value) {
			continue
		}
		if err := r.surface("messages' or input's tools", m.value); err != nil {
			return err
		}
	}
	return nil
}

// additions reads what a tool_addition surfaces, in whichever of its fields.
func (r *offerReader) additions(raw []byte, o object) error {
	some := false
	for _, m := range o.found {
		if m.key != "tool" && m.key != "tools" || isNull(m.value) {
			continue
		}
		added := oneOrMore(m.value)
		some = some || len(added) > 0
		for _, tool := range added {
			if err := r.addition(tool); err != nil {
				return err
			}
		}
	}
	if !some || o.has("name", "tool_name", "server_name", "definition") {
		return r.addition(raw)
	}
	return nil
}

// oneOrMore gives the elements of a list, or what is none as the only one.
func oneOrMore(raw []byte) [][]byte {
	if list, err := rawjson.Elements(raw, MaxOffered); err == nil {
		return list
	}
	return [][]byte{raw}
}

// additionKeys are the deciding fields of what is surfaced; a name may be tool_name.
var additionKeys = append([]string{"tool_name", "server_name", "definition"}, entryKeys...)

// addition reads one tool that the conversation surfaces: a reference, or a definition.
func (r *offerReader) addition(raw []byte) error {
	o, err := readObject(raw, additionKeys...)
	if err != nil || o.ambiguous() || o.set("name") && o.set("tool_name") && o.word("name") != o.word("tool_name") {
		return badRequest("a tool that the request's messages surface cannot be understood: " +
			"it is no object, or has two names, or a field twice or spelt differently")
	}
	switch {
	case o.set("definition"):
		if err := r.define(o.value("definition")); err != nil {
			return err
		}
		r.refer(o)
	case isDefinition(o):
		return r.define(raw)
	case !r.refer(o):
		return badRequest("a tool_addition or a tool_reference of the request names no tool")
	}
	return nil
}

// define reads a tool that the conversation defines.
func (r *offerReader) define(definition []byte) error {
	return r.surface("tool_addition", slices.Concat([]byte{'['}, definition, []byte{']'}))
}

// refer takes the name that a reference has, and says whether it has one.
func (r *offerReader) refer(o object) bool {
	name, server := o.word("name"), o.word("server_name")
	if name == "" {
		name = o.word("tool_name")
	}
	switch {
	case name != "":
		r.choose(r.referred(server, name))
	case server != "":
		r.choose(remotePrefix + server)
	}
	return name != "" || server != ""
}

// isDefinition says whether an object has more of a tool than its name.
func isDefinition(o object) bool {
	if o.saysOneOf(append([]string{"tool_addition"}, referenceTypes...), "type") {
		return false
	}
	return slices.ContainsFunc(o.found, func(m member) bool {
		return m.key != "type" && m.key != "name" && m.key != "server_name" && m.key != "tool_name" && !isNull(m.value)
	}) || o.set("type") && o.set("name")
}

// referred is the effective name of the tool that a reference names. Results name a
// tool of an MCP server as the provider composes it, <server>_<tool>; which servers
// there are is in the request, so that nothing has to be guessed from the name.
func (r *offerReader) referred(server, name string) string {
	effective := Call{Server: server, Name: name}.EffectiveName()
	if server != "" || r.named[name] || slices.Contains(r.chosen, name) {
		return effective
	}
	for _, known := range slices.Concat(r.toolsets, r.servers) {
		tool, ok := strings.CutPrefix(name, known+"_")
		if !ok {
			continue
		}
		for _, candidate := range []string{(Call{Server: known, Name: tool}).EffectiveName(), remotePrefix + known} {
			if r.named[candidate] {
				return candidate
			}
		}
	}
	return effective
}

// plainItems are the items of OpenAI's Responses whose tools a server has listed
// itself; the entry that offers the server says which of them may be used.
var plainItems = []string{"mcp_list_tools"}

// input reads the items of a Responses request, a list of them or one: additional_tools
// and tool_search_output bring tools of their own.
func (r *offerReader) input(raw []byte) error {
	items := [][]byte{raw}
	if rawjson.KindOf(raw) == rawjson.Array {
		var err error
		if items, err = rawjson.Elements(raw, maxConversation); err != nil {
			return badRequest("the request's input has more than %d items", maxConversation)
		}
	}
	for _, item := range items {
		o, err := readObject(item, "type", "tools")
		if err == nil && slices.Contains(plainItems, o.word("type")) && !o.ambiguous() {
			continue
		}
		if err := r.block(item); err != nil {
			return err
		}
	}
	return nil
}

// surface reads a list of tools in the conversation.
func (r *offerReader) surface(key string, raw []byte) error {
	if isNull(raw) {
		return nil
	}
	r.surfacing = true
	defer func() { r.surfacing = false }()
	return r.list(key, raw, r.entry)
}
