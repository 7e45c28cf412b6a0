package identity

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/callgate/callgate/internal/review"
)

// Authorizer answers what ServiceAccounts may do (SubjectAccessReview). It is apart from
// Authenticator, so that questions about tools and tenants, of which a caller can make
// up as many as it likes, delay nobody's identity. It is safe for concurrent use. Close
// must be called for its goroutines to end.
type Authorizer struct {
	opts   AccessOptions
	clock  clock.Clock
	log    logr.Logger
	access AccessReviewer

	keys            *keyer
	yes             *lru[grant]
	no              *lru[time.Time]
	fresh, renewals *lane
	outage          *outage

	// base is the context of every look-up; cancel ends it, work counts them.
	base   context.Context //nolint:containedctx // look-ups outlive the requests that cause them; this is their owner's life
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	flights map[cacheKey]*accessFlight
	// asking counts the look-ups under way by the account that they are about.
	asking map[string]int
	closed bool
}

// grant is a positive answer. Its lives count from when the look-up began.
type grant struct{ refresh, soft, hard time.Time }

// accessFlight is one look-up that any number of requests may wait for.
type accessFlight struct {
	done chan struct{}
	// answer is written before done is closed.
	answer review.AccessAnswer
}

// NewAuthorizer makes an Authorizer that asks through client, whose configuration should
// be that of ClientConfig.
func NewAuthorizer(opts AccessOptions, client kubernetes.Interface) (*Authorizer, error) {
	return NewAuthorizerFromReviewer(opts, client.AuthorizationV1().SubjectAccessReviews())
}

// NewAuthorizerFromReviewer makes an Authorizer that asks the given reviewer. It fails
// only if the options make no sense.
func NewAuthorizerFromReviewer(opts AccessOptions, access AccessReviewer) (*Authorizer, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("checking the authorization options: %w", err)
	}
	opts = opts.complete()
	a := &Authorizer{
		opts: opts, clock: opts.Clock, log: opts.Log, access: access,
		keys: newKeyer(), yes: newLRU[grant](opts.MaxGrants), no: newLRU[time.Time](opts.MaxRefusals),
		fresh: newLane(opts.Fresh, opts.Clock), renewals: newLane(opts.Renewals, opts.Clock),
		outage:  newOutage(Options{OutageMemory: opts.OutageMemory, Clock: opts.Clock, Observer: opts.Observer}),
		flights: map[cacheKey]*accessFlight{}, asking: map[string]int{},
	}
	a.base, a.cancel = context.WithCancel(context.Background()) //nolint:forbidigo // the life of look-ups is the authorizer's, which ends with Close
	return a, nil
}

// Run closes the authorizer when ctx ends.
func (a *Authorizer) Run(ctx context.Context) error {
	<-ctx.Done()
	a.Close()
	return nil
}

// Close ends every look-up and waits for them. Afterwards only what is remembered is
// answered.
func (a *Authorizer) Close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.cancel()
	a.work.Wait()
}

// Known answers without waiting. all is false if that leaves questions for Ask; while the
// API server is known not to answer there are none.
func (a *Authorizer) Known(questions []review.Access) (answers review.Answers, all bool) {
	answers, all = make(review.Answers, len(questions)), true
	now := a.clock.Now()
	for _, q := range questions {
		answer, ok := a.remembered(q, a.keyOf(q), now)
		if ok {
			answers[q] = answer
		}
		all = all && ok
	}
	return answers, all
}

// Ask answers all questions, at once and within Options.Deadline. Whatever gets no answer
// is Unanswered; ctx ends the wait, not the look-ups.
func (a *Authorizer) Ask(ctx context.Context, questions []review.Access) review.Answers {
	answers, all := a.Known(questions)
	if all {
		return answers
	}
	waiting := map[review.Access]*accessFlight{}
	for _, q := range questions {
		if _, ok := answers[q]; !ok {
			waiting[q] = a.join(q)
		}
	}
	for q, f := range waiting {
		answers[q] = review.Unanswered
		if f == nil {
			continue
		}
		select {
		case <-f.done:
			answers[q] = f.answer
		case <-ctx.Done():
		}
	}
	return answers
}

// remembered answers from the caches. ok is false if somebody has to be asked.
func (a *Authorizer) remembered(q review.Access, key cacheKey, now time.Time) (answer review.AccessAnswer, ok bool) {
	if g, found := a.yes.get(key); found && now.Before(g.hard) {
		switch {
		case now.Before(g.soft):
			if !now.Before(g.refresh) {
				a.refresh(q, key, now)
			}
			return review.Granted, true
		case a.outage.known(now):
			return review.Granted, true
		}
		return review.Unanswered, false
	}
	if until, found := a.no.get(key); found && now.Before(until) {
		return review.Refused, true
	}
	return review.Unanswered, a.outage.known(now)
}

// refresh starts a look-up that nobody waits for, if there is room at once.
func (a *Authorizer) refresh(q review.Access, key cacheKey, now time.Time) {
	if a.outage.known(now) || !a.renewals.idle() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.flights[key]; !ok {
		a.depart(a.renewals, q, key)
	}
}

// join finds the look-up of a question or starts one; nil if there is no room.
func (a *Authorizer) join(q review.Access) *accessFlight {
	key, now := a.keyOf(q), a.clock.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if f, ok := a.flights[key]; ok {
		return f
	}
	l := a.fresh
	if g, known := a.yes.get(key); known {
		// A look-up may have ended since the caches were read.
		if now.Before(g.soft) {
			return landed(review.Granted)
		}
		l = a.renewals
	} else if until, known := a.no.get(key); known && now.Before(until) {
		return landed(review.Refused)
	}
	return a.depart(l, q, key)
}

func landed(answer review.AccessAnswer) *accessFlight {
	f := &accessFlight{done: make(chan struct{}), answer: answer}
	close(f.done)
	return f
}

// depart starts a look-up; a.mu is held. It belongs to the authorizer and not to the
// request that caused it. nil: there is no room, or no more for this account.
func (a *Authorizer) depart(l *lane, q review.Access, key cacheKey) *accessFlight {
	who := serviceaccount.MakeUsername(q.Namespace, q.ServiceAccount)
	if a.closed || a.asking[who] >= a.opts.MaxPerAccount || !l.enter() {
		return nil
	}
	f := &accessFlight{done: make(chan struct{})}
	a.flights[key] = f
	a.asking[who]++
	a.work.Go(func() {
		defer l.leave()
		f.answer = a.fly(l, q, key)
		a.mu.Lock()
		delete(a.flights, key)
		if a.asking[who]--; a.asking[who] == 0 {
			delete(a.asking, who)
		}
		a.mu.Unlock()
		close(f.done)
	})
	return f
}

func (a *Authorizer) fly(l *lane, q review.Access, key cacheKey) review.AccessAnswer {
	ctx, cancel := context.WithTimeout(a.base, a.opts.Deadline)
	defer cancel()
	began := a.clock.Now()
	allowed, err := survive(func() (bool, error) { return a.lookUp(ctx, l, q) })
	now := a.clock.Now()
	a.opts.Observer.LookedUp(err == nil, now.Sub(began))
	switch {
	case err == nil && allowed:
		a.outage.answered()
		a.no.remove(key)
		at := spread()
		a.yes.put(key, grant{
			refresh: began.Add(time.Duration(at * float64(a.opts.SoftTTL))),
			soft:    began.Add(a.opts.SoftTTL), hard: began.Add(a.opts.HardTTL),
		})
		return review.Granted
	case err == nil:
		a.outage.answered()
		a.yes.remove(key)
		a.no.put(key, now.Add(a.opts.RefusalTTL))
		return review.Refused
	case !errors.Is(err, errNotAsked) && a.base.Err() == nil && a.outage.unanswered():
		a.log.Info("The API server does not say what callers may do; what is remembered goes on being used", "cause", describe(err))
	}
	// While nobody answers, a yes lives on.
	if g, ok := a.yes.get(key); ok && now.Before(g.hard) {
		return review.Granted
	}
	return review.Unanswered
}

func (a *Authorizer) lookUp(ctx context.Context, l *lane, q review.Access) (allowed bool, err error) {
	if err := l.start(ctx); err != nil {
		return false, errors.Join(errNotAsked, err)
	}
	defer l.stop()
	if err := l.pace(ctx); err != nil {
		return false, errors.Join(errNotAsked, err)
	}
	err = insist(ctx, l, a.clock, func() error {
		got, err := a.access.Create(ctx, accessReview(q), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		allowed = got.Status.Allowed && !got.Status.Denied
		return nil
	})
	return allowed, err
}

// accessReview asks about the account by its name and groups, which is all that RBAC
// knows of one, and which is the same whoever's token it holds.
func accessReview(q review.Access) *authorizationv1.SubjectAccessReview {
	return &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User:   serviceaccount.MakeUsername(q.Namespace, q.ServiceAccount),
			Groups: append(serviceaccount.MakeGroupNames(q.Namespace), "system:authenticated"),
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: q.In, Verb: q.Verb, Group: q.Group, Version: "*", Resource: q.Resource, Name: q.Name,
			},
		},
	}
}

// keyOf tells questions apart. Lengths keep two of them from having one text.
func (a *Authorizer) keyOf(q review.Access) cacheKey {
	var b strings.Builder
	for _, field := range []string{q.Namespace, q.ServiceAccount, q.Verb, q.Group, q.Resource, q.In, q.Name} {
		b.WriteString(strconv.Itoa(len(field)))
		b.WriteByte(':')
		b.WriteString(field)
	}
	return a.keys.of(b.String())
}
