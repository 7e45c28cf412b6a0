package review_test

import (
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// namedCompiler compiles an adapter to its own name.
type namedCompiler struct{}

func (namedCompiler) CompileAdapter(a *callgatev1alpha1.ToolAdapter, _ *expr.ArgsType) compile.CompiledAdapter {
	return compile.CompiledAdapter{Program: a.Name}
}

func (namedCompiler) CompileResult(fields []callgatev1alpha1.ResultField) any { return len(fields) }

// executable is a set in which agent may call get_ticket and lone, of which only the
// first has an adapter.
func executable(change func(*compile.Input)) *snapshot.Snapshot {
	in := compile.Input{AdapterCompiler: namedCompiler{}}
	for _, name := range []string{"get_ticket", "lone"} {
		s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: strings.ReplaceAll(name, "_", "-")}}
		s.Spec.ToolName = name
		s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(`{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"number"},"x":{"type":"string"}},"required":["id"]}`)}
		s.Spec.Arguments.Nulls = callgatev1alpha1.NullsAbsent
		s.Spec.Result.Fields = []callgatev1alpha1.ResultField{"/id"}
		in.Schemas = append(in.Schemas, s)
	}
	in.Policies = []*callgatev1alpha1.ToolPolicy{policyNamed("main")}
	a := &callgatev1alpha1.ToolAdapter{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "ticket-adapter"}}
	a.Spec.ToolName = "get_ticket"
	in.Adapters = []*callgatev1alpha1.ToolAdapter{a}
	if change != nil {
		change(&in)
	}
	return snapshot.New(compile.Compile(in, nil))
}

func policyNamed(name string) *callgatev1alpha1.ToolPolicy {
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"agent"}
	p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"get_ticket", "lone", "free"}
	p.Spec.UnvalidatedCalls = callgatev1alpha1.PassAllow
	return p
}

func executionOf(t *testing.T, call, more string) toolcall.Review {
	t.Helper()
	in, err := toolcall.DecodeExecution([]byte(`{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallExecution","request":{"uid":"u","call":` + call + more + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

var executionCaller = review.Caller{Kind: review.ServiceAccount, Namespace: "n", Name: "agent"}

func TestOnlyAllowedCallsRun(t *testing.T) {
	second := func(change func(*callgatev1alpha1.ToolPolicySpec)) func(*compile.Input) {
		return func(in *compile.Input) {
			p := policyNamed("second")
			change(&p.Spec)
			in.Policies = append(in.Policies, p)
		}
	}
	narrow := func(action callgatev1alpha1.ValidationAction) func(*compile.Input) {
		return second(func(s *callgatev1alpha1.ToolPolicySpec) {
			s.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"other"}
			s.ValidationActions = []callgatev1alpha1.ValidationAction{action}
		})
	}
	const good = `{"name":"get_ticket","arguments":{"id":"1"}}`
	for name, test := range map[string]struct {
		call   string
		change func(*compile.Input)
		code   reviewv1alpha1.VerdictCode
		cause  string
	}{
		"allowed":                        {good, nil, reviewv1alpha1.CodeOK, ""},
		"unknown":                        {`{"name":"x","arguments":{"id":"1"}}`, nil, reviewv1alpha1.CodeUnknownTool, ""},
		"bad arguments":                  {`{"name":"get_ticket","arguments":{}}`, nil, reviewv1alpha1.CodeInvalidArguments, ""},
		"malformed":                      {`{"name":7}`, nil, reviewv1alpha1.CodeMalformedCall, ""},
		"no policy":                      {good, func(in *compile.Input) { in.Policies = nil }, reviewv1alpha1.CodeNoPolicy, ""},
		"no adapter":                     {`{"name":"lone","arguments":{"id":"1"}}`, nil, reviewv1alpha1.CodeUpstreamError, review.CauseNoAdapter},
		"no schema":                      {`{"name":"free","arguments":{"id":"1"}}`, nil, reviewv1alpha1.CodeUpstreamError, review.CauseNoSchema},
		"another policy denies":          {good, narrow(callgatev1alpha1.ActionDeny), reviewv1alpha1.CodeUnknownTool, ""},
		"another would, and warns":       {good, narrow(callgatev1alpha1.ActionWarn), reviewv1alpha1.CodeUpstreamError, review.CauseWouldBlock},
		"another would, and records":     {good, narrow(callgatev1alpha1.ActionAudit), reviewv1alpha1.CodeUpstreamError, review.CauseWouldBlock},
		"only one that warns, and would": {good, func(in *compile.Input) { narrow(callgatev1alpha1.ActionWarn)(in); in.Policies = in.Policies[1:] }, reviewv1alpha1.CodeUpstreamError, review.CauseWouldBlock},
		"another takes the tenant elsewhere": {good, second(func(s *callgatev1alpha1.ToolPolicySpec) {
			s.Tenant.From = callgatev1alpha1.TenantFromContext
		}), reviewv1alpha1.CodeForbidden, ""},
		"a rule says no": {good, second(func(s *callgatev1alpha1.ToolPolicySpec) {
			s.Rules = []callgatev1alpha1.PolicyRule{{Name: "r", Expression: "args.id == '2'"}}
		}), reviewv1alpha1.CodeForbidden, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := executionOf(t, test.call, "")
			x := review.Executions(executable(test.change), executionCaller, in, nil)
			if runs := test.code == reviewv1alpha1.CodeOK; (x.Run != nil) != runs || x.Refusal.Cause != test.cause {
				t.Fatalf("run %+v, refusal %+v; want code %s, cause %q", x.Run, x.Refusal, test.code, test.cause)
			}
			// Whatever an executor says, only what may run has a result.
			got := x.Executed(in, review.Outcome{Code: reviewv1alpha1.CodeOK, Result: []byte(`{}`)})
			if got.Code != test.code || got.OK != (x.Run != nil) || (got.Result != nil) != got.OK || got.Revision == "" {
				t.Errorf("answered %+v, want code %s", got, test.code)
			}
		})
	}
}

// disclosure is about blocked callers. A call that was allowed, and does not run because a
// policy that only warns would block it, is told what a review of the same call is told.
func TestDisclosureOfACallThatDoesNotRun(t *testing.T) {
	for _, disclosure := range []callgatev1alpha1.Disclosure{
		callgatev1alpha1.DisclosureFull, callgatev1alpha1.DisclosureCode, callgatev1alpha1.DisclosureOpaque,
	} {
		in := executionOf(t, `{"name":"get_ticket","arguments":{"id":"1"}}`, "")
		snap := executable(func(in *compile.Input) {
			p := policyNamed("second")
			p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"other"}
			p.Spec.ValidationActions = []callgatev1alpha1.ValidationAction{callgatev1alpha1.ActionWarn}
			p.Spec.Disclosure = disclosure
			in.Policies = append(in.Policies, p)
		})
		reviewed := review.Calls(snap, executionCaller, in, nil).Response.Results[0]
		x := review.Executions(snap, executionCaller, in, nil)
		got := x.Executed(in, review.Outcome{})
		if got.OK || len(got.Warnings) == 0 || !slices.Equal(got.Warnings, reviewed.Warnings) || !slices.Equal(got.Policies, reviewed.Policies) {
			t.Errorf("%s: answered %+v, where a review says %+v", disclosure, got, reviewed)
		}
	}
}

// What runs is the text that was judged: in canonical form, without what counts as
// absent, for the account that was judged for, and as the one that asked.
func TestWhatRunsIsWhatWasJudged(t *testing.T) {
	in := executionOf(t, `{"name":"get_ticket","arguments":{ "x":null, "n": 1.50, "id":"A" }}`, `,"onBehalfOf":{"namespace":"n","serviceAccountName":"agent"}`)
	front := review.Caller{Kind: review.ServiceAccount, Namespace: "f", Name: "front"}
	snap := executable(nil)
	answers := review.Answers{}
	for _, q := range review.Needs(snap, front, &in) {
		answers[q] = review.Granted
	}
	x := review.Executions(snap, front, in, answers)
	if x.Run == nil {
		t.Fatalf("nothing runs: %+v", x.Response.Results)
	}
	if got := string(x.Run.Arguments); got != `{"id":"A","n":1.50}` {
		t.Errorf("the arguments are %s", got)
	}
	if x.Run.Digest != x.Response.Results[0].ArgumentsDigest || x.Run.UID != "u" || x.Run.Adapter != "ticket-adapter" || x.Run.Result != 1 {
		t.Errorf("%+v", x.Run)
	}
	if x.Run.Caller.Username() != front.Username() || x.Run.Activation.Caller.Username != executionCaller.Username() || x.Run.Activation.Tenant != "n" {
		t.Errorf("asked by %+v, for %+v of %q", x.Run.Caller, x.Run.Activation.Caller, x.Run.Activation.Tenant)
	}
	if x := review.Executions(snap, front, in, nil); x.Run != nil || x.Response.Allowed {
		t.Error("an account is acted for without the right to")
	}
}

func TestOutcomesInTheAnswer(t *testing.T) {
	in := executionOf(t, `{"name":"get_ticket","arguments":{"id":"1"}}`, "")
	x := review.Executions(executable(nil), executionCaller, in, nil)
	for name, test := range map[string]struct {
		outcome review.Outcome
		code    reviewv1alpha1.VerdictCode
	}{
		"a result":             {review.Outcome{Code: reviewv1alpha1.CodeOK, Result: []byte(`{"id":1}`)}, reviewv1alpha1.CodeOK},
		"nothing":              {review.Outcome{}, reviewv1alpha1.CodeUpstreamError},
		"ok without a result":  {review.Outcome{Code: reviewv1alpha1.CodeOK}, reviewv1alpha1.CodeUpstreamError},
		"an unknown code":      {review.Outcome{Code: "x", Result: []byte(`{"id":1}`)}, reviewv1alpha1.CodeUpstreamError},
		"not found":            {review.Outcome{Code: reviewv1alpha1.CodeNotFound, Detail: "S3CRET"}, reviewv1alpha1.CodeNotFound},
		"no answer in time":    {review.Outcome{Code: reviewv1alpha1.CodeUpstreamTimeout, Detail: "S3CRET"}, reviewv1alpha1.CodeUpstreamTimeout},
		"a failure":            {review.Outcome{Code: reviewv1alpha1.CodeUpstreamError, Cause: "S3CRET"}, reviewv1alpha1.CodeUpstreamError},
		"a failure, and bytes": {review.Outcome{Code: reviewv1alpha1.CodeNotFound, Result: []byte(`{"id":1}`)}, reviewv1alpha1.CodeNotFound},
	} {
		got := x.Executed(in, test.outcome)
		ok := test.code == reviewv1alpha1.CodeOK
		if got.Code != test.code || got.OK != ok || (got.Result != nil) != ok || !got.Allowed || (got.Feedback == "") != ok || (len(got.Errors) == 0) != ok {
			t.Errorf("%s: %+v", name, got)
		}
		if strings.Contains(got.Feedback, "S3CRET") {
			t.Errorf("%s: the feedback tells the detail", name)
		}
	}
	if len(x.Response.Results[0].Errors) != 0 {
		t.Error("answering changed the verdict")
	}
}
