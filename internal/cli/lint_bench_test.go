package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"sigs.k8s.io/yaml"
)

// catalogueSchemas are the input schemas of published MCP servers.
func catalogueSchemas(tb testing.TB) (names []string, schemas []json.RawMessage) {
	tb.Helper()
	files, err := filepath.Glob("../jsonschema/testdata/catalogues/*.json")
	if err != nil || len(files) == 0 {
		tb.Fatalf("finding catalogues: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var list struct {
			Result struct {
				Tools []struct {
					Name        string          `json:"name"`
					InputSchema json.RawMessage `json:"inputSchema"`
				} `json:"tools"`
			} `json:"result"`
		}
		if err := json.Unmarshal(text, &list); err != nil {
			tb.Fatal(err)
		}
		for _, tool := range list.Result.Tools {
			names, schemas = append(names, tool.Name), append(schemas, tool.InputSchema)
		}
	}
	return names, schemas
}

// generatedSet is a policy set of so many ToolSchemas, as YAML: schemas as they are
// published, and a ToolPolicy with a rule for each 20 of them.
func generatedSet(tb testing.TB, n int) (documents []string) {
	tb.Helper()
	names, schemas := catalogueSchemas(tb)
	var declared []string
	for i := range n {
		name := fmt.Sprintf("%s_%d", names[i%len(names)], i)
		parameters, err := yaml.JSONToYAML(schemas[i%len(schemas)])
		if err != nil {
			tb.Fatal(err)
		}
		documents = append(documents, fmt.Sprintf(
			"apiVersion: callgate.dev/v1alpha1\nkind: ToolSchema\nmetadata:\n  name: tool-%d\n  namespace: agents\nspec:\n  toolName: %s\n  dialect: Draft2020-12\n  parameters:\n%s",
			i, name, indent(string(parameters), "    ")))
		if declared = append(declared, name); len(declared) == 20 {
			documents = append(documents, fmt.Sprintf(
				"apiVersion: callgate.dev/v1alpha1\nkind: ToolPolicy\nmetadata:\n  name: policy-%d\n  namespace: agents\nspec:\n  subjects: {serviceAccountNames: [agent-%d]}\n  declaredTools: [%s]\n  rules:\n  - name: tenant-%d\n    expression: tenant != \"x%d\"\n",
				i, i, strings.Join(declared, ", "), i, i))
			declared = nil
		}
	}
	return documents
}

func indent(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(by + line)
	}
	return b.String()
}

// BenchmarkLint lints a thousand ToolSchemas, in one file and in one file each.
func BenchmarkLint(b *testing.B) {
	documents := generatedSet(b, 1000)
	one := fstest.MapFS{"set/all.yaml": {Data: []byte(strings.Join(documents, "---\n"))}}
	many := fstest.MapFS{}
	for i, d := range documents {
		many[fmt.Sprintf("set/%04d.yaml", i)] = &fstest.MapFile{Data: []byte(d)}
	}
	for name, files := range map[string]fstest.MapFS{"one file": one, "many files": many} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(one["set/all.yaml"].Data)))
			b.ReportAllocs()
			for b.Loop() {
				var errs bytes.Buffer
				code := Run(b.Context(), Deps{Out: io.Discard, Err: &errs, FS: files, Env: func(string) string { return "" }},
					[]string{"lint", "-f", "set", "--provider", "openai-strict"})
				if code != ExitOK || errs.Len() > 0 {
					b.Fatalf("exit code %d: %s", code, errs.String())
				}
			}
		})
	}
}
