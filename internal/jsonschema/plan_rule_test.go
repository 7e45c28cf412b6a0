package jsonschema

import (
	"slices"
	"testing"
)

// TestRuleNames holds the ids of codes and keywords to their names.
func TestRuleNames(t *testing.T) {
	if !slices.IsSorted(keywordNames[:]) || len(keywordNames) != int(kwUniqueItems)+1 {
		t.Error("keyword names are out of order, or not as many as their ids")
	}
	for id, name := range map[keywordID]string{
		kwNone: "", kwAnyOf: "anyOf", kwDependencies: "dependencies", kwMaxLength: "maxLength", kwMaximum: "maximum",
		kwMinimum: "minimum", kwPropertyNames: "propertyNames", kwType: "type", kwUniqueItems: "uniqueItems",
	} {
		if keywordNames[id] != name || keywordNamed(name) != id {
			t.Errorf("%q has the id %d, and that is %q", name, keywordNamed(name), keywordNames[id])
		}
	}
	for id, code := range map[codeID]Code{
		idDuplicate: CodeDuplicate, idType: CodeType, idRange: CodeRange, idMissing: CodeMissing,
	} {
		if codeOrder[id] != code {
			t.Errorf("code %d is %s, want %s", id, codeOrder[id], code)
		}
	}
}
