package review_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/toolcall"
)

// pool makes policies that differ in everything that decides, at random but for the seed.
func pool(r *rand.Rand, n int) []*callgatev1alpha1.ToolPolicy {
	pick := func(options ...option) option { return options[r.IntN(len(options))] }
	nothing := func(*callgatev1alpha1.ToolPolicy) {}
	var policies []*callgatev1alpha1.ToolPolicy
	for i := range n {
		policies = append(policies, policy(fmt.Sprintf("p%02d", i),
			pick(declares("*"), declares("*"), declares("weather", "bank/pay"), declares("other")),
			pick(nothing, undeclared), pick(nothing, unvalidated), pick(nothing, nothing, selects(map[string]string{"risk": "high"})),
			pick(acts(), acts("Deny"), acts("Warn"), acts("Audit"), acts("Deny", "Audit")),
			pick(nothing, nothing, rbac), pick(nothing, nothing, tenantFrom("NamespaceLabel"), tenantFrom("Context")),
			pick(nothing, nothing, discloses("Code"), discloses("Opaque")),
			pick(nothing, nothing, rule("a", `!has(args.amount) || args.amount <= 50`), rule("a", `!has(args.city) || args.city != "Oslo"`, repairable), rule("a", `args.`)),
			pick(nothing, ignores), pick(nothing, nothing, nothing, rule("b", `tenant == "team"`), rule("b", `1 / 0 == 1`, about("weather"))),
			pick(nothing, nothing, nothing, nothing, nothing, broken),
		))
	}
	return policies
}

// Of random sets of policies: every set gives a whole verdict, whatever the order of its
// policies; beyond the first, each one more only takes away; those without Deny change
// nothing but what is recorded, warned of, and told.
func TestPolicySets(t *testing.T) {
	const size = 7
	calls := []toolcall.Call{
		call("weather", `{"city":"Bergen"}`), call("weather", `{"city":"Oslo"}`), call("weather", `{"city":1}`), call("bank/pay", `{"amount":50}`),
		call("bank/pay", `{"amount":51}`), call("bad", `{}`), call("bare", `{}`), call("bare", `[`), {Fault: toolcall.Malformed},
	}
	sets := 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		policies := pool(r, size)
		w := world{
			labels:  map[string]string{"tenant": []string{"team", "alpha", ""}[r.IntN(3)]},
			context: toolcall.Context{Tenant: []string{"", "team", "alpha"}[r.IntN(3)]},
			says: func(q review.Access) review.AccessAnswer {
				return review.AccessAnswer((len(q.Name) + int(seed)) % 3)
			},
		}
		decided := make([]review.Decision, 1<<size)
		for set := 1; set < 1<<size; set++ {
			sets++
			chosen := subset(policies, set)
			w.policies = chosen
			decided[set] = w.decide(calls...)
			for i := range calls {
				checkResult(t, &decided[set], i)
			}
			slices.Reverse(chosen)
			if diff := cmp.Diff(decided[set], w.decide(calls...)); diff != "" {
				t.Fatalf("seed %d, set %b depends on the order: %s", seed, set, diff)
			}
		}
		for set := 1; set < 1<<size; set++ {
			for i := range policies {
				if less := set &^ (1 << i); less != 0 && less != set {
					checkOneMore(t, fmt.Sprintf("seed %d, set %b and %s", seed, less, policies[i].Name), policies, less, set, &decided[less], &decided[set])
				}
			}
		}
	}
	if sets != 12*(1<<size-1) {
		t.Errorf("%d sets were judged", sets)
	}
}

func subset(policies []*callgatev1alpha1.ToolPolicy, set int) (chosen []*callgatev1alpha1.ToolPolicy) {
	for i, p := range policies {
		if set&(1<<i) != 0 {
			chosen = append(chosen, p)
		}
	}
	return chosen
}

func denies(p *callgatev1alpha1.ToolPolicy) bool {
	return len(p.Spec.ValidationActions) == 0 || slices.Contains(p.Spec.ValidationActions, callgatev1alpha1.ActionDeny)
}

// checkOneMore compares a set with the same and one policy more.
func checkOneMore(t *testing.T, about string, policies []*callgatev1alpha1.ToolPolicy, less, more int, before, after *review.Decision) {
	t.Helper()
	added := subset(policies, more&^less)[0]
	for i := range before.Response.Results {
		b, a := whole(before, i), whole(after, i)
		switch {
		case a.Allowed && !b.Allowed:
			t.Fatalf("%s: call %d is blocked with %s, and allowed with one policy more", about, i, line(b))
		case !denies(added) && (a.Allowed != b.Allowed || a.Code != b.Code || !slices.Equal(a.Errors, b.Errors)):
			t.Fatalf("%s: call %d: a policy without Deny makes %s of %s", about, i, line(a), line(b))
		case denies(added) && !b.Allowed && stageOf(a.Code) > stageOf(b.Code):
			t.Fatalf("%s: call %d: one policy more moves the block from %s to a later stage, %s", about, i, line(b), line(a))
		case a.Allowed && b.WouldBlock && !a.WouldBlock:
			t.Fatalf("%s: call %d would no longer be blocked", about, i)
		}
		if told := after.Response.Results[i]; b.Allowed == a.Allowed && rank(before.Response.Results[i]) < rank(told) && !a.Allowed {
			t.Fatalf("%s: call %d: one policy more tells more: %s, then %s", about, i, line(before.Response.Results[i]), line(told))
		}
	}
}

func whole(d *review.Decision, i int) reviewv1alpha1.ToolCallResult {
	if d.Whole != nil {
		return d.Whole[i]
	}
	return d.Response.Results[i]
}

func stageOf(code reviewv1alpha1.VerdictCode) int {
	return slices.Index([]reviewv1alpha1.VerdictCode{"malformed_call", "no_policy", "unknown_tool", "schema_not_ready", "invalid_arguments", "forbidden", "policy_error", "ok"}, code)
}

// rank is how much a blocked result tells: nothing, the code, all.
func rank(r reviewv1alpha1.ToolCallResult) int {
	switch {
	case r.Code == "denied":
		return 0
	case len(r.Errors) == 0:
		return 1
	}
	return 2
}

// The same objects in any order are the same set, and every field that decides is in its
// revision.
func TestRevisionHasWhatDecides(t *testing.T) {
	revision := func(labels map[string]string, options ...option) string {
		return compile.Compile(compile.Input{
			Policies: list(policy("p", options...)), NamespaceLabels: map[string]map[string]string{"team": labels, "elsewhere": {"a": "b"}},
		}, nil).Revision
	}
	base := rule("r", `true`)
	seen := map[string]string{}
	for name, r := range map[string]string{
		"nothing": revision(nil), "rule": revision(nil, base), "expression": revision(nil, rule("r", `1 == 1`)), "name": revision(nil, rule("s", `true`)),
		"tools": revision(nil, rule("r", `true`, about("weather"))), "reason": revision(nil, rule("r", `true`, repairable)),
		"message": revision(nil, rule("r", `true`, saying("m"))), "messageExpression": revision(nil, rule("r", `true`, writing("m"))),
		"two rules": revision(nil, base, rule("s", `true`)), "failurePolicy": revision(nil, base, ignores), "rbac": revision(nil, rbac),
		"label": revision(nil, tenantFrom("NamespaceLabel")), "label's value": revision(map[string]string{"tenant": "alpha"}, tenantFrom("NamespaceLabel")),
		"another value": revision(map[string]string{"tenant": "beta"}, tenantFrom("NamespaceLabel")), "context": revision(nil, tenantFrom("Context")),
		"Code": revision(nil, discloses("Code")), "Opaque": revision(nil, discloses("Opaque")),
		"audit": revision(nil, func(p *callgatev1alpha1.ToolPolicy) { p.Spec.Audit.Arguments = callgatev1alpha1.AuditFull }),
	} {
		if other, ok := seen[r]; ok {
			t.Errorf("%s and %s have one revision", name, other)
		}
		seen[r] = name
	}
	for name, same := range map[string]string{
		"rules in another order":         revision(nil, rule("s", `true`), base),
		"labels that no policy reads":    revision(map[string]string{"x": "y"}, base, rule("s", `true`)),
		"defaults that are written down": revision(nil, base, rule("s", `true`), tenantFrom("Namespace"), discloses("Full"), func(p *callgatev1alpha1.ToolPolicy) { p.Spec.FailurePolicy = "Fail" }),
	} {
		if seen[same] != "two rules" {
			t.Errorf("%s are another revision", name)
		}
	}
}

// Suggestions are of tools that the caller may use; RBAC would have to be asked about
// each.
func TestNoSuggestionsWhereRBACGrants(t *testing.T) {
	w := world{policies: list(policy("p", rbac)), says: all(review.Granted)}
	schemas := w.decide(call("bank/pay", `{}`)).Response.Results[0]
	if schemas.Code != "unknown_tool" || strings.Contains(schemas.Feedback, "mean") {
		t.Errorf("feedback %s", schemas.Feedback)
	}
}
