package verdictan

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func convert(t *testing.T, text string, more ...string) (objects string, findings []string) {
	t.Helper()
	got, found := Convert([]byte(text), Options{APIVersion: "v", ServiceAccounts: more})
	for _, o := range got {
		line, err := json.Marshal(o.Content)
		if err != nil {
			t.Fatal(err)
		}
		objects += string(line) + "\n"
	}
	for _, f := range found {
		mark := "warning "
		if f.Severity == Error {
			mark = "error "
		}
		findings = append(findings, mark+f.Pointer)
	}
	return objects, findings
}

func TestConvert(t *testing.T) {
	got, findings := convert(t, `{"pack":{"name":"Tool_Pack 1","version":"1.0.0","enabled":true},"policies":{"chain":["tool-validation"]},
		"policy":{"tool-validation":{"declared_tools":["web_search","db"],"schemas":{"web_search":{"type":"object","maxProperties":3},"db":{}},
		"allow_undeclared":true,"semantic_validation":{"enabled":true,"endpoint":"https://h/v1","model":"m","secret_key_ref":{"env":"VALIDATOR_KEY"},"timeout_ms":100}}}}`)
	const want = `{"apiVersion":"v","kind":"ToolPolicy","metadata":{"name":"tool-pack-1"},"spec":{"declaredTools":["web_search","db"],` +
		`"semanticValidation":{"endpoint":"https://h/v1","model":"m","secretKeyRef":{"key":"token","name":"validator-key"},"timeoutMilliseconds":100},` +
		`"subjects":{"serviceAccountNames":["*"]},"undeclaredTools":"Allow"}}
{"apiVersion":"v","kind":"ToolSchema","metadata":{"name":"db"},"spec":{"dialect":"Draft7","parameters":{},"toolName":"db"}}
{"apiVersion":"v","kind":"ToolSchema","metadata":{"name":"web-search"},"spec":{"dialect":"Draft7","parameters":{"maxProperties":3,"type":"object"},"toolName":"web_search"}}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("other objects (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"warning /policy/tool-validation/semantic_validation/secret_key_ref/env"}, findings); diff != "" {
		t.Errorf("other findings (-want +got):\n%s", diff)
	}
}

func TestWhatIsToldOfAConfiguration(t *testing.T) {
	const t1 = "/policy/tool-validation"
	with := func(settings string) string {
		return `{"policies":{"chain":["tool-validation"]},"policy":{"tool-validation":` + settings + `}}`
	}
	const quiet = `"declared_tools":["a"],"schemas":{"a":{}}`
	for name, c := range map[string]struct {
		text string
		want []string
		none bool
	}{
		"all is said":               {with(`{` + quiet + `}`), nil, false},
		"an empty list":             {with(`{"declared_tools":[],"schemas":{"a":{}}}`), []string{"warning " + t1 + "/declared_tools"}, false},
		"no schemas":                {with(`{"declared_tools":["a"]}`), []string{"warning " + t1}, false},
		"a tool that is twice":      {with(`{"declared_tools":["a","a"],"schemas":{"a":{}}}`), []string{"warning " + t1 + "/declared_tools/1"}, false},
		"a star":                    {with(`{"declared_tools":["*"],"schemas":{"a":{}}}`), []string{"error " + t1 + "/declared_tools/0", "warning " + t1 + "/declared_tools"}, true},
		"a misspelt restriction":    {with(`{` + quiet + `,"allow_undeclard":false}`), []string{"error " + t1 + "/allow_undeclard"}, true},
		"a number for a flag":       {with(`{` + quiet + `,"allow_undeclared":0}`), []string{"error " + t1 + "/allow_undeclared"}, true},
		"a schema that is none":     {with(`{"declared_tools":["a"],"schemas":{"a":true}}`), []string{"error " + t1 + "/schemas/a"}, true},
		"a validator that is off":   {with(`{` + quiet + `,"semantic_validation":{"enabled":false}}`), nil, false},
		"a validator without a URL": {with(`{` + quiet + `,"semantic_validation":{"enabled":true}}`), []string{"error " + t1 + "/semantic_validation"}, true},
		"half a millisecond":        {with(`{` + quiet + `,"semantic_validation":{"enabled":true,"endpoint":"https://h/","timeout_ms":0.5}}`), []string{"error " + t1 + "/semantic_validation/timeout_ms"}, true},
		"names that meet":           {with(`{"declared_tools":["a_b","a-b"],"schemas":{"a_b":{},"a-b":{}}}`), []string{"warning " + t1 + "/schemas/a_b"}, false},
		"another policy": {`{"policies":{"chain":["tool-validation","pii"]},"policy":{"pii":{},"tool-validation":{` + quiet + `}}}`,
			[]string{"warning /policies/chain/1", "warning /policy/pii"}, false},
		"not in the chain": {`{"policies":{"chain":["pii"]},"policy":{"tool-validation":{` + quiet + `}}}`, []string{"warning /policies/chain/0", "error /policies/chain"}, true},
		"not enabled":      {`{"pack":{"enabled":false},"policies":{"chain":["tool-validation"]}}`, []string{"warning /pack/enabled"}, true},
		"no configuration": {`[]`, []string{"error "}, true},
	} {
		t.Run(name, func(t *testing.T) {
			objects, findings := convert(t, c.text)
			slices.Sort(findings)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, findings); diff != "" {
				t.Errorf("other findings (-want +got):\n%s", diff)
			}
			if (objects == "") != c.none {
				t.Errorf("objects: %q", objects)
			}
		})
	}
}

func TestServiceAccounts(t *testing.T) {
	got, _ := convert(t, `{"policies":{"chain":["tool-validation"]}}`, "agent")
	if !strings.Contains(got, `"serviceAccountNames":["agent"]`) || !strings.Contains(got, `"declaredTools":["*"]`) {
		t.Errorf("objects are %s", got)
	}
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte(`{"policies":{"chain":["tool-validation"]},"policy":{"tool-validation":{"declared_tools":["a"],"schemas":{"a":{"const":1e400}}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		objects, findings := Convert(text, Options{APIVersion: "v"})
		failed := slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == Error })
		if failed && len(objects) > 0 {
			t.Error("there are objects beside an error")
		}
	})
}
