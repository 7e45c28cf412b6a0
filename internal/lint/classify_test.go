package lint

import (
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/manifest"
)

// Whatever compiling says is reported, known or not, and no place that it names is too odd.
func TestWhatNobodyKnows(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte(minimal + `---
apiVersion: callgate.dev/v1alpha1
kind: ToolPolicy
metadata: {name: p}
spec:
  subjects: {serviceAccountNames: [a]}
  declaredTools: [ping]
`)}}
	set, diagnostics := manifest.Load(t.Context(), manifest.Options{FS: files}, manifest.Source{Path: "."})
	if len(diagnostics) > 0 {
		t.Fatal(diagnostics)
	}
	says := func(paths ...string) (list []callgatev1alpha1.Problem) {
		for _, p := range paths {
			list = append(list, callgatev1alpha1.Problem{Path: &p, Keyword: "new", Message: "line 9, column x: news of " + p})
		}
		return append(list, callgatev1alpha1.Problem{Keyword: "new", Message: "news of nowhere"})
	}
	out := compile.Compile(compile.Input{Schemas: set.Schemas, Policies: set.Policies}, nil)
	schema, policy := types.NamespacedName{Namespace: "default", Name: "ping"}, types.NamespacedName{Namespace: "default", Name: "p"}
	out.Schemas[schema] = &compile.SchemaOutcome{Reason: "New", Problems: says("/x"), Warnings: says("/x", "/x/-1/~", "no/pointer")}
	out.Policies[policy] = &compile.PolicyOutcome{Reason: "New", Warnings: says("/spec/new", "/spec/rules/7/expression", "/spec/rules/x", "/spec/declaredTools/99")}
	count := map[string]int{}
	for _, f := range Run(Input{Set: set, Output: out}, Options{}).Findings {
		count[f.Rule]++
		if f.File != "a.yaml" || f.Line == 0 {
			t.Errorf("a finding without a place: %+v", f)
		}
	}
	for rule, want := range map[string]int{ruleSchemaKeyword: 2, ruleSchemaWarning: 4, rulePolicyInvalid: 1, rulePolicyWarning: 5} {
		if count[rule] != want {
			t.Errorf("%d findings of %s, want %d", count[rule], rule, want)
		}
	}
}

func TestPlacesInMessages(t *testing.T) {
	for message, want := range map[string]struct {
		line, column int
		rest         string
		ok           bool
	}{
		"line 2, column 13: no such name": {2, 13, "no such name", true},
		"line 2, column 13: a: b":         {2, 13, "a: b", true},
		"line 0, column 1: a":             {0, 1, "a", false},
		"line x, column 1: a":             {0, 1, "a", false},
		"column 1: a":                     {},
		"":                                {},
	} {
		line, column, rest, ok := cutPlace(message)
		if ok != want.ok || ok && (line != want.line || column != want.column || rest != want.rest) {
			t.Errorf("%q gives %d, %d, %q, %t", message, line, column, rest, ok)
		}
	}
}
