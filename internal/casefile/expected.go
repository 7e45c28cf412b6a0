package casefile

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// The verdicts.
const (
	allow = "allow"
	block = "block"
)

// ok is the reason code of an allow, whatever its own name is.
const ok = "ok"

// expected is what a case wants of the answer. Only what it names is compared.
type expected struct {
	verdict, reasonCode string
	// refused: there is to be no verdict at all.
	refused bool
	// members are compared with those of the answer, by their names.
	members map[string]any
}

// resultMembers are those of one call's result, and answerMembers those of an answer: what
// a case may expect besides verdict and reason_code.
var (
	resultMembers = []string{"id", "name", "allowed", "code", "errors", "violations", "feedback", "feedbackContains", "wouldBlock", "warnings", "policies", "argumentsDigest"}
	answerMembers = map[Kind][]string{
		Offer:     {"allowed", "phase", "details", "permittedTools", "wouldBlock", "warnings", "policies"},
		Calls:     append([]string{"results", "reply"}, resultMembers...),
		Execution: append([]string{"ok", "result", "reply"}, resultMembers...),
	}
)

// expectations reads what is expected.
func (p *parser) expectations(raw []byte) {
	if p.out.Kind == 0 {
		return
	}
	known := append([]string{"verdict", "reason_code", "refused"}, answerMembers[p.out.Kind]...)
	members := p.members(raw, "/expected", known...)
	e := expected{members: map[string]any{}}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		value := decode(members[key])
		switch key {
		case "verdict":
			if e.verdict, _ = value.(string); e.verdict != allow && e.verdict != block {
				p.add("/expected/verdict", "verdict must be allow or block")
			}
		case "reason_code":
			if e.reasonCode, _ = value.(string); e.reasonCode == "" {
				p.add("/expected/reason_code", "reason_code must be a code, such as ok, tool-validation.invalid or unknown_tool")
			}
		case "refused":
			e.refused, _ = value.(bool)
		case "results":
			p.results(value)
			e.members[key] = value
		default:
			e.members[key] = value
		}
	}
	if len(members) == 0 {
		p.add("/expected", "nothing is expected: give at least the verdict")
	}
	p.out.expected = e
}

// results holds the expectations of several calls to the members that there are.
func (p *parser) results(value any) {
	list, isList := value.([]any)
	if !isList {
		p.add("/expected/results", "a list is wanted here, with an object for each call in their order")
		return
	}
	for _, item := range list {
		fields, isObject := item.(map[string]any)
		if !isObject {
			p.add("/expected/results", "each result must be an object")
			continue
		}
		for key := range fields {
			if !slices.Contains(resultMembers, key) {
				p.add("/expected/results", "unknown member %s: here may stand %s", key, strings.Join(resultMembers, ", "))
			}
		}
	}
}

// decode keeps the literals of numbers.
func decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}
