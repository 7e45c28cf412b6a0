package metrics

import (
	"hash/maphash"
	"sync"
)

// maxPending bounds the calls whose repair is waited for: 16 bytes each. A new one takes
// the place of an old one.
const maxPending = 16384

// pending are the calls that were blocked last, by a keyed hash of caller and tool. Two
// that share a place forget each other, which costs a count and nothing else.
type pending struct {
	seed maphash.Seed
	mu   sync.Mutex
	// places hold hashes; 0 is none.
	places [maxPending]uint64
}

func newPending() *pending { return &pending{seed: maphash.MakeSeed()} }

func (p *pending) hash(caller, tool string) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	// A name has no NUL: the two cannot be cut in another way.
	_, _ = h.WriteString(caller)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(tool)
	return max(h.Sum64(), 1)
}

func (p *pending) put(caller, tool string) {
	h := p.hash(caller, tool)
	p.mu.Lock()
	p.places[h%maxPending] = h
	p.mu.Unlock()
}

// take reports whether the call was put, and forgets it.
func (p *pending) take(caller, tool string) bool {
	h := p.hash(caller, tool)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.places[h%maxPending] != h {
		return false
	}
	p.places[h%maxPending] = 0
	return true
}
