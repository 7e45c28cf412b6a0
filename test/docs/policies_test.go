package docs_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/cli"
)

const refundSchema = `{"apiVersion":"callgate.dev/v1alpha1","kind":"ToolSchema","metadata":{"name":"refund","labels":{"risk":"high"}},
 "spec":{"parameters":{"type":"object","properties":{"order":{"type":"string"},"amount":{"type":"number"},"note":{"type":"string"}},"required":["order","amount"]}}}`

var exampleRow = regexp.MustCompile("(?m)^\\| `(.+)` \\| `(\\{.*\\})` \\| `([a-z_:/]+)` \\|$")

// The table of rules says what the program says.
func TestRulesShownAreJudgedAsShown(t *testing.T) {
	root, _, _ := documents(t)
	rows := exampleRow.FindAllStringSubmatch(read(t, filepath.Join(root, "docs", "policies.md")), -1)
	if len(rows) < 14 {
		t.Fatalf("found %d examples: the search is broken", len(rows))
	}
	for _, row := range rows {
		expression, arguments, want := strings.ReplaceAll(row[1], `\|`, "|"), row[2], row[3]
		policy, err := json.Marshal(map[string]any{
			"apiVersion": "callgate.dev/v1alpha1", "kind": "ToolPolicy", "metadata": map[string]any{"name": "payments"},
			"spec": map[string]any{
				"subjects": map[string]any{"serviceAccountNames": []string{"assistant"}}, "declaredTools": []string{"refund"},
				"rules": []any{map[string]any{"name": "rule", "expression": expression}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		var out, errOut bytes.Buffer
		cli.Run(t.Context(), cli.Deps{
			In: strings.NewReader(`{"name":"refund","arguments":` + arguments + `}`), Out: &out, Err: &errOut,
			FS:  fstest.MapFS{"policy.json": {Data: policy}, "schema.json": {Data: []byte(refundSchema)}},
			Env: func(string) string { return "" },
		}, []string{"review", "-f", "policy.json", "-f", "schema.json", "--as", "system:serviceaccount:default:assistant", "-o", "json", "-"})
		var review reviewv1alpha1.ToolCallReview
		if err := json.Unmarshal(out.Bytes(), &review); err != nil {
			t.Fatalf("%s: %v\n%s", expression, err, &errOut)
		}
		got := string(review.Response.Results[0].Code)
		if errors := review.Response.Results[0].Errors; len(errors) > 0 {
			got = strings.Join(errors, " ")
		}
		if got != want {
			t.Errorf("%s of %s is %s, and shown as %s\n%s", expression, arguments, got, want, &errOut)
		}
	}
}
