package casefile

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Answer is what came of a case.
type Answer struct {
	// Response is the response of the review, as JSON; nil where there is none.
	Response json.RawMessage
	// Refused says why there is no response: the review is no review, or may not be asked.
	// To a client that is a block.
	Refused string
}

// Difference is one thing in which the answer is not as expected.
type Difference struct {
	// Path is the member of expected, such as "errors" or "results[1].code".
	Path string
	// Want and Got are JSON texts, Got "" where there is nothing.
	Want, Got string
}

// Compare holds an answer against what the case expects, and gives what differs in the
// order of the members' names.
func (c *Case) Compare(a Answer) []Difference {
	response, _ := decode(a.Response).(map[string]any)
	d := &differ{}
	if refused := a.Refused != ""; refused != c.expected.refused {
		// A question that nobody could answer is blocked, but says nothing of the policies.
		d.add("refused", c.expected.refused, refused)
	}
	d.verdict(c, response)
	d.malformed(c, response)
	flat := c.flat(response)
	for _, key := range slices.Sorted(maps.Keys(c.expected.members)) {
		want := c.expected.members[key]
		if key == "results" {
			d.results(want, response["results"])
			continue
		}
		d.member(key, want, flat)
	}
	return d.found
}

type differ struct{ found []Difference }

func (d *differ) add(path string, want, got any) {
	text := func(v any) string {
		if v == nil {
			return ""
		}
		out, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprint(v)
		}
		return string(out)
	}
	d.found = append(d.found, Difference{Path: path, Want: text(want), Got: text(got)})
}

// verdict compares the verdict and the reason.
func (d *differ) verdict(c *Case, response map[string]any) {
	got := block
	if isTrue(response, "allowed") && (c.Kind != Execution || isTrue(response, "ok")) {
		got = allow
	}
	if want := c.expected.verdict; want != "" && want != got {
		d.add("verdict", want, got)
	}
	want := c.expected.reasonCode
	if want == "" || want == ok && got == allow {
		return
	}
	reason := c.reason(response)
	if want != reason {
		d.add("reason_code", want, reason)
	}
}

// malformed holds a case that says no more than block to a call that could be read: one
// that is only misspelt says nothing of the policies.
func (d *differ) malformed(c *Case, response map[string]any) {
	if c.expected.reasonCode != "" || c.expected.verdict != block || c.Kind == Offer {
		return
	}
	for _, key := range []string{"code", "errors", "results"} {
		if _, told := c.expected.members[key]; told {
			return
		}
	}
	if code := c.reason(response); code == "malformed_call" {
		d.add("code", "another, or this one said in so many words", code)
	}
}

func isTrue(members map[string]any, key string) bool {
	v, _ := members[key].(bool)
	return v
}

// reason is the code of the whole answer: of calls, that of the first that is blocked.
func (c *Case) reason(response map[string]any) string {
	if c.Kind == Offer {
		reason, _ := response["reasonCode"].(string)
		return reason
	}
	code, _ := response["code"].(string)
	results, _ := response["results"].([]any)
	for _, r := range results {
		result, _ := r.(map[string]any)
		code, _ = result["code"].(string)
		if !isTrue(result, "allowed") {
			break
		}
	}
	return code
}

// flat is the answer with the members of its only result beside its own.
func (c *Case) flat(response map[string]any) map[string]any {
	results, _ := response["results"].([]any)
	if c.Kind != Calls || len(results) != 1 {
		return response
	}
	result, _ := results[0].(map[string]any)
	out := maps.Clone(result)
	if out == nil {
		out = map[string]any{}
	}
	out["reply"] = response["reply"]
	return out
}

func (d *differ) member(path string, want any, in map[string]any) {
	key := path[strings.LastIndexByte(path, '.')+1:]
	if key == "feedbackContains" {
		part, isText := want.(string)
		if feedback, _ := in["feedback"].(string); !isText || !strings.Contains(feedback, part) {
			d.add(path, want, in["feedback"])
		}
		return
	}
	got, there := in[key]
	if !there || !same(want, got, key == "details") {
		d.add(path, want, got)
	}
}

func (d *differ) results(want, got any) {
	wanted, _ := want.([]any)
	given, _ := got.([]any)
	if len(wanted) != len(given) {
		d.add("results", len(wanted), len(given))
		return
	}
	for i := range wanted {
		fields, _ := wanted[i].(map[string]any)
		result, _ := given[i].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			d.member(fmt.Sprintf("results[%d].%s", i, key), fields[key], result)
		}
	}
}

// same compares whole values. Of an object that may be told in part, only what is told.
func same(want, got any, part bool) bool {
	w, isObject := want.(map[string]any)
	g, alsoObject := got.(map[string]any)
	if !part || !isObject || !alsoObject {
		return reflect.DeepEqual(want, got)
	}
	for key := range w {
		if !reflect.DeepEqual(w[key], g[key]) {
			return false
		}
	}
	return true
}
