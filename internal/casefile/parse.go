package casefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/toolcall"
)

// maxBytes bounds one case: what the endpoint takes, and what stands around it.
const maxBytes = 2 * toolcall.MaxBodyBytes

// maxDepth is what the endpoint takes, and the case around it.
const maxDepth = toolcall.MaxDepth + 8

// parser reads one case.
type parser struct {
	problems []Problem
	out      Case
}

func (p *parser) add(ptr, format string, args ...any) {
	p.problems = append(p.problems, Problem{ptr, fmt.Sprintf(format, args...)})
}

// Parse reads a case from JSON text. Whatever it does not know outside of input is a
// problem: an expectation that nobody reads would pass. In input, which has the shape of
// what a gateway got, it is passed over.
func Parse(text []byte) (Case, []Problem) {
	p := &parser{}
	if _, err := rawjson.Check(text, maxDepth); err != nil {
		return Case{}, []Problem{{"", err.Error()}}
	}
	members := p.members(text, "", "name", "description", "input", "expected", "as", "context", "onBehalfOf", "validator")
	if len(p.problems) > 0 {
		return Case{}, p.problems
	}
	p.out.Name = p.text(members, "name")
	if p.out.Name == "" {
		p.add("/name", "name is missing: give every case one, by which it can be found and run alone")
	}
	p.text(members, "description")
	p.out.As = p.text(members, "as")
	p.input(members)
	p.validator(members["validator"])
	p.expectations(members["expected"])
	if len(p.problems) > 0 {
		return Case{}, p.problems
	}
	return p.out, nil
}

// members takes an object apart. Each value is as it is written.
func (p *parser) members(raw []byte, ptr string, known ...string) map[string][]byte {
	raw = bytes.TrimSpace(raw)
	if rawjson.KindOf(raw) != rawjson.Object {
		p.add(ptr, "an object is wanted here")
		return nil
	}
	list, err := rawjson.Members(raw, maxBytes)
	if err != nil {
		p.add(ptr, "%v", err)
		return nil
	}
	out := make(map[string][]byte, len(list))
	for _, m := range list {
		if len(known) > 0 && !slices.Contains(known, m.Key) {
			p.add(ptr+"/"+m.Key, "unknown member: here may stand %s", strings.Join(known, ", "))
		}
		if _, twice := out[m.Key]; twice {
			p.add(ptr+"/"+m.Key, "duplicate key")
		}
		out[m.Key] = bytes.TrimSpace(m.Value)
	}
	return out
}

// text is a member that is a string, "" where there is none.
func (p *parser) text(members map[string][]byte, key string) string {
	raw := members[key]
	if raw == nil {
		return ""
	}
	if rawjson.KindOf(raw) != rawjson.String {
		p.add("/"+key, "%s must be a string: quote it", key)
		return ""
	}
	s, _ := rawjson.Text(raw)
	return s
}

// input finds what is asked, and makes the request of it.
func (p *parser) input(members map[string][]byte) {
	if members["input"] == nil {
		p.add("", "input is missing: it has the request, the message or the calls that are judged")
		return
	}
	in := p.members(members["input"], "/input")
	var asked []string
	for _, key := range []string{"request", "tools", "message", "calls", "call"} {
		if in[key] != nil {
			asked = append(asked, key)
		}
	}
	switch len(asked) {
	case 1:
	case 0:
		p.add("/input", "nothing is asked: give request or tools (an offer), message or calls (calls), or call (an execution)")
		return
	default:
		p.add("/input", "more than one thing is asked: %s", strings.Join(asked, ", "))
		return
	}
	format := string(toolcall.Auto)
	if raw := in["format"]; raw != nil {
		format, _ = rawjson.Text(raw)
	}
	p.out.Kind = map[string]Kind{"request": Offer, "tools": Offer, "message": Calls, "calls": Calls, "call": Execution}[asked[0]]
	value := in[asked[0]]
	key := asked[0]
	if key == "request" || key == "message" {
		p.out.Guessed = format == string(toolcall.Auto)
		key, value = "message", message(value, format)
	}
	p.out.Request = request(key, value, members["context"], members["onBehalfOf"])
}

// message is what a review has for a provider's message: the value itself where it says
// its format.
func message(value []byte, format string) []byte {
	if members, err := rawjson.Members(value, maxBytes); err == nil && len(members) == 2 {
		keys := []string{members[0].Key, members[1].Key}
		if slices.Sort(keys); keys[0] == "body" && keys[1] == "format" {
			return value
		}
	}
	return wrapped(value, format)
}

func wrapped(body []byte, format string) []byte {
	quoted, err := json.Marshal(format)
	if err != nil {
		return nil
	}
	return slices.Concat([]byte(`{"format":`), quoted, []byte(`,"body":`), body, []byte(`}`))
}

func request(key string, value, context, onBehalfOf []byte) []byte {
	out := slices.Concat([]byte(`{"`+key+`":`), value)
	if context != nil {
		out = slices.Concat(out, []byte(`,"context":`), context)
	}
	if onBehalfOf != nil {
		out = slices.Concat(out, []byte(`,"onBehalfOf":`), onBehalfOf)
	}
	return append(out, '}')
}

// validator reads the answer that replaces a validator's.
func (p *parser) validator(raw []byte) {
	switch rawjson.KindOf(raw) {
	case rawjson.Bool:
		p.out.Validator = &Validator{Valid: string(raw) == "true"}
		return
	case rawjson.Object:
	default:
		if raw != nil {
			p.add("/validator", "the validator's answer must be true, false, or an object with valid and reason, or with error")
		}
		return
	}
	m := p.members(raw, "/validator", "valid", "reason", "error")
	v := &Validator{}
	if m["reason"] != nil {
		v.Reason, _ = rawjson.Text(m["reason"])
	}
	switch {
	case m["error"] != nil && m["valid"] != nil:
		p.add("/validator", "a validator that fails says nothing: give error or valid")
	case m["error"] != nil:
		if v.Cause, _ = rawjson.Text(m["error"]); v.Cause == "" {
			p.add("/validator/error", "give a word for the failure, such as timeout")
		}
	case string(m["valid"]) == "true" || string(m["valid"]) == "false":
		v.Valid = string(m["valid"]) == "true"
	default:
		p.add("/validator", "valid must be true or false")
	}
	p.out.Validator = v
}

// Reformatted is the same case with its message of another format.
func (c *Case) Reformatted(format toolcall.Format) Case {
	again := *c
	list, err := rawjson.Members(c.Request, maxBytes)
	if err != nil {
		return again
	}
	parts := map[string][]byte{}
	for _, m := range list {
		parts[m.Key] = m.Value
	}
	body, err := rawjson.Members(parts["message"], maxBytes)
	if err != nil {
		return again
	}
	for _, m := range body {
		if m.Key == "body" {
			again.Request = request("message", wrapped(m.Value, string(format)), parts["context"], parts["onBehalfOf"])
		}
	}
	again.Guessed = false
	return again
}
