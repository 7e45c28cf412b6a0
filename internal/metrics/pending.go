package metrics

import (
	"hash/maphash"
	"sync/atomic"
)

// maxPending bounds the calls whose repair is waited for: 8 bytes each. A new one takes
// the place of an old one.
const maxPending = 16384

// pending are the calls that were blocked last, by a keyed hash of caller and tool. Two
// that share a place forget each other, which costs a count and nothing else.
type pending struct {
	seed maphash.Seed
	// places hold hashes; 0 is none.
	places [maxPending]atomic.Uint64
}

func newPending() *pending { return &pending{seed: maphash.MakeSeed()} }

// place is where a call waits, and its hash.
func (p *pending) place(caller, tool string) (*atomic.Uint64, uint64) {
	var h maphash.Hash
	h.SetSeed(p.seed)
	// A name has no NUL: the two cannot be cut in another way.
	_, _ = h.WriteString(caller)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(tool)
	hash := max(h.Sum64(), 1)
	return &p.places[hash%maxPending], hash
}

func (p *pending) put(caller, tool string) {
	place, hash := p.place(caller, tool)
	place.Store(hash)
}

// take reports whether the call was put, and forgets it.
func (p *pending) take(caller, tool string) bool {
	place, hash := p.place(caller, tool)
	return place.CompareAndSwap(hash, 0)
}
