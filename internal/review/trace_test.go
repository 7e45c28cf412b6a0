package review_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// explain judges as decide does, and tells how.
func (w world) explain(calls ...toolcall.Call) (review.Decision, *review.Trace) {
	schemas := []*callgatev1alpha1.ToolSchema{
		schema("weather", weather, map[string]string{"risk": "low"}), schema("pay", payment, map[string]string{"risk": "high"}), schema("bad", `{"type":"any"}`, nil),
	}
	schemas[1].Spec.Server = "bank"
	schemas[1].Spec.Arguments.Nulls = callgatev1alpha1.NullsAbsent
	snap := snapshot.New(compile.Compile(compile.Input{Schemas: schemas, Policies: w.policies, NamespaceLabels: map[string]map[string]string{"team": w.labels}}, nil))
	in := toolcall.Review{UID: "u", Calls: calls, Context: w.context}
	answers := review.Answers{}
	for _, q := range review.Needs(snap, agent, &in) {
		answers[q] = review.Refused
		if w.says != nil {
			answers[q] = w.says(q)
		}
	}
	return review.ExplainCalls(snap, agent, in, answers)
}

// outline is what one policy said, a line a stage: passed stages without anything to
// look at are left out.
func outline(v review.TracedView) string {
	var lines []string
	for _, s := range v.Stages {
		line := fmt.Sprintf("%s %s", s.Stage, s.Outcome)
		if len(s.Errors) > 0 {
			line += " " + strings.Join(s.Errors, " ")
		}
		for _, c := range s.Checks {
			line += fmt.Sprintf(", %s %s", strings.TrimSpace(c.Kind+" "+c.Name), c.Outcome)
			if c.Kind == "rule" && c.Detail != "" {
				line += " (" + c.Detail + ")"
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestTraceOfACall(t *testing.T) {
	fine := call("bank/pay", `{"amount":50,"note":"secret"}`)
	every := declares("*")
	long := call("bare", `{"list":[`+strings.Repeat("0,", 2999)+`0]}`)
	for name, tc := range map[string]struct {
		world world
		call  toolcall.Call
		want  string
	}{
		"rules": {world{policies: list(policy("p", every, rule("error", `1 / (int(args.amount) - 50) == 1`), rule("false", `args.amount < 1`), rule("other", `false`, about("weather")), rule("true", `true`)))}, fine, `name passed
schema passed
arguments passed
authorization failed forbidden:p/error forbidden:p/false, rbac skipped, rule error error (division by zero), rule false false, rule other skipped (it is about other tools), rule true true, tenant passed`},
		"rules about arguments": {world{policies: list(policy("p", every, rule("a", `args.amount > 1`, repairable), rule("b", `args.amount > 50`, repairable), rule("c", `true`)))}, fine, `name passed
schema passed
arguments failed rule:p/b, rule a true, rule b false
authorization skipped, rule c skipped (the call was blocked before)`},
		"arguments that do not fit": {world{policies: list(policy("p", every, rule("a", `args.amount > 1`, repairable), rule("c", `true`)))}, call("bank/pay", `{"amount":"x"}`), `name passed
schema passed
arguments failed type:amount, rule a skipped (the arguments do not fit the schema)
authorization skipped, rule c skipped (the call was blocked before)`},
		"arguments that cannot be read": {world{policies: list(policy("p", every, rule("a", `args.amount > 1`, repairable)))}, call("bank/pay", `{`), `name passed
schema passed
arguments failed, rule a skipped (the arguments cannot be judged)
authorization skipped`},
		"a name that nobody declares": {world{policies: list(policy("p", declares("other"), rule("c", `true`)))}, fine, `name failed unknown_tool:bank/pay
schema skipped
arguments skipped
authorization skipped, rule c skipped (the call was blocked before)`},
		"a schema that is not accepted": {world{policies: list(policy("p", every))}, call("bad", `{}`), `name passed
schema failed schema_not_ready:bad
arguments skipped
authorization skipped`},
		"RBAC": {world{policies: list(policy("p", every, rbac))}, fine, `name passed
schema passed
arguments passed
authorization failed forbidden:rbac, rbac refused, tenant passed`},
		"RBAC that cannot be asked": {world{policies: list(policy("p", every, rbac)), says: all(review.Unanswered)}, fine, `name passed
schema passed
arguments passed
authorization failed policy_error:p, rbac unanswered, tenant passed`},
		"no tenant": {world{policies: list(policy("p", every, tenantFrom("NamespaceLabel"), rule("reads", `tenant == "x"`), rule("reads-not", `true`)))}, fine, `name passed
schema passed
arguments passed
authorization failed forbidden:tenant, rbac skipped, rule reads skipped (it reads the tenant, and there is none), rule reads-not true, tenant failed`},
		"a rule that does not compile": {world{policies: list(policy("p", every, rule("broken", `args.(`, repairable)))}, fine, `name passed
schema passed
arguments passed
authorization failed policy_error:p/broken, rbac skipped, rule broken error (it does not compile), tenant passed`},
		"a policy that cannot be evaluated": {world{policies: list(policy("p", every, broken, rule("r", `true`)))}, fine, `name skipped
schema skipped
arguments skipped
authorization failed policy_error:p, rule r skipped (the policy cannot be evaluated: its schemaSelector is none)`},
		"a policy that only warns": {world{policies: list(policy("p", declares("other"), acts("Warn"), rule("r", `true`)))}, fine, `name failed unknown_tool:bank/pay
schema skipped
arguments skipped
authorization skipped, rule r skipped (the policy failed in an earlier stage)`},
		"a rule that costs too much": {world{policies: list(policy("p", every, unvalidated, rule("r", `args.list.all(x, args.list.all(y, x == y))`)))}, long, `name passed
schema passed
arguments passed
authorization failed forbidden:p/r, rbac skipped, rule r cost_exceeded (cost exceeded), tenant passed`},
	} {
		t.Run(name, func(t *testing.T) {
			_, trace := tc.world.explain(tc.call)
			if len(trace.Calls) != 1 || len(trace.Calls[0].Policies) != 1 {
				t.Fatalf("the trace is %+v", trace)
			}
			if diff := cmp.Diff(tc.want, outline(trace.Calls[0].Policies[0])); diff != "" {
				t.Errorf("outline (-want +got):\n%s", diff)
			}
			if text, err := json.Marshal(trace); err != nil || strings.Contains(string(text), "secret") {
				t.Errorf("the trace tells of arguments, or cannot be encoded (%v): %s", err, text)
			}
		})
	}
}

// Where no policy is asked the trace says why.
func TestTraceWithoutPolicies(t *testing.T) {
	w := world{policies: list(policy("p", func(p *callgatev1alpha1.ToolPolicy) {
		p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"somebody"}
	}))}
	_, trace := w.explain(call("weather", `{}`))
	c := trace.Calls[0]
	if c.Stage != review.StageEnvelope || c.Detail != "no policy selects the caller" || !slices.Equal(trace.OtherPolicies, []string{"team/p"}) {
		t.Errorf("stage %s, %q, other policies %q", c.Stage, c.Detail, trace.OtherPolicies)
	}
	w.policies = list(policy("p"))
	_, trace = w.explain(toolcall.Call{Fault: toolcall.Malformed})
	if c := trace.Calls[0]; c.Stage != review.StageEnvelope || c.Code != "malformed_call" || len(c.Policies[0].Stages) != 4 {
		t.Errorf("stage %s, code %s, stages %+v", c.Stage, c.Code, c.Policies)
	}
}

// Of random sets of policies: whoever asks how gets the verdict that everybody gets, and
// an account of it that is whole and agrees with it.
func TestTracesAreWholeAndAgree(t *testing.T) {
	calls := []toolcall.Call{
		call("weather", `{"city":"Bergen"}`), call("weather", `{"city":"Oslo"}`), call("weather", `{"city":1}`), call("bank/pay", `{"amount":50}`),
		call("bank/pay", `{"amount":51}`), call("bad", `{}`), call("bare", `{}`), call("bare", `[`), {Fault: toolcall.Malformed},
	}
	failed := map[review.Stage]int{}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		w := world{
			policies: pool(r, 1+r.IntN(5)),
			labels:   map[string]string{"tenant": []string{"team", "alpha", ""}[r.IntN(3)]},
			context:  toolcall.Context{Tenant: []string{"", "team", "alpha"}[r.IntN(3)]},
			says:     func(q review.Access) review.AccessAnswer { return review.AccessAnswer((len(q.Name) + int(seed)) % 3) },
		}
		d, trace := w.explain(calls...)
		if diff := cmp.Diff(w.decide(calls...), d); diff != "" {
			t.Fatalf("seed %d: whoever asks how gets another verdict (-without +with):\n%s", seed, diff)
		}
		for i, c := range trace.Calls {
			result := whole(&d, i)
			if c.Code != result.Code || c.Allowed != result.Allowed || c.WouldBlock != result.WouldBlock || (c.Stage == "") != c.Allowed {
				t.Fatalf("seed %d, call %d: the trace says %s in stage %q, the verdict is %s", seed, i, c.Code, c.Stage, line(result))
			}
			failed[c.Stage]++
			for j, v := range c.Policies {
				checkView(t, fmt.Sprintf("seed %d, call %d, %s", seed, i, v.Policy), w.policies[j], v)
			}
		}
	}
	for _, stage := range []review.Stage{"", review.StageEnvelope, review.StageName, review.StageSchema, review.StageArguments, review.StageAuthorization} {
		if failed[stage] == 0 {
			t.Errorf("no call was decided in stage %q", stage)
		}
	}
}

// checkView: every stage and every rule is there once, at most one stage failed, and only
// that has errors.
func checkView(t *testing.T, about string, p *callgatev1alpha1.ToolPolicy, v review.TracedView) {
	t.Helper()
	var rules []string
	failures := 0
	for i, s := range v.Stages {
		if want := []review.Stage{review.StageName, review.StageSchema, review.StageArguments, review.StageAuthorization}[i]; s.Stage != want {
			t.Fatalf("%s: stage %d is %s", about, i, s.Stage)
		}
		if s.Outcome == review.OutcomeFailed {
			failures++
		} else if len(s.Errors) > 0 || s.Outcome == review.OutcomeSkipped && s.Detail == "" {
			t.Fatalf("%s: %+v", about, s)
		}
		for _, c := range s.Checks {
			if c.Kind == "rule" {
				rules = append(rules, c.Name)
			}
		}
	}
	var want []string
	for _, r := range p.Spec.Rules {
		// Under Ignore, a rule that does not compile is in no compiled set.
		if r.Expression != "args." || p.Spec.FailurePolicy != callgatev1alpha1.FailurePolicyIgnore {
			want = append(want, r.Name)
		}
	}
	slices.Sort(rules)
	slices.Sort(want)
	if len(v.Stages) != 4 || failures > 1 || !slices.Equal(rules, want) {
		t.Fatalf("%s: %d stages, %d of them failed, rules %q, want %q:\n%s", about, len(v.Stages), failures, rules, want, outline(v))
	}
}
