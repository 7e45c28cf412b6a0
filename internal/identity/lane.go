package identity

import (
	"context"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/utils/clock"
)

// lane admits look-ups: so many at once, so many waiting, so many a second.
type lane struct {
	// places holds one token for each look-up, running or waiting.
	places chan struct{}
	// running holds one token for each that runs.
	running chan struct{}
	limiter *rate.Limiter
	clock   clock.Clock
}

func newLane(l Lane, c clock.Clock) *lane {
	// A tenth may come at once, and the refill makes up the rest, so that no second
	// sees more than PerSecond.
	burst := max(1, l.PerSecond/10)
	refill := max(1, l.PerSecond-burst)
	return &lane{
		places:  make(chan struct{}, l.Running+l.Waiting),
		running: make(chan struct{}, l.Running),
		limiter: rate.NewLimiter(rate.Limit(refill), burst),
		clock:   c,
	}
}

// enter takes a place without waiting. Whoever got one must leave.
func (l *lane) enter() bool {
	select {
	case l.places <- struct{}{}:
		return true
	default:
		return false
	}
}

// idle reports whether a look-up that entered now would run at once.
func (l *lane) idle() bool { return len(l.places) < cap(l.running) }

func (l *lane) leave() { <-l.places }

// start waits until the look-up may run. Whoever started must stop.
func (l *lane) start(ctx context.Context) error {
	select {
	case l.running <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *lane) stop() { <-l.running }

// pace waits until the rate allows one more question.
func (l *lane) pace(ctx context.Context) error {
	now := l.clock.Now()
	r := l.limiter.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if deadline, ok := ctx.Deadline(); ok && deadline.Sub(now) < wait {
		r.CancelAt(now)
		return context.DeadlineExceeded
	}
	return sleep(ctx, l.clock, wait)
}

func sleep(ctx context.Context, c clock.Clock, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
