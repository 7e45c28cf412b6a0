package adapter

import (
	"container/list"
	"crypto/sha256"
	"time"
)

// identity is what an execution is known by: who asked, and the uid that it gave.
type identity struct {
	namespace, caller, uid string
}

// fingerprint tells whether an equal identity stands for the same execution.
type fingerprint [sha256.Size]byte

// recentBytes is what an outcome takes beside its result: key, entry, list elements.
const recentBytes = 512

// recent keeps outcomes for a short time, bounded in number and in bytes, in all and for
// the callers of one namespace: those who ask for much push out their own. It is guarded
// by the Executor's mutex.
type recent struct {
	max, perMax share

	all        *list.List
	items      map[identity]*list.Element
	held       share
	namespaces map[string]*recentLane
}

// share is a number of outcomes and their bytes.
type share struct{ entries, bytes int }

func (s share) within(bound share) bool { return s.entries <= bound.entries && s.bytes <= bound.bytes }

type recentLane struct {
	order *list.List
	held  share
}

type recentEntry struct {
	id      identity
	mark    fingerprint
	outcome Outcome
	until   time.Time
	own     *list.Element
}

func (e *recentEntry) size() int {
	return recentBytes + len(e.outcome.Result) + len(e.outcome.Detail) + len(e.id.caller) + len(e.id.uid)
}

func newRecent(o Settings) *recent {
	all := share{o.MaxRecent, o.MaxRecentBytes}
	return &recent{
		max: all, perMax: share{max(1, all.entries/4), max(recentBytes, all.bytes/4)},
		all: list.New(), items: map[identity]*list.Element{}, namespaces: map[string]*recentLane{},
	}
}

// get finds what was executed. All live for the same time, so those that are over are at
// the end.
func (r *recent) get(id identity, now time.Time) (*recentEntry, bool) {
	for at := r.all.Back(); at != nil && !now.Before(at.Value.(*recentEntry).until); at = r.all.Back() {
		r.remove(at)
	}
	at, ok := r.items[id]
	if !ok {
		return nil, false
	}
	return at.Value.(*recentEntry), true
}

func (r *recent) put(id identity, mark fingerprint, outcome Outcome, until time.Time) {
	if at, ok := r.items[id]; ok {
		r.remove(at)
	}
	own, ok := r.namespaces[id.namespace]
	if !ok {
		own = &recentLane{order: list.New()}
		r.namespaces[id.namespace] = own
	}
	e := &recentEntry{id: id, mark: mark, outcome: outcome, until: until}
	at := r.all.PushFront(e)
	e.own = own.order.PushFront(at)
	r.items[id] = at
	r.count(own, 1, e.size())
	for own.order.Len() > 0 && !own.held.within(r.perMax) {
		r.remove(own.order.Back().Value.(*list.Element))
	}
	for r.all.Len() > 0 && !r.held.within(r.max) {
		r.remove(r.all.Back())
	}
}

func (r *recent) count(own *recentLane, entries, bytes int) {
	r.held.entries += entries
	r.held.bytes += bytes
	own.held.entries += entries
	own.held.bytes += bytes
}

func (r *recent) remove(at *list.Element) {
	e := at.Value.(*recentEntry)
	own := r.namespaces[e.id.namespace]
	r.all.Remove(at)
	own.order.Remove(e.own)
	delete(r.items, e.id)
	r.count(own, -1, -e.size())
	if own.order.Len() == 0 {
		delete(r.namespaces, e.id.namespace)
	}
}
