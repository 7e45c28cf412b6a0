package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/trace"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/clock"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/identity"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// Identifier turns a bearer token into a caller. Its errors are those of package
// identity.
type Identifier interface {
	Identify(ctx context.Context, bearerToken string) (review.Caller, error)
}

// Snapshots holds the policy set in force, nil before there is one.
type Snapshots interface {
	Load() *snapshot.Snapshot
}

// Observer is told of every answer, for metrics. Its methods must not block.
type Observer interface {
	// Answered is called once a request. resource is what was posted, "" where that is
	// nothing that there is; reason is "" for a verdict.
	Answered(resource string, code int, reason string, took time.Duration)
	// Judged is called once a verdict, before it is written.
	Judged(review.Caller, *review.Decision)
}

// NoopObserver ignores everything.
type NoopObserver struct{}

// Answered implements Observer.
func (NoopObserver) Answered(string, int, string, time.Duration) {}

// Judged implements Observer.
func (NoopObserver) Judged(review.Caller, *review.Decision) {}

// ReviewOptions are what a ReviewHandler needs and its limits. Zero limits stand for
// the defaults.
type ReviewOptions struct {
	// Identity identifies those who ask about calls, OfferIdentity those who ask about
	// offers: each is another permission. Without OfferIdentity no offers are judged.
	Identity, OfferIdentity Identifier
	// ExecutionIdentity identifies those who ask for executions, a third permission.
	// Without it there are none.
	ExecutionIdentity Identifier
	// Executor runs calls that were allowed. Nil: none is run.
	Executor  review.Executor
	Snapshots Snapshots
	// Validator gives a second opinion on offers. Nil: none, so that offers are blocked
	// that need one.
	Validator review.Validator
	// Authorizer tells what callers may do where policies want to know. Nil: nobody does,
	// so that such policies block.
	Authorizer Authorizer
	// Auditor keeps a record of every verdict. Nil: nobody does.
	Auditor Auditor
	// Tracer makes the spans of reviews. Nil: none are made, at no cost.
	Tracer trace.Tracer
	// Drain tells when this replica is on its way out. Nil: never.
	Drain *Drain

	// MaxInFlight is how many requests are judged at once, a quarter of them at most
	// for one caller. Default 16 × GOMAXPROCS: a verdict takes 10 to 100 µs, so the
	// last of them waits 2 ms at most.
	MaxInFlight int
	// MaxArriving is how many requests may be between their headers and the end of
	// their body, a quarter of them at most for one caller. Default 4 × MaxInFlight:
	// under overload they queue here, for 8 ms at most, and in HTTP/2 even an idle
	// server waits here for the frame that follows the headers.
	MaxArriving int
	// MaxSlowBodies is how many requests, beyond those, may wait for a body that does
	// not come at once, a quarter of them at most for one caller. Default 64.
	MaxSlowBodies int
	// MaxLargeBodyBytes is what bodies over 64 KiB may take together. Default 32 MiB:
	// a sixteenth of the memory limit that the deployment sets.
	MaxLargeBodyBytes int64
	// MaxValues is how many JSON values the reviews that are judged at once may hold
	// together, a quarter of them at most for one caller. It is an estimate, and
	// reviews of 1,000 values at most are not counted. Default 100,000: 50 to 90 MB.
	MaxValues int
	// MaxHeavy is how many reviews are judged at once that hold more than a quarter of
	// MaxValues each, or take more than the small budget of work. Default 1: one of
	// 300,000 integers takes 160 MB, and one that uses up its work 200 MB.
	MaxHeavy int
	// MaxWaiting is how many reviews wait for a validator or an authorizer at once, a quarter of them at
	// most for one caller. They hold no other place. Default 64: what the validator's
	// client asks and lets wait.
	MaxWaiting int
	// BodyPatience is how long a body may take before its request counts as slow.
	// Default 250 ms: a round trip around the world.
	BodyPatience time.Duration
	// BodyTimeout bounds reading one body. Default 5 s: 1 MiB at 1.7 Mbit/s.
	BodyTimeout time.Duration

	Clock    clock.WithDelayedExecution
	Observer Observer
	Log      logr.Logger
}

// ReviewHandler answers POST on ReviewPath and OfferPath: 200 with a verdict, for allow and block
// alike, or a metav1.Status.
type ReviewHandler struct {
	opts                    ReviewOptions
	arriving, slow, judging *inFlight
	// waiting are those that ask the outside.
	waiting *inFlight
	// values is counted in JSON values, and heavy in reviews.
	values, heavy *inFlight
	// large is how many bytes large bodies take now.
	large atomic.Int64
	retry *retryAfter
	log   logr.Logger

	// cheap is review.Cheap, nil where a test wants none.
	cheap func(*snapshot.Snapshot, review.Caller, toolcall.Review, review.Answers) (review.Decision, bool)
	// judge is review.Calls, and decode is toolcall.DecodeReview.
	judge  func(*snapshot.Snapshot, review.Caller, toolcall.Review, review.Answers) review.Decision
	decode func([]byte) (toolcall.Review, error)

	endpoints map[string]endpoint
	// schemas remembers the schemas of offers.
	schemas *review.SchemaChecks
}

// endpoint is one resource that reviews are posted to.
type endpoint struct {
	resource string
	identity Identifier
	decide   func(*posted) answer
}

// posted is one request whose body has been admitted to be judged.
type posted struct {
	ctx    context.Context //nolint:containedctx // the request's own, for as long as it is answered
	began  time.Time
	caller review.Caller
	body   []byte
	held   *room
	place  *place
	writer http.ResponseWriter
}

var _ http.Handler = &ReviewHandler{}

// validate reports a limit below zero, which would refuse every request.
func (o ReviewOptions) validate() error {
	limits := []int64{
		int64(o.MaxInFlight), int64(o.MaxArriving), int64(o.MaxSlowBodies), int64(o.MaxValues), int64(o.MaxHeavy), int64(o.MaxWaiting),
		o.MaxLargeBodyBytes, int64(o.BodyPatience), int64(o.BodyTimeout),
	}
	if slices.Min(limits) < 0 {
		return errors.New("no limit may be less than zero")
	}
	return nil
}

// NewReviewHandler makes a handler. Identity and Snapshots must be set.
func NewReviewHandler(opts ReviewOptions) (*ReviewHandler, error) {
	if opts.Identity == nil || opts.Snapshots == nil {
		return nil, errors.New("making the review handler: identity and snapshots are needed")
	}
	if err := opts.validate(); err != nil {
		return nil, fmt.Errorf("making the review handler: %w", err)
	}
	opts.MaxInFlight = orDefault(opts.MaxInFlight, 16*runtime.GOMAXPROCS(0))
	opts.MaxArriving = orDefault(opts.MaxArriving, 4*opts.MaxInFlight)
	opts.MaxLargeBodyBytes = orDefault(opts.MaxLargeBodyBytes, 32<<20)
	opts.MaxSlowBodies = orDefault(opts.MaxSlowBodies, 64)
	opts.MaxValues = orDefault(opts.MaxValues, 100_000)
	opts.MaxHeavy = orDefault(opts.MaxHeavy, 1)
	opts.MaxWaiting = orDefault(opts.MaxWaiting, 64)
	opts.BodyPatience = orDefault(opts.BodyPatience, 250*time.Millisecond)
	opts.BodyTimeout = orDefault(opts.BodyTimeout, 5*time.Second)
	if opts.Clock == nil {
		opts.Clock = clock.RealClock{}
	}
	if opts.Observer == nil {
		opts.Observer = NoopObserver{}
	}
	if opts.Validator == nil {
		opts.Validator = review.NoValidator{}
	}
	if opts.Executor == nil {
		opts.Executor = noExecutor{}
	}
	if opts.Authorizer == nil {
		opts.Authorizer = nobodyToAsk{}
	}
	h := &ReviewHandler{
		opts: opts, log: orDiscard(opts.Log),
		arriving: newInFlight(opts.MaxArriving), slow: newInFlight(opts.MaxSlowBodies), judging: newInFlight(opts.MaxInFlight),
		waiting: newInFlight(opts.MaxWaiting),
		values:  newInFlight(opts.MaxValues), heavy: newInFlight(opts.MaxHeavy),
		retry: newRetryAfter(opts.Clock),
		cheap: review.Cheap, judge: review.Calls, decode: toolcall.DecodeReview,
		schemas: review.NewSchemaChecks(),
	}
	h.endpoints = map[string]endpoint{ReviewPath: {reviewv1alpha1.ResourceToolCallReviews, opts.Identity, h.decide}}
	if opts.OfferIdentity != nil {
		h.endpoints[OfferPath] = endpoint{reviewv1alpha1.ResourceToolRequestReviews, opts.OfferIdentity, h.decideOffer}
	}
	if opts.ExecutionIdentity != nil {
		h.endpoints[ExecutionPath] = endpoint{reviewv1alpha1.ResourceToolCallExecutions, opts.ExecutionIdentity, h.decideExecution}
	}
	return h, nil
}

func orDefault[T int | int64 | time.Duration](value, otherwise T) T {
	if value == 0 {
		return otherwise
	}
	return value
}

func orDiscard(log logr.Logger) logr.Logger {
	if log.GetSink() == nil {
		return logr.Discard()
	}
	return log
}

// ServeHTTP implements http.Handler.
func (h *ReviewHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := h.opts.Clock.Now()
	to, known := h.endpoints[r.URL.EscapedPath()]
	a := checkRequest(r, known)
	if !a.set() {
		a = h.answer(w, r, to, began)
	}
	if a.code != http.StatusOK {
		finishBody(w, r, h.opts.Clock, &h.opts)
	}
	a.write(w)
	h.opts.Observer.Answered(to.resource, int(a.code), string(a.reason), h.opts.Clock.Since(began))
}

func (h *ReviewHandler) answer(w http.ResponseWriter, r *http.Request, to endpoint, began time.Time) (a answer) {
	// The wait for an identity happens outside the in-flight limit: it costs no CPU,
	// and package identity bounds it.
	caller, err := to.identity.Identify(r.Context(), bearer(r.Header))
	ctx, span := h.beginTrace(r, to.resource, began, caller, err)
	defer func() { endTrace(span, &a) }()
	if err != nil {
		return identityFault(err, to.resource)
	}
	// A look only, so that a replica that cannot judge reads no bodies. The set that
	// judges is loaded once, below.
	if h.opts.Snapshots.Load() == nil {
		return notReady()
	}
	p, admitted := h.take(flowOf(caller))
	if admitted != entryOK {
		return h.overLimit(admitted)
	}
	defer p.give()
	free, ok := h.reserve(r)
	if !ok {
		return h.overLimit(entryFull)
	}
	defer free()
	body, a := h.readBody(w, r, p)
	if a.set() {
		return a
	}
	// Given back when the verdict is encoded and not when it is written: by then the
	// values are garbage, and a client that reads slowly must not hold the heavy lane.
	room, a := h.admit(flowOf(caller), body)
	if a.set() {
		return a
	}
	defer room.leave()
	return h.survive(to.decide, &posted{ctx: ctx, began: began, caller: caller, body: body, held: room, place: p, writer: w})
}

// survive decodes and judges. Whatever panics in there is answered as unavailable: the
// client blocks, and the next request finds the process alive.
func (h *ReviewHandler) survive(decide func(*posted) answer, q *posted) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			// The value of a panic may quote arguments; its type and place do not.
			h.log.Error(errJudgePanicked, "Judging a review failed", "caller", q.caller.Username(),
				"type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			a = unavailable(metav1.StatusReasonServiceUnavailable, "the review could not be judged", 1)
		}
	}()
	return decide(q)
}

// begin names a review that has no uid, and gives the set that judges it to the end.
func (h *ReviewHandler) begin(uid *string) (*snapshot.Snapshot, answer) {
	if *uid == "" {
		*uid = string(uuid.NewUUID())
	}
	snap := h.opts.Snapshots.Load()
	if snap == nil {
		return nil, notReady()
	}
	return snap, answer{}
}

// decide gives the verdicts on calls.
func (h *ReviewHandler) decide(q *posted) answer {
	_, decoding := h.part(q.ctx, spanDecode)
	in, err := h.decode(q.body)
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
	decision, a := h.verdict(snap, q, in, answers)
	judging.End()
	if a.set() {
		return a
	}
	traceVerdict(q.ctx, decision.Response.UID, decision.Response.Revision, decision.Response.Allowed, decision.Response.Results)
	encoded, err := encode(decision.Response)
	if err != nil {
		return unavailable(metav1.StatusReasonServiceUnavailable, "the verdict could not be encoded", 1)
	}
	if a := h.audit(q, &audit.Verdict{Phase: audit.PhaseCall, Review: &in, Decision: &decision}); a.set() {
		return a
	}
	h.opts.Observer.Judged(q.caller, &decision)
	h.record(q.caller, decision)
	h.recordWhole(q, &decision)
	return answer{code: http.StatusOK, body: encoded}
}

// verdict judges at a small cost if that is enough, and in the heavy lane otherwise. Both
// give the same verdict, so that it does not depend on the load.
func (h *ReviewHandler) verdict(snap *snapshot.Snapshot, q *posted, in toolcall.Review, answers review.Answers) (review.Decision, answer) {
	if h.cheap != nil {
		if d, ok := h.cheap(snap, q.caller, in, answers); ok {
			return d, answer{}
		}
		if a := h.intoHeavyLane(q.held); a.set() {
			return review.Decision{}, a
		}
	}
	return h.judge(snap, q.caller, in, answers), answer{}
}

var errJudgePanicked = errors.New("judging panicked")

func notReady() answer {
	return unavailable(reasonNotReady, "no policy set is in force yet", 1)
}

func (h *ReviewHandler) overLimit(admitted entry) answer {
	a := refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "too many reviews are in flight")
	if admitted == entryShare {
		a.message = "too many reviews of this caller are in flight"
	}
	a.retryAfter = h.retry.drop()
	return a
}

func identityFault(err error, resource string) answer {
	if u, ok := errors.AsType[*identity.UnavailableError](err); ok {
		return unavailable(metav1.StatusReasonServiceUnavailable, "the caller cannot be checked now", u.RetryAfterSeconds())
	}
	switch {
	case errors.Is(err, identity.ErrUnauthenticated):
		return unauthenticated()
	case errors.Is(err, identity.ErrForbidden):
		return refuse(http.StatusForbidden, metav1.StatusReasonForbidden,
			"only a ServiceAccount that may create "+resource+".review.callgate.dev in its namespace may ask")
	}
	return unavailable(metav1.StatusReasonServiceUnavailable, "the caller cannot be checked now", 1)
}

func envelopeFault(err error) answer {
	if e, ok := errors.AsType[*toolcall.EnvelopeError](err); ok {
		if e.Status == http.StatusUnprocessableEntity {
			return refuse(http.StatusUnprocessableEntity, metav1.StatusReason(e.Reason), e.Message)
		}
		return refuse(http.StatusBadRequest, metav1.StatusReason(e.Reason), e.Message)
	}
	return refuse(http.StatusBadRequest, metav1.StatusReasonBadRequest, "the review cannot be decoded")
}
