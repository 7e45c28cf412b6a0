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
func decodeMCP(body []byte) ([]Call, error) {
	if rawjson.KindOf(body) == rawjson.Object {
		call, is := rpcMessage(body)
		switch is {
		case isCall:
			return []Call{call}, nil
		case isOther:
			return nil, nil
		}
		return nil, notAMessage(MCP, mcpShapes)
	}
	elements, err := rawjson.Elements(body, maxBatch)
	if errors.Is(err, rawjson.ErrTooMany) {
		return nil, badRequest("more than %d messages in one batch", maxBatch)
	}
	if err != nil || len(elements) == 0 {
		return nil, notAMessage(MCP, mcpShapes)
	}
	var list callList
	for _, element := range elements {
		call, is := rpcMessage(element)
		switch is {
		case isOther:
			continue
		case isUnknown:
			call = Call{Fault: Malformed}
		}
		if err := list.add(call); err != nil {
			return nil, err
		}
	}
	return list.calls, nil
}

// rpcKind says what a JSON-RPC message is to a gate on tool calls.
type rpcKind uint8

const (
	isUnknown rpcKind = iota
	isCall
	isOther
)

func rpcMessage(raw []byte) (Call, rpcKind) {
	o, err := readObject(raw, "jsonrpc", "id", "method", "params", "result", "error")
	if err != nil {
		return Call{}, isUnknown
	}
	version, _ := plainText(o.value("jsonrpc"))
	if !runsCall(o) {
		if version == rpcVersion && (o.has("method") || isResponse(o)) {
			return Call{}, isOther
		}
		return Call{}, isUnknown
	}
	method, _ := plainText(o.value("method"))
	// A request that leaves the version out is still one request only.
	versionOK := version == rpcVersion || !o.has("jsonrpc")
	return rpcCall(o, versionOK && method == methodCall), isCall
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
	paramsOK := c.setParams(o.value("params"))
	if !frameOK || !idOK || !paramsOK || o.ambiguous() {
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
	return ok && !o.ambiguous()
}
