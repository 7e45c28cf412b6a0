package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

func rbac(p *callgatev1alpha1.ToolPolicy) {
	p.Spec.Authorization.Mode = callgatev1alpha1.AuthorizationRBAC
}

func tenantFrom(from callgatev1alpha1.TenantSource) option {
	return func(p *callgatev1alpha1.ToolPolicy) {
		p.Spec.Tenant.From = from
		if from == callgatev1alpha1.TenantFromNamespaceLabel {
			p.Spec.Tenant.Label = "tenant"
		}
	}
}

func discloses(d callgatev1alpha1.Disclosure) option {
	return func(p *callgatev1alpha1.ToolPolicy) { p.Spec.Disclosure = d }
}

func ignores(p *callgatev1alpha1.ToolPolicy) {
	p.Spec.FailurePolicy = callgatev1alpha1.FailurePolicyIgnore
}

func rule(name, expression string, change ...func(*callgatev1alpha1.PolicyRule)) option {
	r := callgatev1alpha1.PolicyRule{Name: name, Expression: expression}
	for _, f := range change {
		f(&r)
	}
	return func(p *callgatev1alpha1.ToolPolicy) { p.Spec.Rules = append(p.Spec.Rules, r) }
}

func about(names ...callgatev1alpha1.EffectiveToolName) func(*callgatev1alpha1.PolicyRule) {
	return func(r *callgatev1alpha1.PolicyRule) { r.Tools = names }
}

func saying(message string) func(*callgatev1alpha1.PolicyRule) {
	return func(r *callgatev1alpha1.PolicyRule) { r.Message = message }
}

func writing(expression string) func(*callgatev1alpha1.PolicyRule) {
	return func(r *callgatev1alpha1.PolicyRule) { r.MessageExpression = expression }
}

func repairable(r *callgatev1alpha1.PolicyRule) { r.Reason = callgatev1alpha1.RuleInvalidArguments }

const payment = `{"type":"object","properties":{"amount":{"type":"number"},"note":{"type":"string"}},"required":["amount"]}`

// world is everything that decides a verdict.
type world struct {
	policies []*callgatev1alpha1.ToolPolicy
	labels   map[string]string
	context  toolcall.Context
	// says answers every question; nil refuses.
	says func(review.Access) review.AccessAnswer
}

func (w world) decide(calls ...toolcall.Call) review.Decision {
	toolSchemas := []*callgatev1alpha1.ToolSchema{
		schema("weather", weather, map[string]string{"risk": "low"}), schema("pay", payment, map[string]string{"risk": "high"}), schema("bad", `{"type":"any"}`, nil),
	}
	toolSchemas[1].Spec.Server = "bank"
	toolSchemas[1].Spec.Arguments.Nulls = callgatev1alpha1.NullsAbsent
	out := compile.Compile(compile.Input{Schemas: toolSchemas, Policies: w.policies, NamespaceLabels: map[string]map[string]string{"team": w.labels}}, nil)
	snap := snapshot.New(out)
	in := toolcall.Review{UID: "u", Calls: calls, Context: w.context}
	answers := review.Answers{}
	for _, q := range review.Needs(snap, agent, &in) {
		answers[q] = review.Refused
		if w.says != nil {
			answers[q] = w.says(q)
		}
	}
	return review.Calls(snap, agent, in, answers)
}

func all(answer review.AccessAnswer) func(review.Access) review.AccessAnswer {
	return func(review.Access) review.AccessAnswer { return answer }
}

// line is a verdict in one line.
func line(r reviewv1alpha1.ToolCallResult) string {
	parts := append([]string{string(r.Code)}, r.Errors...)
	if r.WouldBlock {
		parts = append(parts, "wouldBlock")
	}
	for _, w := range r.Warnings {
		parts = append(parts, "warning="+w)
	}
	return strings.Join(parts, " ")
}

func TestLastStage(t *testing.T) {
	pay := func(arguments string) toolcall.Call { return call("bank/pay", arguments) }
	fine, city := pay(`{"amount":50}`), call("weather", `{"city":"Oslo"}`)
	every := declares("*")
	for name, tc := range map[string]struct {
		world world
		call  toolcall.Call
		want  string
	}{
		"a rule that is true":  {world{policies: list(policy("p", every, rule("r", `args.amount <= 100`)))}, fine, "ok"},
		"a rule that is false": {world{policies: list(policy("p", every, rule("r", `args.amount <= 10`)))}, fine, "forbidden forbidden:p/r"},
		"all rules that are false": {world{policies: list(policy("p", every, rule("z", `false`), rule("a", `args.amount < 1`), rule("m", `true`)))}, fine,
			"forbidden forbidden:p/a forbidden:p/z"},
		"a rule about another tool": {world{policies: list(policy("p", every, rule("r", `false`, about("weather"))))}, fine, "ok"},
		"a rule about this tool":    {world{policies: list(policy("p", every, rule("r", `false`, about("bank/pay"))))}, fine, "forbidden forbidden:p/r"},
		"an alternative":            {world{policies: list(policy("p", every, rule("r", `args.amount <= 10 || caller.namespace == "team"`)))}, fine, "ok"},
		"everything a rule may read": {world{policies: list(policy("p", every, tenantFrom("Context"), rule("r",
			`tool.name == "pay" && tool.server == "bank" && tool.labels["risk"] == "high" && caller.serviceAccountName == "agent" &&
			 caller.username == "system:serviceaccount:team:agent" && tenant == "alpha" && context.tenant == "alpha" && context.attributes.vip`))),
			context: toolcall.Context{Tenant: "alpha", Attributes: []byte(`{"vip":true}`)}, says: all(review.Granted)}, fine, "ok"},
		"an attribute that is not said":         {world{policies: list(policy("p", every, rule("r", `context.attributes.vip`)))}, fine, "forbidden forbidden:p/r"},
		"a null that counts as absent":          {world{policies: list(policy("p", every, rule("r", `!has(args.note)`)))}, pay(`{"amount":1,"note":null}`), "ok"},
		"a missing argument is not another one": {world{policies: list(policy("p", every, rule("r", `args.note != "x"`)))}, fine, "forbidden forbidden:p/r"},
		"an argument that is missing":           {world{policies: list(policy("p", every, rule("r", `args.note.startsWith("x")`)))}, fine, "forbidden forbidden:p/r"},
		"dividing by zero":                      {world{policies: list(policy("p", every, rule("r", `1 / int(args.amount) > 0`)))}, pay(`{"amount":0}`), "forbidden forbidden:p/r"},
		"an error is false under Ignore too":    {world{policies: list(policy("p", every, ignores, rule("r", `1 / int(args.amount) > 0`)))}, pay(`{"amount":0}`), "forbidden forbidden:p/r"},
		"a number beyond the doubles":           {world{policies: list(policy("p", every, rule("r", `args.amount > 0.0 || true`)))}, pay(`{"amount":1e999}`), "forbidden forbidden:p/r"},
		"a number that the rule does not read":  {world{policies: list(policy("p", every, rule("r", `has(args.amount)`)))}, pay(`{"amount":1e999}`), "ok"},
		"an integer beyond int64":               {world{policies: list(policy("p", every, rule("r", `args.amount != 1`)))}, pay(`{"amount":9223372036854775808}`), "forbidden forbidden:p/r"},
		"1.0 is an int":                         {world{policies: list(policy("p", every, rule("r", `type(args.amount) == int`)))}, pay(`{"amount":1.0}`), "ok"},

		"a repairable rule":  {world{policies: list(policy("p", every, rule("r", `args.amount <= 10`, repairable)))}, fine, "invalid_arguments rule:p/r"},
		"only once they fit": {world{policies: list(policy("p", every, rule("r", `args.amount <= 10`, repairable)))}, pay(`{"amount":"x"}`), "invalid_arguments type:amount"},
		"before stage 4": {world{policies: list(policy("p", every, rule("r", `false`, repairable), rule("s", `false`)), policy("q", every, rbac))}, fine,
			"invalid_arguments"},
		"of several policies": {world{policies: list(policy("p", every, rule("r", `false`, repairable)), policy("q", every, rule("r", `false`, repairable), rule("s", `false`)))}, fine,
			"invalid_arguments rule:p/r rule:q/r"},

		"a broken rule":                                      {world{policies: list(policy("p", every, rule("r", `args.`)))}, fine, "policy_error policy_error:p/r"},
		"a broken rule is skipped under Ignore":              {world{policies: list(policy("p", every, ignores, rule("r", `args.`)))}, fine, "ok"},
		"the others are not":                                 {world{policies: list(policy("p", every, ignores, rule("r", `args.`), rule("s", `false`)))}, fine, "forbidden forbidden:p/s"},
		"a broken rule about another tool":                   {world{policies: list(policy("p", every, rule("r", `args.`, about("weather"))))}, fine, "ok"},
		"an earlier stage comes first":                       {world{policies: list(policy("p", every, rule("r", `args.`)))}, pay(`{}`), "invalid_arguments missing:amount"},
		"a broken repairable rule":                           {world{policies: list(policy("p", every, rule("r", `args.`, repairable)))}, fine, "policy_error policy_error:p/r"},
		"a no outweighs an unknown":                          {world{policies: list(policy("p", every, rule("r", `args.`), rule("s", `false`)))}, fine, "forbidden forbidden:p/s policy_error:p/r"},
		"a no of one policy outweighs an unknown of another": {world{policies: list(policy("a", every, rule("s", `false`)), policy("p", every, rule("r", `args.`)))}, fine, "forbidden forbidden:a/s policy_error:p/r"},
		"whatever their order":                               {world{policies: list(policy("z", every, rule("s", `false`)), policy("p", every, rule("r", `args.`)))}, fine, "forbidden forbidden:z/s policy_error:p/r"},
		"an unknown failure policy is Fail": {world{policies: list(policy("p", every, rule("r", `args.`),
			func(p *callgatev1alpha1.ToolPolicy) { p.Spec.FailurePolicy = "ignore" }))}, fine, "policy_error policy_error:p/r"},

		"RBAC grants":          {world{policies: list(policy("p", every, rbac)), says: all(review.Granted)}, fine, "ok"},
		"RBAC refuses":         {world{policies: list(policy("p", every, rbac))}, fine, "forbidden forbidden:rbac"},
		"RBAC does not answer": {world{policies: list(policy("p", every, rbac)), says: all(review.Unanswered)}, fine, "policy_error policy_error:p"},
		"RBAC grants another tool": {world{policies: list(policy("p", every, rbac)), says: func(q review.Access) review.AccessAnswer {
			if q.Name == "weather" {
				return review.Granted
			}
			return review.Refused
		}}, fine, "forbidden forbidden:rbac"},
		"RBAC cannot grant a tool without ToolSchema": {world{policies: list(policy("p", every, rbac, unvalidated)), says: all(review.Granted)}, call("bare", `{}`), "forbidden forbidden:rbac"},
		"all that apply": {world{policies: list(policy("p", every, rbac, tenantFrom("Context"), rule("r", `false`)))}, fine, "forbidden forbidden:p/r forbidden:rbac forbidden:tenant"},
		"an unknown mode is RBAC": {world{policies: list(policy("p", every, func(p *callgatev1alpha1.ToolPolicy) { p.Spec.Authorization.Mode = "rbac" }))}, fine,
			"forbidden forbidden:rbac"},

		"whom RBAC refuses learns only the code: arguments":    {world{policies: list(policy("p", every, rbac))}, pay(`{}`), "invalid_arguments"},
		"whom RBAC refuses learns only the code: not ready":    {world{policies: list(policy("p", every, rbac))}, call("bad", `{}`), "schema_not_ready"},
		"whom RBAC refuses learns only the code: unknown":      {world{policies: list(policy("p", declares("weather"), rbac))}, fine, "unknown_tool"},
		"whom RBAC refuses learns only the code: undecodable":  {world{policies: list(policy("p", every, rbac))}, pay(`{`), "invalid_arguments"},
		"so does who may be refused":                           {world{policies: list(policy("p", every, rbac)), says: all(review.Unanswered)}, pay(`{}`), "invalid_arguments"},
		"whom RBAC refuses sees no warnings of earlier stages": {world{policies: list(policy("p", every, rbac), policy("q", declares("weather"), acts("Warn")))}, fine, "forbidden forbidden:rbac"},
		"so does whom it does not answer":                      {world{policies: list(policy("p", every, rbac), policy("q", declares("weather"), acts("Warn"))), says: all(review.Unanswered)}, fine, "policy_error policy_error:p"},
		"whom RBAC grants sees them": {world{policies: list(policy("p", every, rbac, rule("r", `false`)), policy("q", declares("weather"), acts("Warn"))), says: all(review.Granted)}, fine,
			"forbidden forbidden:p/r warning=unknown_tool:bank/pay"},
		"whom RBAC grants learns all":                      {world{policies: list(policy("p", every, rbac)), says: all(review.Granted)}, pay(`{}`), "invalid_arguments missing:amount"},
		"RBAC of a policy without Deny keeps nothing back": {world{policies: list(policy("p", every), policy("q", every, rbac, acts("Audit")))}, pay(`{}`), "invalid_arguments missing:amount"},

		"the tenant is the namespace":                  {world{policies: list(policy("p", rule("r", `tenant == "team"`)))}, city, "ok"},
		"a label":                                      {world{policies: list(policy("p", tenantFrom("NamespaceLabel"), rule("r", `tenant == "alpha"`))), labels: map[string]string{"tenant": "alpha"}}, city, "ok"},
		"a label that is missing":                      {world{policies: list(policy("p", tenantFrom("NamespaceLabel"), rule("r", `tenant == "alpha"`)))}, city, "forbidden forbidden:tenant"},
		"a label that is empty":                        {world{policies: list(policy("p", tenantFrom("NamespaceLabel"))), labels: map[string]string{"tenant": ""}}, city, "forbidden forbidden:tenant"},
		"the context":                                  {world{policies: list(policy("p", tenantFrom("Context"), rule("r", `tenant == "a"`))), context: toolcall.Context{Tenant: "a"}, says: all(review.Granted)}, city, "ok"},
		"the context, not to be used":                  {world{policies: list(policy("p", tenantFrom("Context"))), context: toolcall.Context{Tenant: "a"}}, city, "forbidden forbidden:tenant"},
		"the context, and nobody can tell":             {world{policies: list(policy("p", tenantFrom("Context"))), context: toolcall.Context{Tenant: "a"}, says: all(review.Unanswered)}, city, "policy_error policy_error:p"},
		"the context does not say":                     {world{policies: list(policy("p", tenantFrom("Context"))), says: all(review.Granted)}, city, "forbidden forbidden:tenant"},
		"what the context says is no tenant":           {world{policies: list(policy("p", tenantFrom("Context"))), context: toolcall.Context{Tenant: "a b"}, says: all(review.Granted)}, city, "forbidden forbidden:tenant"},
		"a tenant in the context that no policy takes": {world{policies: list(policy("p")), context: toolcall.Context{Tenant: "team"}, says: all(review.Granted)}, city, "forbidden forbidden:tenant"},
		"a tenant in the context that one policy does not take": {world{policies: list(policy("p", tenantFrom("Context")), policy("q")),
			context: toolcall.Context{Tenant: "team"}, says: all(review.Granted)}, city, "forbidden forbidden:tenant"},
		"tenants that differ": {world{policies: list(policy("p"), policy("q", tenantFrom("NamespaceLabel"))), labels: map[string]string{"tenant": "alpha"}}, city, "forbidden forbidden:tenant"},
		"tenants that agree":  {world{policies: list(policy("p"), policy("q", tenantFrom("NamespaceLabel"))), labels: map[string]string{"tenant": "team"}}, city, "ok"},
		"tenants that differ, without Deny": {world{policies: list(policy("p"), policy("q", tenantFrom("NamespaceLabel"), acts("Warn"))), labels: map[string]string{"tenant": "alpha"}}, city,
			"ok wouldBlock warning=forbidden:tenant"},
		"an unknown source": {world{policies: list(policy("p", tenantFrom("Annotation")))}, city, "forbidden forbidden:tenant"},
		"a tenant argument": {world{policies: list(policy("p"))}, call("weather", `{"city":"x","tenant":"team"}`), "invalid_arguments unexpected:tenant"},

		"Warn":           {world{policies: list(policy("p", every, acts("Warn"), rbac, rule("r", `false`)))}, fine, "ok wouldBlock warning=forbidden:p/r warning=forbidden:rbac"},
		"Audit":          {world{policies: list(policy("p", every, acts("Audit"), rbac, rule("r", `false`)))}, fine, "ok wouldBlock"},
		"Warn of a rule": {world{policies: list(policy("p", every, acts("Warn"), rule("r", `false`, repairable), rule("s", `false`)))}, fine, "ok wouldBlock warning=rule:p/r"},

		"Code tells the code":                 {world{policies: list(policy("p", every, discloses("Code"), rule("r", `false`)))}, fine, "forbidden"},
		"Opaque tells nothing":                {world{policies: list(policy("p", every, discloses("Opaque"), rule("r", `false`)))}, fine, "denied"},
		"the least counts":                    {world{policies: list(policy("p", every), policy("q", every, discloses("Opaque")), policy("r", every, discloses("Code")))}, pay(`{}`), "denied"},
		"the least counts, without Deny too":  {world{policies: list(policy("p", every), policy("q", every, discloses("Code"), acts("Audit")))}, pay(`{}`), "invalid_arguments"},
		"an unknown disclosure tells nothing": {world{policies: list(policy("p", every, discloses("All")))}, pay(`{}`), "denied"},
		"of a malformed call":                 {world{policies: list(policy("p", every, discloses("Opaque")))}, toolcall.Call{Fault: toolcall.Malformed}, "denied"},
		"an allow tells all the same":         {world{policies: list(policy("p", every, discloses("Opaque")))}, fine, "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			d := tc.world.decide(tc.call)
			r := d.Response.Results[0]
			if got := line(r); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			checkResult(t, &d, 0)
		})
	}
}

func list(p ...*callgatev1alpha1.ToolPolicy) []*callgatev1alpha1.ToolPolicy { return p }

// checkResult holds a result to what is true of all.
func checkResult(t *testing.T, d *review.Decision, i int) {
	t.Helper()
	r := &d.Response.Results[i]
	if r.Allowed != (r.Code == reviewv1alpha1.CodeOK) || (r.Allowed && len(r.Errors) > 0) || (r.Allowed && len(r.Violations) > 0) {
		t.Errorf("the result contradicts itself: %+v", r)
	}
	if (r.Feedback == "") != r.Allowed || len(r.Feedback) > 1024 {
		t.Errorf("allowed=%v with the feedback %q", r.Allowed, r.Feedback)
	}
	for _, l := range [][]string{r.Errors, r.Warnings, r.Policies} {
		if l == nil || !slices.IsSorted(l) || len(slices.Compact(slices.Clone(l))) != len(l) {
			t.Errorf("a list is nil, or no sorted set: %#v", l)
		}
	}
	if !r.Allowed && len(r.Errors) == 0 {
		if r.Feedback != "The call was refused." || len(r.Violations)+len(r.Warnings)+len(r.Policies) > 0 || r.ArgumentsDigest != "" {
			t.Errorf("more is told than is to be: %+v", r)
		}
		if d.Whole == nil || len(d.Whole[i].Errors) == 0 || d.Whole[i].Code == "denied" || d.Whole[i].Allowed {
			t.Errorf("the record does not have the whole: %+v", d.Whole)
		}
	}
}

// What a rule has to say reaches the model, in one line and without any argument.
func TestMessagesOfRules(t *testing.T) {
	for name, tc := range map[string]struct {
		options []option
		want    string
	}{
		"none":                     {[]option{rule("limit", `false`)}, `The call to "weather" is not allowed: the rule "limit" says no. Do not repeat it.`},
		"fixed":                    {[]option{rule("r", `false`, saying("Ask a person."))}, `The call to "weather" is not allowed: Ask a person. Do not repeat it.`},
		"two, twice":               {[]option{rule("a", `false`, saying("Ask.")), rule("b", `false`, saying("Ask")), rule("c", `false`, saying("Wait"))}, `The call to "weather" is not allowed: Ask; Wait. Do not repeat it.`},
		"repairable":               {[]option{rule("r", `args.city != "Oslo"`, repairable, saying("Not Oslo."))}, `The call to "weather" was refused. Change its arguments: Not Oslo.`},
		"written":                  {[]option{rule("r", `false`, writing(`"not for " + tenant + " by " + caller.serviceAccountName`))}, `The call to "weather" is not allowed: not for team by agent. Do not repeat it.`},
		"in one line":              {[]option{rule("r", `false`, writing(`"a\nb"`))}, `The call to "weather" is not allowed: a\u000ab. Do not repeat it.`},
		"one that fails":           {[]option{rule("r", `false`, writing(`tool.labels["none"]`))}, `The call to "weather" is not allowed: the rule "r" says no. Do not repeat it.`},
		"one that may not be":      {[]option{rule("r", `false`, writing(`args.city`))}, `The call to "weather" is not allowed: the rule "r" says no. Do not repeat it.`},
		"RBAC and tenant, then it": {[]option{rbac, tenantFrom("Context"), rule("r", `false`, saying("Ask"))}, `The call to "weather" is not allowed: you are not granted this tool; it cannot be made for this tenant; Ask. Do not repeat it.`},
		"a policy without Deny is not heard": {[]option{rule("r", `false`, saying("Ask")), func(p *callgatev1alpha1.ToolPolicy) {
			p.Spec.ValidationActions = []callgatev1alpha1.ValidationAction{"Warn"}
		}}, ``},
	} {
		t.Run(name, func(t *testing.T) {
			d := world{policies: list(policy("p", tc.options...))}.decide(call("weather", `{"city":"Oslo"}`))
			if got := d.Response.Results[0].Feedback; got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// A rule that costs too much is false, and does not make the others so.
func TestCostOfRules(t *testing.T) {
	var items []string
	for range 3000 {
		items = append(items, "1")
	}
	wide := `{"properties":{"list":{"type":"array"}}}`
	costly := `args.list.all(x, args.list.all(y, x == y))`
	arguments := `{"list":[` + strings.Join(items, ",") + `]}`
	judge := func(cheap bool, calls int, policies ...*callgatev1alpha1.ToolPolicy) (review.Decision, bool) {
		out := compile.Compile(compile.Input{Schemas: []*callgatev1alpha1.ToolSchema{schema("wide", wide, nil)}, Policies: policies}, nil)
		in := toolcall.Review{UID: "u"}
		for range calls {
			in.Calls = append(in.Calls, call("wide", arguments))
		}
		if cheap {
			return review.Cheap(snapshot.New(out), agent, in, nil)
		}
		return review.Calls(snapshot.New(out), agent, in, nil), true
	}
	d, _ := judge(false, 1, policy("p", declares("*"), rule("a", costly), rule("b", `args.list.size() == 3000`)))
	if got := line(d.Response.Results[0]); got != "forbidden forbidden:p/a" {
		t.Errorf("got %s", got)
	}
	saying := rule("a", costly, func(r *callgatev1alpha1.PolicyRule) { r.Message = "no list may be symmetric" })
	for calls, want := range map[int]string{
		1:  `The call to "wide" is not allowed: the rule "a" takes more work on these arguments than it may: send fewer or shorter values. Do not repeat it as it is.`,
		24: `The call to "wide" is not allowed: the calls of this review together take more work to check than they may, and nothing was left for the rule "a": send fewer calls at once. Do not repeat it as it is.`,
	} {
		d, _ := judge(false, calls, policy("p", declares("*"), saying))
		if got := d.Response.Results[calls-1].Feedback; got != want {
			t.Errorf("%d calls: got %s\nwant %s", calls, got, want)
		}
	}
	if _, ok := judge(true, 1, policy("p", declares("*"), rule("a", costly))); ok {
		t.Error("a costly review was judged as a cheap one")
	}
	// What watches cannot use up what those may that block.
	d, _ = judge(false, 24, policy("a", declares("*"), acts("Audit"), rule("a", costly)), policy("p", declares("*"), rule("b", `args.list.size() == 3000`)))
	if !d.Response.Allowed {
		t.Error("a policy with Audit used up the cost of the others")
	}
}

func TestNeeds(t *testing.T) {
	out := compile.Compile(compile.Input{
		Schemas:  []*callgatev1alpha1.ToolSchema{schema("weather", weather, nil), schema("pay", payment, nil)},
		Policies: list(policy("p", rbac, tenantFrom("Context")), policy("q")),
	}, nil)
	snap := snapshot.New(out)
	calls := []toolcall.Call{call("weather", `{}`), call("weather", `{"a":1}`), call("none", `{}`), {Fault: toolcall.Malformed, Name: "pay"}}
	front := review.Caller{Kind: review.ServiceAccount, Namespace: "front", Name: "door", Via: "https"}
	for name, tc := range map[string]struct {
		caller review.Caller
		in     toolcall.Review
		want   []string
	}{
		"for itself":              {agent, toolcall.Review{Calls: calls}, []string{"team/agent call callgate.dev/toolschemas team/weather"}},
		"with a tenant":           {agent, toolcall.Review{Calls: calls[2:], Context: toolcall.Context{Tenant: "alpha"}}, []string{"team/agent use callgate.dev/tenants team/alpha"}},
		"with no tenant":          {agent, toolcall.Review{Calls: calls[2:], Context: toolcall.Context{Tenant: "../alpha"}}, nil},
		"a caller without policy": {front, toolcall.Review{Calls: calls, Context: toolcall.Context{Tenant: "alpha"}}, nil},
		"for another": {front, toolcall.Review{Calls: calls, OnBehalfOf: &toolcall.OnBehalfOf{Namespace: "team", ServiceAccountName: "agent"}},
			[]string{"team/agent call callgate.dev/toolschemas team/weather", "front/door reviewas /serviceaccounts team/agent"}},
		"for itself, in so many words": {agent, toolcall.Review{Calls: calls[2:], OnBehalfOf: &toolcall.OnBehalfOf{Namespace: "team", ServiceAccountName: "agent"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, q := range review.Needs(snap, tc.caller, &tc.in) {
				got = append(got, fmt.Sprintf("%s/%s %s %s/%s %s/%s", q.Namespace, q.ServiceAccount, q.Verb, q.Group, q.Resource, q.In, q.Name))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whoever may not ask for another account is judged as nobody; who may, as that account.
func TestOnBehalfOf(t *testing.T) {
	snap := snapshot.New(compile.Compile(compile.Input{
		Schemas: []*callgatev1alpha1.ToolSchema{schema("weather", weather, nil)}, Policies: list(policy("p", rule("r", `caller.namespace == "team" && caller.via == "https" && tenant == "team"`))),
	}, nil))
	front := review.Caller{Kind: review.ServiceAccount, Namespace: "front", Name: "door", Via: "https"}
	in := toolcall.Review{Calls: []toolcall.Call{call("weather", `{"city":"x"}`)}, OnBehalfOf: &toolcall.OnBehalfOf{Namespace: "team", ServiceAccountName: "agent"}}
	q, asked := review.Delegation(front, &in)
	if !asked {
		t.Fatal("nothing is asked")
	}
	for answer, want := range map[review.AccessAnswer]string{review.Granted: "ok", review.Refused: "no_policy no_policy", review.Unanswered: "no_policy no_policy"} {
		d := review.Calls(snap, front, in, review.Answers{q: answer})
		if got := line(d.Response.Results[0]); got != want {
			t.Errorf("%d: got %s, want %s", answer, got, want)
		}
		if answer == review.Granted && d.For.Username() != "system:serviceaccount:team:agent" {
			t.Errorf("judged for %s", d.For.Username())
		}
	}
	if d := review.Calls(snap, front, in, nil); d.Response.Allowed {
		t.Error("without any answer it is allowed")
	}
}
