package controllers

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// pace remembers when something was last done for an object, so that it is not
// done again too soon.
type pace struct {
	mu   sync.Mutex
	last map[types.NamespacedName]time.Time
}

func newPace() *pace { return &pace{last: map[types.NamespacedName]time.Time{}} }

// wait tells how long is still to go until interval has passed.
func (p *pace) wait(key types.NamespacedName, now time.Time, interval time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.last[key]
	if !ok {
		return 0
	}
	return max(0, last.Add(interval).Sub(now))
}

func (p *pace) done(key types.NamespacedName, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[key] = now
}

func (p *pace) forget(key types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, key)
}
