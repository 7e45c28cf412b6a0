package toolcall

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// offerCases are the requests of the table of cases.
func offerCases(tb testing.TB) (bodies []struct{ format, body string }) {
	tb.Helper()
	table, err := os.ReadFile("../../test/cases/calls.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range bytes.Lines(table) {
		var c struct {
			Kind, Format string
			Request      json.RawMessage
		}
		if err := json.Unmarshal(line, &c); err != nil {
			tb.Fatal(err)
		}
		if c.Kind == "offer" {
			bodies = append(bodies, struct{ format, body string }{c.Format, string(c.Request)})
		}
	}
	return bodies
}

// FuzzOffer: no body panics, and whatever stands in the lists where a name may stand is
// reported, or makes its entry malformed. The names are collected by another reader
// than the extractor's, which knows no format.
func FuzzOffer(f *testing.F) {
	for _, test := range offerShapes {
		f.Add(string(test.format), test.body)
		f.Add(string(Auto), test.body)
	}
	for _, c := range offerCases(f) {
		f.Add(c.format, c.body)
	}
	f.Fuzz(func(t *testing.T, format, body string) {
		o, err := DecodeOffer(Format(format), []byte(body))
		if err != nil {
			var envelope *EnvelopeError
			if !errors.As(err, &envelope) || envelope.Status != 400 || len(envelope.Message) > 2048 {
				t.Fatalf("error %v", err)
			}
			return
		}
		if err := check(o.RequestTools); err != nil {
			t.Fatalf("the validator would get %s: %v", o.RequestTools, err)
		}
		for _, e := range o.Entries {
			if e.Fault == EntryOK && len(e.Names) == 0 && !bytes.Contains([]byte(body), []byte("mcp_toolset")) {
				t.Fatalf("entry %d has neither a name nor a fault", e.Index)
			}
			for _, s := range e.Schemas {
				s.JSONSchema()
			}
		}
		var request map[string]any
		if json.Unmarshal([]byte(body), &request) != nil {
			return
		}
		tools, _ := request["tools"].([]any)
		for i, tool := range tools {
			for _, name := range namesIn(tool) {
				if !accountedFor(o, i, name) {
					t.Fatalf("entry %d: %q is nowhere in %s", i, name, outline(o))
				}
			}
		}
	})
}

// namesIn collects what may be a tool's name in an entry of a list.
func namesIn(tool any) (names []string) {
	m, ok := tool.(map[string]any)
	if !ok || m["type"] == "mcp_toolset" {
		return nil
	}
	for _, key := range []string{"function", "custom", "toolSpec", "systemTool"} {
		if inner, ok := m[key].(map[string]any); ok {
			names = append(names, text(inner["name"])...)
		}
	}
	names = append(append(names, text(m["name"])...), text(m["server_label"])...)
	for _, key := range []string{"functionDeclarations", "function_declarations", "tools"} {
		list, _ := m[key].([]any)
		for _, inner := range list {
			if declared, ok := inner.(map[string]any); ok {
				names = append(names, text(declared["name"])...)
			}
		}
	}
	return names
}

func text(v any) []string {
	if s, ok := v.(string); ok && s != "" {
		return []string{s}
	}
	return nil
}

func accountedFor(o Offer, index int, name string) bool {
	for _, e := range o.Entries {
		if e.Index != index {
			continue
		}
		if e.Fault != EntryOK {
			return true
		}
		for _, have := range e.Names {
			if have == name || strings.HasSuffix(have, "/"+name) || strings.HasPrefix(have, name+"/") || strings.Contains(have, "/"+name+"/") || have == remotePrefix+name {
				return true
			}
		}
	}
	return false
}
