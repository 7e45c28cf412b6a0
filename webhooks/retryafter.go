package webhooks

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// maxRetryAfter caps what a refused client is told to wait, in seconds.
const maxRetryAfter = 32

// retryAfter decides how long refused clients are told to stay away: 1 s, doubled up
// to 32 s while a window of that length sees 3 refusals for each of its seconds, and
// a second less after a calmer one.
type retryAfter struct {
	clock clock.PassiveClock

	mu      sync.Mutex
	seconds int32
	drops   int32
	began   time.Time
}

func newRetryAfter(c clock.PassiveClock) *retryAfter {
	return &retryAfter{clock: c, seconds: 1, began: c.Now()}
}

// drop counts one refusal and returns the seconds to tell.
func (r *retryAfter) drop() int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	if window := time.Duration(r.seconds) * time.Second; now.Sub(r.began) >= window {
		if r.drops >= 3*r.seconds {
			r.seconds = min(maxRetryAfter, 2*r.seconds)
		} else {
			r.seconds--
		}
		// Every further window that passed was without a refusal.
		idle := min((now.Sub(r.began) - window).Seconds(), maxRetryAfter)
		r.seconds = max(1, r.seconds-int32(idle))
		r.began, r.drops = now, 0
	}
	r.drops++
	return r.seconds
}
