package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

func ruled(name string, rules ...callgatev1alpha1.PolicyRule) *callgatev1alpha1.ToolPolicy {
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"agent"}
	p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"pay"}
	p.Spec.Rules = rules
	return p
}

func paySchema(parameters string) *callgatev1alpha1.ToolSchema {
	s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pay"}}
	s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(parameters)}
	return s
}

const amounts = `{"type":"object","properties":{"amount":{"type":"integer"}}}`

func compiled(prev *Output, parameters string, policies ...*callgatev1alpha1.ToolPolicy) *Output {
	return Compile(Input{Schemas: []*callgatev1alpha1.ToolSchema{paySchema(parameters)}, Policies: policies}, prev)
}

func said(problems []callgatev1alpha1.Problem) (lines []string) {
	for _, p := range problems {
		lines = append(lines, *p.Path+": "+p.Message)
	}
	return lines
}

func TestWhatIsSaidOfRules(t *testing.T) {
	for name, tc := range map[string]struct {
		rule     callgatev1alpha1.PolicyRule
		change   func(*callgatev1alpha1.ToolPolicySpec)
		problem  string
		warnings []string
	}{
		"sound":            {rule: callgatev1alpha1.PolicyRule{Expression: `args.amount < 5`}},
		"no CEL":           {rule: callgatev1alpha1.PolicyRule{Expression: "true &&\n  args.("}, problem: "/spec/rules/0/expression: line 2, column "},
		"another variable": {rule: callgatev1alpha1.PolicyRule{Expression: "request.amount < 5"}, problem: "/spec/rules/0/expression: line 1, column 1: "},
		"no bool":          {rule: callgatev1alpha1.PolicyRule{Expression: `"yes"`}, problem: "/spec/rules/0/expression: line 1, column 1: "},
		"a message that reads args": {rule: callgatev1alpha1.PolicyRule{Expression: `args.amount < 5`, MessageExpression: `"no " + args.note`},
			problem: "/spec/rules/0/messageExpression: line 1, column 9: "},
		"an argument that no schema has": {rule: callgatev1alpha1.PolicyRule{Expression: `args.amuont < 5`}, warnings: []string{"/spec/rules/0/expression: line 1, column 5: "}},
		"always true":                    {rule: callgatev1alpha1.PolicyRule{Expression: `1 < 2`}, warnings: []string{"/spec/rules/0/expression: the expression is always true"}},
		"true whatever it reads":         {rule: callgatev1alpha1.PolicyRule{Expression: `args.amount == 1 || true`}, warnings: []string{"/spec/rules/0/expression: the expression is true whatever it reads: the rule blocks only calls with a number"}},
		"always false":                   {rule: callgatev1alpha1.PolicyRule{Expression: `1 > 2`}, warnings: []string{"/spec/rules/0/expression: the expression is always false"}},
		"a tool without a schema": {rule: callgatev1alpha1.PolicyRule{Expression: `args.amount < 5`, Tools: []callgatev1alpha1.EffectiveToolName{"pay", "pya"}},
			warnings: []string{`/spec/rules/0/tools/1: "pya" has no ToolSchema`}},
		"a tool without a schema that may be called": {rule: callgatev1alpha1.PolicyRule{Expression: `args.amount < 5`, Tools: []callgatev1alpha1.EffectiveToolName{"free"}},
			change: func(s *callgatev1alpha1.ToolPolicySpec) {
				s.UnvalidatedCalls, s.DeclaredTools = callgatev1alpha1.PassAllow, append(s.DeclaredTools, "free")
			}, warnings: []string{`/spec/declaredTools/1: "free" has no ToolSchema yet`}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.rule.Name = "r"
			p := ruled("p", tc.rule)
			if tc.change != nil {
				tc.change(&p.Spec)
			}
			o := compiled(nil, amounts, p).Policies[types.NamespacedName{Namespace: "team", Name: "p"}]
			if got := strings.Join(said(o.Problems), "\n"); (tc.problem == "") != (got == "") || !strings.HasPrefix(got, tc.problem) {
				t.Errorf("problems %q, want %q", got, tc.problem)
			}
			if o.Accepted() != (tc.problem == "") {
				t.Errorf("accepted %v: %s", o.Accepted(), o.Message)
			}
			warnings := said(o.Warnings)
			if len(warnings) != len(tc.warnings) {
				t.Fatalf("warnings %q, want %q", warnings, tc.warnings)
			}
			for i, want := range tc.warnings {
				if !strings.HasPrefix(warnings[i], want) {
					t.Errorf("warning %q, want %q", warnings[i], want)
				}
			}
		})
	}
}

// A rule that does not compile is never passed over in silence, whatever its policy says
// of it.
func TestABrokenRuleIsNeverAccepted(t *testing.T) {
	for mode, kept := range map[callgatev1alpha1.FailurePolicy]int{"": 2, "Fail": 2, "Ignore": 1, "Open": 2} {
		p := ruled("p", callgatev1alpha1.PolicyRule{Name: "a", Expression: "args."}, callgatev1alpha1.PolicyRule{Name: "b", Expression: "args.amount < 5"})
		p.Spec.FailurePolicy = mode
		out := compiled(nil, amounts, p)
		o := out.Policies[types.NamespacedName{Namespace: "team", Name: "p"}]
		if o.Accepted() || !strings.HasPrefix(o.Message, "The policy is in force, but for what does not compile: at /spec/rules/0/expression: line 1") {
			t.Errorf("%s: accepted %v: %s", mode, o.Accepted(), o.Message)
		}
		if rules := out.Namespaces["team"].Policies[0].Rules; len(rules) != kept {
			t.Errorf("%s: %d rules are kept, want %d", mode, len(rules), kept)
		}
	}
}

func TestOnlyWhatChangedIsCompiledAgain(t *testing.T) {
	rule := func(name, expression string) callgatev1alpha1.PolicyRule {
		return callgatev1alpha1.PolicyRule{Name: name, Expression: expression}
	}
	p := ruled("p", rule("a", `args.amount < 5`), rule("b", `tenant == "team"`))
	q := ruled("q", rule("c", `args.amount < 5`))
	first := compiled(nil, amounts, p, q)
	if first.CompiledRules != 2 {
		t.Errorf("%d expressions were compiled, want 2: equal ones are one", first.CompiledRules)
	}
	again := compiled(first, amounts, p, q)
	if again.CompiledRules != 0 || again.Namespaces["team"].Policies[0].Rules[0].Program != first.Namespaces["team"].Policies[0].Rules[0].Program {
		t.Errorf("%d expressions were compiled again", again.CompiledRules)
	}
	changed := ruled("q", rule("c", `args.amount < 6`))
	if next := compiled(again, amounts, p, changed); next.CompiledRules != 1 {
		t.Errorf("%d expressions were compiled for one that changed", next.CompiledRules)
	}
	// What an expression is checked against is its tools' schemas.
	other := compiled(again, `{"type":"object","properties":{"sum":{"type":"integer"}}}`, p, q)
	if n := len(other.Policies[types.NamespacedName{Namespace: "team", Name: "q"}].Warnings); n != 1 || other.CompiledRules != 2 {
		t.Errorf("%d warnings, %d compiled after the schema changed", n, other.CompiledRules)
	}
	if diff := cmp.Diff(compiled(nil, amounts, p, q).Policies, again.Policies); diff != "" {
		t.Errorf("the memo changes what is said: %s", diff)
	}
}

func TestFactsAreStrictWhereTheyAreNotKnown(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*callgatev1alpha1.ToolPolicySpec)
		want   string
	}{
		"absent":                {func(*callgatev1alpha1.ToolPolicySpec) {}, "rbac=false Namespace team"},
		"None":                  {func(s *callgatev1alpha1.ToolPolicySpec) { s.Authorization.Mode = "None" }, "rbac=false Namespace team"},
		"RBAC":                  {func(s *callgatev1alpha1.ToolPolicySpec) { s.Authorization.Mode = "RBAC" }, "rbac=true Namespace team"},
		"another mode":          {func(s *callgatev1alpha1.ToolPolicySpec) { s.Authorization.Mode = "none" }, "rbac=true Namespace team"},
		"a label":               {func(s *callgatev1alpha1.ToolPolicySpec) { s.Tenant.From, s.Tenant.Label = "NamespaceLabel", "t" }, "rbac=false NamespaceLabel alpha"},
		"one that is not there": {func(s *callgatev1alpha1.ToolPolicySpec) { s.Tenant.From, s.Tenant.Label = "NamespaceLabel", "u" }, "rbac=false NamespaceLabel "},
		"one that is none":      {func(s *callgatev1alpha1.ToolPolicySpec) { s.Tenant.From, s.Tenant.Label = "NamespaceLabel", "bad" }, "rbac=false NamespaceLabel "},
		"the context":           {func(s *callgatev1alpha1.ToolPolicySpec) { s.Tenant.From = "Context" }, "rbac=false Context "},
		"another source":        {func(s *callgatev1alpha1.ToolPolicySpec) { s.Tenant.From = "Argument" }, "rbac=false  "},
	} {
		p := ruled("p")
		tc.change(&p.Spec)
		out := Compile(Input{Policies: []*callgatev1alpha1.ToolPolicy{p}, NamespaceLabels: map[string]map[string]string{"team": {"t": "alpha", "bad": "a b"}}}, nil)
		c := out.Namespaces["team"].Policies[0]
		if got := fmt.Sprintf("rbac=%v %s %s", c.RBAC, c.Tenant.From, c.Tenant.Value); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestWarningsOfFacts(t *testing.T) {
	label := ruled("a")
	label.Spec.Tenant = callgatev1alpha1.PolicyTenant{From: callgatev1alpha1.TenantFromNamespaceLabel, Label: "t"}
	granted := ruled("b")
	granted.Spec.Authorization.Mode, granted.Spec.UnvalidatedCalls = callgatev1alpha1.AuthorizationRBAC, callgatev1alpha1.PassAllow
	granted.Spec.DeclaredTools = append(granted.Spec.DeclaredTools, "free")
	out := compiled(nil, amounts, label, granted)
	all := strings.Join(append(said(out.Policies[types.NamespacedName{Namespace: "team", Name: "a"}].Warnings), said(out.Policies[types.NamespacedName{Namespace: "team", Name: "b"}].Warnings)...), "\n")
	for _, want := range []string{`/spec/tenant/label: the namespace has no label "t"`, `/spec/authorization/mode: "free" has no ToolSchema`,
		"/spec/subjects: together with the other policies"} {
		if !strings.Contains(all, want) {
			t.Errorf("nobody is told %s; said is:\n%s", want, all)
		}
	}
}
