package webhooks

import (
	"context"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// ExecutionPath is where executions are posted.
const ExecutionPath = reviewPrefix + reviewv1alpha1.ResourceToolCallExecutions

// maxExecution is how long an execution may take from when it begins until its answer is
// written: an adapter 30 s at most, and its answer as long as any other.
const maxExecution = 40 * time.Second

// noExecutor runs nothing.
type noExecutor struct{}

// Execute implements review.Executor.
func (noExecutor) Execute(context.Context, *review.Run) review.Outcome {
	return review.Outcome{Code: reviewv1alpha1.CodeUpstreamError, Cause: "no_executor"}
}

// decideExecution judges a call and, only if it is allowed, runs it by the set that
// judged it. What is going to be run is recorded before it is.
func (h *ReviewHandler) decideExecution(q *posted) answer {
	_, decoding := h.part(q.ctx, spanDecode)
	in, err := toolcall.DecodeExecution(q.body)
	decoding.End()
	if err != nil {
		return envelopeFault(err)
	}
	snap, a := h.begin(&in.UID)
	if a.set() {
		return a
	}
	answers, a := h.outside(q, snap, &in)
	if a.set() {
		return a
	}
	_, judging := h.part(q.ctx, spanJudge)
	x, a := h.executionVerdict(snap, q, in, answers)
	judging.End()
	if a.set() {
		return a
	}
	h.opts.Observer.Judged(q.caller, &x.Decision)
	h.record(q.caller, x.Decision)
	h.recordWhole(q, &x.Decision)
	traceVerdict(q.ctx, x.Response.UID, x.Response.Revision, x.Response.Allowed, x.Response.Results)
	outcome, a := h.execute(q, &in, &x)
	if a.set() {
		return a
	}
	encoded, err := encodeExecution(x.Executed(in, outcome))
	if err != nil {
		return unavailable(metav1.StatusReasonServiceUnavailable, "the answer could not be encoded", 1)
	}
	return answer{code: http.StatusOK, body: encoded}
}

// executionVerdict judges at a small cost if that is enough, and in the heavy lane
// otherwise.
func (h *ReviewHandler) executionVerdict(snap *snapshot.Snapshot, q *posted, in toolcall.Review, answers review.Answers) (review.Execution, answer) {
	if x, ok := review.CheapExecution(snap, q.caller, in, answers); ok {
		return x, answer{}
	}
	if a := h.intoHeavyLane(q.held); a.set() {
		return review.Execution{}, a
	}
	return review.Executions(snap, q.caller, in, answers), answer{}
}

// execute runs the call if it may run, once it is recorded. While it waits, the review
// holds none of the places of those that are judged.
func (h *ReviewHandler) execute(q *posted, in *toolcall.Review, x *review.Execution) (review.Outcome, answer) {
	record := &audit.Verdict{Phase: audit.PhaseExecution, Review: in, Decision: &x.Decision, Execution: x}
	log := h.log.WithValues("uid", x.Response.UID, "revision", x.Response.Revision, "caller", q.caller.Username(), "for", x.For.Username())
	if x.Run == nil {
		if x.Refusal.Cause != "" {
			log.Info("A call was allowed and not run", "name", x.Response.Results[0].Name, "cause", x.Refusal.Cause, "detail", x.Refusal.Detail)
		}
		return x.Refusal, h.audit(q, record)
	}
	if timed, ok := x.Run.Adapter.(interface{ Timeout() time.Duration }); ok && h.opts.Drain.CutsOff(timed.Timeout()) {
		return review.Outcome{}, unavailable(metav1.StatusReasonServiceUnavailable, "this replica is about to stop, and the execution may take longer: another one will run it", 1)
	}
	q.held.leave()
	if got := q.place.wait(h.waiting); got != entryOK {
		return review.Outcome{}, h.overLimit(got)
	}
	if a := h.audit(q, record); a.set() {
		return review.Outcome{}, a
	}
	// The server's own limit is made for answers that nobody has to be asked for. Where it
	// cannot be moved, as in HTTP/1.0 behind a wrapper, it stays.
	_ = http.NewResponseController(q.writer).SetWriteDeadline(h.opts.Clock.Now().Add(maxExecution))
	log = log.WithValues("adapter", x.Run.AdapterName, "name", x.Response.Results[0].Name)
	log.Info("Running a call", "tenant", x.Run.Activation.Tenant, "argumentsDigest", x.Run.Digest, "policies", x.Response.Results[0].Policies)
	outcome := h.run(q.ctx, x.Run)
	log.Info("Ran a call", "code", outcome.Code, "cause", outcome.Cause, "detail", outcome.Detail)
	return outcome, answer{}
}

// encodeExecution writes the execution with its response and without its request.
func encodeExecution(response reviewv1alpha1.ToolCallExecutionResponse) ([]byte, error) {
	r := &response.ToolCallResult
	r.Errors, r.Violations = orEmpty(r.Errors), orEmpty(r.Violations)
	r.Warnings, r.Policies = orEmpty(r.Warnings), orEmpty(r.Policies)
	return encodeLine(reviewv1alpha1.ToolCallExecution{
		TypeMeta: metav1.TypeMeta{APIVersion: toolcall.APIVersion, Kind: toolcall.KindExecution},
		Response: &response,
	})
}
