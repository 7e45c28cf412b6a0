package app

import (
	"strconv"
	"time"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/controllers"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/audit/sink"
	"github.com/callgate/callgate/internal/identity"
	"github.com/callgate/callgate/internal/metrics"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/semantic"
	"github.com/callgate/callgate/webhooks"
)

// identityObserver counts for one review resource.
type identityObserver struct {
	to       *metrics.Identity
	resource string
}

// accessLookUps is where a review resource would stand, for questions of what callers may do.
const accessLookUps = "access"

// newIdentityObserver has the outage told of from the start.
func newIdentityObserver(to *metrics.Identity, resource string) identityObserver {
	to.Outage(resource, false)
	return identityObserver{to, resource}
}

func (o identityObserver) Identified(result identity.Outcome) {
	o.to.Identified(o.resource, string(result))
}

func (o identityObserver) LookedUp(answered bool, took time.Duration) {
	o.to.LookedUp(o.resource, answered, took)
}

func (o identityObserver) Outage(out bool) { o.to.Outage(o.resource, out) }

type validatorObserver struct{ to *metrics.Validator }

func (o validatorObserver) Validated(source semantic.Source, outcome semantic.Outcome) {
	o.to.Validated(string(source), string(outcome))
}

func (o validatorObserver) Asked(outcome semantic.Outcome, took time.Duration) {
	o.to.Asked(string(outcome), took)
}

func (o validatorObserver) InFlight(delta int) { o.to.InFlight(delta) }

type executionObserver struct{ to *metrics.Execution }

func (o executionObserver) Answered(source adapter.Source, share adapter.Share, code reviewv1alpha1.VerdictCode, cause adapter.Cause) {
	o.to.Answered(string(source), string(share), string(code), string(cause))
}

func (o executionObserver) Executed(source adapter.Source, cause adapter.Cause, took time.Duration) {
	o.to.Executed(string(source), string(cause), took)
}

func (o executionObserver) InFlight(source adapter.Source, delta int) {
	o.to.InFlight(string(source), delta)
}

type auditObserver struct{ to *metrics.Audit }

// newAuditObserver has a series for each reason from the start: of one that begins with its
// first loss, no rate is ever above zero.
func newAuditObserver(to *metrics.Audit) auditObserver {
	for _, reason := range sink.Reasons() {
		to.Dropped(string(reason), 0)
	}
	return auditObserver{to}
}

func (o auditObserver) Written(records int) { o.to.Written(records) }
func (o auditObserver) Dropped(reason sink.Reason, records int) {
	o.to.Dropped(string(reason), records)
}
func (o auditObserver) Queued(records, bytes int) { o.to.Queued(records, bytes) }
func (o auditObserver) Failed()                   { o.to.Failed() }

// The phases of verdicts.
const (
	phaseCall  = "tool_call"
	phaseOffer = "pre_request"
)

// reviewObserver counts what the endpoint answers.
type reviewObserver struct{ to *metrics.Reviews }

var _ webhooks.OfferObserver = reviewObserver{}

func (o reviewObserver) Answered(resource string, code int, reason string, took time.Duration) {
	o.to.Answered(resource, code, reason, took)
}

// Judged counts what was found, also where the caller is told less.
func (o reviewObserver) Judged(_ review.Caller, d *review.Decision) {
	results := d.Response.Results
	if d.Whole != nil {
		results = d.Whole
	}
	for i := range results {
		r := &results[i]
		o.to.Verdict(phaseCall, string(r.Code), action(r.Allowed, r.WouldBlock), d.For.Namespace)
		o.to.Judged(d.For.Username(), r.Name, r.Allowed, r.Code == reviewv1alpha1.CodeInvalidArguments)
	}
}

func (o reviewObserver) Offered(caller review.Caller, d *review.OfferDecision) {
	o.to.Verdict(phaseOffer, string(d.Response.ReasonCode), action(d.Response.Allowed, d.Response.WouldBlock), caller.Namespace)
}

func action(allowed, wouldBlock bool) string {
	switch {
	case !allowed:
		return metrics.ActionDeny
	case wouldBlock:
		return metrics.ActionWouldBlock
	}
	return metrics.ActionAllow
}

// observeSwap tells of a policy set that was put in force.
func (p *parts) observeSwap(s controllers.Swap) {
	objects := map[[2]string]int{}
	count := func(kind string, accepted bool) { objects[[2]string{kind, strconv.FormatBool(accepted)}]++ }
	for _, kind := range []string{"ToolSchema", "ToolPolicy", "ToolAdapter"} {
		objects[[2]string{kind, "true"}], objects[[2]string{kind, "false"}] = 0, 0
	}
	for _, o := range s.Snapshot.Schemas {
		count("ToolSchema", o.Accepted())
	}
	for _, o := range s.Snapshot.Policies {
		count("ToolPolicy", o.Accepted())
	}
	for _, o := range s.Snapshot.Adapters {
		count("ToolAdapter", o.Accepted())
	}
	p.metrics.Policy.InForce(metrics.Set{Revision: s.Snapshot.Revision, At: s.At, Took: s.Took, Compiled: s.Snapshot.Compiled, Objects: objects})
}
