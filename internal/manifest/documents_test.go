package manifest

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
)

func TestDocumentsThatAreNoObjects(t *testing.T) {
	files := fstest.MapFS{
		"tests/dup.json":     {Data: []byte(`{"name": "dup", "input": {"calls": [{"arguments": {"a": 1, "a": 2, "n": 1e400}}]}, "expected": {"verdict": "block"}}`)},
		"tests/many.yaml":    {Data: []byte("name: one\ninput: {}\nexpected: {verdict: allow}\n---\nname: two\ninput: {}\nexpected:\n  verdict: block\n")},
		"policy-config.yaml": {Data: []byte("policies:\n  chain: [tool-validation]\npolicy: {}\n")},
	}
	set, problems := Load(context.Background(), Options{FS: files}, Source{Path: "."})
	if len(problems) != 0 {
		t.Fatalf("problems: %v", problems)
	}
	if len(set.Cases) != 3 || len(set.Configurations) != 1 {
		t.Fatalf("%d cases and %d configurations, want 3 and 1", len(set.Cases), len(set.Configurations))
	}
	if !strings.Contains(string(set.Cases[0].Text), `"a": 1, "a": 2`) {
		t.Errorf("the text of a JSON case is not as it was: %s", set.Cases[0].Text)
	}
	if got := set.Cases[2].At("/expected/verdict").String(); got != "tests/many.yaml:8:3" {
		t.Errorf("the verdict stands at %s", got)
	}
}

func TestDocumentsAreHeldToTheirOwnMembers(t *testing.T) {
	for name, text := range map[string]string{
		"a duplicate outside the input": `{"name": "x", "name": "y", "input": {}, "expected": {}}`,
		"neither object nor case":       `{"name": "x", "input": {}}`,
		"an object with expected":       `{"apiVersion": "callgate.dev/v1alpha1", "kind": "ToolPolicy", "expected": {}}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Load(context.Background(), Options{FS: fstest.MapFS{"x.json": {Data: []byte(text)}}}, Source{Path: "x.json"})
			if len(problems) == 0 {
				t.Error("no problem is reported")
			}
		})
	}
}
