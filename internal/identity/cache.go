package identity

import (
	"container/list"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"hash"
	"sync"
	"time"

	"github.com/callgate/callgate/internal/review"
)

// cacheKey stands for a token. It is keyed per process, so that neither a heap dump
// nor chosen tokens tell anything about the tokens held.
type cacheKey [sha256.Size]byte

// keyer computes cache keys. The hashes are pooled because keying one costs two
// blocks, and every request needs it.
type keyer struct{ pool sync.Pool }

func newKeyer() *keyer {
	secret := make([]byte, sha256.BlockSize)
	// Read never fails: the runtime ends the process when the system has no randomness.
	_, _ = rand.Read(secret)
	k := &keyer{}
	k.pool.New = func() any { return hmac.New(sha256.New, secret) }
	return k
}

func (k *keyer) of(token string) (key cacheKey) {
	h := k.pool.Get().(hash.Hash)
	h.Reset()
	h.Write([]byte(token))
	h.Sum(key[:0])
	// The sum must not stay in the pool.
	h.Reset()
	k.pool.Put(h)
	return key
}

// yes is a positive answer. It is immutable: a refresh puts a new one in its place.
type yes struct {
	caller review.Caller
	// The lives count from when the look-up began: an instant at which the answer was
	// still open.
	refresh, soft, hard, expiry time.Time
}

// no is a negative answer.
type no struct {
	err   error
	until time.Time
}

// lru is a map of bounded size that forgets what was not used for longest.
type lru[V any] struct {
	mu    sync.Mutex
	max   int
	order *list.List
	items map[cacheKey]*list.Element
}

type lruItem[V any] struct {
	key   cacheKey
	value V
}

func newLRU[V any](limit int) *lru[V] {
	return &lru[V]{max: limit, order: list.New(), items: map[cacheKey]*list.Element{}}
}

func (c *lru[V]) get(key cacheKey) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*lruItem[V]).value, true
}

func (c *lru[V]) put(key cacheKey, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		e.Value.(*lruItem[V]).value = value
		c.order.MoveToFront(e)
		return
	}
	c.items[key] = c.order.PushFront(&lruItem[V]{key: key, value: value})
	if c.order.Len() > c.max {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.items, last.Value.(*lruItem[V]).key)
	}
}

func (c *lru[V]) remove(key cacheKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.order.Remove(e)
		delete(c.items, key)
	}
}

func (c *lru[V]) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}
