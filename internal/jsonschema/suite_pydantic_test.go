package jsonschema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pydanticModel is one file of testdata/pydantic: a schema as pydantic writes
// them, with values and the errors that design section 4 gives them.
type pydanticModel struct {
	name    string
	Schema  json.RawMessage
	Dialect Dialect
	// Valid are the values that fit under every setting of undeclared.
	Valid   []json.RawMessage
	Invalid []struct {
		Value  json.RawMessage
		Errors []string
		// Settings are those of undeclared under which the errors are these, and
		// outside of which they are others; none: all of them.
		Settings []string
	}
}

var undeclaredSettings = map[string]Undeclared{
	"Reject": Reject, "RejectNested": RejectNested, "FollowSchema": FollowSchema,
}

func readPydantic(t testing.TB) []*pydanticModel {
	t.Helper()
	files, err := filepath.Glob("testdata/pydantic/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no schemas", err)
	}
	var models []*pydanticModel
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := &pydanticModel{name: strings.TrimSuffix(filepath.Base(file), ".json")}
		if err := json.Unmarshal(text, m); err != nil {
			t.Fatal(file, err)
		}
		models = append(models, m)
	}
	return models
}

func (m *pydanticModel) compile(t testing.TB, undeclared Undeclared) *Compiled {
	t.Helper()
	return mustCompile(t, string(m.Schema), Options{Dialect: m.Dialect, Undeclared: undeclared})
}

func (m *pydanticModel) values() []json.RawMessage {
	values := slices.Clone(m.Valid)
	for _, bad := range m.Invalid {
		values = append(values, bad.Value)
	}
	return values
}

func TestPydantic(t *testing.T) {
	for _, m := range readPydantic(t) {
		for name, undeclared := range undeclaredSettings {
			c := m.compile(t, undeclared)
			for _, value := range m.Valid {
				if got := errorsOf(judgeAll(t, c, value)); len(got) > 0 {
					t.Errorf("%s: %s: %s: got %q, want none", m.name, name, value, got)
				}
			}
			for _, bad := range m.Invalid {
				got := errorsOf(judgeAll(t, c, bad.Value))
				listed := len(bad.Settings) == 0 || slices.Contains(bad.Settings, name)
				if slices.Equal(got, bad.Errors) != listed || len(bad.Errors) == 0 {
					t.Errorf("%s: %s: %s: got %q, want %q: %t", m.name, name, bad.Value, got, bad.Errors, listed)
				}
			}
		}
	}
}
