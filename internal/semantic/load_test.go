package semantic

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/internal/outbound"
)

// causes counts what a number of different questions came to.
type causes struct {
	mu sync.Mutex
	n  map[Outcome]int
}

func (c *causes) add(a Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[Outcome]int{}
	}
	c.n[a.Outcome()]++
}

func (c *causes) of(o Outcome) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[o]
}

// askMany asks n different questions of each policy at once.
func askMany(t *testing.T, c *Client, v *validator, wg *sync.WaitGroup, policies, n int) *causes {
	t.Helper()
	out := &causes{}
	for p := range policies {
		for i := range n {
			wg.Go(func() {
				out.add(c.Validate(t.Context(), v.question(func(q *Question) {
					q.Policy.UID = fmt.Sprint(p)
					q.DeclaredTools = fmt.Appendf(nil, `["t%d"]`, i)
				})))
			})
		}
	}
	synctest.Wait()
	return out
}

func TestQuestionsOfAPolicyAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, after(time.Second))
		c := v.client(t)
		var wg sync.WaitGroup
		got := askMany(t, c, v, &wg, 1, 20)
		if n := got.of("busy"); n != 8 {
			t.Errorf("%d refused at once, want all but 4 sent and 8 waiting", n)
		}
		wg.Wait()
		// 4 in the first second, 4 in the second; the third four run out of their 3 s.
		if valid, most := got.of(OutcomeValid), v.most; valid < 8 || valid+got.of("timeout")+got.of("busy") != 20 || most != 4 {
			t.Errorf("%v, %d at once", got.n, most)
		}
	})
}

func TestQuestionsInAllAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, after(2*time.Second))
		c := v.client(t)
		var wg sync.WaitGroup
		began := time.Now()
		got := askMany(t, c, v, &wg, 50, 2)
		if n := got.of("busy"); n != 4 {
			t.Errorf("%d refused at once, want all but 32 sent and 64 waiting", n)
		}
		wg.Wait()
		if took := time.Since(began); took > DefaultTimeout {
			t.Errorf("the last waited %s", took)
		}
		if got.of(OutcomeValid) != 32 || v.most != 32 {
			t.Errorf("%v, %d at once", got.n, v.most)
		}
	})
}

func TestAPolicyWhoseValidatorHangsLeavesTheOthersTheirs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, after(time.Second))
		v.network.Silence("192.0.2.66:443")
		c := v.client(t, func(o *Options) {
			o.Resolver = namesOf(map[string]string{"judge.example.org.": "192.0.2.1", "hung.example.org.": "192.0.2.66"})
			o.Upstreams = mustPolicy(t, "*.example.org")
		})
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				c.Validate(t.Context(), v.question(func(q *Question) {
					q.Policy.UID, q.Policy.Generation, q.Endpoint = "hung", int64(i), "https://hung.example.org/"
				}))
			})
		}
		synctest.Wait()
		began := time.Now()
		if got := c.Validate(t.Context(), v.question()); !got.Valid {
			t.Errorf("got %+v", got)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %s", took)
		}
		wg.Wait()
	})
}

func TestAnEditFreesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, silent)
		c := v.client(t)
		var wg sync.WaitGroup
		got := &causes{}
		for i := range 20 {
			wg.Go(func() {
				got.add(c.Validate(t.Context(), v.question(func(q *Question) { q.Policy.Generation = int64(i) })))
			})
		}
		synctest.Wait()
		if n := got.of("busy"); n != 8 {
			t.Errorf("%d refused at once", n)
		}
		wg.Wait()
		if v.most != 4 {
			t.Errorf("%d at once", v.most)
		}
	})
}

func TestBytesPendingAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, silent)
		c := v.client(t, func(o *Options) { o.MaxRequestBytes, o.MaxPendingBytes = 2000, 8000 })
		var wg sync.WaitGroup
		own := askMany(t, c, v, &wg, 1, 10)
		if n := own.of("busy"); n < 6 {
			t.Errorf("one policy: only %d refused at once", n)
		}
		all := askMany(t, c, v, &wg, 40, 1)
		if n := all.of("busy"); n < 20 {
			t.Errorf("all: only %d refused at once", n)
		}
		c.mu.Lock()
		if c.lanes.bytes > 8000 {
			t.Errorf("%d bytes pending", c.lanes.bytes)
		}
		c.mu.Unlock()
		wg.Wait()
		if l := c.lanes; l.places != 0 || l.bytes != 0 || len(l.policies) != 0 || len(c.flights) != 0 || len(l.running) != 0 {
			t.Errorf("left behind: %+v, %d flights", l, len(c.flights))
		}
	})
}

// ledger is an Observer that keeps books.
type ledger struct {
	mu        sync.Mutex
	validated map[string]int
	asked     map[Outcome]time.Duration
	flying    int
	most      int
}

func (l *ledger) Validated(s Source, o Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.validated[string(s)+" "+string(o)]++
}

func (l *ledger) Asked(o Outcome, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[o] += took
}

func (l *ledger) InFlight(delta int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flying += delta
	l.most = max(l.most, l.flying)
}

func TestTheObserverIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, after(time.Second))
		l := &ledger{validated: map[string]int{}, asked: map[Outcome]time.Duration{}}
		c := v.client(t, func(o *Options) { o.Observer = l })
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { c.Validate(t.Context(), v.question()) })
		}
		wg.Wait()
		c.Validate(t.Context(), v.question())
		c.Validate(t.Context(), v.question(func(q *Question) { q.Endpoint = "http://x/" }))
		c.Validate(t.Context(), v.question(func(q *Question) { q.Timeout = time.Millisecond }))
		c.Validate(t.Context(), v.question(func(q *Question) { q.Timeout, q.Model = time.Millisecond, "other" }))
		want := map[string]int{"asked valid": 1, "shared valid": 2, "cache valid": 2, "refused not_allowed": 1, "asked timeout": 1}
		if fmt.Sprint(l.validated) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", l.validated, want)
		}
		if l.asked[OutcomeValid] != time.Second || l.asked["timeout"] != time.Millisecond || l.flying != 0 || l.most != 1 {
			t.Errorf("got %+v", l)
		}
	})
}

// BenchmarkCachedAnswer is what a review pays when the same was asked before: building
// and hashing a request of 32 KiB.
func BenchmarkCachedAnswer(b *testing.B) {
	opts := DefaultOptions()
	opts.Upstreams, _ = outbound.ParsePolicy([]string{"judge.example.org"}, nil, "")
	c, err := New(opts)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	tool := `{"type":"function","function":{"name":"web_search","description":"Searches.","parameters":{"type":"object"}}}`
	q := Question{
		Endpoint: endpoint, Token: NewToken(secret, "7"), DeclaredTools: []byte(`["web_search"]`), Schemas: []byte(`{}`),
		RequestTools: []byte("[" + strings.Repeat(tool+",", 290) + tool + "]"),
	}
	q, _, _ = q.complete()
	c.answers.put(c.keys.of(q, requestBody(q)), Answer{Valid: true}, time.Now().Add(time.Hour))
	b.SetBytes(int64(len(q.RequestTools)))
	b.ReportAllocs()
	for b.Loop() {
		if got := c.Validate(b.Context(), q); !got.Valid {
			b.Fatal(got)
		}
	}
}
