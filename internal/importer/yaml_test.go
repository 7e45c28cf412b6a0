package importer

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// What YAML would read as something else is kept as text of ASCII.
func TestSchemasThatYAMLWouldChange(t *testing.T) {
	for _, schema := range []string{
		`{"properties":{"a":{"type":"string"}},"<<":{"additionalProperties":true}}`,
		"{\"enum\":[\"a\u0085b\"]}", "{\"default\":\"\ufffe\"}", "{\"properties\":{\"\u007f\":{}}}", "{\"title\":\"\u2028\"}",
	} {
		keyword, value, why := parameters([]byte(schema))
		text, _ := value.(string)
		if keyword != "parametersJSON" || why == "" || strings.ContainsFunc(text, func(r rune) bool { return r > 0x7e }) {
			t.Errorf("%q is kept as %s: %q (%s)", schema, keyword, text, why)
		}
	}
	if keyword, _, _ := parameters([]byte(`{"enum":["ä","日本"]}`)); keyword != "parameters" {
		t.Errorf("letters are kept as %s", keyword)
	}
}

func TestHostileTools(t *testing.T) {
	text := `{"tools":[{"name":"*","inputSchema":{}},{"name":"good","description":"a` + "\u0085\u007f" + `b","inputSchema":{"type":"object","<<":{"additionalProperties":true}}},{"name":"x` + "\ufffe" + `","inputSchema":{}}]}`
	r, err := Tools(MCP, []byte(text), Options{PolicyName: "p", ServiceAccounts: []string{"a"}})
	if err != nil || len(r.Objects) != 2 {
		t.Fatalf("%d objects, %v: %v", len(r.Objects), err, r.Notes)
	}
	for _, o := range r.Objects {
		written, err := yaml.Marshal(o.Content)
		if err != nil {
			t.Fatalf("%s cannot be written: %v", o.Name, err)
		}
		if strings.Contains(string(written), "'*'") || strings.Contains(string(written), "\n    <<:") {
			t.Errorf("written:\n%s", written)
		}
	}
}

// The order in which a server lists its tools decides nothing.
func TestNamesHangOnNoOrder(t *testing.T) {
	names := func(tools ...string) []string {
		var list []string
		for _, name := range tools {
			list = append(list, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
		}
		r, err := Tools(MCP, []byte(`{"tools":[`+strings.Join(list, ",")+`]}`), Options{PolicyName: "p"})
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, o := range r.Objects[1:] {
			spec, _ := o.Content["spec"].(map[string]any)
			tool, _ := spec["toolName"].(string)
			found = append(found, tool+"="+o.Name)
		}
		slices.Sort(found)
		return found
	}
	if a, b := names("日本", "日木", "a_b", "a-b"), names("a-b", "a_b", "日木", "日本"); !slices.Equal(a, b) {
		t.Errorf("%v, and the other way round %v", a, b)
	}
}
