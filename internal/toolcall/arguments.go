package toolcall

import (
	"bytes"

	"github.com/callgate/callgate/internal/rawjson"
)

// WarnEmpty is the warning of a call without arguments, which is judged as {}.
const WarnEmpty = "arguments:empty"

// jsonSpace is what JSON itself ignores. Text of other white space is no empty
// text, since no JSON reader would take it for one.
const jsonSpace = " \t\r\n"

func blank(text []byte) bool { return len(bytes.Trim(text, jsonSpace)) == 0 }

// setID takes a call's id and says whether it can be used.
func (c *Call) setID(raw []byte) bool {
	switch rawjson.KindOf(raw) {
	case rawjson.Invalid, rawjson.Null:
		return true
	case rawjson.String:
		id, ok := plainText(raw)
		if !ok || len(id) > MaxIDBytes {
			return false
		}
		c.ID = id
		return true
	case rawjson.Number:
		if len(raw) > MaxIDBytes {
			return false
		}
		c.ID, c.NumericID = string(raw), true
		return true
	}
	return false
}

// setObject takes arguments where the shape wants an object. Anything else is left
// to the judge to refuse, as it is where arguments are text: of several faults (a
// list that is also too deep) both shapes then report the same.
func (c *Call) setObject(raw []byte) {
	if raw == nil {
		c.Fault = NotAnObject
		return
	}
	c.Arguments = raw
}

// setObjectOrEmpty takes a provider's arguments where the shape wants an object.
func (c *Call) setObjectOrEmpty(raw []byte) {
	if raw == nil || isNull(raw) {
		c.setEmpty()
		return
	}
	c.setObject(raw)
}

// setTextOrObject takes a provider's arguments where the shape wants JSON text;
// several compatible servers send the object itself. The string is decoded here, once;
// what its text says is for the judge to read.
func (c *Call) setTextOrObject(raw []byte) {
	if rawjson.KindOf(raw) != rawjson.String {
		c.setObjectOrEmpty(raw)
		return
	}
	text, ok := rawjson.Bytes(raw)
	switch {
	case !ok:
		c.Fault = InvalidJSON
	case blank(text) || string(bytes.Trim(text, jsonSpace)) == "null":
		c.setEmpty()
	default:
		c.Arguments = text
	}
}

// setFreeText takes a custom call's input, which is never mapped from nothing.
func (c *Call) setFreeText(raw []byte) {
	c.FreeText = true
	if rawjson.KindOf(raw) != rawjson.String {
		c.Fault = NotAnObject
		return
	}
	text, ok := rawjson.Bytes(raw)
	if !ok {
		c.Fault = InvalidJSON
		return
	}
	c.Arguments = text
}

func (c *Call) setEmpty() {
	c.Arguments = []byte("{}")
	c.Warnings = append(c.Warnings, WarnEmpty)
}
