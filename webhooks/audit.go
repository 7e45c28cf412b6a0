package webhooks

import (
	"context"

	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/review"
)

// Auditor keeps a record of every verdict. An execution is recorded before it is run.
type Auditor interface {
	// Required says whether Record waits until the record is written.
	Required() bool
	// Record takes the record of a verdict that is about to be answered. An error means
	// that it must not be: the review is refused rather than missing from the log. Unless
	// records are required it returns at once.
	Record(context.Context, *audit.Verdict) error
}

// audit records a verdict, if anybody keeps records. The answer is set where the verdict
// must not be given. While it waits, the review holds none of the places of those that
// are judged.
func (h *ReviewHandler) audit(q *posted, v *audit.Verdict) answer {
	if h.opts.Auditor == nil {
		return answer{}
	}
	v.Caller, v.Took = q.caller, h.opts.Clock.Since(q.began)
	if h.opts.Auditor.Required() {
		q.held.leave()
		if got := q.place.wait(h.waiting); got != entryOK {
			return h.overLimit(got)
		}
	}
	ctx, recording := h.part(q.ctx, spanRecord)
	err := h.opts.Auditor.Record(ctx, v)
	recording.End()
	if err != nil {
		return unavailable(reasonNotRecorded, "the review cannot be recorded now, and no verdict is given without a record", 1)
	}
	return answer{}
}

// record writes what policies with Audit found, one line a finding.
func (h *ReviewHandler) record(caller review.Caller, d review.Decision) {
	for _, f := range d.Audit {
		h.log.Info("A policy recorded a call",
			"uid", d.Response.UID, "revision", d.Response.Revision, "caller", caller.Username(), "for", d.For.Username(),
			"index", f.Index, "id", f.ID, "name", f.Name, "code", f.Code, "errors", f.Errors, "policies", f.Policies)
	}
}
