package toolcall

import (
	"bytes"
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

const geminiShapes = "a response with candidates, a content with parts, or one part with functionCall"

// geminiPart is what a part may be. Protobuf's JSON reads both spellings of a key.
var geminiPart = union{
	plain: []string{
		"text", "thought", "thoughtSignature", "thought_signature", "inlineData", "inline_data", "fileData", "file_data",
		"functionResponse", "function_response", "codeExecutionResult", "code_execution_result", "toolResponse", "tool_response",
		"videoMetadata", "video_metadata", "mediaResolution", "media_resolution", "partMetadata", "part_metadata",
	},
	executed: []string{"executableCode", "executable_code", "toolCall", "tool_call"},
	call:     []string{"functionCall", "function_call"},
}

// geminiReader collects the calls of a response.
type geminiReader struct {
	callList
}

// decodeGemini reads the family of Gemini's generateContent: a response
// ({candidates: [{content}]}), a content ({parts}), or one part ({functionCall}).
func decodeGemini(body []byte) (callList, error) {
	var r geminiReader
	o, err := readObject(body, "candidates", "parts", "functionCall", "function_call", "role", "content")
	if err != nil {
		return r.callList, notAMessage(Gemini, geminiShapes)
	}
	r.own = isGemini(o)
	o.alias("function_call", "functionCall")
	shapes := 0
	for _, shape := range []struct {
		key  string
		read func() error
	}{
		{"candidates", func() error { return r.candidates(o) }},
		{"parts", func() error { return r.content(body) }},
		{"functionCall", func() error { return r.part(body) }},
	} {
		if o.has(shape.key) {
			shapes++
			if err := shape.read(); err != nil {
				return r.callList, err
			}
		}
	}
	switch {
	case shapes == 0:
		err = notAMessage(Gemini, geminiShapes)
	case shapes > 1 || o.badKey || o.set("content") || holdsCalls(body, "candidates", "parts", "function_call"):
		err = r.malform(0)
	}
	return r.callList, err
}

// isGemini says whether calls are where no other format has them. Chat has the key
// function_call, too, in a message with a role or with arguments in it.
func isGemini(o object) bool {
	return o.spelt("candidates", "parts", "functionCall") ||
		o.spelt("function_call") && !o.has("role") && memberOf(o.value("function_call"), "arguments") == nil
}

func (r *geminiReader) candidates(o object) error {
	start := len(r.calls)
	for _, m := range o.found {
		if m.key != "candidates" {
			continue
		}
		candidates, err := parts(Gemini, "candidates", m.value)
		if err != nil {
			return err
		}
		for _, candidate := range candidates {
			if err := r.candidate(candidate); err != nil {
				return err
			}
		}
	}
	if o.ambiguous("candidates") {
		return r.malform(start)
	}
	return nil
}

// candidate reads a content and how it ended. A candidate that was stopped before
// it said anything has no content.
func (r *geminiReader) candidate(raw []byte) error {
	o, err := readObject(raw, "content", "finishReason", "finish_reason", "parts", "functionCall", "function_call", "message", "tool_calls")
	if err != nil {
		return wrongKind(Gemini, "candidates", "objects")
	}
	o.alias("finish_reason", "finishReason")
	start := len(r.calls)
	for _, m := range o.found {
		if m.key != "content" || isNull(m.value) {
			continue
		}
		if err := r.content(m.value); err != nil {
			return err
		}
	}
	if holdsCalls(raw, "content") || o.ambiguous("content", "finishReason") || o.set("parts", "functionCall", "function_call", "message", "tool_calls") {
		return r.malform(start)
	}
	if o.saysOneOf(cutReasons, "finishReason") || numberedCut(o.value("finishReason")) {
		r.truncate(start)
	}
	return nil
}

// numberedCut says whether a reason is written as protobuf's number, and is neither
// "unspecified" (0) nor "stop" (1).
func numberedCut(raw []byte) bool {
	return rawjson.KindOf(raw) == rawjson.Number && !bytes.Equal(raw, []byte("0")) && !bytes.Equal(raw, []byte("1"))
}

func (r *geminiReader) content(raw []byte) error {
	o, err := readObject(raw, "parts", "functionCall", "function_call", "tool_calls")
	if err != nil {
		return wrongKind(Gemini, "content", "an object")
	}
	start := len(r.calls)
	for _, m := range o.found {
		if m.key != "parts" || isNull(m.value) {
			continue
		}
		list, err := parts(Gemini, "parts", m.value)
		if err != nil {
			return err
		}
		for _, part := range list {
			if err := r.part(part); err != nil {
				return err
			}
		}
	}
	if holdsCalls(raw, "parts", "candidates") || o.ambiguous("parts") || o.set("functionCall", "function_call", "tool_calls") {
		return r.malform(start)
	}
	return nil
}

func (r *geminiReader) part(raw []byte) error {
	kind, ran := geminiPart.kindOf(raw)
	if kind == kindUnknown {
		return r.addMalformed("")
	}
	if slices.ContainsFunc(ran, func(m rawjson.Member) bool { return holdsCalls(m.Value) }) {
		return r.addMalformed("")
	}
	for _, m := range ran {
		r.ran(m.Key, "", "")
	}
	if kind != kindFunction {
		return nil
	}
	o, err := readObject(raw, geminiPart.call...)
	if err != nil {
		return r.addMalformed("")
	}
	o.alias("function_call", "functionCall")
	if !o.ambiguous() && isNull(o.value("functionCall")) {
		return nil
	}
	c := functionCall(o.value("functionCall"))
	if o.ambiguous() {
		c.Fault, c.answer = Malformed, answerNone
	}
	return r.add(c)
}

// functionCall decodes {"id": "…", "name": "…", "args": {…}}. Pieces of arguments
// that are still to come (partialArgs, willContinue) are no call yet.
func functionCall(raw []byte) Call {
	c := Call{IntegersByValue: true, unsureName: true}
	o, err := readObject(raw, append([]string{"id", "name", "partialArgs", "partial_args", "willContinue", "will_continue"}, argumentKeys...)...)
	if err != nil {
		c.Fault = Malformed
		return c
	}
	idOK := c.setID(o.value("id"))
	name, nameOK := plainText(o.value("name"))
	c.Name = name
	c.unsureID, c.unsureName = !idOK || o.ambiguous("id"), !nameOK || o.ambiguous("name")
	args := o.value("args")
	c.setObjectOrEmpty(args)
	pieces := o.set("partialArgs", "partial_args") || o.continues()
	if c.unsureID || c.unsureName || pieces || o.ambiguous() || !sameArguments(o, args) {
		c.Fault = Malformed
	}
	return c
}

// continues says whether willContinue is anything but false.
func (o object) continues() bool {
	for _, m := range o.found {
		if (m.key == "willContinue" || m.key == "will_continue") && !isNull(m.value) && string(m.value) != "false" {
			return true
		}
	}
	return false
}
