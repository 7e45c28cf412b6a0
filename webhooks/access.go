package webhooks

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// Authorizer answers what ServiceAccounts may do. What it leaves out is unanswered, and
// blocks.
type Authorizer interface {
	// Known answers without waiting; all is false if Ask would know more.
	Known([]review.Access) (answers review.Answers, all bool)
	// Ask answers within a bounded time.
	Ask(context.Context, []review.Access) review.Answers
}

// Bound is an Authorizer whose answers belong to policy sets, such as one of files that
// hold the policies and the roles: a review gets both from the same.
type Bound interface {
	Authorizer
	// For is the authorizer of a policy set.
	For(*snapshot.Snapshot) Authorizer
}

// nobodyToAsk leaves every question open.
type nobodyToAsk struct{}

// Known implements Authorizer.
func (nobodyToAsk) Known([]review.Access) (review.Answers, bool) { return nil, true }

// Ask implements Authorizer.
func (nobodyToAsk) Ask(context.Context, []review.Access) review.Answers { return nil }

// outside gets the answers that the verdict hangs on. A caller that asks for another
// account without the right to is refused before anything else is asked.
func (h *ReviewHandler) outside(q *posted, snap *snapshot.Snapshot, in *toolcall.Review) (review.Answers, answer) {
	to := h.opts.Authorizer
	if bound, ok := to.(Bound); ok {
		to = bound.For(snap)
	}
	if delegation, asked := review.Delegation(q.caller, in); asked {
		answers, a := h.authorize(q, to, []review.Access{delegation})
		switch {
		case a.set():
			return nil, a
		case answers[delegation] == review.Unanswered:
			return nil, unavailable(metav1.StatusReasonServiceUnavailable, "whether the caller may review as another account cannot be checked now", 1)
		case answers[delegation] != review.Granted:
			return nil, refuse(http.StatusForbidden, metav1.StatusReasonForbidden,
				"the caller needs the verb reviewas on the ServiceAccount "+delegation.In+"/"+delegation.Name+" to ask on its behalf")
		}
	}
	return h.authorize(q, to, review.Needs(snap, q.caller, in))
}

// authorize asks what is not known already. While it waits, the review holds none of the
// places of those that are judged.
func (h *ReviewHandler) authorize(q *posted, to Authorizer, questions []review.Access) (review.Answers, answer) {
	if len(questions) == 0 {
		return nil, answer{}
	}
	if answers, all := to.Known(questions); all {
		return answers, answer{}
	}
	q.held.leave()
	if got := q.place.wait(h.waiting); got != entryOK {
		return nil, h.overLimit(got)
	}
	ctx, asking := h.part(q.ctx, spanAccess)
	answers := to.Ask(ctx, questions)
	asking.End()
	if got := q.place.wait(h.judging); got != entryOK {
		return nil, h.overLimit(got)
	}
	again, a := h.admit(flowOf(q.caller), q.body)
	if a.set() {
		return nil, a
	}
	*q.held = *again
	return answers, answer{}
}

// recordWhole writes what was kept from the caller, for whoever has to help it.
func (h *ReviewHandler) recordWhole(q *posted, d *review.Decision) {
	for i := range d.Whole {
		r := &d.Whole[i]
		if r.Allowed {
			continue
		}
		h.log.Info("A call was blocked, and its caller not told why",
			"uid", d.Response.UID, "revision", d.Response.Revision, "caller", q.caller.Username(), "for", d.For.Username(),
			"index", i, "id", r.ID, "name", r.Name, "code", r.Code, "errors", r.Errors, "policies", r.Policies)
	}
}
