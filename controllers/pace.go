package controllers

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// pace remembers when an object was last written and what came of it, so that it is
// written neither too often nor on the strength of what the cache showed before.
type pace struct {
	mu   sync.Mutex
	last map[types.NamespacedName]lastWrite
}

type lastWrite struct {
	at time.Time
	// version is the resourceVersion that the write gave.
	version string
}

func newPace() *pace { return &pace{last: map[types.NamespacedName]lastWrite{}} }

// wait tells how long is still to go until interval has passed.
func (p *pace) wait(key types.NamespacedName, now time.Time, interval time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.last[key]
	if !ok {
		return 0
	}
	return max(0, last.at.Add(interval).Sub(now))
}

// behind reports whether version is from before the last write: then the cache has
// yet to see it, and will wake us when it does.
func (p *pace) behind(key types.NamespacedName, version string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return older(version, p.last[key].version)
}

// begin notes that a write is being tried.
func (p *pace) begin(key types.NamespacedName, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.last[key]
	last.at = now
	p.last[key] = last
}

// wrote notes what a write gave. Without a version there is nothing to be behind.
func (p *pace) wrote(key types.NamespacedName, version *string) {
	if version == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.last[key]
	last.version = *version
	p.last[key] = last
}

func (p *pace) forget(key types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, key)
}
