package snapshot_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
)

func TestZeroStoreHoldsNothing(t *testing.T) {
	var store snapshot.Store
	if store.Load() != nil {
		t.Error("a store that nobody filled has a snapshot")
	}
}

func TestSwapRefusesNothing(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a nil snapshot was put in force")
		}
	}()
	new(snapshot.Store).Swap(nil)
}

// Readers see whole snapshots, and never an older one after a newer.
func TestSwapWhileReading(t *testing.T) {
	var store snapshot.Store
	const last = 2000
	set := func(n int) { store.Swap(snapshot.New(&compile.Output{Revision: strconv.Itoa(n), Compiled: n})) }
	set(0)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			seen := 0
			for seen < last {
				s := store.Load()
				if s.Revision != strconv.Itoa(s.Compiled) {
					t.Errorf("revision %s with content %d", s.Revision, s.Compiled)
					return
				}
				if s.Compiled < seen {
					t.Errorf("went back from %d to %d", seen, s.Compiled)
					return
				}
				seen = s.Compiled
			}
		})
	}
	for n := 1; n <= last; n++ {
		set(n)
	}
	readers.Wait()
}
