package toolcall

import (
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// choiceWords say how tools are chosen, and name none.
var choiceWords = []string{"auto", "none", "required", "any", "validated"}

// choice reads tool_choice and its kin: a word, a tool, or a list of tools that the
// model is held to.
func (r *offerReader) choice(raw []byte) error {
	if word, ok := plainText(raw); ok {
		r.chooseWord(word)
		return nil
	}
	o, err := readObject(raw, choiceKeys...)
	if err != nil {
		return badRequest("the request's tool choice must be a word or an object")
	}
	var e entry
	e.nameAll(o)
	inner, err := r.chosenTools(o)
	switch {
	case err != nil || e.flaw != EntryOK || o.ambiguous():
		return badRequest("the request's tool choice cannot be understood: it has fields twice, spelt differently, or of the wrong kind")
	case len(e.names) > 0 || o.set("server_label"):
		r.chooseNamed(o, e.names)
		return nil
	case inner || o.has("auto", "any"):
		return nil
	}
	return r.chooseByType(o.word("type"))
}

// chooseWord takes a word that says nothing of how tools are chosen for a name.
func (r *offerReader) chooseWord(word string) {
	if word != "" && !slices.Contains(choiceWords, word) {
		r.choose(word)
	}
}

var choiceKeys = append([]string{"tool", "auto", "any", "namespace"}, entryKeys...)

// chooseNamed takes the names of a choice, in the server or the namespace that it says.
func (r *offerReader) chooseNamed(o object, names []string) {
	if o.set("server_label") {
		r.choose(chosenRemote(o.word("server_label"), names)...)
		if o.word("type") != "mcp" {
			r.choose(names...)
		}
		return
	}
	for _, name := range names {
		r.choose(Call{Server: o.word("namespace"), Name: name}.EffectiveName())
	}
}

// chooseByType takes a choice that has nothing but a type: a word as above, or one of
// the provider's own tools.
func (r *offerReader) chooseByType(kind string) error {
	switch {
	case slices.Contains(choiceWords, kind):
	case slices.Contains([]string{"", "function", "custom", "tool", "allowed_tools"}, kind):
		return badRequest("the request's tool choice names no tool")
	default:
		r.choose(undated(kind))
	}
	return nil
}

func chosenRemote(server string, tools []string) []string {
	if len(tools) == 0 {
		return []string{remotePrefix + server}
	}
	names := make([]string, 0, len(tools))
	for _, tool := range tools {
		names = append(names, Call{Server: server, Name: tool}.EffectiveName())
	}
	return names
}

// chosenTools reads the tools that a choice allows: {type: allowed_tools, tools: […]},
// or the same in allowed_tools.
func (r *offerReader) chosenTools(o object) (read bool, err error) {
	if allowed := o.value("allowed_tools"); allowed != nil && !isNull(allowed) {
		inner, err := readObject(allowed, "tools")
		if err != nil || inner.ambiguous() {
			return true, badRequest("the request's allowed_tools must be an object with one list of tools")
		}
		return true, r.choices(inner.value("tools"))
	}
	if tools := o.value("tools"); tools != nil && !isNull(tools) {
		return true, r.choices(tools)
	}
	return false, nil
}

func (r *offerReader) choices(raw []byte) error {
	if raw == nil || isNull(raw) {
		return nil
	}
	tools, err := rawjson.Elements(raw, MaxOffered)
	if err != nil {
		return badRequest("the tools that a request allows must be a list of at most %d", MaxOffered)
	}
	for _, tool := range tools {
		if o, err := readObject(tool, "tools", "allowed_tools"); err == nil && o.has("tools", "allowed_tools") {
			return badRequest("the tools that a request allows must be tools, and no lists of them")
		}
		if err := r.choice(tool); err != nil {
			return err
		}
	}
	return nil
}

// callingConfig reads Gemini's functionCallingConfig.
func (r *offerReader) callingConfig(raw []byte) error {
	o, err := readObject(raw, "allowedFunctionNames", "allowed_function_names")
	if err != nil {
		return badRequest("the request's functionCallingConfig must be an object")
	}
	o.alias("allowed_function_names", "allowedFunctionNames")
	names := o.value("allowedFunctionNames")
	if o.ambiguous() {
		return badRequest("the request's allowedFunctionNames occurs twice or is spelt differently")
	}
	if names == nil || isNull(names) {
		return nil
	}
	list, err := rawjson.Elements(names, MaxOffered)
	if err != nil {
		return badRequest("the request's allowedFunctionNames must be a list of at most %d names", MaxOffered)
	}
	for _, raw := range list {
		name, ok := plainText(raw)
		if !ok || name == "" {
			return badRequest("the request's allowedFunctionNames must be a list of names")
		}
		r.choose(name)
	}
	return nil
}
