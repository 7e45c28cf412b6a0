package toolcall

import (
	"fmt"

	"github.com/callgate/callgate/internal/rawjson"
)

const (
	// maxChoices bounds the alternatives of one response; providers offer at
	// most 128.
	maxChoices = 128
	chatShapes = "choices, a message with tool_calls or function_call, or one call with function or custom"
)

// chatReader collects the calls of a chat message.
type chatReader struct {
	callList
}

// decodeChat reads the family of OpenAI Chat Completions: a response
// ({choices: [{message}]}, or Ollama's {message}), a message ({tool_calls}, or
// the older {function_call}), or one bare call ({function} or {custom}).
func decodeChat(body []byte) (callList, error) {
	o, err := readObject(body, "choices", "message", "tool_calls", "function_call", "function", "custom", "role")
	if err != nil {
		return callList{}, notAMessage(OpenAIChat, chatShapes)
	}
	var r chatReader
	// Gemini has the key function_call too, and args in it.
	r.own = o.spelt("choices", "message", "tool_calls", "function", "custom") || o.spelt("function_call") && memberOf(o.value("function_call"), "args") == nil
	shapes, err := r.shapes(o, body)
	if err == nil {
		err = r.whole(o, body, shapes)
	}
	return r.callList, err
}

// whole ends the reading of a body that has so many of the shapes.
func (r *chatReader) whole(o object, body []byte, shapes int) error {
	switch {
	case shapes == 0 && !o.badKey && !isMessage(o):
		return notAMessage(OpenAIChat, chatShapes)
	case shapes > 1 || shapes == 0 && o.badKey || holdsCalls(body, chatPlaces(o)...):
		return r.malform(0)
	case shapes == 0:
		return r.message(body)
	}
	return nil
}

// chatPlaces are the places for calls that a chat body has itself. Whether its content
// holds any is looked at where it is a message, and its type where it is a call.
func chatPlaces(o object) []string {
	places := []string{"choices", "message", "tool_calls", "function_call", "function", "custom"}
	switch {
	case o.set("choices", "message"):
		return places
	case o.set("function", "custom"):
		return append(places, "type")
	}
	return append(places, "content")
}

// shapes reads the body as each of the shapes whose keys it has, and counts them.
func (r *chatReader) shapes(o object, body []byte) (int, error) {
	all := []struct {
		keys []string
		read func() error
	}{
		{[]string{"choices"}, func() error { return r.choices(o) }},
		{[]string{"message"}, func() error { return r.choice(body) }},
		{[]string{"tool_calls", "function_call"}, func() error { return r.message(body) }},
		{[]string{"function", "custom"}, func() error { return r.add(chatCall(body)) }},
	}
	n := 0
	for _, shape := range all {
		if !o.set(shape.keys...) {
			continue
		}
		n++
		if err := shape.read(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// isMessage says whether an object that holds no call is a message all the same.
func isMessage(o object) bool {
	role, _ := plainText(o.value("role"))
	return role == "assistant" || o.has("tool_calls", "function_call")
}

func (r *chatReader) choices(o object) error {
	start := len(r.calls)
	for _, m := range o.found {
		if m.key != "choices" {
			continue
		}
		choices, err := rawjson.Elements(m.value, maxChoices)
		if err != nil {
			return wrongKind(OpenAIChat, "choices", fmt.Sprintf("a list of at most %d", maxChoices))
		}
		for _, choice := range choices {
			if err := r.choice(choice); err != nil {
				return err
			}
		}
	}
	if o.ambiguous("choices") {
		return r.malform(start)
	}
	return nil
}

// choice reads an object that holds a message and says how it ended.
func (r *chatReader) choice(raw []byte) error {
	o, err := readObject(raw, "message", "delta", "tool_calls", "function_call", "finish_reason", "done_reason")
	if err != nil {
		return wrongKind(OpenAIChat, "choices", "objects")
	}
	if !o.has("message", "delta") {
		return badRequest("the OpenAIChat message has a choice without a message")
	}
	start := len(r.calls)
	for _, m := range o.found {
		switch m.key {
		case "message":
			err = r.message(m.value)
		case "delta":
			// A fragment holds no whole call, but a collector may find one.
			if !isNull(m.value) && !isEmptyObject(m.value) {
				err = r.addMalformed("")
			}
		}
		if err != nil {
			return err
		}
	}
	// Calls belong into the message; whoever looks beside it finds others.
	return r.settle(start, o, o.ambiguous() || holdsCalls(raw, "message", "delta", "choices"))
}

func (r *chatReader) message(raw []byte) error {
	o, err := readObject(raw, "tool_calls", "function_call", "content", "finish_reason", "done_reason")
	if err != nil {
		return wrongKind(OpenAIChat, "message", fmt.Sprintf("an object of at most %d fields", maxMembers))
	}
	start := len(r.calls)
	for _, m := range o.found {
		switch m.key {
		case "tool_calls":
			err = r.toolCalls(m.value)
		case "function_call":
			if !isNull(m.value) {
				err = r.add(legacyCall(m.value))
			}
		case "content":
			err = r.hiddenCalls(m.value)
		}
		if err != nil {
			return err
		}
	}
	hidden := holdsCalls(raw, "tool_calls", "function_call", "content", "choices", "message", "function", "custom")
	return r.settle(start, o, hidden || o.ambiguous("tool_calls", "function_call", "finish_reason", "done_reason"))
}

func (r *chatReader) toolCalls(raw []byte) error {
	if isNull(raw) {
		return nil
	}
	if rawjson.KindOf(raw) != rawjson.Array {
		return wrongKind(OpenAIChat, "tool_calls", "a list")
	}
	entries, err := rawjson.Elements(raw, MaxCalls)
	if err != nil {
		return tooManyCalls()
	}
	for _, entry := range entries {
		if err := r.add(chatCall(entry)); err != nil {
			return err
		}
	}
	return nil
}

// settle gives the calls found since start what the object around them says of
// them all.
func (r *chatReader) settle(start int, o object, ambiguous bool) error {
	if ambiguous {
		return r.malform(start)
	}
	if o.saysOneOf(cutReasons, "finish_reason", "done_reason") {
		r.truncate(start)
	}
	return nil
}

func isEmptyObject(raw []byte) bool {
	members, err := rawjson.Members(raw, 1)
	return err == nil && len(members) == 0
}
