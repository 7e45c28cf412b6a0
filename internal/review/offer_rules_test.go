package review

import (
	"fmt"
	"strings"
	"testing"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/toolcall"
)

func rule(expression string, tools ...callgatev1alpha1.EffectiveToolName) func(*callgatev1alpha1.ToolPolicySpec) {
	return func(s *callgatev1alpha1.ToolPolicySpec) {
		s.Rules = append(s.Rules, callgatev1alpha1.PolicyRule{Name: "r", Expression: expression, Tools: tools})
	}
}

func tenantFrom(source callgatev1alpha1.TenantSource) func(*callgatev1alpha1.ToolPolicySpec) {
	return func(s *callgatev1alpha1.ToolPolicySpec) { s.Tenant.From = source }
}

func TestRulesJudgeOffers(t *testing.T) {
	one := func(changes ...func(*callgatev1alpha1.ToolPolicySpec)) objects {
		return objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", both(changes...), "a", "b", "s/a")}}
	}
	const other = `caller.serviceAccountName == 'other'`
	invalidArguments := func(s *callgatev1alpha1.ToolPolicySpec) { s.Rules[0].Reason = callgatev1alpha1.RuleInvalidArguments }
	ignore := func(s *callgatev1alpha1.ToolPolicySpec) { s.FailurePolicy = callgatev1alpha1.FailurePolicyIgnore }
	for _, test := range []struct {
		about string
		set   objects
		offer string
		want  string
	}{
		{"a rule says no", one(rule(other)), `["a"]`, "block policies=team/p"},
		{"a rule says yes", one(rule(`caller.serviceAccountName == 'agent' && caller.namespace == 'team'`)), `["a"]`, "allow permitted=a policies=team/p"},
		{"by tools it is about", one(rule(other, "a")), `["a","b"]`, "block permitted=b policies=team/p"},
		{"none of them is offered", one(rule(other, "a")), `["b"]`, "allow permitted=b policies=team/p"},
		{"nothing is offered", one(rule(other)), `[]`, "allow policies=team/p"},
		{"by the tool's name", one(rule(`tool.name != 'a'`)), `["a","b","s/a"]`, "block permitted=b policies=team/p"},
		{"by its server", one(rule(`tool.server == ''`)), `["a","s/a"]`, "block permitted=a policies=team/p"},
		{"arguments are for the call", one(rule(`args.q == 'x'`)), `["a"]`, "allow permitted=a policies=team/p"},
		{"so is the context", one(rule(`context.attributes.approved == true`)), `["a"]`, "allow permitted=a policies=team/p"},
		{"and the tenant that is said there", one(rule(`tenant == 'x'`), tenantFrom(callgatev1alpha1.TenantFromContext)), `["a"]`, "allow permitted=a policies=team/p"},
		{"the tenant is the namespace", one(rule(`tenant == 'team'`)), `["a"]`, "allow permitted=a policies=team/p"},
		{"it is another", one(rule(`tenant == 'x'`)), `["a"]`, "block policies=team/p"},
		{"there is none", one(rule(`tenant != 'x'`), tenantFrom(callgatev1alpha1.TenantFromNamespaceLabel)), `["a"]`, "block policies=team/p"},
		{"whatever the reason of the rule", one(rule(other), invalidArguments), `["a"]`, "block policies=team/p"},
		{"a rule that errs", one(rule(`int(caller.serviceAccountName) > 0`)), `["a"]`, "block policies=team/p"},
		{"a rule that does not compile", one(rule(`nonsense(`)), `["a"]`, "block policies=team/p"},
		{"of another tool", one(rule(`nonsense(`, "b")), `["a"]`, "allow permitted=a policies=team/p"},
		{"under failurePolicy Ignore", one(rule(`nonsense(`), ignore), `["a"]`, "allow permitted=a policies=team/p"},
		{"Warn", one(rule(other), actions("Warn")), `["a"]`, "allow permitted=a policies=team/p warnings=forbidden:p/r:a wouldBlock"},
		{"Warn that does not compile", one(rule(`nonsense(`), actions("Warn")), `["a"]`, "allow permitted=a policies=team/p warnings=policy_error:p/r:a wouldBlock"},
		{"Audit", one(rule(other), actions("Audit")), `["a"]`, "allow permitted=a policies=team/p wouldBlock"},
		{"no validator is asked then", one(rule(other), judges), `["a"]`, "block policies=team/p"},
	} {
		t.Run(test.about, func(t *testing.T) {
			snap := test.set.snapshot()
			d := Offers(snap, offerer, names(t, test.offer), nil, nil)
			if got := brief(d.Response); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if cheap, ok := CheapOffers(snap, offerer, names(t, test.offer), nil, nil); !ok || brief(cheap.Response) != test.want {
				t.Errorf("the cheap judgement: %v, %s", ok, brief(cheap.Response))
			}
			checkOffer(t, snap, d)
		})
	}
	d := Offers(one(rule(other), actions("Audit")).snapshot(), offerer, names(t, `["a"]`), nil, nil)
	if got := fmt.Sprint(d.Audit); got != `[{team/p tool-validation.invalid [forbidden:p/r:a] }]` {
		t.Errorf("recorded is %s", got)
	}
}

// An offer whose rules cost much is judged apart, and blocked where they cost too much.
func TestCostlyRulesOfOffers(t *testing.T) {
	for _, exponent := range []int{1, 5, 6} {
		list := `[1,2,3,4,5,6,7,8,9,10]`
		expression := `true`
		for range exponent {
			expression = list + ".all(x, " + expression + ")"
		}
		in := names(t, `["a"]`)
		set := objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", rule(expression+" && tool.name == 'a'"), "a")}}
		snap := set.snapshot()
		_, cheap := CheapOffers(snap, offerer, in, nil, nil)
		whole := Offers(snap, offerer, in, nil, nil)
		if wantCheap := exponent < 5; cheap != wantCheap {
			t.Errorf("10^%d: cheap %v, want %v", exponent, cheap, wantCheap)
		}
		if want := exponent < 6; whole.Response.Allowed != want {
			t.Errorf("10^%d: allowed %v, want %v, at most %d a rule", exponent, whole.Response.Allowed, want, expr.PerEvaluationLimit)
		}
	}
}

// A validator that can block and has not said yes leaves nothing to keep; one that cannot
// block takes nothing away.
func TestNothingIsPermittedThatAValidatorHasNotSeen(t *testing.T) {
	for _, test := range []struct {
		about  string
		change func(*callgatev1alpha1.ToolPolicySpec)
		answer Answer
		offer  string
		want   string
	}{
		{"an undeclared name beside", judges, Answer{}, `["a","x"]`, "block undeclared=x policies=team/p,team/q"},
		{"it says no", judges, Answer{}, `["a"]`, "block policies=team/p"},
		{"nobody is asked", judges, Answer{Cause: CauseNoValidator}, `["a"]`, "block policies=team/p"},
		{"it says yes", judges, Answer{Valid: true}, `["a"]`, "allow permitted=a policies=team/p,team/q"},
		{"it only warns", both(judges, actions("Warn")), Answer{}, `["a","x"]`, "block undeclared=x permitted=a policies=team/q warnings=unknown_tool:x"},
	} {
		t.Run(test.about, func(t *testing.T) {
			snap := objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", test.change, "a"), offerPolicy("q", nil, "a")}}.snapshot()
			d := Offers(snap, offerer, names(t, test.offer), nil, nil)
			checkOffer(t, snap, d)
			if len(d.Questions) > 0 && len(d.Response.PermittedTools) > 0 {
				t.Errorf("%v are permitted before anybody was asked", d.Response.PermittedTools)
			}
			d = d.Answered([]Answer{test.answer})
			if got := brief(d.Response); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// semanticValidated is what validators said, not that nothing was blocked.
func TestOnlyAYesValidates(t *testing.T) {
	yes, no, none := Answer{Valid: true, Reason: "fits"}, Answer{Reason: "odd"}, Answer{Cause: CauseNoValidator}
	for _, test := range []struct {
		about   string
		actions []callgatev1alpha1.ValidationAction
		answers []Answer
		want    string
	}{
		{"yes", []callgatev1alpha1.ValidationAction{"Audit"}, []Answer{yes}, "allow true fits"},
		{"no", []callgatev1alpha1.ValidationAction{"Audit"}, []Answer{no}, "allow false "},
		{"no answer", []callgatev1alpha1.ValidationAction{"Audit"}, []Answer{none}, "allow false "},
		{"yes, and no to the record", []callgatev1alpha1.ValidationAction{"Deny", "Audit"}, []Answer{yes, no}, "allow false "},
		{"no, and yes to the record", []callgatev1alpha1.ValidationAction{"Deny", "Audit"}, []Answer{no, yes}, "block false odd"},
		{"yes, twice", []callgatev1alpha1.ValidationAction{"Deny", "Audit"}, []Answer{yes, yes}, "allow true fits"},
	} {
		var set objects
		for i, action := range test.actions {
			set.policies = append(set.policies, offerPolicy(string(rune('p'+i)), both(judges, actions(action)), "a"))
		}
		r := Offers(set.snapshot(), offerer, names(t, `["a"]`), nil, nil).Answered(test.answers).Response
		if got := fmt.Sprintf("%s %v %s", r.Verdict, r.Details.SemanticValidated, r.Details.SemanticReason); got != test.want {
			t.Errorf("%s: got %q, want %q", test.about, got, test.want)
		}
	}
}

// A policy with Audit alone tells the record, and the caller nothing of what is wrong.
func TestAuditAloneTellsNothingOfOfferedSchemas(t *testing.T) {
	const odd = `{"type":"object","properties":{"q":{"anyOf":[{"type":"string"},{"description":"anything"}]}}}`
	in, err := toolcall.DecodeOffer(toolcall.OpenAIChat, []byte(`{"tools":[{"name":"a","parameters":`+noSchema+`},{"name":"b","input_schema":`+odd+`}]}`))
	if err != nil {
		t.Fatal(err)
	}
	audit, warn := offerPolicy("p", actions("Audit"), "*"), offerPolicy("q", actions("Warn"), "*")
	for _, test := range []struct {
		policies []*callgatev1alpha1.ToolPolicy
		want     string
	}{
		{[]*callgatev1alpha1.ToolPolicy{audit}, "allow permitted=b policies=team/p wouldBlock"},
		{[]*callgatev1alpha1.ToolPolicy{audit, warn}, "allow invalid=a permitted=b policies=team/p,team/q " +
			"warnings=invalid_schema:a,offered_schema:a:/type,offered_schema:b:/properties/q/anyOf/1 wouldBlock"},
		{nil, "block undeclared=a,b invalid=a warnings=offered_schema:a:/type,offered_schema:b:/properties/q/anyOf/1"},
	} {
		d := Offers(objects{policies: test.policies}.snapshot(), offerer, &in, nil, nil)
		if got := brief(d.Response); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
		if len(test.policies) > 0 && !strings.Contains(fmt.Sprint(d.Audit), "invalid_schema:a") {
			t.Errorf("recorded is %v", d.Audit)
		}
	}
}
