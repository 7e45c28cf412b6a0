package toolcall

import (
	"errors"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// maxBatch bounds the JSON-RPC messages of one batch, of which at most MaxCalls
// may be calls.
const maxBatch = 1024

const (
	methodCall = "tools/call"
	rpcVersion = "2.0"
	mcpShapes  = "a JSON-RPC request of method " + methodCall + ", or a batch of them"
)

// decodeMCP reads one JSON-RPC message or a batch. Messages of other methods and
// responses are no calls.
func decodeMCP(body []byte) (callList, error) {
	var list callList
	if rawjson.KindOf(body) == rawjson.Object {
		is, err := list.message(body)
		if is == isUnknown {
			return list, notAMessage(MCP, mcpShapes)
		}
		return list, err
	}
	elements, err := rawjson.Elements(body, maxBatch)
	if errors.Is(err, rawjson.ErrTooMany) {
		return callList{}, badRequest("more than %d messages in one batch", maxBatch)
	}
	if err != nil || len(elements) == 0 {
		return callList{}, notAMessage(MCP, mcpShapes)
	}
	for _, element := range elements {
		is, err := list.message(element)
		if is == isUnknown {
			err = list.addMalformed("")
		}
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// rpcKind says what a JSON-RPC message is to a gate on tool calls.
type rpcKind uint8

const (
	isUnknown rpcKind = iota
	isCall
	isOther
)

// message reads one JSON-RPC message and adds the call in it, if any.
func (l *callList) message(raw []byte) (rpcKind, error) {
	o, err := readObject(raw, "jsonrpc", "id", "method", "params", "result", "error", "name", "arguments")
	if err != nil {
		return isUnknown, nil //nolint:nilerr // what is no object is an entry like any other that cannot be understood
	}
	l.own = l.own || o.spelt("jsonrpc", "method")
	version, _ := plainText(o.value("jsonrpc"))
	if !runsCall(o) {
		if version == rpcVersion && (o.has("method") || isResponse(o)) {
			if holdsCalls(raw, "method") {
				return isCall, l.addMalformed("")
			}
			return isOther, nil
		}
		return isUnknown, nil
	}
	method, _ := plainText(o.value("method"))
	// A request that leaves the version out is still one request only.
	versionOK := version == rpcVersion || !o.has("jsonrpc")
	c := rpcCall(o, versionOK && method == methodCall)
	if holdsCalls(raw, "method") {
		c.Fault = Malformed
	}
	return isCall, l.add(c)
}

// runsCall says whether some dispatcher runs the message as a call: all do but
// for a plain method that resembles no call.
func runsCall(o object) bool {
	if !o.has("method") {
		return false
	}
	method, ok := plainText(o.value("method"))
	return !ok || o.ambiguous("method") || strings.EqualFold(strings.TrimSpace(method), methodCall)
}

// isResponse says whether the message answers a request, and so runs nothing.
func isResponse(o object) bool {
	return !o.ambiguous() && !o.has("params") && o.has("result") != o.has("error")
}

func rpcCall(o object, frameOK bool) Call {
	var c Call
	idOK := c.setID(o.value("id"))
	switch {
	case !o.has("id"):
		c.answer = answerNone
	case !idOK, o.ambiguous("id"), o.value("id") != nil && isNull(o.value("id")):
		c.answer = answerNullID
	}
	paramsOK := c.setParams(o.value("params"))
	if !frameOK || !idOK || !paramsOK || o.ambiguous() || !sameName(o, c.Name) || o.set("arguments") {
		c.Fault = Malformed
	}
	return c
}

// setParams takes what a tools/call is about and says whether its name is plain.
// _meta, inputResponses, requestState and the like are no arguments.
func (c *Call) setParams(raw []byte) bool {
	o, err := readObject(raw, "name", "arguments")
	if err != nil {
		return false
	}
	name, ok := plainText(o.value("name"))
	c.Name = name
	c.setObjectOrEmpty(o.value("arguments"))
	c.revision = protocolRevision(raw)
	return ok && !o.ambiguous()
}

// protocolRevision is what the request says in _meta that it speaks, or "". It
// decides only what the reply looks like.
func protocolRevision(params []byte) string {
	revision, _ := plainText(memberOf(memberOf(params, "_meta"), "io.modelcontextprotocol/protocolVersion"))
	return revision
}

// memberOf is the value of a key that decides nothing.
func memberOf(raw []byte, key string) []byte {
	members, _ := rawjson.Members(raw, maxMembers)
	for _, m := range members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}
