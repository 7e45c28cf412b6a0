package toolcall

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// callPlaces are the keys under which any of the formats has calls, or what holds
// them. A reader of many formats looks under all of them, whatever the message's own
// format is. Spellings that resemble one of these (functionCall, toolUse) go with it.
var callPlaces = []string{
	"choices", "candidates", "content", "contents", "message", "messages", "delta", "output", "outputs", "parts", "items",
	"tool_call", "tool_calls", "function_call", "function_calls", "tool_use", "tool_uses",
	"function", "custom", "type", "method", "toolUseId",
	// Where the events of a stream have them.
	"response", "item", "content_block",
}

// maxPlaces bounds how deep such keys are followed into one another. The deepest
// shape of any format (candidates, content, parts, functionCall) has four.
const maxPlaces = 6

// holdsCalls says whether a value has a call in it in some format's form. Keys of
// the outermost object that the caller reads itself are own, and are passed over.
// What is too wide or too deep to tell counts as a call.
func holdsCalls(raw []byte, own ...string) bool { return holdsCallsIn(raw, 0, own) }

func holdsCallsIn(raw []byte, depth int, own []string) bool {
	switch rawjson.KindOf(raw) {
	case rawjson.Object:
		return depth == maxPlaces || objectHoldsCalls(raw, depth, own)
	case rawjson.Array:
		list, err := rawjson.Elements(raw, maxParts)
		return err != nil || slices.ContainsFunc(list, func(item []byte) bool {
			return rawjson.KindOf(item) == rawjson.Object && holdsCallsIn(item, depth, nil)
		})
	}
	return false
}

func objectHoldsCalls(raw []byte, depth int, own []string) bool {
	o, err := readObject(raw, callPlaces...)
	return err != nil || slices.ContainsFunc(o.found, func(m member) bool {
		return !slices.Contains(own, m.key) && m.holdsCalls(raw, depth)
	})
}

// holdsCalls says it of one member of the object outer.
func (m member) holdsCalls(outer []byte, depth int) bool {
	switch m.key {
	case "type":
		word, _ := rawjson.Text(m.value)
		return rawjson.KindOf(m.value) == rawjson.String && callWord(word)
	case "method":
		word, _ := rawjson.Text(m.value)
		return rawjson.KindOf(m.value) == rawjson.String && strings.EqualFold(strings.TrimSpace(word), methodCall)
	case "toolUseId":
		return hasKey(outer, []string{"name"})
	case "function", "custom":
		return hasKey(m.value, []string{"name"})
	case "tool_call", "tool_calls", "function_call", "function_calls", "tool_use", "tool_uses":
		return !isEmpty(m.value)
	}
	return holdsCallsIn(m.value, depth+1, nil)
}

// callWord says whether a type is one that a provider might have for a call, and not
// for what came of one.
func callWord(word string) bool {
	if !callLike(word) {
		return false
	}
	word = strings.ToLower(word)
	return !slices.ContainsFunc([]string{"result", "output", "error", "reference", "response"}, func(end string) bool {
		return strings.HasSuffix(word, end)
	})
}

// isEmpty says whether a value holds nothing that could be a call.
func isEmpty(raw []byte) bool {
	switch rawjson.KindOf(raw) {
	case rawjson.Object:
		return isEmptyObject(raw)
	case rawjson.Array:
		list, err := rawjson.Elements(raw, 1)
		return err == nil && len(list) == 0
	}
	return isNull(raw) || isEmptyText(raw)
}
