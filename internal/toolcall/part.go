package toolcall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// maxParts bounds the parts of a message's content, and the items of a response.
// No provider returns a tenth of it.
const maxParts = 1024

// hiddenCalls looks for calls in content that by its shape has none, in the form
// that some provider gives them there: some readers take them from there.
func (l *callList) hiddenCalls(content []byte) error {
	switch rawjson.KindOf(content) {
	case rawjson.Object:
		return l.hiddenCall(content)
	case rawjson.Array:
	default:
		return nil
	}
	parts, err := rawjson.Elements(content, maxParts)
	if err != nil {
		return l.addMalformed("")
	}
	for _, part := range parts {
		if err := l.hiddenCall(part); err != nil {
			return err
		}
	}
	return nil
}

func (l *callList) hiddenCall(part []byte) error {
	if rawjson.KindOf(part) != rawjson.Object {
		return nil
	}
	o, err := readObject(part, "type", "tool_use", "tool_calls", "function_call")
	if err != nil || o.set("tool_use", "tool_calls", "function_call") || namesCall(o) || holdsCalls(part, "type") {
		return l.addMalformed("")
	}
	return nil
}

// namesCall says whether a part's type is that of some provider's call:
// tool_use, tool_call, function_call, mcp_call, toolUse, …
func namesCall(o object) bool {
	return slices.ContainsFunc(o.found, func(m member) bool {
		kind, _ := rawjson.Text(m.value)
		return m.key == "type" && callLike(kind)
	})
}

// callLike says whether a word is one that a provider might have for a call.
func callLike(word string) bool {
	word = strings.ToLower(word)
	return strings.Contains(word, "tool") || strings.Contains(word, "call") || strings.Contains(word, "function")
}

// parts gives the entries of a list that the shape has there, under the bound.
func parts(format Format, key string, raw []byte) ([][]byte, error) {
	entries, err := rawjson.Elements(raw, maxParts)
	if err != nil {
		return nil, wrongKind(format, key, fmt.Sprintf("a list of at most %d", maxParts))
	}
	return entries, nil
}

func wrongKind(format Format, key, kind string) error {
	return badRequest("the %s message's %s must be %s", format, key, kind)
}
