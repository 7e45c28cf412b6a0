package lint

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/manifest"
)

// catalogue takes the schemas out of an MCP server's answer.
func catalogue(tb testing.TB, text []byte) (schemas []json.RawMessage) {
	tb.Helper()
	var list struct {
		Result struct {
			Tools []struct {
				InputSchema json.RawMessage `json:"inputSchema"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		tb.Fatal(err)
	}
	for _, tool := range list.Result.Tools {
		schemas = append(schemas, tool.InputSchema)
	}
	return schemas
}

func catalogueObjects(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var all []byte
	for i, s := range catalogue(tb, text) {
		all = append(all, objectOf(fmt.Sprintf("tool-%d", i), s, "Draft2020-12")...)
	}
	return all
}

func objectOf(name string, schema []byte, dialect string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"callgate.dev/v1alpha1","kind":"ToolSchema","metadata":{"name":%q},"spec":{"dialect":%q,"parameters":%s}}`+"\n", name, dialect, schema)
}

// FuzzSchema: whatever a schema holds, it is looked at without a panic and at a bounded
// cost, and all that is said has a place and a rule.
func FuzzSchema(f *testing.F) {
	for _, seed := range []string{
		`{}`, `true`, `{"$ref":"#"}`, `{"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/a/properties/b","properties":{"b":{}}}}}`,
		`{"$ref":"#/x/0","x":[{"properties":{"a":{}}}]}`, `{"anyOf":[{"$ref":"#"}],"properties":{"a":{"allOf":[{"$ref":"#/properties/a"}]}}}`,
		`{"$anchor":"a","properties":{"b":{"$ref":"#a"}},"not":{"not":{}}}`, `{"$id":"x","items":{"$id":"y","$ref":"#"},"$defs":{"":{}}}`,
		`{"if":{},"then":{"properties":{"a~/b":{}}},"else":false,"dependencies":{"a":["b"],"c":{}}}`,
		`{"type":[],"enum":[],"required":[1],"properties":[],"additionalProperties":1}`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	loader, err := manifest.NewLoader()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, schema []byte, newer bool) {
		if len(schema) > 4<<10 || !json.Valid(schema) {
			return
		}
		dialect := "Draft7"
		if newer {
			dialect = "Draft2020-12"
		}
		// Whether it compiles or not, nothing that walks it may fail.
		if d := parseDocument(schema, jsonschema.Dialect(dialect)); d != nil {
			d.levels()
			c := d.constraints(true)
			for id := range d.nodes {
				c.any(id)
			}
		}
		files := fstest.MapFS{"a.json": {Data: objectOf("a", schema, dialect)}}
		set, diagnostics := loader.Load(t.Context(), manifest.Options{FS: files}, manifest.Source{Path: "a.json"})
		for _, finding := range lintSet(set, diagnostics, Options{Providers: Providers()}).Findings {
			if _, known := Lookup(finding.Rule); !known || finding.Line == 0 || finding.Message == "" {
				t.Errorf("a finding without a rule or a place: %+v", finding)
			}
		}
	})
}

// FuzzFiles: whatever files hold, every format can be written.
func FuzzFiles(f *testing.F) {
	cases, err := filepath.Glob("testdata/rules/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range cases {
		_, sections := cut(read(f, file))
		for name, text := range sections {
			if strings.HasPrefix(name, "bad/") {
				f.Add([]byte(text))
			}
		}
	}
	loader, err := manifest.NewLoader()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 16<<10 {
			return
		}
		files := fstest.MapFS{"a.yaml": {Data: text}}
		set, diagnostics := loader.Load(t.Context(), manifest.Options{FS: files}, manifest.Source{Path: "a.yaml"})
		r := lintSet(set, diagnostics, Options{Providers: Providers()})
		for _, finding := range r.Findings {
			if _, known := Lookup(finding.Rule); !known {
				t.Errorf("a finding without a rule: %+v", finding)
			}
		}
		for name, write := range map[string]func() ([]byte, error){
			"JSON": r.JSON, "SARIF": func() ([]byte, error) { return r.SARIF("v") },
		} {
			if out, err := write(); err != nil || !json.Valid(out) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if lines := strings.Count(string(r.GitHub()), "\n"); lines != len(r.Findings) {
			t.Errorf("%d workflow commands for %d findings", lines, len(r.Findings))
		}
	})
}
