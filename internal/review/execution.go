package review

import (
	"cmp"
	"context"
	"slices"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// Executor runs calls that were allowed.
type Executor interface {
	// Execute runs the call, or tells what became of it a short while ago. It returns
	// within a bounded time.
	Execute(ctx context.Context, run *Run) Outcome
}

// Outcome is what became of an execution. The zero value is no success.
type Outcome struct {
	// Code is ok, or one of stage 5.
	Code reviewv1alpha1.VerdictCode
	// Result is a JSON object, nil unless Code is ok. Others may hold the same bytes.
	Result []byte
	// Cause is a fixed word, "" unless it went wrong; Detail says more about it. Both are
	// for the record and never for the caller.
	Cause, Detail string
}

// The causes that are found before anything is run.
const (
	CauseNoAdapter  = "no_adapter"
	CauseWouldBlock = "would_block"
	CauseNoSchema   = "no_schema"
	CauseNoTenant   = "no_tenant"
)

// Run is a call that may run, with all that it runs by: of the one snapshot that judged
// it, and with the very arguments that were judged.
type Run struct {
	// UID is the review's. With Caller, who asked, it tells executions apart.
	UID    string
	Caller Caller
	// Tool is the effective name. Adapter and Result are what the snapshot's
	// AdapterCompiler made of the tool's ToolAdapter, never nil, and of its ToolSchema's
	// spec.result, nil where nothing may leave.
	Tool            string
	Adapter, Result any
	// AdapterName is the object's.
	AdapterName string
	// Arguments is the canonical text of the tree that was judged.
	Arguments []byte
	// Digest is that of Arguments.
	Digest string
	// Activation is what a key may read; its Caller is the account that was judged for.
	Activation *expr.Activation
}

// Execution is the verdict on one call, and whether it may run.
type Execution struct {
	Decision
	// Run is nil unless the call was allowed by every policy, whatever its actions.
	Run *Run
	// Refusal says why a call that was allowed does not run.
	Refusal Outcome

	call *call
}

// Executions judges the one call of an execution as Calls does, and tells whether it may
// run. in must have exactly one call.
func Executions(snap *snapshot.Snapshot, caller Caller, in toolcall.Review, answers Answers) Execution {
	d, c, _ := judge(snap, caller, in, answers, allWork())
	return execution(d, c, caller)
}

// CheapExecution does the same if that costs little, as Cheap does.
func CheapExecution(snap *snapshot.Snapshot, caller Caller, in toolcall.Review, answers Answers) (x Execution, ok bool) {
	d, c, ok := judge(snap, caller, in, answers, littleWork())
	if !ok {
		return Execution{}, false
	}
	return execution(d, c, caller), true
}

func execution(d Decision, c *call, caller Caller) Execution {
	x := Execution{Decision: d, call: c}
	if len(d.Response.Results) != 1 {
		return x
	}
	r := &d.Response.Results[0]
	if !d.Response.Allowed || !r.Allowed || r.Code != reviewv1alpha1.CodeOK {
		return x
	}
	x.Run, x.Refusal = c.run(r, d.Response.UID, caller)
	return x
}

// run gives what is needed to run a call that was allowed, or says why it does not run.
func (c *call) run(r *reviewv1alpha1.ToolCallResult, uid string, caller Caller) (*Run, Outcome) {
	refused := func(cause, detail string) (*Run, Outcome) {
		return nil, Outcome{Code: reviewv1alpha1.CodeUpstreamError, Cause: cause, Detail: detail}
	}
	if r.WouldBlock || slices.ContainsFunc(c.views, func(v view) bool { return v.failed() }) {
		return refused(CauseWouldBlock, "a policy that only warns or records would block the call")
	}
	// A tool without a contract has nothing that may leave, and nobody knows what its
	// arguments can do.
	if !c.tool.Ready() || c.canonical == nil {
		return refused(CauseNoSchema, "the tool has no ToolSchema")
	}
	adapter := c.ns.Adapters[c.name]
	if adapter == nil || adapter.Program == nil {
		return refused(CauseNoAdapter, "the tool has no ToolAdapter that is in force")
	}
	tenant, ok := c.eval.tenant()
	if !ok {
		return refused(CauseNoTenant, "the policies do not agree on a tenant")
	}
	a := c.activation(tenant)
	a.Args = c.judgedArgs()
	return &Run{
		UID: uid, Caller: caller, Tool: c.name,
		Adapter: adapter.Program, AdapterName: adapter.Namespace + "/" + adapter.Name, Result: c.tool.Result,
		Arguments: c.canonical, Digest: c.digest, Activation: a,
	}, Outcome{}
}

// tenant is the one that all policies agree on.
func (e *evaluation) tenant() (string, bool) {
	if len(e.tenancies) == 0 {
		return "", false
	}
	first := e.tenancies[0].tenant
	ok := first != "" && !slices.ContainsFunc(e.tenancies, func(t tenancy) bool { return t.tenant != first || t.forbids() })
	return first, ok
}

// Executed makes the answer: the verdict, and the result or why there is none. outcome is
// what an Executor gave for Run, and is not looked at without one.
func (x *Execution) Executed(in toolcall.Review, outcome Outcome) reviewv1alpha1.ToolCallExecutionResponse {
	d := &x.Decision
	response := reviewv1alpha1.ToolCallExecutionResponse{UID: d.Response.UID, Revision: d.Response.Revision, Reply: d.Response.Reply}
	if len(d.Response.Results) == 1 {
		response.ToolCallResult = d.Response.Results[0]
	}
	r := &response.ToolCallResult
	if !r.Allowed {
		return response
	}
	if x.Run == nil {
		outcome = x.Refusal
	}
	// What is no known outcome is none at all.
	if outcome.Code == reviewv1alpha1.CodeOK && outcome.Result != nil && x.Run != nil {
		response.OK, response.Result = true, outcome.Result
		response.Reply = toolcall.ReplyResult(in, outcome.Result)
		return response
	}
	r.Code = reviewv1alpha1.CodeUpstreamError
	switch outcome.Code {
	case reviewv1alpha1.CodeNotFound, reviewv1alpha1.CodeUpstreamTimeout:
		r.Code = outcome.Code
	}
	r.Errors = []string{string(r.Code)}
	r.Feedback = executionFeedback(x.call.name, r.Code, outcome.Cause)
	response.Reply = toolcall.Reply(in, []string{r.Feedback})
	return response
}

// executionFeedback tells a model what to do about a call that was allowed and has no
// result. It says nothing of what a backend answered.
func executionFeedback(called string, code reviewv1alpha1.VerdictCode, cause string) string {
	if cause == CauseWouldBlock {
		return feedback{Opaque: true}.String()
	}
	name := quoted(shown.Cut(called, maxFeedbackName))
	switch code {
	case reviewv1alpha1.CodeNotFound:
		return "The call to " + name + " found nothing for these arguments. Check them, and do not repeat the same call."
	case reviewv1alpha1.CodeUpstreamTimeout:
		return "The call to " + name + " got no answer in time; whether it was done is not known. Do not repeat it at once."
	}
	return cmp.Or(map[string]string{
		CauseNoAdapter: "The tool " + name + " cannot be run here: it has no adapter that is in force. Do not repeat the call.",
		CauseNoSchema:  "The tool " + name + " cannot be run here: it has no schema. Do not repeat the call.",
	}[cause], "The call to "+name+" was allowed, and could not be run. Do not repeat it.")
}
