package webhooks

import (
	"sync"

	"github.com/callgate/callgate/internal/review"
)

// inFlight admits so many requests at once and no more than a quarter of them from
// one caller. It never lets anybody wait: a queue halves what HTTP/2 gets done under
// overload.
type inFlight struct {
	limit, share int

	mu    sync.Mutex
	total int
	by    map[flow]int
}

// flow is what fairness is measured by.
type flow struct{ namespace, name string }

func flowOf(c review.Caller) flow { return flow{c.Namespace, c.Name} }

// admission is the outcome of enter. The zero value refuses.
type entry int

const (
	entryFull entry = iota
	entryShare
	entryOK
)

func newInFlight(limit int) *inFlight {
	return &inFlight{limit: limit, share: max(1, limit/4), by: map[flow]int{}}
}

func (f *inFlight) enter(who flow) entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.total >= f.limit:
		return entryFull
	case f.by[who] >= f.share:
		return entryShare
	}
	f.total++
	f.by[who]++
	return entryOK
}

func (f *inFlight) leave(who flow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total--
	if f.by[who]--; f.by[who] == 0 {
		delete(f.by, who)
	}
}
