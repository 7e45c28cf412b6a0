package toolcall

import (
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// Tools that stand in a conversation: a request may surface, or define, more of them
// beyond its lists. What it defines there may repeat what a list declares, since
// providers give definitions back for the client to send again.

// messages reads {content: [{type: tool_addition, tool: …}]} of Anthropic's beta, and
// lists of tools in a message, as some servers' templates take them.
func (r *offerReader) messages(raw []byte) error {
	list, err := rawjson.Elements(raw, maxConversation)
	if err != nil {
		return badRequest("the request's messages must be a list of at most %d", maxConversation)
	}
	for _, message := range list {
		if rawjson.KindOf(message) != rawjson.Object {
			continue
		}
		o, err := readObject(message, "content", "tools")
		if err != nil {
			return badRequest("a message of the request has more than %d fields", maxMembers)
		}
		for _, m := range o.found {
			switch {
			case m.key == "tools":
				err = r.surface("a message's tools", m.value)
			case rawjson.KindOf(m.value) == rawjson.Array:
				err = r.blocks(m.value)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// blocks reads the blocks of a content.
func (r *offerReader) blocks(raw []byte) error {
	list, err := rawjson.Elements(raw, maxConversation)
	if err != nil {
		return badRequest("a message's content has more than %d parts", maxConversation)
	}
	for _, block := range list {
		if rawjson.KindOf(block) != rawjson.Object {
			continue
		}
		o, err := readObject(block, "type", "tool", "tool_changes")
		if err != nil {
			return badRequest("a part of a message has more than %d fields", maxMembers)
		}
		for _, m := range o.found {
			switch {
			case m.key == "tool" && o.saysOneOf([]string{"tool_addition"}, "type"):
				err = r.addition(m.value)
			case m.key == "tool_changes" && rawjson.KindOf(m.value) == rawjson.Array:
				err = r.blocks(m.value)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// addition reads what a tool_addition surfaces: a reference, or a definition.
func (r *offerReader) addition(raw []byte) error {
	o, err := readObject(raw, "type", "name", "server_name", "definition")
	if err != nil || o.ambiguous() {
		return badRequest("a tool_addition of the request cannot be understood: it is no object, or has a field twice or spelt differently")
	}
	name, server := o.word("name"), o.word("server_name")
	if o.set("definition") {
		if err := r.surface("tool_addition", slices.Concat([]byte{'['}, o.value("definition"), []byte{']'})); err != nil {
			return err
		}
	}
	switch {
	case name != "":
		r.choose(Call{Server: server, Name: name}.EffectiveName())
	case server != "":
		r.choose(remotePrefix + server)
	case !o.set("definition"):
		return badRequest("a tool_addition of the request names no tool")
	}
	return nil
}

// plainItems are the items of OpenAI's Responses whose tools a server has listed
// itself; the entry that offers the server says which of them may be used.
var plainItems = []string{"mcp_list_tools"}

// input reads the items of a Responses request: additional_tools and
// tool_search_output bring tools of their own.
func (r *offerReader) input(raw []byte) error {
	if rawjson.KindOf(raw) != rawjson.Array {
		return nil
	}
	list, err := rawjson.Elements(raw, maxConversation)
	if err != nil {
		return badRequest("the request's input has more than %d items", maxConversation)
	}
	for _, item := range list {
		if rawjson.KindOf(item) != rawjson.Object {
			continue
		}
		o, err := readObject(item, "type", "tools")
		if err != nil {
			return badRequest("an item of the request's input has more than %d fields", maxMembers)
		}
		if slices.Contains(plainItems, o.word("type")) && !o.ambiguous() {
			continue
		}
		for _, m := range o.found {
			if m.key != "tools" {
				continue
			}
			if err := r.surface("input's tools", m.value); err != nil {
				return err
			}
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
