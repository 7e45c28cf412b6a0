package jsonschema

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

type reportCase struct {
	ID, About, Kind, Format, MessageText string
	Parameters, Message                  json.RawMessage
	Settings                             struct{ Undeclared, Integers, Nulls, Formats string }
	Heavy                                bool
	ToolName                             string
	Expect                               struct {
		Code   string
		Errors *[]string
	}
}

func (c *reportCase) options() Options {
	o := Options{
		IntegersByValue: c.Settings.Integers == "Value", NullsAbsent: c.Settings.Nulls == "Absent",
		AnnotateFormats: c.Settings.Formats == "Annotate",
	}
	switch c.Settings.Undeclared {
	case "RejectNested":
		o.Undeclared = RejectNested
	case "FollowSchema":
		o.Undeclared = FollowSchema
	}
	return o
}

// arguments digs the argument text out of a message in any of the formats, as
// the decoder of wire formats would hand it over.
func (c *reportCase) arguments(t *testing.T) (in Input, ok bool) {
	message := c.Message
	if c.MessageText != "" {
		message = json.RawMessage(c.MessageText)
	}
	m := members(message)
	for _, inner := range []string{"function", "function_call", "functionCall", "toolUse", "params", "custom"} {
		if v := m[inner]; v != nil {
			m = members(v)
			in.FreeText = inner == "custom"
			break
		}
	}
	for _, key := range []string{"arguments", "args", "input"} {
		if v, present := m[key]; present {
			return Input{Raw: c.text(v), FreeText: in.FreeText, IntegersByValue: c.Format == "Gemini"}, true
		}
	}
	return Input{Raw: []byte("{}")}, m != nil
}

func members(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// text gives the JSON text behind an arguments member: some formats hold it in
// a string, where nothing at all stands for no arguments.
func (c *reportCase) text(v json.RawMessage) []byte {
	v = bytes.TrimSpace(v)
	inString := strings.HasPrefix(c.Format, "OpenAI")
	if inString && len(v) > 0 && v[0] == '"' {
		var s string
		if json.Unmarshal(v, &s) == nil {
			v = []byte(s)
		}
		if len(bytes.TrimSpace(v)) == 0 {
			return []byte("{}")
		}
	}
	if c.Format == "MCP" && string(v) == "null" {
		return []byte("{}")
	}
	return v
}

func TestReportedCases(t *testing.T) {
	text, err := os.ReadFile("../../test/cases/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	calls, schemas := 0, 0
	for line := range bytes.Lines(text) {
		var c reportCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Kind != "call" && c.Kind != "schema" || c.Parameters == nil {
			continue
		}
		compiled, problems, _ := Compile(c.Parameters, c.options())
		if c.Kind == "schema" || c.Expect.Code == "schema_not_ready" {
			schemas++
			if compiled != nil {
				t.Errorf("%s (%s): compiles", c.ID, c.About)
			}
			continue
		}
		if compiled == nil {
			t.Errorf("%s (%s): %v", c.ID, c.About, problems)
			continue
		}
		if c.Expect.Errors == nil || c.Expect.Code != "ok" && c.Expect.Code != "invalid_arguments" {
			continue
		}
		in, ok := c.arguments(t)
		if !ok {
			t.Errorf("%s: no arguments found", c.ID)
			continue
		}
		start := time.Now()
		got := errorsOf(compiled.Judge(in))
		if !slices.Equal(got, *c.Expect.Errors) {
			t.Errorf("%s (%s): %s: got %q, want %q", c.ID, c.About, in.Raw, got, *c.Expect.Errors)
		}
		if d := time.Since(start); c.Heavy && d > time.Second {
			t.Errorf("%s (%s): took %v", c.ID, c.About, d)
		}
		calls++
	}
	t.Logf("%d calls, %d schemas", calls, schemas)
}
