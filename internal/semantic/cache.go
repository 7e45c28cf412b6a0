package semantic

import (
	"container/list"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// cacheKey stands for a question. It is keyed per process, so that neither a heap dump
// nor chosen questions tell anything about those that were asked.
type cacheKey [sha256.Size]byte

// keyer computes cache keys.
type keyer struct{ secret []byte }

func newKeyer() keyer {
	secret := make([]byte, sha256.BlockSize)
	// Read never fails: the runtime ends the process when the system has no randomness.
	_, _ = rand.Read(secret)
	return keyer{secret: secret}
}

// of is over everything that an answer hangs on: whose question it is, whom it goes to
// and by what authority, and the very bytes sent. Each part has its length before it,
// so that no two questions give the same text.
func (k keyer) of(q Question, body []byte) (key cacheKey) {
	h := hmac.New(sha256.New, k.secret)
	var number [8]byte
	length := func(n uint64) {
		binary.BigEndian.PutUint64(number[:], n)
		h.Write(number[:])
	}
	for _, text := range []string{
		q.Policy.Namespace, q.Policy.Name, q.Policy.UID,
		q.Endpoint, q.Model, q.Token.version, q.Token.reveal(),
	} {
		length(uint64(len(text)))
		h.Write([]byte(text))
	}
	length(uint64(q.Policy.Generation)) //nolint:gosec // any one-to-one mapping will do
	for _, bytes := range [][]byte{q.CABundle, body} {
		length(uint64(len(bytes)))
		h.Write(bytes)
	}
	h.Sum(key[:0])
	return key
}

// entryBytes is what an answer takes beside its reason: key, map cell, list element.
const entryBytes = 256

// cache keeps answers, bounded in number and in bytes, and forgets what was not used
// for longest. It is guarded by the Client's mutex.
type cache struct {
	maxEntries, maxBytes int

	bytes int
	order *list.List
	items map[cacheKey]*list.Element
}

type entry struct {
	key    cacheKey
	answer Answer
	until  time.Time
}

func (e *entry) size() int { return entryBytes + len(e.answer.Reason) }

func newCache(maxEntries, maxBytes int) *cache {
	return &cache{maxEntries: maxEntries, maxBytes: maxBytes, order: list.New(), items: map[cacheKey]*list.Element{}}
}

func (c *cache) get(key cacheKey, now time.Time) (Answer, bool) {
	at, ok := c.items[key]
	if !ok {
		return Answer{}, false
	}
	e := at.Value.(*entry)
	if !now.Before(e.until) {
		c.remove(at)
		return Answer{}, false
	}
	c.order.MoveToFront(at)
	return e.answer, true
}

func (c *cache) put(key cacheKey, answer Answer, until time.Time) {
	if at, ok := c.items[key]; ok {
		c.remove(at)
	}
	e := &entry{key: key, answer: answer, until: until}
	c.items[key] = c.order.PushFront(e)
	c.bytes += e.size()
	for c.order.Len() > c.maxEntries || c.bytes > c.maxBytes {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(at *list.Element) {
	e := at.Value.(*entry)
	c.order.Remove(at)
	delete(c.items, e.key)
	c.bytes -= e.size()
}
