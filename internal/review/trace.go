package review

import (
	"maps"
	"slices"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// Trace tells how a verdict came about: what each policy that applies said in each stage,
// and what became of each of its rules. The run that judges writes it; it decides
// nothing, and holds no argument's value. It is for whoever may read the policies, and
// so knows nothing of what they disclose.
type Trace struct {
	// For is the user name of the account that was judged for, "" where the caller may not
	// ask for another one.
	For string `json:"for"`
	// Policies are those that select it, sorted by name. OtherPolicies are the names of the
	// others of its namespace, sorted.
	Policies      []TracedPolicy `json:"policies"`
	OtherPolicies []string       `json:"otherPolicies"`
	// Questions are those that RBAC was asked, sorted by verb and name.
	Questions []TracedQuestion `json:"questions"`
	// Calls are those of a review or of an execution, Offer is set for an offer.
	Calls []*TracedCall `json:"calls,omitempty"`
	Offer *TracedOffer  `json:"offer,omitempty"`
}

// TracedPolicy is a policy that applies.
type TracedPolicy struct {
	// Name is namespace/name.
	Name string `json:"name"`
	// Actions are its validationActions: Deny, Warn, Audit.
	Actions []string `json:"actions"`
	// Disclosure is what it tells blocked callers.
	Disclosure string `json:"disclosure"`
	// Tenant is whose data the calls may touch by this policy, "" where it has none, and
	// TenantFrom says where that comes from.
	Tenant     string `json:"tenant"`
	TenantFrom string `json:"tenantFrom"`
}

// TracedQuestion is a question to RBAC with its answer.
type TracedQuestion struct {
	// User is who would do it.
	User string `json:"user"`
	Verb string `json:"verb"`
	// Resource has its group behind a dot, unless that is the core group.
	Resource  string `json:"resource"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Answer is granted, refused or unanswered.
	Answer string `json:"answer"`
	// By is the binding that grants it, where that is known.
	By string `json:"by,omitempty"`
	// Access is the question itself.
	Access Access `json:"-"`
}

// TracedCall is how the verdict on one call came about.
type TracedCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Allowed and Code are those of the whole verdict, whatever the caller is told.
	Allowed    bool                       `json:"allowed"`
	Code       reviewv1alpha1.VerdictCode `json:"code"`
	WouldBlock bool                       `json:"wouldBlock"`
	// Stage is the one that blocked the call, "" for none.
	Stage Stage `json:"stage,omitempty"`
	// Detail says more where no policy was asked.
	Detail string `json:"detail,omitempty"`
	// Policies are in the order of the trace's.
	Policies []TracedView `json:"policies"`
	// Execution is set where the call was to be run.
	Execution *TracedExecution `json:"execution,omitempty"`
}

// Stage is one of the stages of a verdict on a call.
type Stage string

// The stages, in order.
const (
	StageEnvelope      Stage = "envelope"
	StageName          Stage = "name"
	StageSchema        Stage = "schema"
	StageArguments     Stage = "arguments"
	StageAuthorization Stage = "authorization"
)

// policyStages are those in which policies are asked.
var policyStages = []Stage{StageName, StageSchema, StageArguments, StageAuthorization}

// TracedView is what one policy said.
type TracedView struct {
	Policy string        `json:"policy"`
	Stages []TracedStage `json:"stages"`

	pending []TracedCheck
	failed  bool
}

// TracedStage is what one policy said in one stage.
type TracedStage struct {
	Stage Stage `json:"stage"`
	// Outcome is passed, failed or skipped.
	Outcome string `json:"outcome"`
	// Detail says what was found, or why the policy was not asked.
	Detail string   `json:"detail,omitempty"`
	Errors []string `json:"errors,omitempty"`
	// Checks are what was looked at besides: RBAC, the tenant, and each rule.
	Checks []TracedCheck `json:"checks,omitempty"`
}

// The outcomes of a stage.
const (
	OutcomePassed  = "passed"
	OutcomeFailed  = "failed"
	OutcomeSkipped = "skipped"
)

// TracedCheck is one thing that was looked at.
type TracedCheck struct {
	// Kind is rule, rbac or tenant; Name is a rule's.
	Kind string `json:"kind"`
	Name string `json:"name,omitempty"`
	// Outcome is, of a rule, true, false, error, cost_exceeded or skipped; of rbac
	// granted, refused, unanswered or skipped; of tenant passed, failed, unanswered or
	// skipped.
	Outcome string `json:"outcome"`
	// Detail says why.
	Detail string `json:"detail,omitempty"`
	// Cost is what a rule cost, in CEL's units.
	Cost uint64 `json:"cost,omitempty"`
}

// TracedExecution is what became of a call that was to be run.
type TracedExecution struct {
	// Adapter is the ToolAdapter that runs it, "" where it was not to be run.
	Adapter string `json:"adapter,omitempty"`
	// Outcome is passed, failed or skipped; Code is that of the answer.
	Outcome string                     `json:"outcome"`
	Code    reviewv1alpha1.VerdictCode `json:"code,omitempty"`
	// Cause is a fixed word, and Detail says more.
	Cause  string `json:"cause,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// ExplainCalls judges as Calls does, and tells how.
func ExplainCalls(snap *snapshot.Snapshot, caller Caller, in toolcall.Review, answers Answers) (Decision, *Trace) {
	l := allWork()
	l.trace = &Trace{}
	d, _, _ := judge(snap, caller, in, answers, l)
	return d, l.trace
}

// ExplainExecutions judges as Executions does, and tells how. What then becomes of the
// call is for Executed to add.
func ExplainExecutions(snap *snapshot.Snapshot, caller Caller, in toolcall.Review, answers Answers) (Execution, *Trace) {
	l := allWork()
	l.trace = &Trace{}
	d, c, _ := judge(snap, caller, in, answers, l)
	x := execution(d, c, caller)
	if len(l.trace.Calls) == 1 {
		l.trace.Calls[0].Execution = tracedRun(&x)
	}
	return x, l.trace
}

func tracedRun(x *Execution) *TracedExecution {
	switch {
	case x.Run != nil:
		return &TracedExecution{Adapter: x.Run.AdapterName, Outcome: OutcomeSkipped, Detail: "it was not run yet"}
	case x.Refusal.Cause != "":
		return &TracedExecution{Outcome: OutcomeFailed, Code: x.Refusal.Code, Cause: x.Refusal.Cause, Detail: shown.Escape(x.Refusal.Detail)}
	}
	return &TracedExecution{Outcome: OutcomeSkipped, Detail: "a blocked call is not run"}
}

// Executed adds what became of the call.
func (t *Trace) Executed(o Outcome) {
	if len(t.Calls) != 1 || t.Calls[0].Execution == nil || t.Calls[0].Execution.Adapter == "" {
		return
	}
	x := t.Calls[0].Execution
	x.Outcome, x.Code, x.Cause, x.Detail = OutcomeFailed, o.Code, o.Cause, shown.Escape(o.Detail)
	if o.Code == reviewv1alpha1.CodeOK && o.Result != nil {
		x.Outcome = OutcomePassed
	}
}

// begin notes what is the same for all calls.
func (t *Trace) begin(e *evaluation, ns *compile.Namespace, policies []*compile.Policy) {
	if t == nil {
		return
	}
	if e.caller.Name != "" {
		t.For = e.caller.Username()
	}
	t.Policies, t.OtherPolicies, t.Questions = []TracedPolicy{}, []string{}, tracedQuestions(e.answers)
	for i, p := range policies {
		t.Policies = append(t.Policies, TracedPolicy{
			Name: p.String(), Actions: actionsOf(p), Disclosure: string(p.Disclosure),
			Tenant: shown.Name(e.tenancies[i].tenant), TenantFrom: tenantSource(p),
		})
	}
	if ns == nil {
		return
	}
	for _, p := range ns.Policies {
		if !slices.Contains(policies, p) {
			t.OtherPolicies = append(t.OtherPolicies, p.String())
		}
	}
}

func tenantSource(p *compile.Policy) string {
	if label := p.TenantLabel(); label != "" {
		return string(p.Tenant.From) + " " + label
	}
	return string(p.Tenant.From)
}

func actionsOf(p *compile.Policy) (actions []string) {
	for _, a := range []struct {
		name string
		set  bool
	}{{"Deny", p.Deny}, {"Warn", p.Warn}, {"Audit", p.Audit}} {
		if a.set {
			actions = append(actions, a.name)
		}
	}
	return actions
}

func tracedQuestions(answers Answers) []TracedQuestion {
	questions := []TracedQuestion{}
	for _, q := range slices.SortedFunc(maps.Keys(answers), compareQuestions) {
		resource := q.Resource
		if q.Group != "" {
			resource += "." + q.Group
		}
		questions = append(questions, TracedQuestion{
			User: Caller{Namespace: q.Namespace, Name: q.ServiceAccount}.Username(), Verb: q.Verb,
			Resource: resource, Namespace: q.In, Name: shown.Name(q.Name), Answer: answers[q].String(), Access: q,
		})
	}
	return questions
}

// String is the word for an answer.
func (a AccessAnswer) String() string {
	switch a {
	case Granted:
		return "granted"
	case Refused:
		return "refused"
	default:
		return "unanswered"
	}
}

// ruleCheck is what became of a rule that was evaluated.
func ruleCheck(r *compile.Rule, o expr.Outcome) TracedCheck {
	c := TracedCheck{Kind: "rule", Name: r.Name, Outcome: "error", Detail: string(o.Reason), Cost: o.Cost}
	switch o.Kind {
	case expr.True:
		c.Outcome = "true"
	case expr.False:
		c.Outcome = "false"
	case expr.CostExceeded:
		c.Outcome = "cost_exceeded"
	}
	return c
}

func skippedRule(r *compile.Rule, why string) TracedCheck {
	return TracedCheck{Kind: "rule", Name: r.Name, Outcome: OutcomeSkipped, Detail: why}
}

func brokenRule(r *compile.Rule) TracedCheck {
	return TracedCheck{Kind: "rule", Name: r.Name, Outcome: "error", Detail: "it does not compile"}
}
