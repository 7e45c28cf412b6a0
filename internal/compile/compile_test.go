package compile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
)

func schema(namespace, name, tool, parameters string) *callgatev1alpha1.ToolSchema {
	s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + name), Generation: 1}}
	s.Spec.ToolName = tool
	if parameters != "" {
		s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(parameters)}
	}
	return s
}

func policy(namespace, name string, tools ...callgatev1alpha1.EffectiveToolName) *callgatev1alpha1.ToolPolicy {
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + name), Generation: 1}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"agent"}
	p.Spec.DeclaredTools = tools
	return p
}

func in(objects ...any) (in compile.Input) {
	for _, o := range objects {
		switch o := o.(type) {
		case *callgatev1alpha1.ToolSchema:
			in.Schemas = append(in.Schemas, o)
		case *callgatev1alpha1.ToolPolicy:
			in.Policies = append(in.Policies, o)
		}
	}
	return in
}

func key(namespace, name string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: name}
}

const fine = `{"type":"object","properties":{"a":{"type":"string"}}}`

func TestDuplicateNamesAreServedByNone(t *testing.T) {
	out := compile.Compile(in(
		schema("x", "one", "tool", fine),
		schema("x", "two", "tool", `{"type":"any"}`),
		schema("y", "one", "tool", fine),
		schema("x", "bare", "srv/tool", fine),
	), nil)
	for name, other := range map[string]string{"one": "two", "two": "one"} {
		o := out.Schemas[key("x", name)]
		if o.Reason != callgatev1alpha1.ReasonDuplicateToolName || !strings.Contains(o.Message, other) {
			t.Errorf("%s: reason %q message %q, want DuplicateToolName that names %s", name, o.Reason, o.Message, other)
		}
	}
	if out.Namespaces["x"].Tools["tool"].Ready() {
		t.Error("a name claimed twice is served")
	}
	if o := out.Schemas[key("y", "one")]; !o.Accepted() {
		t.Errorf("another namespace's tool is refused: %s", o.Message)
	}
}

// server/name is compared as one string with a bare name that holds a slash.
func TestServerQualifiedNameIsOneString(t *testing.T) {
	qualified := schema("x", "one", "tool", fine)
	qualified.Spec.Server = "srv"
	out := compile.Compile(in(qualified, schema("x", "two", "srv/tool", fine)), nil)
	for _, name := range []string{"one", "two"} {
		if o := out.Schemas[key("x", name)]; o.Reason != callgatev1alpha1.ReasonDuplicateToolName {
			t.Errorf("%s: reason %q, want DuplicateToolName", name, o.Reason)
		}
	}
}

func TestInvalidSchemaListsItsProblems(t *testing.T) {
	out := compile.Compile(in(schema("x", "bad", "bad", `{"type":"object","properties":{"a":{"type":"int"},"b":{"pattern":"["}}}`)), nil)
	o := out.Schemas[key("x", "bad")]
	if o.Reason != callgatev1alpha1.ReasonInvalidSchema {
		t.Fatalf("reason %q", o.Reason)
	}
	paths := map[string]bool{}
	for _, p := range o.Problems {
		paths[*p.Path] = true
	}
	if !paths["/properties/a/type"] || !paths["/properties/b/pattern"] {
		t.Errorf("problems at %v, want both faults", paths)
	}
}

func TestBothParameterFieldsNeverServe(t *testing.T) {
	s := schema("x", "s", "s", fine)
	s.Spec.ParametersJSON = fine
	if out := compile.Compile(in(s), nil); out.Schemas[key("x", "s")].Accepted() {
		t.Error("accepted")
	}
}

func TestPolicyOutcome(t *testing.T) {
	out := compile.Compile(in(
		schema("x", "good", "good", fine), schema("x", "bad", "bad", `{"type":"any"}`),
		policy("x", "p", "good", "bad", "bare"),
	), nil)
	o := out.Policies[key("x", "p")]
	got := []int{o.DeclaredTools, o.SelectedSchemas, o.InvalidSchemas, o.ToolsWithoutSchema}
	if diff := cmp.Diff([]int{3, 2, 1, 1}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]callgatev1alpha1.EffectiveToolName{"bad"}, o.InvalidNames); diff != "" {
		t.Error(diff)
	}
	if len(o.Warnings) != 1 || *o.Warnings[0].Path != "/spec/declaredTools/2" {
		t.Errorf("warnings %+v, want one for the tool without a schema", o.Warnings)
	}
	if !o.Accepted() {
		t.Errorf("not accepted: %s", o.Message)
	}
}

func TestBrokenSelector(t *testing.T) {
	p := policy("x", "p", "good")
	p.Spec.SchemaSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}}
	o := compile.Compile(in(p), nil).Policies[key("x", "p")]
	if o.Reason != callgatev1alpha1.ReasonInvalidSpec || len(o.Problems) != 1 {
		t.Errorf("reason %q, problems %+v", o.Reason, o.Problems)
	}
}

func TestPoliciesThatLeaveNoTool(t *testing.T) {
	warned := func(objects ...any) bool {
		for _, w := range compile.Compile(in(objects...), nil).Policies[key("x", "p")].Warnings {
			if *w.Path == "/spec/subjects" {
				return true
			}
		}
		return false
	}
	a, b := schema("x", "a", "a", fine), schema("x", "b", "b", fine)
	if !warned(a, b, policy("x", "p", "a"), policy("x", "q", "b")) {
		t.Error("disjoint policies give no warning")
	}
	if warned(a, b, policy("x", "p", "a"), policy("x", "q", "a", "b")) {
		t.Error("overlapping policies give a warning")
	}
	audit := policy("x", "q", "b")
	audit.Spec.ValidationActions = []callgatev1alpha1.ValidationAction{"Audit"}
	if warned(a, b, policy("x", "p", "a"), audit) {
		t.Error("a policy without Deny takes nothing away, and yet there is a warning")
	}
}

func TestRevision(t *testing.T) {
	base := func() (*callgatev1alpha1.ToolSchema, *callgatev1alpha1.ToolPolicy) {
		return schema("x", "s", "s", fine), policy("x", "p", "s", "t")
	}
	s, p := base()
	want := compile.Compile(in(s, p), nil).Revision
	if !strings.HasPrefix(want, "sha256:") || len(want) != 71 {
		t.Fatalf("revision %q", want)
	}
	for name, change := range map[string]func(*callgatev1alpha1.ToolSchema, *callgatev1alpha1.ToolPolicy){
		"document": func(s *callgatev1alpha1.ToolSchema, _ *callgatev1alpha1.ToolPolicy) {
			s.Spec.Parameters.Raw = []byte(`{"type":"object"}`)
		},
		"settings": func(s *callgatev1alpha1.ToolSchema, _ *callgatev1alpha1.ToolPolicy) {
			s.Spec.Arguments.Nulls = "Absent"
		},
		"tool name": func(s *callgatev1alpha1.ToolSchema, _ *callgatev1alpha1.ToolPolicy) { s.Spec.ToolName = "u" },
		"labels": func(s *callgatev1alpha1.ToolSchema, _ *callgatev1alpha1.ToolPolicy) {
			s.Labels = map[string]string{"a": "b"}
		},
		"subjects": func(_ *callgatev1alpha1.ToolSchema, p *callgatev1alpha1.ToolPolicy) {
			p.Spec.Subjects.ServiceAccountNames[0] = "b"
		},
		"declared": func(_ *callgatev1alpha1.ToolSchema, p *callgatev1alpha1.ToolPolicy) {
			p.Spec.DeclaredTools = p.Spec.DeclaredTools[:1]
		},
		"undeclared": func(_ *callgatev1alpha1.ToolSchema, p *callgatev1alpha1.ToolPolicy) { p.Spec.UndeclaredTools = "Allow" },
		"actions": func(_ *callgatev1alpha1.ToolSchema, p *callgatev1alpha1.ToolPolicy) {
			p.Spec.ValidationActions = []callgatev1alpha1.ValidationAction{"Audit"}
		},
		"selector": func(_ *callgatev1alpha1.ToolSchema, p *callgatev1alpha1.ToolPolicy) {
			p.Spec.SchemaSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
		},
	} {
		s, p := base()
		change(s, p)
		if compile.Compile(in(s, p), nil).Revision == want {
			t.Errorf("a change of %s keeps the revision", name)
		}
	}
	s, p = base()
	s.Annotations = map[string]string{"a": "b"}
	s.Generation, s.ResourceVersion = 9, "77"
	p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"t", "s"}
	if compile.Compile(in(s, p), nil).Revision != want {
		t.Error("what decides no verdict changes the revision")
	}
}

// The previous output is a memo and nothing else: any history of changes ends at
// what a fresh compile gives, and only what changed is compiled.
func TestPreviousOutputIsOnlyAMemo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	documents := []string{fine, `{"type":"object"}`, `{"type":"any"}`, "", `{"type":"object","properties":{"n":{"type":"integer"}}}`}
	var prev *compile.Output
	for round := range 60 {
		var objects []any
		for i := range 8 {
			if random.IntN(4) == 0 {
				continue
			}
			s := schema("x", fmt.Sprint("s", i), fmt.Sprint("t", random.IntN(10)), documents[random.IntN(len(documents))])
			s.Generation = int64(round)
			objects = append(objects, s)
		}
		for i := range 3 {
			p := policy("x", fmt.Sprint("p", i), "t1", "t2")
			p.Generation = int64(round)
			objects = append(objects, p)
		}
		random.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
		prev = compile.Compile(in(objects...), prev)
		fresh := compile.Compile(in(objects...), nil)
		if prev.Revision != fresh.Revision {
			t.Fatalf("round %d: revisions differ", round)
		}
		if diff := cmp.Diff(fresh.Schemas, prev.Schemas); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
		if diff := cmp.Diff(fresh.Policies, prev.Policies); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
	}
}

func TestOnlyWhatChangedIsCompiled(t *testing.T) {
	var objects []any
	for i := range 50 {
		objects = append(objects, schema("x", fmt.Sprint("s", i), "", fine))
	}
	first := compile.Compile(in(objects...), nil)
	if first.Compiled != 50 {
		t.Errorf("compiled %d of 50", first.Compiled)
	}
	objects[7] = schema("x", "s7", "", `{"type":"object"}`)
	second := compile.Compile(in(objects...), first)
	if second.Compiled != 1 {
		t.Errorf("one change compiled %d documents", second.Compiled)
	}
	kept := 0
	for k, o := range second.Schemas {
		if first.Schemas[k] == o {
			kept++
		}
	}
	if kept != 49 {
		t.Errorf("%d outcomes are the same pointer, want 49", kept)
	}
}

func TestNumbersThatAreStoredAsDoubles(t *testing.T) {
	for literal, want := range map[string]bool{
		"18446744073709552000": true, "-1e+21": true, "9223372036854775808": true, "1e400": true,
		"9223372036854774784": false, "9007199254740993": false, "0.1": false, "1e3": false,
	} {
		s := schema("x", "s", "s", `{"properties":{"a":{"enum":[1,`+literal+`]}}}`)
		found := false
		for _, w := range compile.Compile(in(s), nil).Schemas[key("x", "s")].Warnings {
			found = found || *w.Path == "/properties/a/enum/1"
		}
		if found != want {
			t.Errorf("%s: warned=%v, want %v", literal, found, want)
		}
		s.Spec.ParametersJSON, s.Spec.Parameters = string(s.Spec.Parameters.Raw), nil
		if w := compile.Compile(in(s), nil).Schemas[key("x", "s")].Warnings; len(w) > 0 {
			t.Errorf("%s: exact text is warned of: %+v", literal, w)
		}
	}
}

func TestNullsThatApplyWillDrop(t *testing.T) {
	for document, want := range map[string]string{
		`{"properties":{"a":{"const":null}}}`:                   "/properties/a/const",
		`{"properties":{"a":{"const":{"x":null}}}}`:             "/properties/a/const/x",
		`{"properties":{"a":{"enum":[null,"x"]}}}`:              "",
		`{"properties":{"a":{"type":"string","default":null}}}`: "",
	} {
		got := ""
		for _, w := range compile.Compile(in(schema("x", "s", "s", document)), nil).Schemas[key("x", "s")].Warnings {
			got += *w.Path
		}
		if got != want {
			t.Errorf("%s: warned of %q, want %q", document, got, want)
		}
	}
}

func TestIntegersThatApplyRounded(t *testing.T) {
	for name, tc := range map[string]struct {
		applied, stored string
		want            bool
	}{
		"rounded":           {"9007199254740993", "9007199254740992", true},
		"kept":              {"9007199254740993", "9007199254740993", false},
		"another spelling":  {"1e3", "1000", false},
		"and another":       {"1.0", "1", false},
		"changed by hand":   {"7", "8", false},
		"endless digits":    {"0." + strings.Repeat("3", 500), "0.3333333333333333", true},
		"more than a float": {"1e999", "5", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := compile.LostInApply(`{"spec":{"parameters":{"maximum":`+tc.applied+`}}}`, []byte(`{"maximum":`+tc.stored+`}`))
			if (len(got) > 0) != tc.want {
				t.Errorf("lost %v, want %v", got, tc.want)
			}
		})
	}
}

func TestPolicyWithoutDenyIsWarnedOf(t *testing.T) {
	p := policy("x", "p", "*")
	p.Spec.ValidationActions = []callgatev1alpha1.ValidationAction{"Audit"}
	w := compile.Compile(in(p), nil).Policies[key("x", "p")].Warnings
	if len(w) == 0 || *w[0].Path != "/spec/validationActions" {
		t.Errorf("warnings %+v", w)
	}
}

// A policy with Warn tells allowed callers what it finds, whatever its disclosure.
func TestDisclosureOfAPolicyThatWarnsIsWarnedOf(t *testing.T) {
	for _, tc := range []struct {
		action     callgatev1alpha1.ValidationAction
		disclosure callgatev1alpha1.Disclosure
		warned     bool
	}{
		{"Warn", "Opaque", true}, {"Warn", "Code", true}, {"Warn", "Full", false}, {"Warn", "", false}, {"Audit", "Opaque", false}, {"Deny", "Opaque", false},
	} {
		p := policy("x", "p", "*")
		p.Spec.ValidationActions, p.Spec.Disclosure = []callgatev1alpha1.ValidationAction{tc.action}, tc.disclosure
		warned := slices.ContainsFunc(compile.Compile(in(p), nil).Policies[key("x", "p")].Warnings, func(w callgatev1alpha1.Problem) bool {
			return *w.Path == "/spec/disclosure"
		})
		if warned != tc.warned {
			t.Errorf("%+v: warned %t", tc, warned)
		}
	}
}

func TestLostInApply(t *testing.T) {
	applied := `{"spec":{"parameters":{"properties":{"a":{"const":null},"b/c":{"anyOf":[{"const":null},{"type":"string"}]},"d":{"default":null}}}}}`
	for name, tc := range map[string]struct {
		stored string
		want   []string
	}{
		"all kept": {`{"properties":{"a":{"const":null},"b/c":{"anyOf":[{"const":null},{"type":"string"}]},"d":{"default":null}}}`, nil},
		"some lost": {`{"properties":{"a":{},"b/c":{"anyOf":[{},{"type":"string"}]},"d":{"default":null}}}`,
			[]string{"/properties/a/const", "/properties/b~1c/anyOf/0/const"}},
		"no parameters": {``, nil},
		"no JSON":       {`{`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, compile.LostInApply(applied, []byte(tc.stored))); diff != "" {
				t.Error(diff)
			}
		})
	}
	s := schema("x", "s", "s", `{"properties":{"a":{}}}`)
	s.Annotations = map[string]string{compile.LastAppliedAnnotation: `{"spec":{"parameters":{"properties":{"a":{"const":null}}}}}`}
	whole := compile.Compile(in(s), nil).Schemas[key("x", "s")]
	s = s.DeepCopy()
	s.Annotations = map[string]string{compile.LostInApplyAnnotation: `["/properties/a/const"]`}
	cached := compile.Compile(in(s), nil).Schemas[key("x", "s")]
	if len(whole.Warnings) == 0 || *whole.Warnings[0].Path != "/properties/a/const" {
		t.Errorf("warnings %+v", whole.Warnings)
	}
	if diff := cmp.Diff(whole, cached); diff != "" {
		t.Errorf("the cache's annotation tells another story: %s", diff)
	}
}

// What the engine leaves to the reference judge is told where status shows it.
func TestWhatTheSlowerJudgeTakesIsWarnedOf(t *testing.T) {
	const nested = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"object","properties":{"b":{}},"allOf":[{"properties":{"c":{"type":"string"}}}],"unevaluatedProperties":false}}}`
	out := compile.Compile(in(schema("x", "nested", "nested", nested), schema("x", "plain", "plain", fine)), nil)
	told := func(name string) (text string) {
		for _, w := range out.Schemas[key("x", name)].Warnings {
			text += fmt.Sprintf("%v %s\n", w.Path, w.Message)
		}
		return text
	}
	if got := told("nested"); !strings.Contains(got, "slower of the two judges") {
		t.Errorf("warned of %q", got)
	}
	if got := told("plain"); strings.Contains(got, "slower") {
		t.Errorf("a plain schema is warned of: %q", got)
	}
}
