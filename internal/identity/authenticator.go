package identity

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/callgate/callgate/internal/review"
)

// Authenticator identifies callers by their bearer tokens. It is safe for concurrent
// use. Run must run for an outage's end to be noticed without a caller waiting for
// it; Close must be called (Run does so) for the goroutines to end.
type Authenticator struct {
	opts     Options
	clock    clock.Clock
	observer Observer
	log      logr.Logger

	reviewer           *reviewer
	keys               *keyer
	yes                *lru[yes]
	no                 *lru[no]
	strangers, callers *lane
	outage             *outage

	// base is the context of every look-up; cancel ends it, work counts them.
	base   context.Context //nolint:containedctx // look-ups outlive the requests that cause them; this is their owner's life
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	flights map[cacheKey]*flight
	held    int
	closed  bool
}

// New makes an Authenticator that asks through client, whose configuration should be
// that of ClientConfig.
func New(opts Options, client kubernetes.Interface) (*Authenticator, error) {
	return NewFromReviewers(opts, client.AuthenticationV1().TokenReviews(), client.AuthorizationV1().SubjectAccessReviews())
}

// NewFromReviewers makes an Authenticator that asks the given reviewers. It fails
// only if the options make no sense.
func NewFromReviewers(opts Options, tokens TokenReviewer, access AccessReviewer) (*Authenticator, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("checking the identity options: %w", err)
	}
	opts = opts.complete()
	a := &Authenticator{
		opts: opts, clock: opts.Clock, observer: opts.Observer, log: opts.Log,
		reviewer:  &reviewer{tokens: tokens, access: access, audience: opts.Audience, resource: opts.Resource},
		keys:      newKeyer(),
		yes:       newLRU[yes](opts.MaxCallers),
		no:        newLRU[no](opts.MaxRefusals),
		strangers: newLane(opts.Strangers, opts.Clock),
		callers:   newLane(opts.Callers, opts.Clock),
		outage:    newOutage(opts),
		flights:   map[cacheKey]*flight{},
	}
	a.base, a.cancel = context.WithCancel(context.Background()) //nolint:forbidigo // the life of look-ups is the authenticator's, which ends with Close
	return a, nil
}

// Run probes an API server that does not answer, until ctx ends. Then it closes the
// authenticator and returns nil.
func (a *Authenticator) Run(ctx context.Context) error {
	defer a.Close()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.outage.wake:
			if a.outage.known(a.clock.Now()) {
				a.probe(ctx)
			}
		}
	}
}

// Close ends every look-up and waits for them. Afterwards only callers in the cache
// are identified.
func (a *Authenticator) Close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.cancel()
	a.work.Wait()
}

// Identify returns the caller behind a bearer token. The error is ErrUnauthenticated,
// ErrForbidden, or an *UnavailableError. It returns within Options.Deadline, and at
// once for callers in the cache; ctx ends the wait, not the look-up.
func (a *Authenticator) Identify(ctx context.Context, bearerToken string) (review.Caller, error) {
	caller, outcome, err := a.identify(ctx, bearerToken)
	a.observer.Identified(outcome)
	return caller, err
}

func (a *Authenticator) identify(ctx context.Context, token string) (review.Caller, Outcome, error) {
	if !shaped(token) {
		return review.Caller{}, OutcomeShape, ErrUnauthenticated
	}
	key, now := a.keys.of(token), a.clock.Now()
	if e, ok := a.yes.get(key); ok {
		if caller, outcome, ok, err := a.fromCache(ctx, key, token, e, now); ok {
			return caller, outcome, err
		}
		a.yes.remove(key)
	}
	if n, ok := a.no.get(key); ok && now.Before(n.until) {
		return review.Caller{}, OutcomeRefusalHit, n.err
	}
	exp, ok := expiry(token, a.opts.Audience, now)
	if !ok {
		return review.Caller{}, OutcomeShape, ErrUnauthenticated
	}
	if a.outage.known(now) {
		return review.Caller{}, OutcomeUnavailable, unavailable(CauseOutage)
	}
	caller, err := a.ask(ctx, a.strangers, key, token, exp)
	return caller, asked(err), err
}

// fromCache answers for a token that had a yes; ok is false if that yes is over. The
// local checks are not repeated: the same token passed them, and only exp moves on.
func (a *Authenticator) fromCache(ctx context.Context, key cacheKey, token string, e yes, now time.Time) (_ review.Caller, _ Outcome, ok bool, err error) {
	switch {
	case !now.Before(e.expiry) || !now.Before(e.hard):
		return review.Caller{}, "", false, nil
	case now.Before(e.soft):
		if !now.Before(e.refresh) {
			a.refresh(key, token, e, now)
		}
		return e.caller, OutcomeHit, true, nil
	case a.outage.known(now):
		return e.caller, OutcomeStale, true, nil
	}
	caller, err := a.ask(ctx, a.callers, key, token, e.expiry)
	if err != nil && a.servesStale(e, causeOf(err)) {
		return e.caller, OutcomeStale, true, nil
	}
	return caller, asked(err), true, err
}

// servesStale reports whether a yes past its soft life may still be used, given why
// it could not be renewed.
func (a *Authenticator) servesStale(e yes, cause Cause) bool {
	now := a.clock.Now()
	if !now.Before(e.hard) || !now.Before(e.expiry) {
		return false
	}
	switch cause {
	case CauseNoAnswer, CauseOutage:
		return true
	case CauseBusy:
		// Only known callers use this lane: it is full because the API server is
		// slower than the renewals, as right after an outage.
		from := e.soft
		if ended := a.outage.endedAt(); ended.After(from) {
			from = ended
		}
		return now.Before(from.Add(a.opts.BusyGrace))
	default:
		return false
	}
}

// refresh starts a look-up that nobody waits for, unless one is under way, the lane
// has no room at once, or the API server is known not to answer.
func (a *Authenticator) refresh(key cacheKey, token string, e yes, now time.Time) {
	if a.outage.known(now) || !a.callers.idle() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.flights[key]; ok {
		return
	}
	// Another request may have renewed it since.
	if again, ok := a.yes.get(key); !ok || now.Before(again.refresh) {
		return
	}
	// No room is no fault: the next request tries again.
	_, _ = a.depart(a.callers, key, token, e.expiry)
}

// ask waits for the look-up of key.
func (a *Authenticator) ask(ctx context.Context, l *lane, key cacheKey, token string, exp time.Time) (review.Caller, error) {
	f, err := a.join(l, key, token, exp)
	if err != nil {
		return review.Caller{}, err
	}
	defer a.release()
	select {
	case <-f.done:
		return f.caller, f.err
	case <-ctx.Done():
		return review.Caller{}, unavailable(CauseCanceled)
	}
}

// spread is the part of a soft life after which a yes is refreshed.
func spread() float64 {
	return 0.65 + 0.20*rand.Float64() //nolint:gosec // spreads load; nothing secret hangs on it
}

// newYes gives an answer its lives. The refresh comes at 75 % ± 10 % of the soft
// life, so that callers that came together do not stay together.
func (a *Authenticator) newYes(caller review.Caller, began, exp time.Time) yes {
	at := spread()
	return yes{
		caller: caller, expiry: exp,
		refresh: began.Add(time.Duration(at * float64(a.opts.SoftTTL))),
		soft:    began.Add(a.opts.SoftTTL),
		hard:    began.Add(a.opts.HardTTL),
	}
}

func asked(err error) Outcome {
	if causeOf(err) != "" {
		return OutcomeUnavailable
	}
	return OutcomeAsked
}
