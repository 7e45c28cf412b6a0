package sink

import (
	"container/list"
)

// item is one line on its way.
type item struct {
	line    []byte
	allowed bool
	// gap: the line tells of lost records, and is none itself.
	gap bool
	// done, if not nil, is told when the line is written or never will be. It has room
	// for one.
	done chan error

	// all and allows are where the item is in the queue, nil where it is not.
	all, allows *list.Element
}

// queue holds what is to be written, in order. What has been taken out to be written
// counts until it is settled, so that the bounds hold for everything in memory. It is not
// safe for concurrent use.
type queue struct {
	maxRecords, maxBytes int
	records, bytes       int

	// all has every item that is not taken, allows those of them that can be dropped for
	// the sake of another, oldest first.
	all, allows *list.List
	allowBytes  int
}

func newQueue(maxRecords, maxBytes int) *queue {
	return &queue{maxRecords: maxRecords, maxBytes: maxBytes, all: list.New(), allows: list.New()}
}

// add adds an item at the end if there is room. A record of a blocked review takes the
// place of the newest ones of allowed reviews; those are returned. Where even that would
// not do, nothing changes.
func (q *queue) add(it *item) (evicted []*item, ok bool) {
	if !q.fits(it, q.records, q.bytes) {
		if it.allowed || !q.fits(it, q.records-q.allows.Len(), q.bytes-q.allowBytes) {
			return nil, false
		}
		for !q.fits(it, q.records, q.bytes) {
			newest, isItem := q.allows.Back().Value.(*item)
			if !isItem {
				return evicted, false
			}
			q.remove(newest)
			evicted = append(evicted, newest)
		}
	}
	it.all = q.all.PushBack(it)
	// What somebody waits for is not dropped for another.
	if it.allowed && it.done == nil {
		it.allows = q.allows.PushBack(it)
		q.allowBytes += len(it.line)
	}
	q.records++
	q.bytes += len(it.line)
	return evicted, true
}

func (q *queue) fits(it *item, records, bytes int) bool {
	return records+1 <= q.maxRecords && bytes+len(it.line) <= q.maxBytes
}

// remove takes an item out that is not taken, and counts it no more. It reports whether
// the item was there.
func (q *queue) remove(it *item) bool {
	if !q.detach(it) {
		return false
	}
	q.settle(it)
	return true
}

// take takes items from the front, of at most so many bytes together but at least one.
// They count until they are settled.
func (q *queue) take(maxBytes int) (taken []*item) {
	n := 0
	for e := q.all.Front(); e != nil; e = q.all.Front() {
		it, isItem := e.Value.(*item)
		if !isItem || len(taken) > 0 && n+len(it.line) > maxBytes {
			break
		}
		q.detach(it)
		n += len(it.line)
		taken = append(taken, it)
	}
	return taken
}

// settle counts a taken item no more.
func (q *queue) settle(it *item) {
	q.records--
	q.bytes -= len(it.line)
}

func (q *queue) detach(it *item) bool {
	if it.all == nil {
		return false
	}
	q.all.Remove(it.all)
	it.all = nil
	if it.allows != nil {
		q.allows.Remove(it.allows)
		it.allows = nil
		q.allowBytes -= len(it.line)
	}
	return true
}

// empty reports whether nothing waits.
func (q *queue) empty() bool { return q.all.Len() == 0 }

// calm reports whether the queue is half empty by both of its bounds.
func (q *queue) calm() bool { return q.records <= q.maxRecords/2 && q.bytes <= q.maxBytes/2 }
