package compile_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/expr"
)

// stubCompiler counts, and refuses keys and URLs by what they say.
type stubCompiler struct{ adapters, results int }

func (c *stubCompiler) CompileAdapter(a *callgatev1alpha1.ToolAdapter, _ *expr.ArgsType) (out compile.CompiledAdapter) {
	c.adapters++
	switch {
	case a.Spec.Key == "broken":
		out.Problems = []compile.AdapterProblem{{Path: "/spec/key", Reason: callgatev1alpha1.ReasonInvalidSpec, Message: "broken"}}
	case a.Spec.HTTP.URL != "":
		out.Problems = []compile.AdapterProblem{{Path: "/spec/http/url", Reason: callgatev1alpha1.ReasonEndpointNotAllowed, Message: "not allowed"}}
	default:
		out.Program = a.Name
	}
	return out
}

func (c *stubCompiler) CompileResult(fields []callgatev1alpha1.ResultField) any {
	c.results++
	return len(fields)
}

func adapterFor(name, tool, key string) *callgatev1alpha1.ToolAdapter {
	a := &callgatev1alpha1.ToolAdapter{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name}}
	a.Spec.ToolName, a.Spec.Key = callgatev1alpha1.EffectiveToolName(tool), key
	return a
}

func schemaFor(tool, parameters string, fields ...callgatev1alpha1.ResultField) *callgatev1alpha1.ToolSchema {
	s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: tool}}
	s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(parameters)}
	s.Spec.Result.Fields = fields
	return s
}

func TestAdapterOutcomes(t *testing.T) {
	backend := adapterFor("backend", "e", "")
	backend.Spec.HTTP.URL = "https://example.org/{tenant}"
	in := compile.Input{
		Schemas: []*callgatev1alpha1.ToolSchema{
			schemaFor("a", `{"type":"object"}`, "/id"), schemaFor("b", `{"type":"object"}`, "/id"), schemaFor("c", `{"type":"object"}`),
			schemaFor("d", `{"type":"objekt"}`, "/id"), schemaFor("e", `{"type":"object"}`, "/id"),
		},
		Adapters: []*callgatev1alpha1.ToolAdapter{
			adapterFor("good", "a", "k"), adapterFor("one", "b", "k"), adapterFor("two", "b", "k"), adapterFor("empty", "c", "k"),
			adapterFor("unready", "d", "k"), backend, adapterFor("broken", "a2", "broken"), adapterFor("lonely", "f", "k"),
		},
		AdapterCompiler: &stubCompiler{},
	}
	out := compile.Compile(in, nil)
	for name, want := range map[string]struct {
		reason, refReason, warning string
		inForce                    bool
	}{
		"good":    {"", "", "", true},
		"one":     {callgatev1alpha1.ReasonDuplicateToolName, "", "", false},
		"two":     {callgatev1alpha1.ReasonDuplicateToolName, "", "", false},
		"empty":   {"", "", "every result is empty", true},
		"unready": {"", "", "is not accepted", true},
		"backend": {"", callgatev1alpha1.ReasonEndpointNotAllowed, "", false},
		"broken":  {callgatev1alpha1.ReasonInvalidSpec, callgatev1alpha1.ReasonRefNotFound, "", false},
		"lonely":  {"", callgatev1alpha1.ReasonRefNotFound, "", false},
	} {
		o := out.Adapters[types.NamespacedName{Namespace: "n", Name: name}]
		if o == nil {
			t.Errorf("%s: nothing is said", name)
			continue
		}
		warned := ""
		for _, w := range o.Warnings {
			warned += w.Message
		}
		if o.Reason != want.reason || o.RefReason != want.refReason || (o.Adapter != nil) != want.inForce || !strings.Contains(warned, want.warning) || (want.warning == "") != (warned == "") {
			t.Errorf("%s: %+v, warned %q; want %+v", name, o, warned, want)
		}
	}
	ns := out.Namespaces["n"]
	if len(ns.Adapters) != 3 || ns.Adapters["a"] == nil || ns.Adapters["b"] != nil {
		t.Errorf("in force: %v", ns.Adapters)
	}
	if ns.Tools["a"].Result == nil || ns.Tools["c"].Result != nil || ns.Tools["d"].Result != nil {
		t.Error("something may leave that may not, or the other way round")
	}
}

// What has not changed is not compiled again; what decides a result is of the revision.
func TestAdaptersInTheRevision(t *testing.T) {
	c := &stubCompiler{}
	input := func() compile.Input {
		return compile.Input{
			Schemas:         []*callgatev1alpha1.ToolSchema{schemaFor("a", `{"type":"object"}`, "/id", "/title")},
			Adapters:        []*callgatev1alpha1.ToolAdapter{adapterFor("good", "a", "k")},
			AdapterCompiler: c,
		}
	}
	first := compile.Compile(input(), nil)
	again := compile.Compile(input(), first)
	if c.adapters != 1 || c.results != 1 || again.Revision != first.Revision || again.Namespaces["n"].Adapters["a"] != first.Namespaces["n"].Adapters["a"] {
		t.Errorf("the same compiled %d adapters and %d results, revision %s then %s", c.adapters, c.results, first.Revision, again.Revision)
	}
	for name, change := range map[string]func(*compile.Input){
		"the key":       func(in *compile.Input) { in.Adapters[0].Spec.Key = "other" },
		"the tenancy":   func(in *compile.Input) { in.Adapters[0].Spec.Tenancy = callgatev1alpha1.TenancyNone },
		"the ConfigMap": func(in *compile.Input) { in.Adapters[0].Spec.Records.ConfigMapKeyRef.Name = "other" },
		"the name":      func(in *compile.Input) { in.Adapters[0].Name = "other" },
		"the fields":    func(in *compile.Input) { in.Schemas[0].Spec.Result.Fields = []callgatev1alpha1.ResultField{"/id"} },
		"their order": func(in *compile.Input) {
			in.Schemas[0].Spec.Result.Fields = []callgatev1alpha1.ResultField{"/title", "/id"}
		},
		"no adapter": func(in *compile.Input) { in.Adapters = nil },
		"one more":   func(in *compile.Input) { in.Adapters = append(in.Adapters, adapterFor("more", "b", "k")) },
		"no fields":  func(in *compile.Input) { in.Schemas[0].Spec.Result.Fields = nil },
		"fields in full": func(in *compile.Input) {
			in.Schemas[0].Spec.Result.Fields = append(in.Schemas[0].Spec.Result.Fields, "/x")
		},
	} {
		in := input()
		change(&in)
		memo, fresh := compile.Compile(in, first), compile.Compile(in, nil)
		if memo.Revision == first.Revision || memo.Revision != fresh.Revision {
			t.Errorf("%s: revision %s with the memo, %s without, %s before", name, memo.Revision, fresh.Revision, first.Revision)
		}
	}
	in := input()
	in.Adapters[0].Generation = 2
	before := c.adapters
	if compile.Compile(in, first); c.adapters == before {
		t.Error("another generation runs by what was compiled of the one before")
	}
}

// Without a compiler nothing runs, and nothing leaves.
func TestAdaptersWithoutACompiler(t *testing.T) {
	out := compile.Compile(compile.Input{
		Schemas:  []*callgatev1alpha1.ToolSchema{schemaFor("a", `{"type":"object"}`, "/id")},
		Adapters: []*callgatev1alpha1.ToolAdapter{adapterFor("good", "a", "k")},
	}, nil)
	if ns := out.Namespaces["n"]; len(ns.Adapters) != 0 || ns.Tools["a"].Result != nil || len(out.Adapters) != 0 {
		t.Errorf("%v, %v", ns.Adapters, out.Adapters)
	}
}
