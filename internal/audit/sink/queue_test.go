package sink

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func lineOf(n int, allowed bool) *item {
	return &item{line: make([]byte, n), allowed: allowed}
}

func TestQueueTakesBlocksBeforeAllows(t *testing.T) {
	q := newQueue(3, 100)
	first, second := lineOf(10, true), lineOf(10, true)
	for _, it := range []*item{first, lineOf(10, false), second} {
		if evicted, ok := q.add(it); !ok || evicted != nil {
			t.Fatal("there was room")
		}
	}
	if _, ok := q.add(lineOf(10, true)); ok {
		t.Error("an allow took the place of another")
	}
	evicted, ok := q.add(lineOf(10, false))
	if !ok || len(evicted) != 1 || evicted[0] != second {
		t.Errorf("the newest allow should have gone: %v, %v", evicted, ok)
	}
	evicted, ok = q.add(lineOf(10, false))
	if !ok || len(evicted) != 1 || evicted[0] != first {
		t.Errorf("the other allow should have gone: %v, %v", evicted, ok)
	}
	if _, ok := q.add(lineOf(10, false)); ok {
		t.Error("a block took the place of another")
	}
}

func TestQueueEvictsNothingInVain(t *testing.T) {
	q := newQueue(10, 100)
	q.add(lineOf(50, false))
	q.add(lineOf(40, true))
	if evicted, ok := q.add(lineOf(60, false)); ok || evicted != nil {
		t.Errorf("%v went for what does not fit", evicted)
	}
	if evicted, ok := q.add(lineOf(50, false)); !ok || len(evicted) != 1 {
		t.Errorf("evicted %v, %v", evicted, ok)
	}
}

func TestQueueCountsWhatIsTaken(t *testing.T) {
	q := newQueue(2, 100)
	q.add(lineOf(10, true))
	q.add(lineOf(10, true))
	taken := q.take(15)
	if len(taken) != 1 || q.records != 2 || q.bytes != 20 {
		t.Fatalf("took %d; %d records, %d bytes are counted", len(taken), q.records, q.bytes)
	}
	if _, ok := q.add(lineOf(10, true)); ok {
		t.Error("what is being written takes no room")
	}
	if q.remove(taken[0]) {
		t.Error("what is being written was taken back")
	}
	q.settle(taken[0])
	if _, ok := q.add(lineOf(10, true)); !ok {
		t.Error("what is written takes room")
	}
	if len(q.take(0)) != 1 {
		t.Error("a line that is larger than a batch is never written")
	}
}

// Whatever happens, the counts are those of what is there, and the bounds hold.
func TestQueueCountsExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	q := newQueue(20, 500)
	var taken []*item
	queued := map[*item]bool{}
	for step := range 20_000 {
		switch r.IntN(4) {
		case 0, 1:
			it := lineOf(1+r.IntN(60), r.IntN(2) == 0)
			evicted, ok := q.add(it)
			for _, e := range evicted {
				if !e.allowed || !queued[e] {
					t.Fatal("evicted what may not be")
				}
				delete(queued, e)
			}
			if ok {
				queued[it] = true
			}
		case 2:
			for _, it := range q.take(r.IntN(200)) {
				delete(queued, it)
				taken = append(taken, it)
			}
		default:
			for _, it := range taken {
				q.settle(it)
			}
			taken = nil
		}
		records, bytes := len(queued)+len(taken), 0
		for it := range queued {
			bytes += len(it.line)
		}
		for _, it := range taken {
			bytes += len(it.line)
		}
		if q.records != records || q.bytes != bytes || records > 20 || bytes > 500 {
			t.Fatalf("step %d: counts %d and %d, has %d and %d", step, q.records, q.bytes, records, bytes)
		}
		if got := fmt.Sprint(q.empty()); got != fmt.Sprint(len(queued) == 0) {
			t.Fatalf("step %d: empty is %s with %d", step, got, len(queued))
		}
	}
}
