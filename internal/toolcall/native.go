package toolcall

import (
	"errors"
	"fmt"
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

func decodeNative(raw []byte) ([]Call, error) {
	if rawjson.KindOf(raw) != rawjson.Array {
		return nil, badRequest("request.calls must be a list")
	}
	elements, err := rawjson.Elements(raw, MaxCalls)
	if err != nil {
		return nil, tooManyCalls()
	}
	if len(elements) == 0 {
		return nil, badRequest("request.calls is empty")
	}
	calls := make([]Call, len(elements))
	for i, element := range elements {
		if calls[i], err = nativeCall(element, i); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// nativeKeys are shared and never written to.
var nativeKeys = []string{"id", "server", "name", "arguments", "argumentsText"}

// theCall is the index of the one call that stands by itself.
const theCall = -1

func placeOf(index int) string {
	if index == theCall {
		return "request.call"
	}
	return fmt.Sprintf("request.calls[%d]", index)
}

// nativeCall decodes one element of calls, or the one call of an execution. An unknown key is an error, because
// it is the client's own; everything else is the call's fault.
func nativeCall(raw []byte, index int) (Call, error) {
	if rawjson.KindOf(raw) != rawjson.Object {
		return Call{Fault: Malformed}, nil
	}
	if err := refuseUnknown(raw, index); err != nil {
		return Call{}, err
	}
	o, err := readObject(raw, nativeKeys...)
	if err != nil {
		return Call{}, err
	}
	var c Call
	idOK := c.setID(o.value("id"))
	serverOK := c.setServer(o.value("server"))
	name, nameOK := plainText(o.value("name"))
	c.Name = name
	twoArguments := o.has("arguments") && o.has("argumentsText")
	if !idOK || !serverOK || !nameOK || twoArguments || o.ambiguous() {
		c.Fault = Malformed
		return c, nil
	}
	if text := o.value("argumentsText"); text != nil {
		c.setNativeText(text)
	} else {
		c.setObject(o.value("arguments"))
	}
	return c, nil
}

// refuseUnknown tells unknown keys from those that resemble a known one.
func refuseUnknown(raw []byte, index int) error {
	members, err := rawjson.Members(raw, maxMembers)
	if errors.Is(err, rawjson.ErrTooMany) {
		return badRequest("%s has more than %d fields", placeOf(index), maxMembers)
	}
	for _, m := range members {
		known := slices.Contains(nativeKeys, m.Key)
		if _, similar := resembled(m.Key, nativeKeys); !known && (m.BadKey || !similar) {
			return badRequest("%s has the unknown field %s", placeOf(index), quoted(m.Key))
		}
	}
	return nil
}

func (c *Call) setServer(raw []byte) bool {
	if raw == nil || isNull(raw) {
		return true
	}
	server, ok := plainText(raw)
	c.Server = server
	return ok
}

// setNativeText takes argumentsText. Empty text is no object, unlike in a
// provider's message: the client, not a model, left it empty.
func (c *Call) setNativeText(raw []byte) {
	if rawjson.KindOf(raw) != rawjson.String {
		c.Fault = NotAnObject
		return
	}
	text, ok := rawjson.Bytes(raw)
	switch {
	case !ok:
		c.Fault = InvalidJSON
	case blank(text):
		c.Fault = NotAnObject
	default:
		c.Arguments = text
	}
}
