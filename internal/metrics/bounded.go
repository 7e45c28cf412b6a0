package metrics

import "sync"

// maxNamespaces bounds the namespaces that are told apart, 64 series each at most. The
// rest are one.
const maxNamespaces = 500

// other stands for what is not told apart.
const other = "other"

// bounded gives the first values that it sees, and other for all that come later.
type bounded struct {
	most int
	mu   sync.RWMutex
	seen map[string]struct{}
}

func newBounded(most int) *bounded { return &bounded{most: most, seen: map[string]struct{}{}} }

func (b *bounded) of(value string) string {
	b.mu.RLock()
	_, known := b.seen[value]
	full := len(b.seen) >= b.most
	b.mu.RUnlock()
	switch {
	case known:
		return value
	case full:
		return other
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known = b.seen[value]; !known && len(b.seen) >= b.most {
		return other
	}
	b.seen[value] = struct{}{}
	return value
}
