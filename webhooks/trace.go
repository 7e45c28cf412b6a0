package webhooks

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/identity"
	"github.com/callgate/callgate/internal/review"
)

// The spans inside of a review's.
const (
	spanIdentity  = "identity"
	spanDecode    = "decode"
	spanJudge     = "judge"
	spanAccess    = "access"
	spanValidator = "validator"
	spanRecord    = "record"
	spanExecute   = "execute"
)

// No attribute has what a model wrote: no argument and no name of a tool. A uid is of a
// fixed set of characters, and names of accounts and objects are Kubernetes'.
const (
	attrNamespace = attribute.Key("callgate.caller.namespace")
	attrAccount   = attribute.Key("callgate.caller.service_account")
	attrUID       = attribute.Key("callgate.uid")
	attrRevision  = attribute.Key("callgate.revision")
	attrAllowed   = attribute.Key("callgate.allowed")
	attrCalls     = attribute.Key("callgate.calls")
	attrCodes     = attribute.Key("callgate.codes")
	attrReason    = attribute.Key("callgate.reason")
	attrStatus    = attribute.Key("http.response.status_code")
	attrPolicy    = attribute.Key("callgate.policy")
	attrAdapter   = attribute.Key("callgate.adapter")
	attrCause     = attribute.Key("callgate.cause")
)

// unobserved is the span where nothing is traced.
var unobserved trace.Span = noop.Span{}

// beginTrace starts the span of a review, in its caller's trace if it has one. Strangers
// get none: they could fill the queue of spans for nothing. began is when the review's
// headers were there, and failed why its caller is not known.
func (h *ReviewHandler) beginTrace(r *http.Request, resource string, began time.Time, caller review.Caller, failed error) (context.Context, trace.Span) {
	if h.opts.Tracer == nil {
		return r.Context(), unobserved
	}
	if _, outage := errors.AsType[*identity.UnavailableError](failed); failed != nil && !outage {
		return r.Context(), unobserved
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := h.opts.Tracer.Start(ctx, resource, trace.WithTimestamp(began), trace.WithSpanKind(trace.SpanKindServer))
	if failed == nil {
		span.SetAttributes(attrNamespace.String(caller.Namespace), attrAccount.String(caller.Name))
	}
	_, asked := h.opts.Tracer.Start(ctx, spanIdentity, trace.WithTimestamp(began))
	asked.End()
	return ctx, span
}

// endTrace ends it with the answer.
func endTrace(span trace.Span, a *answer) {
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attrStatus.Int(int(a.code)))
	if a.reason != "" {
		span.SetAttributes(attrReason.String(string(a.reason)))
	}
	if a.code >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, string(a.reason))
	}
	span.End()
}

// part starts a span inside of a review's.
func (h *ReviewHandler) part(ctx context.Context, name string) (context.Context, trace.Span) {
	if h.opts.Tracer == nil {
		return ctx, unobserved
	}
	return h.opts.Tracer.Start(ctx, name)
}

// traceVerdict notes what the caller is told, and no more: its own traces may be where it
// can read them.
func traceVerdict(ctx context.Context, uid, revision string, allowed bool, results []reviewv1alpha1.ToolCallResult) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	var found []string
	for i := range results {
		if code := string(results[i].Code); !slices.Contains(found, code) {
			found = append(found, code)
		}
	}
	span.SetAttributes(attrUID.String(uid), attrRevision.String(revision), attrAllowed.Bool(allowed), attrCalls.Int(len(results)), attrCodes.StringSlice(found))
}

// traceOffer does so for an offer.
func traceOffer(ctx context.Context, r *reviewv1alpha1.ToolRequestReviewResponse) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attrUID.String(r.UID), attrRevision.String(r.Revision), attrAllowed.Bool(r.Allowed), attrCodes.StringSlice([]string{string(r.ReasonCode)}))
}

// validate asks a validator.
func (h *ReviewHandler) validate(ctx context.Context, q review.Question) review.Answer {
	ctx, span := h.part(ctx, spanValidator)
	defer span.End()
	answer := h.opts.Validator.Validate(ctx, q)
	if span.IsRecording() {
		span.SetAttributes(attrPolicy.String(q.Namespace+"/"+q.Policy), attrCause.String(answer.Cause))
	}
	return answer
}

// run has an adapter run a call.
func (h *ReviewHandler) run(ctx context.Context, r *review.Run) review.Outcome {
	ctx, span := h.part(ctx, spanExecute)
	defer span.End()
	outcome := h.opts.Executor.Execute(ctx, r)
	if span.IsRecording() {
		span.SetAttributes(attrAdapter.String(r.AdapterName), attrCodes.StringSlice([]string{string(outcome.Code)}), attrCause.String(outcome.Cause))
	}
	return outcome
}
