// Package snapshot holds the policy set in force: an immutable value behind one
// atomic pointer. Whoever compiles swaps it, whoever judges loads it once a
// review and passes it down.
package snapshot

import (
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/callgate/callgate/internal/compile"
)

// Snapshot is a whole compiled policy set at one instant.
type Snapshot struct {
	*compile.Output
}

// New wraps a compiled policy set.
func New(out *compile.Output) *Snapshot { return &Snapshot{Output: out} }

// Schema tells what became of a ToolSchema, or nil if this snapshot has not seen it.
func (s *Snapshot) Schema(key types.NamespacedName) *compile.SchemaOutcome {
	if s == nil {
		return nil
	}
	return s.Schemas[key]
}

// Policy tells what became of a ToolPolicy, or nil if this snapshot has not seen it.
func (s *Snapshot) Policy(key types.NamespacedName) *compile.PolicyOutcome {
	if s == nil {
		return nil
	}
	return s.Policies[key]
}

// Store holds the snapshot in force. The zero value holds none, which means "not
// ready" and never "allow".
type Store struct {
	current atomic.Pointer[Snapshot]
}

// Load returns the snapshot in force, or nil before the first Swap.
func (s *Store) Load() *Snapshot { return s.current.Load() }

// Swap puts next in force and returns what was in force before. It panics on nil:
// a set that was once in force is only ever replaced by another.
func (s *Store) Swap(next *Snapshot) *Snapshot {
	if next == nil || next.Output == nil {
		panic("snapshot: Swap(nil)")
	}
	return s.current.Swap(next)
}
