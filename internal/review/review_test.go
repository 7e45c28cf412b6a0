package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

const weather = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"units":{"type":"string","enum":["c","f"]}},"required":["city"]}`

func schema(name, parameters string, labels map[string]string) *callgatev1alpha1.ToolSchema {
	s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Labels: labels}}
	s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(parameters)}
	return s
}

type option func(*callgatev1alpha1.ToolPolicy)

func policy(name string, options ...option) *callgatev1alpha1.ToolPolicy {
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"agent"}
	p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"weather"}
	for _, o := range options {
		o(p)
	}
	return p
}

func declares(names ...callgatev1alpha1.EffectiveToolName) option {
	return func(p *callgatev1alpha1.ToolPolicy) { p.Spec.DeclaredTools = names }
}

func acts(actions ...callgatev1alpha1.ValidationAction) option {
	return func(p *callgatev1alpha1.ToolPolicy) { p.Spec.ValidationActions = actions }
}

func undeclared(p *callgatev1alpha1.ToolPolicy) { p.Spec.UndeclaredTools = callgatev1alpha1.PassAllow }
func unvalidated(p *callgatev1alpha1.ToolPolicy) {
	p.Spec.UnvalidatedCalls = callgatev1alpha1.PassAllow
}

func selects(labels map[string]string) option {
	return func(p *callgatev1alpha1.ToolPolicy) {
		p.Spec.SchemaSelector = &metav1.LabelSelector{MatchLabels: labels}
	}
}

func broken(p *callgatev1alpha1.ToolPolicy) {
	p.Spec.SchemaSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}}
}

var agent = review.Caller{Kind: review.ServiceAccount, Namespace: "team", Name: "agent"}

func judge(t *testing.T, caller review.Caller, schemas []*callgatev1alpha1.ToolSchema, policies []*callgatev1alpha1.ToolPolicy, calls ...toolcall.Call) review.Decision {
	t.Helper()
	out := compile.Compile(compile.Input{Schemas: schemas, Policies: policies}, nil)
	return review.Calls(snapshot.New(out), caller, toolcall.Review{UID: "u", Calls: calls}, nil)
}

type result = reviewv1alpha1.ToolCallResult

func call(name, arguments string) toolcall.Call {
	return toolcall.Call{ID: "1", Name: name, Arguments: []byte(arguments)}
}

func TestStages(t *testing.T) {
	good := schema("weather", weather, nil)
	bad := schema("bad", `{"type":"any"}`, nil)
	list := func(p ...*callgatev1alpha1.ToolPolicy) []*callgatev1alpha1.ToolPolicy { return p }
	fine, wrong := `{"city":"Oslo"}`, `{"days":true,"tz":"UTC"}`
	threeErrors := []string{"missing:city", "type:days", "unexpected:tz"}
	for name, tc := range map[string]struct {
		caller   review.Caller
		policies []*callgatev1alpha1.ToolPolicy
		call     toolcall.Call
		want     result
	}{
		"allowed": {policies: list(policy("p")), call: call("weather", fine),
			want: result{Allowed: true, Code: "ok", Policies: []string{"team/p"}}},
		"the first seed's sample": {policies: list(policy("p")), call: call("weather", wrong),
			want: result{Code: "invalid_arguments", Errors: threeErrors, Policies: []string{"team/p"}}},
		"malformed precedes everything": {policies: nil, call: toolcall.Call{ID: "1", Fault: toolcall.Malformed},
			want: result{Code: "malformed_call", Errors: []string{"malformed_call"}}},
		"no policy": {policies: nil, call: call("weather", fine),
			want: result{Code: "no_policy", Errors: []string{"no_policy"}}},
		"a caller of another namespace": {caller: review.Caller{Kind: review.ServiceAccount, Namespace: "other", Name: "agent"},
			policies: list(policy("p")), call: call("weather", fine),
			want: result{Code: "no_policy", Errors: []string{"no_policy"}}},
		"the zero caller": {caller: review.Caller{Namespace: "team", Name: "agent"},
			policies: list(policy("p")), call: call("weather", fine),
			want: result{Code: "no_policy", Errors: []string{"no_policy"}}},
		"unknown tool before its arguments are decoded": {policies: list(policy("p")), call: call("drop", `{"a":`),
			want: result{Code: "unknown_tool", Errors: []string{"unknown_tool:drop"}, Policies: []string{"team/p"}}},
		"schema not ready": {policies: list(policy("p", declares("bad"))), call: call("bad", fine),
			want: result{Code: "schema_not_ready", Errors: []string{"schema_not_ready:bad"}, Policies: []string{"team/p"}}},
		"undecodable arguments": {policies: list(policy("p")), call: call("weather", `{"city":`),
			want: result{Code: "invalid_arguments", Errors: []string{"arguments:invalid_json"}, Policies: []string{"team/p"}}},
		"a broken policy": {policies: list(policy("p", broken)), call: call("weather", fine),
			want: result{Code: "policy_error", Errors: []string{"policy_error:p"}, Policies: []string{"team/p"}}},
		"a broken policy beside a good one": {policies: list(policy("a"), policy("b", broken)), call: call("weather", fine),
			want: result{Code: "policy_error", Errors: []string{"policy_error:b"}, Policies: []string{"team/b"}}},
		"an earlier stage precedes a broken policy": {policies: list(policy("a"), policy("b", broken)), call: call("weather", wrong),
			want: result{Code: "invalid_arguments", Errors: threeErrors, Policies: []string{"team/a"}}},

		"Audit allows and records": {policies: list(policy("p", acts("Audit"))), call: call("weather", wrong),
			want: result{Allowed: true, Code: "ok", WouldBlock: true, Policies: []string{"team/p"}}},
		"Warn allows and warns": {policies: list(policy("p", acts("Warn"))), call: call("weather", wrong),
			want: result{Allowed: true, Code: "ok", WouldBlock: true, Warnings: threeErrors, Policies: []string{"team/p"}}},
		"Audit and an unknown tool": {policies: list(policy("p", acts("Audit"))), call: call("drop", fine),
			want: result{Allowed: true, Code: "ok", WouldBlock: true, Policies: []string{"team/p"}}},
		"Audit and arguments that do not decode": {policies: list(policy("p", acts("Audit"))), call: call("weather", `{`),
			want: result{Code: "invalid_arguments", Errors: []string{"arguments:invalid_json"}, Policies: []string{"team/p"}}},
		"Audit, an unknown tool, and arguments that do not decode": {policies: list(policy("p", acts("Audit"))), call: call("drop", `{`),
			want: result{Code: "invalid_arguments", Errors: []string{"arguments:invalid_json"}, Policies: []string{"team/p"}}},
		"Audit and a cut message": {policies: list(policy("p", acts("Audit"))), call: toolcall.Call{ID: "1", Name: "weather", Fault: toolcall.Truncated, Arguments: []byte(fine)},
			want: result{Code: "invalid_arguments", Errors: []string{"arguments:truncated"}, Policies: []string{"team/p"}}},
		"Warn and Deny failing at different stages": {
			policies: list(policy("deny"), policy("warn", acts("Warn"), declares("other"))), call: call("weather", wrong),
			want: result{Code: "invalid_arguments", Errors: threeErrors, Warnings: []string{"unknown_tool:weather"}, Policies: []string{"team/deny"}}},
		"a second policy takes away": {policies: list(policy("a"), policy("b", declares("other"))), call: call("weather", fine),
			want: result{Code: "unknown_tool", Errors: []string{"unknown_tool:weather"}, Policies: []string{"team/b"}}},
		"an Audit policy takes nothing away": {policies: list(policy("a"), policy("b", acts("Audit"), declares("other"))), call: call("weather", fine),
			want: result{Allowed: true, Code: "ok", WouldBlock: true, Policies: []string{"team/a", "team/b"}}},
		"emptied actions deny": {policies: list(policy("p", acts())), call: call("weather", wrong),
			want: result{Code: "invalid_arguments", Errors: threeErrors, Policies: []string{"team/p"}}},
		"an unknown action denies": {policies: list(policy("p", acts("Sing"))), call: call("weather", wrong),
			want: result{Code: "invalid_arguments", Errors: threeErrors, Policies: []string{"team/p"}}},

		"declared, no schema, Block": {policies: list(policy("p", declares("bare"))), call: call("bare", fine),
			want: result{Code: "unknown_tool", Errors: []string{"unknown_tool:bare"}, Policies: []string{"team/p"}}},
		"declared, no schema, Allow": {policies: list(policy("p", declares("bare"), unvalidated)), call: call("bare", `{"x":[1]}`),
			want: result{Allowed: true, Code: "ok", Policies: []string{"team/p"}}},
		"declared, no schema, Allow, duplicate key": {policies: list(policy("p", declares("bare"), unvalidated)), call: call("bare", `{"x":1,"x":2}`),
			want: result{Code: "invalid_arguments", Errors: []string{"duplicate:x"}, Policies: []string{"team/p"}}},
		"declared, no schema, Allow, no object": {policies: list(policy("p", declares("bare"), unvalidated)), call: call("bare", `[1]`),
			want: result{Code: "invalid_arguments", Errors: []string{"arguments:not_an_object"}, Policies: []string{"team/p"}}},
		"undeclared, schema, Allow": {policies: list(policy("p", declares("other"), undeclared)), call: call("weather", wrong),
			want: result{Code: "invalid_arguments", Errors: threeErrors, Policies: []string{"team/p"}}},
		"undeclared, no schema, one Allow": {policies: list(policy("p", declares("other"), undeclared)), call: call("bare", fine),
			want: result{Code: "unknown_tool", Errors: []string{"unknown_tool:bare"}, Policies: []string{"team/p"}}},
		"undeclared, no schema, both Allow": {policies: list(policy("p", declares("other"), undeclared, unvalidated)), call: call("bare", fine),
			want: result{Allowed: true, Code: "ok", Policies: []string{"team/p"}}},
		"not selected is unknown, never unvalidated": {policies: list(policy("p", selects(map[string]string{"a": "b"}), undeclared, unvalidated)), call: call("weather", fine),
			want: result{Code: "unknown_tool", Errors: []string{"unknown_tool:weather"}, Policies: []string{"team/p"}}},
		"every name": {policies: list(policy("p", declares("*"))), call: call("weather", fine),
			want: result{Allowed: true, Code: "ok", Policies: []string{"team/p"}}},
		"every name is not every unvalidated name": {policies: list(policy("p", declares("*"))), call: call("bare", fine),
			want: result{Code: "unknown_tool", Errors: []string{"unknown_tool:bare"}, Policies: []string{"team/p"}}},
		"a message's own warning": {policies: list(policy("p")), call: toolcall.Call{ID: "1", Name: "weather", Arguments: []byte(`{}`), Warnings: []string{"arguments:empty"}},
			want: result{Code: "invalid_arguments", Errors: []string{"missing:city"}, Warnings: []string{"arguments:empty"}, Policies: []string{"team/p"}}},
	} {
		t.Run(name, func(t *testing.T) {
			caller := tc.caller
			if caller.Name == "" {
				caller = agent
			}
			d := judge(t, caller, []*callgatev1alpha1.ToolSchema{good, bad}, tc.policies, tc.call)
			got := d.Response.Results[0]
			tc.want.ID = "1"
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty(),
				cmpopts.IgnoreFields(result{}, "Name", "Violations", "ArgumentsDigest", "Feedback")); diff != "" {
				t.Error(diff)
			}
			if d.Response.Allowed != got.Allowed {
				t.Errorf("the review is allowed=%v, its only call %v", d.Response.Allowed, got.Allowed)
			}
			if (got.Feedback == "") != got.Allowed {
				t.Errorf("allowed=%v with the feedback %q", got.Allowed, got.Feedback)
			}
			if got.Errors == nil || got.Violations == nil || got.Warnings == nil || got.Policies == nil {
				t.Error("a list is null on the wire")
			}
			if (got.Code == "invalid_arguments") != (len(got.Violations) > 0) && !hasFault(got.Errors) {
				t.Errorf("code %s with %d violations", got.Code, len(got.Violations))
			}
		})
	}
}

func hasFault(errors []string) bool {
	return slices.ContainsFunc(errors, func(e string) bool { return len(e) > 10 && e[:10] == "arguments:" })
}

func TestAuditFindings(t *testing.T) {
	schemas := []*callgatev1alpha1.ToolSchema{schema("weather", weather, nil)}
	policies := []*callgatev1alpha1.ToolPolicy{
		policy("a", acts("Audit")),
		policy("b", acts("Audit"), declares("other")),
		policy("c", declares("other"), undeclared),
		policy("d", acts("Warn"), declares("other")),
		policy("e", acts("Deny", "Audit")),
	}
	d := judge(t, agent, schemas, policies, call("weather", `{"city":"Oslo"}`), call("weather", `{"city":1}`))
	want := []review.AuditFinding{
		{Index: 0, ID: "1", Name: "weather", Code: "unknown_tool", Errors: []string{"unknown_tool:weather"}, Policies: []string{"team/b"}},
		{Index: 0, ID: "1", Name: "weather", Code: "ok", Errors: []string{"undeclared_tool:weather"}, Policies: []string{"team/c"}},
		{Index: 1, ID: "1", Name: "weather", Code: "invalid_arguments", Errors: []string{"type:city"}, Policies: []string{"team/a", "team/e"}},
		{Index: 1, ID: "1", Name: "weather", Code: "unknown_tool", Errors: []string{"unknown_tool:weather"}, Policies: []string{"team/b"}},
	}
	if diff := cmp.Diff(want, d.Audit); diff != "" {
		t.Error(diff)
	}
}

// What is judged at a small cost is judged as it would be at any.
func TestCheapSaysTheSameOrNothing(t *testing.T) {
	var branches []string
	for i := range 300 {
		branches = append(branches, fmt.Sprintf(`{"type":"object","required":["x%d"]}`, i))
	}
	out := compile.Compile(compile.Input{
		Schemas: []*callgatev1alpha1.ToolSchema{
			schema("weather", weather, nil),
			schema("union", `{"properties":{"x":{"type":"array","items":{"anyOf":[`+strings.Join(branches, ",")+`]}}}}`, nil),
		},
		Policies: []*callgatev1alpha1.ToolPolicy{policy("p", declares("*"))},
	}, nil)
	snap := snapshot.New(out)
	for arguments, cheap := range map[string]bool{`{"x":[]}`: true, `{"x":[{}]}`: true, `{"x":[` + strings.Repeat("{},", 200) + `{}]}`: false} {
		in := toolcall.Review{UID: "u", Calls: []toolcall.Call{call("weather", `{"city":1}`), call("union", arguments)}}
		d, ok := review.Cheap(snap, agent, in, nil)
		if ok != cheap {
			t.Errorf("%.40s: cheap=%v, want %v", arguments, ok, cheap)
		}
		if whole := review.Calls(snap, agent, in, nil); ok && !cmp.Equal(d, whole) {
			t.Errorf("%.40s: %s", arguments, cmp.Diff(whole, d))
		}
	}
}

// One broken schema must not change the verdict on a call to another tool.
func TestBadNeighbour(t *testing.T) {
	p := []*callgatev1alpha1.ToolPolicy{policy("p", declares("*"))}
	good := schema("weather", weather, nil)
	alone := judge(t, agent, []*callgatev1alpha1.ToolSchema{good}, p, call("weather", `{"days":1}`))
	beside := judge(t, agent, []*callgatev1alpha1.ToolSchema{good, schema("bad", `{"type":"any"}`, nil)}, p, call("weather", `{"days":1}`))
	if diff := cmp.Diff(alone.Response.Results, beside.Response.Results); diff != "" {
		t.Error(diff)
	}
}

func TestDigestIsOfTheCanonicalArguments(t *testing.T) {
	schemas := []*callgatev1alpha1.ToolSchema{schema("weather", weather, nil)}
	p := []*callgatev1alpha1.ToolPolicy{policy("p")}
	digest := func(arguments string) string {
		return judge(t, agent, schemas, p, call("weather", arguments)).Response.Results[0].ArgumentsDigest
	}
	same := digest(`{"city":"Oslo","days":2}`)
	if same == "" || same != digest(" {\"days\" : 2, \"ci\\u0074y\":\"Oslo\"}\n") {
		t.Error("equal arguments have different digests")
	}
	for _, other := range []string{`{"city":"Oslo","days":3}`, `{"city":"Oslo","days":2.0}`, `{"city":"oslo","days":2}`} {
		if digest(other) == same {
			t.Errorf("%s has the digest of other arguments", other)
		}
	}
	for _, none := range []string{`{`, `[]`, `{"city":1,"city":2}`} {
		if d := digest(none); d != "" {
			t.Errorf("%s has digest %s: there is no one tree to take it of", none, d)
		}
	}
}

// Beyond the first policy, each one more with Deny can only take away, whatever the
// order, and policies without Deny change nothing.
func TestMorePoliciesOnlyTakeAway(t *testing.T) {
	schemas := []*callgatev1alpha1.ToolSchema{
		schema("weather", weather, map[string]string{"a": "b"}), schema("bad", `{"type":"any"}`, nil),
	}
	pool := []*callgatev1alpha1.ToolPolicy{
		policy("a"), policy("b", declares("*")), policy("c", declares("weather", "bare"), unvalidated),
		policy("d", declares("other"), undeclared), policy("e", selects(map[string]string{"a": "b"}), declares("*")),
		policy("f", acts("Audit"), declares("other")), policy("g", acts("Warn"), declares("bad")), policy("h", broken, acts("Audit")),
		policy("i", broken), policy("j", undeclared, unvalidated),
	}
	calls := []toolcall.Call{
		call("weather", `{"city":"x"}`), call("weather", `{"city":1}`), call("bad", `{}`), call("bare", `{}`), call("nowhere", `{}`), call("bare", `[]`),
	}
	var memo *compile.Output
	judge := func(policies []*callgatev1alpha1.ToolPolicy) review.Decision {
		memo = compile.Compile(compile.Input{Schemas: schemas, Policies: policies}, memo)
		return review.Calls(snapshot.New(memo), agent, toolcall.Review{UID: "u", Calls: calls}, nil)
	}
	alone := map[*callgatev1alpha1.ToolPolicy][]reviewv1alpha1.ToolCallResult{}
	for _, p := range pool {
		alone[p] = judge([]*callgatev1alpha1.ToolPolicy{p}).Response.Results
	}
	for set := 1; set < 1<<len(pool); set++ {
		var policies []*callgatev1alpha1.ToolPolicy
		denies := false
		for i, p := range pool {
			if set&(1<<i) != 0 {
				policies = append(policies, p)
				denies = denies || len(p.Spec.ValidationActions) == 0
			}
		}
		forward := judge(policies)
		slices.Reverse(policies)
		backward := judge(policies)
		if diff := cmp.Diff(forward, backward); diff != "" {
			t.Fatalf("set %b depends on the order: %s", set, diff)
		}
		for i, r := range forward.Response.Results {
			wantAllowed := true
			for _, p := range policies {
				if len(p.Spec.ValidationActions) > 0 {
					continue
				}
				wantAllowed = wantAllowed && alone[p][i].Allowed
			}
			if !denies {
				wantAllowed = i != 5 // arguments that are no object block in any case
			}
			if r.Allowed != wantAllowed {
				t.Fatalf("set %b call %d: allowed=%v, each policy by itself says %v", set, i, r.Allowed, wantAllowed)
			}
		}
	}
}
