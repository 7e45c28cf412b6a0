package webhooks

import (
	"sync"

	"github.com/callgate/callgate/internal/review"
)

// inFlight admits so many requests at once, or requests of so much weight together, and
// no more than a quarter of that from one caller. It never lets anybody wait: a queue
// halves what HTTP/2 gets done under overload.
type inFlight struct {
	limit, share int

	mu    sync.Mutex
	total int
	by    map[flow]int
}

// flow is what fairness is measured by.
type flow struct{ namespace, name string }

func flowOf(c review.Caller) flow { return flow{c.Namespace, c.Name} }

// entry is the outcome of enter. The zero value refuses.
type entry int

const (
	entryFull entry = iota
	entryShare
	entryOK
)

func newInFlight(limit int) *inFlight {
	return &inFlight{limit: limit, share: max(1, limit/4), by: map[flow]int{}}
}

func (f *inFlight) enter(who flow, weight int) entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.total+weight > f.limit:
		return entryFull
	case f.by[who]+weight > f.share:
		return entryShare
	}
	f.total += weight
	f.by[who] += weight
	return entryOK
}

func (f *inFlight) leave(who flow, weight int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total -= weight
	if f.by[who] -= weight; f.by[who] == 0 {
		delete(f.by, who)
	}
}
