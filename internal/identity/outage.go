package identity

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// outage remembers whether the API server answers. While it is known not to, nobody
// waits for it: known callers are served from the cache, strangers refused.
type outage struct {
	memory   time.Duration
	clock    clock.PassiveClock
	observer Observer
	// wake tells the prober that there is something to probe.
	wake chan struct{}

	mu     sync.Mutex
	open   bool
	silent time.Time
	ended  time.Time
}

func newOutage(o Options) *outage {
	return &outage{memory: o.OutageMemory, clock: o.Clock, observer: o.Observer, wake: make(chan struct{}, 1)}
}

// unanswered records that a question got no answer; first is true if an outage
// begins with it.
func (o *outage) unanswered() (first bool) {
	o.mu.Lock()
	o.silent = o.clock.Now()
	first, o.open = !o.open, true
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
	if first {
		o.observer.Outage(true)
	}
	return first
}

// answered records an answer; last is true if an outage ends with it.
func (o *outage) answered() (last bool) {
	o.mu.Lock()
	last = o.open
	if last {
		o.open, o.ended = false, o.clock.Now()
	}
	o.mu.Unlock()
	if last {
		o.observer.Outage(false)
	}
	return last
}

// known reports whether the API server is known not to answer. What was seen longer
// ago than memory is not known: somebody has to ask again.
func (o *outage) known(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open && now.Sub(o.silent) <= o.memory
}

func (o *outage) endedAt() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended
}

// probe asks until the API server answers or ctx ends. Without it only a caller
// could find out that the outage is over, by waiting.
func (a *Authenticator) probe(ctx context.Context) {
	for sleep(ctx, a.clock, a.opts.ProbeInterval) == nil {
		attempt, cancel := context.WithTimeout(ctx, a.opts.Deadline)
		ok := a.reviewer.answers(attempt)
		cancel()
		if ctx.Err() != nil {
			return
		}
		if ok {
			a.noteAnswer()
			return
		}
		a.outage.unanswered()
	}
}

func (a *Authenticator) noteAnswer() {
	if a.outage.answered() {
		a.log.Info("The API server answers again")
	}
}
