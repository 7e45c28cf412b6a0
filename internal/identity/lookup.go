package identity

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"

	"github.com/callgate/callgate/internal/review"
)

// The pauses between attempts at one question, within the one deadline. The first
// covers an API server behind a load balancer that drops one connection.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 800 * time.Millisecond
)

// flight is one look-up that any number of requests may wait for.
type flight struct {
	done chan struct{}
	// caller and err are written before done is closed.
	caller review.Caller
	err    error
}

// join finds the look-up of key or starts one. It holds a place for the waiting
// request until release.
func (a *Authenticator) join(l *lane, key cacheKey, token string, exp time.Time) (*flight, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held >= a.opts.MaxHeld {
		return nil, unavailable(CauseBusy)
	}
	f, ok := a.flights[key]
	if !ok {
		// A look-up may have ended since the caches were read.
		if f, ok = a.settled(key); ok {
			a.held++
			return f, nil
		}
		var err error
		if f, err = a.depart(l, key, token, exp); err != nil {
			return nil, err
		}
	}
	a.held++
	return f, nil
}

func (a *Authenticator) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held--
}

// settled answers from the caches, as a look-up that has ended already.
func (a *Authenticator) settled(key cacheKey) (*flight, bool) {
	f := &flight{done: make(chan struct{})}
	now := a.clock.Now()
	if e, ok := a.yes.get(key); ok && now.Before(e.soft) && now.Before(e.expiry) {
		f.caller = e.caller
	} else if n, ok := a.no.get(key); ok && now.Before(n.until) {
		f.err = n.err
	} else {
		return nil, false
	}
	close(f.done)
	return f, true
}

// depart starts a look-up; a.mu is held. The look-up belongs to the authenticator
// and not to the request that caused it: a client that goes away must not cost the
// others their answer.
func (a *Authenticator) depart(l *lane, key cacheKey, token string, exp time.Time) (*flight, error) {
	if a.closed {
		return nil, unavailable(CauseClosed)
	}
	if !l.enter() {
		return nil, unavailable(CauseBusy)
	}
	f := &flight{done: make(chan struct{})}
	a.flights[key] = f
	a.work.Go(func() {
		defer l.leave()
		a.fly(l, f, key, token, exp)
	})
	return f, nil
}

func (a *Authenticator) fly(l *lane, f *flight, key cacheKey, token string, exp time.Time) {
	ctx, cancel := context.WithTimeout(a.base, a.opts.Deadline)
	defer cancel()
	began := a.clock.Now()
	caller, err := survive(func() (review.Caller, error) { return a.lookUp(ctx, l, token) })
	f.caller, f.err = a.settle(key, began, exp, caller, err)
	a.mu.Lock()
	delete(a.flights, key)
	a.mu.Unlock()
	close(f.done)
}

// lookUp puts both questions. Its error is ErrUnauthenticated, ErrForbidden, or
// whatever kept the answer from coming.
func (a *Authenticator) lookUp(ctx context.Context, l *lane, token string) (review.Caller, error) {
	if err := l.start(ctx); err != nil {
		return review.Caller{}, errors.Join(errNotAsked, err)
	}
	defer l.stop()
	if err := l.pace(ctx); err != nil {
		return review.Caller{}, errors.Join(errNotAsked, err)
	}
	var who *user
	err := insist(ctx, l, a.clock, func() (err error) {
		who, err = a.reviewer.whois(ctx, token)
		return err
	})
	if err != nil {
		return review.Caller{}, err
	}
	if who == nil {
		return review.Caller{}, ErrUnauthenticated
	}
	caller, ok := callerOf(who)
	if !ok {
		return review.Caller{}, ErrForbidden
	}
	var allowed bool
	err = insist(ctx, l, a.clock, func() (err error) {
		allowed, err = a.reviewer.may(ctx, who, caller.Namespace)
		return err
	})
	if err == nil && !allowed {
		err = ErrForbidden
	}
	return caller, err
}

// errNotAsked marks a look-up whose deadline passed before the API server was asked,
// which says nothing about the API server.
var errNotAsked = errors.New("waiting to ask the API server")

// insist repeats a question until it is answered or the deadline leaves no room.
// Every error is repeated, a refusal of our own request too: an API server that is
// starting gives those before it has read its RBAC rules.
func insist(ctx context.Context, l *lane, c clock.Clock, ask func() error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := ask()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if deadline, ok := ctx.Deadline(); ok && deadline.Sub(c.Now()) <= pause {
			return err
		}
		if sleep(ctx, c, pause) != nil || l.pace(ctx) != nil {
			return err
		}
	}
}

// settle turns the outcome of a look-up into what the caches keep and the waiting
// requests get.
func (a *Authenticator) settle(key cacheKey, began, exp time.Time, caller review.Caller, err error) (review.Caller, error) {
	now := a.clock.Now()
	refused := errors.Is(err, ErrUnauthenticated) || errors.Is(err, ErrForbidden)
	a.observer.LookedUp(err == nil || refused, now.Sub(began))
	switch {
	case err == nil && now.Before(exp):
		a.noteAnswer()
		a.no.remove(key)
		a.yes.put(key, a.newYes(caller, began, exp))
		return caller, nil
	case err == nil || refused:
		a.noteAnswer()
		a.yes.remove(key)
		if err == nil {
			// The token expired while the answer was on its way.
			return review.Caller{}, ErrUnauthenticated
		}
		a.no.put(key, no{err: err, until: now.Add(a.opts.RefusalTTL)})
		return review.Caller{}, err
	case a.base.Err() != nil:
		return review.Caller{}, unavailable(CauseClosed)
	case errors.Is(err, errNotAsked):
		return review.Caller{}, unavailable(CauseNoAnswer)
	}
	if a.outage.unanswered() {
		a.log.Info("The API server does not answer; known callers are served from the cache", "cause", describe(err))
	}
	return review.Caller{}, unavailable(CauseNoAnswer)
}

// describe names the kind of an error and nothing else of it: an answer that cannot
// be decoded would quote the token that the API server echoes.
func describe(err error) string {
	switch reason := apierrors.ReasonForError(err); {
	case reason != "":
		return string(reason)
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline exceeded"
	default:
		return "no connection or no readable answer"
	}
}
