package toolcall

import (
	"bytes"
	"slices"
)

// The keys of one chat call. argumentKeys are the names under which tolerant
// readers look for arguments, in the call or in its function.
var (
	argumentKeys = []string{"arguments", "input", "args", "parameters"}
	innerKeys    = append([]string{"name", "namespace"}, argumentKeys...)
	chatCallKeys = append([]string{"id", "type", "function", "custom"}, innerKeys...)
)

// chatCall decodes one entry of tool_calls:
//
//	{"id": "…", "type": "function", "function": {"name": "…", "arguments": "…"}}
//	{"id": "…", "type": "custom", "custom": {"name": "…", "input": "…"}}
//
// id and type may be absent.
func chatCall(raw []byte) Call {
	o, err := readObject(raw, chatCallKeys...)
	if err != nil {
		return Call{Fault: Malformed, answer: answerNone}
	}
	var c Call
	idOK := c.setID(o.value("id"))
	c.unsureID = !idOK || o.ambiguous("id")
	kind, kindOK := chatType(o)
	if kind == "" {
		kind = "function"
	}
	// Decoded even if the call is ambiguous, so that its verdict can name it.
	named := c.setInner(o.value(kind), ownKey(kind), o)
	c.unsureName = c.unsureName || o.ambiguous("function", "custom")
	if c.unsureID || !kindOK || !named || o.ambiguous() {
		c.Fault = Malformed
	}
	return c
}

// chatType is the one of function and custom that the call is; ok is false if
// the call is both, neither, or not what its type says.
func chatType(o object) (kind string, ok bool) {
	switch function, custom := o.set("function"), o.set("custom"); {
	case function == custom:
		return "", false
	case function:
		kind = "function"
	default:
		kind = "custom"
	}
	declared := o.value("type")
	if declared == nil || isNull(declared) {
		return kind, true
	}
	said, ok := plainText(declared)
	return kind, ok && said == kind
}

func ownKey(kind string) string {
	if kind == "custom" {
		return "input"
	}
	return "arguments"
}

// legacyCall decodes the value of function_call, {"name": "…", "arguments": "…"}.
func legacyCall(raw []byte) Call {
	c := Call{answer: answerLegacy}
	if !c.setInner(raw, ownKey("function"), object{}) {
		c.Fault = Malformed
	}
	return c
}

// setInner takes name and arguments, the latter under the key own, and says
// whether every reader takes the same ones. outer is the call around them.
func (c *Call) setInner(raw []byte, own string, outer object) bool {
	inner, err := readObject(raw, innerKeys...)
	if err != nil {
		return false
	}
	name, ok := plainText(inner.value("name"))
	c.Name = name
	c.unsureName = !ok || inner.ambiguous("name") || !sameName(outer, name)
	server, qualified := sameNamespace(outer, inner)
	c.Server = server
	arguments := inner.value(own)
	if own == "input" {
		c.setFreeText(arguments)
	} else {
		c.setTextOrObject(arguments)
	}
	return !c.unsureName && qualified && !inner.ambiguous() &&
		sameArguments(inner, arguments) && sameArguments(outer, arguments)
}

// sameNamespace gives the namespace that the call names, in itself or in its function:
// the tool is then namespace/name and no other. ok is false if it names two, or
// something that is no name. Null and the empty string name none.
func sameNamespace(objects ...object) (namespace string, ok bool) {
	for _, o := range objects {
		value := o.value("namespace")
		if value == nil || isNull(value) {
			continue
		}
		text, ok := plainText(value)
		if !ok || namespace != "" && text != "" && text != namespace {
			return "", false
		}
		if text != "" {
			namespace = text
		}
	}
	return namespace, true
}

// sameName says whether a name beside the function, if any, is the function's.
func sameName(outer object, name string) bool {
	if !outer.set("name") {
		return true
	}
	other, ok := plainText(outer.value("name"))
	return ok && other == name
}

// sameArguments says whether o has no other arguments than these, under
// whatever key a reader might look for them.
func sameArguments(o object, arguments []byte) bool {
	return !slices.ContainsFunc(o.found, func(m member) bool {
		return slices.Contains(argumentKeys, m.key) && !isNull(m.value) && !bytes.Equal(m.value, arguments)
	})
}
