package webhooks

import (
	"fmt"
	"net/http"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// OfferObserver is told of every verdict on an offer, before it is written. An Observer
// may be one. It must not block.
type OfferObserver interface {
	Offered(review.Caller, *review.OfferDecision)
}

// decideOffer gives the verdict on an offer: decide, ask whom the policies want asked,
// decide again. The set that judged at first judges to the end.
func (h *ReviewHandler) decideOffer(q *posted) answer {
	_, decoding := h.part(q.ctx, spanDecode)
	in, err := toolcall.DecodeRequestReview(q.body)
	decoding.End()
	if err != nil {
		return envelopeFault(err)
	}
	snap, a := h.begin(&in.UID)
	if a.set() {
		return a
	}
	given, a := h.outside(q, snap, in.Session())
	if a.set() {
		return a
	}
	_, judging := h.part(q.ctx, spanJudge)
	decision, a := h.offerVerdict(snap, q, &in, given)
	judging.End()
	if a.set() {
		return a
	}
	record := audit.Verdict{Phase: audit.PhaseOffer, Offer: &in, OfferDecision: &decision}
	if len(decision.Questions) > 0 {
		answers, a := h.ask(q, decision.Questions)
		if a.set() {
			return a
		}
		record.Questions, record.Answers = decision.Questions, answers
		decision = decision.Answered(answers)
	}
	traceOffer(q.ctx, &decision.Response)
	encoded, err := encodeOffer(decision.Response)
	if err != nil {
		return unavailable(metav1.StatusReasonServiceUnavailable, "the verdict could not be encoded", 1)
	}
	if a := h.audit(q, &record); a.set() {
		return a
	}
	if o, ok := h.opts.Observer.(OfferObserver); ok {
		o.Offered(q.caller, &decision)
	}
	h.recordOffer(q.caller, decision)
	return answer{code: http.StatusOK, body: encoded}
}

// offerVerdict judges at a small cost if that is enough, and in the heavy lane otherwise.
func (h *ReviewHandler) offerVerdict(snap *snapshot.Snapshot, q *posted, in *toolcall.Offer, given review.Answers) (review.OfferDecision, answer) {
	if d, ok := review.CheapOffers(snap, q.caller, in, h.schemas, given); ok {
		return d, answer{}
	}
	if a := h.intoHeavyLane(q.held); a.set() {
		return review.OfferDecision{}, a
	}
	return review.Offers(snap, q.caller, in, h.schemas, given), answer{}
}

// ask puts the questions all at once. While it waits, the review holds none of the
// places of those that are judged.
func (h *ReviewHandler) ask(q *posted, questions []review.Question) ([]review.Answer, answer) {
	q.held.leave()
	if got := q.place.wait(h.waiting); got != entryOK {
		return nil, h.overLimit(got)
	}
	answers := make([]review.Answer, len(questions))
	var work sync.WaitGroup
	for i := range questions {
		work.Go(func() {
			// A panic in a goroutine of its own would end the process.
			defer func() {
				if p := recover(); p != nil {
					h.log.Error(errJudgePanicked, "Asking a validator failed", "type", fmt.Sprintf("%T", p))
					answers[i] = review.Answer{Cause: "no_answer", Detail: "asking failed"}
				}
			}()
			answers[i] = h.validate(q.ctx, questions[i])
		})
	}
	work.Wait()
	return answers, answer{}
}

// encodeOffer writes the review with its response and without its request. Lists are
// lists, empty ones too.
func encodeOffer(response reviewv1alpha1.ToolRequestReviewResponse) ([]byte, error) {
	d := &response.Details
	d.RequestedTools, d.UndeclaredTools, d.InvalidSchemas = orEmpty(d.RequestedTools), orEmpty(d.UndeclaredTools), orEmpty(d.InvalidSchemas)
	d.MalformedEntries = orEmpty(d.MalformedEntries)
	response.PermittedTools, response.Warnings, response.Policies = orEmpty(response.PermittedTools), orEmpty(response.Warnings), orEmpty(response.Policies)
	return encodeLine(reviewv1alpha1.ToolRequestReview{
		TypeMeta: metav1.TypeMeta{APIVersion: toolcall.APIVersion, Kind: toolcall.KindRequestReview},
		Response: &response,
	})
}

// recordOffer writes what policies found, one line a finding, and every block.
func (h *ReviewHandler) recordOffer(caller review.Caller, d review.OfferDecision) {
	for _, f := range d.Audit {
		h.log.Info("A policy recorded an offer",
			"uid", d.Response.UID, "revision", d.Response.Revision, "caller", caller.Username(), "verdict", d.Response.Verdict,
			"policy", f.Policy, "code", f.Code, "errors", f.Errors, "detail", f.Detail)
	}
}
