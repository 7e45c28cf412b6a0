package importer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCataloguesImportWhole(t *testing.T) {
	for file, least := range map[string]int{"github.json": 100, "kubernetes.json": 40} {
		text, err := os.ReadFile(filepath.Join("../jsonschema/testdata/catalogues", file))
		if err != nil {
			t.Fatal(err)
		}
		first, err := Tools(MCP, text, Options{PolicyName: "p"})
		if err != nil {
			t.Fatal(err)
		}
		var catalogue struct {
			Result struct {
				Tools []json.RawMessage `json:"tools"`
			} `json:"result"`
		}
		if err := json.Unmarshal(text, &catalogue); err != nil {
			t.Fatal(err)
		}
		if n := len(catalogue.Result.Tools); len(first.Objects) != n+1 || n < least {
			t.Errorf("%s: %d objects of %d tools, want a ToolPolicy and a ToolSchema each", file, len(first.Objects), n)
		}
		again, err := Tools(MCP, text, Options{PolicyName: "p"})
		if err != nil {
			t.Fatal(err)
		}
		for i := range first.Objects {
			if first.Objects[i].Name != again.Objects[i].Name {
				t.Errorf("%s: %s is called %s the second time", file, first.Objects[i].Name, again.Objects[i].Name)
			}
		}
	}
}

func TestSchemasKeepTheirMeaning(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object"}`:                 "parameters",
		`{"maximum":9007199254740992}`:      "parameters",
		`{"maximum":9007199254740993}`:      "parametersJSON",
		`{"maximum":1.5}`:                   "parameters",
		`{"multipleOf":0.1}`:                "parameters",
		`{"maximum":0.1000000000000000055}`: "parametersJSON",
		`{"maximum":1e400}`:                 "parametersJSON",
		`{"maximum":1e-400}`:                "parametersJSON",
		`{"const":null}`:                    "parametersJSON",
		`{"enum":["a",null]}`:               "parametersJSON",
		`true`:                              "parametersJSON",
	} {
		if got, _, _ := parameters([]byte(schema)); got != want {
			t.Errorf("%s is kept as %s, want %s", schema, got, want)
		}
	}
}

func TestLists(t *testing.T) {
	const tool = `{"name":"a","inputSchema":{"type":"object","properties":{"x":{}}}}`
	for name, c := range map[string]struct {
		source Source
		text   string
		want   int
	}{
		"a result":                    {MCP, `{"tools":[` + tool + `]}`, 2},
		"an answer":                   {MCP, `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + tool + `]}}`, 2},
		"the list":                    {MCP, `[` + tool + `]`, 2},
		"pages":                       {MCP, `[{"tools":[` + tool + `],"nextCursor":"n"},{"tools":[` + strings.Replace(tool, `"a"`, `"b"`, 1) + `]}]`, 3},
		"a tool on two pages":         {MCP, `[{"tools":[` + tool + `]},{"tools":[` + tool + `]}]`, 2},
		"functions":                   {OpenAI, `{"messages":[],"functions":[{"name":"f","parameters":{"type":"object"}}]}`, 2},
		"Responses":                   {OpenAI, `{"input":"x","tools":[{"type":"function","name":"f","parameters":{"type":"object"}}]}`, 2},
		"a list of Chat":              {OpenAI, `[{"type":"function","function":{"name":"f","parameters":{}}}]`, 2},
		"a list of Responses":         {OpenAI, `[{"type":"function","name":"f","parameters":{}}]`, 2},
		"Anthropic":                   {Anthropic, `{"tools":[{"name":"f","input_schema":{"type":"object"}}]}`, 2},
		"a name that nobody can have": {MCP, `{"tools":[` + tool + `,{"name":"a\nb","inputSchema":{}},{"name":"` + strings.Repeat("x", 129) + `","inputSchema":{}}]}`, 2},
		"none":                        {Anthropic, `{"tools":[]}`, 0},
		"no JSON":                     {MCP, `{"tools":`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Tools(c.source, []byte(c.text), Options{PolicyName: "p", ServiceAccounts: []string{"x"}})
			if (err == nil) != (c.want > 0) || len(r.Objects) != c.want {
				t.Errorf("%d objects, %v; want %d", len(r.Objects), err, c.want)
			}
		})
	}
}

func TestManyToolsAreDeclaredByAStar(t *testing.T) {
	tools := make([]string, 600)
	for i := range tools {
		tools[i] = `{"name":"t` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + `","inputSchema":{}}`
	}
	r, err := Tools(MCP, []byte(`{"tools":[`+strings.Join(tools, ",")+`]}`), Options{PolicyName: "p"})
	if err != nil {
		t.Fatal(err)
	}
	spec, _ := r.Objects[0].Content["spec"].(map[string]any)
	if list, _ := spec["declaredTools"].([]any); len(list) != 1 || list[0] != "*" {
		t.Errorf("%d tools are declared", len(list))
	}
}

func FuzzTools(f *testing.F) {
	f.Add("mcp", []byte(`{"tools":[{"name":"a","inputSchema":{"const":1e99999999}}]}`))
	f.Add("openai", []byte(`[{"type":"function","function":{"name":"f","parameters":{"a":[null]}}}]`))
	f.Add("anthropic", []byte(`{"tools":[{"name":"f","type":"custom"}]}`))
	f.Fuzz(func(t *testing.T, source string, text []byte) {
		r, err := Tools(Source(source), text, Options{PolicyName: "p"})
		if err != nil {
			return
		}
		names := map[string]bool{}
		for _, o := range r.Objects {
			if names[o.Kind+o.Name] {
				t.Errorf("two objects are called %s", o.Name)
			}
			names[o.Kind+o.Name] = true
			if _, err := json.Marshal(o.Content); err != nil {
				t.Errorf("%s cannot be written: %v", o.Name, err)
			}
		}
	})
}
