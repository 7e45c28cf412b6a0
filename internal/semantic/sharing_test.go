package semantic

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestEqualQuestionsAreAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, after(time.Second))
		c, q := v.client(t), v.question()
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				if got := c.Validate(t.Context(), q); !got.Valid {
					t.Errorf("got %+v", got)
				}
			})
		}
		wg.Wait()
		if n := v.asked(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

func TestEqualQuestionsShareAFailureAndNoLaterOneDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(time.Second)
			w.WriteHeader(http.StatusBadGateway)
		})
		c, q := v.client(t), v.question()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if got := c.Validate(t.Context(), q); got.Cause != CauseBadStatus {
					t.Errorf("got %+v", got)
				}
			})
		}
		wg.Wait()
		c.Validate(t.Context(), q)
		if n := v.asked(); n != 2 {
			t.Errorf("asked %d times, want once for ten at a time and once more", n)
		}
	})
}

func TestAnswersLiveBriefly(t *testing.T) {
	for _, valid := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			v := newValidator(t, says(fmt.Sprintf(`{"valid":%t}`, valid)))
			c, q := v.client(t), v.question()
			ask := func(want int) {
				t.Helper()
				if got := c.Validate(t.Context(), q); got.Valid != valid || got.Cause != "" {
					t.Errorf("got %+v", got)
				}
				if n := v.asked(); n != want {
					t.Errorf("asked %d times, want %d", n, want)
				}
			}
			ask(1)
			time.Sleep(30*time.Second - time.Nanosecond)
			ask(1)
			time.Sleep(time.Nanosecond)
			ask(2)
		})
	}
}

func TestALifeCountsFromWhenTheQuestionBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, after(2*time.Second))
		c, q := v.client(t), v.question()
		c.Validate(t.Context(), q)
		time.Sleep(28 * time.Second)
		c.Validate(t.Context(), q)
		if n := v.asked(); n != 2 {
			t.Errorf("asked %d times", n)
		}
	})
}

func TestAnswersAreSharedByNothingThatDiffers(t *testing.T) {
	for name, change := range map[string]func(*Question){
		"namespace":      func(q *Question) { q.Policy.Namespace = "sales" },
		"name":           func(q *Question) { q.Policy.Name = "other" },
		"UID":            func(q *Question) { q.Policy.UID = "u-2" },
		"generation":     func(q *Question) { q.Policy.Generation = 2 },
		"shifted text":   func(q *Question) { q.Policy.Namespace, q.Policy.Name = "supporta", "ssistant" },
		"endpoint":       func(q *Question) { q.Endpoint += "?v=2" },
		"model":          func(q *Question) { q.Model = "other" },
		"Secret version": func(q *Question) { q.Token = NewToken(secret, "8") },
		"Secret":         func(q *Question) { q.Token = NewToken(secret+"2", "7") },
		"no Secret":      func(q *Question) { q.Token = Token{} },
		"CA bundle":      func(q *Question) { q.CABundle = append([]byte("# again\n"), q.CABundle...) },
		"declared tools": func(q *Question) { q.DeclaredTools = []byte(`["web_search","x"]`) },
		"schemas":        func(q *Question) { q.Schemas = []byte(`{}`) },
		"request tools":  func(q *Question) { q.RequestTools = []byte(`[]`) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := newValidator(t, after(time.Second))
				c := v.client(t)
				// Neither one in flight nor one that was answered.
				var wg sync.WaitGroup
				wg.Go(func() { c.Validate(t.Context(), v.question()) })
				wg.Go(func() { c.Validate(t.Context(), v.question(change)) })
				wg.Wait()
				if n := v.asked(); n != 2 {
					t.Errorf("asked %d times in flight", n)
				}
				c.Validate(t.Context(), v.question())
				c.Validate(t.Context(), v.question(change))
				if n := v.asked(); n != 2 {
					t.Errorf("asked %d times after that", n)
				}
			})
		})
	}
}

func TestAnswersKeptAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, says(`{"valid":true,"reason":"`+strings.Repeat("x", 400)+`"}`))
		c := v.client(t, func(o *Options) { o.MaxAnswers = 8; o.MaxAnswerBytes = 5 * (entryBytes + 400) })
		for i := range 20 {
			c.Validate(t.Context(), v.question(func(q *Question) { q.Policy.Generation = int64(i) }))
		}
		if n, bytes := c.answers.order.Len(), c.answers.bytes; n != 5 || len(c.answers.items) != 5 || bytes != 5*(entryBytes+400) {
			t.Errorf("%d answers of %d bytes", n, bytes)
		}
		// The latest are kept.
		c.Validate(t.Context(), v.question(func(q *Question) { q.Policy.Generation = 19 }))
		if n := v.asked(); n != 20 {
			t.Errorf("asked %d times", n)
		}
		d := v.client(t, func(o *Options) { o.MaxAnswers = 3 })
		for i := range 20 {
			d.Validate(t.Context(), v.question(func(q *Question) { q.Policy.Generation = int64(i) }))
		}
		if n := d.answers.order.Len(); n != 3 {
			t.Errorf("%d answers", n)
		}
	})
}

func TestACallerThatGoesAwayCostsTheOthersNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, after(time.Second))
		c, q := v.client(t), v.question()
		ctx, cancel := context.WithCancel(t.Context())
		first, second := make(chan Answer, 1), make(chan Answer, 1)
		go func() { first <- c.Validate(ctx, q) }()
		synctest.Wait()
		go func() { second <- c.Validate(t.Context(), q) }()
		synctest.Wait()
		cancel()
		if got := <-first; got.Cause != CauseCanceled || got.Valid {
			t.Errorf("the one that went: %+v", got)
		}
		if got := <-second; !got.Valid {
			t.Errorf("the other: %+v", got)
		}
		if n := v.asked(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		if got := c.Validate(ctx, v.question(func(q *Question) { q.Policy.Generation = 2 })); got.Cause != CauseCanceled || v.asked() != 1 {
			t.Errorf("a caller that had gone already: %+v, asked %d times", got, v.asked())
		}
	})
}

func TestAQuestionThatEverybodyLeftEndsWithItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, silent)
		c := v.client(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if got := c.Validate(ctx, v.question()); got.Cause != CauseCanceled {
			t.Errorf("got %+v", got)
		}
		c.work.Wait()
		if took := time.Since(began); took != DefaultTimeout || v.network.Open() != 0 {
			t.Errorf("%d connections after %s", v.network.Open(), took)
		}
	})
}

func TestTheCallersBytesAreItsOwnAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, after(time.Second))
		c := v.client(t, func(o *Options) { o.MaxRunningPerPolicy = 1 })
		go c.Validate(t.Context(), v.question(func(q *Question) { q.Policy.Generation = 2 }))
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		q := v.question(func(q *Question) { q.RequestTools = []byte(`["web_search"]`) })
		done := make(chan struct{})
		go func() { c.Validate(ctx, q); close(done) }()
		synctest.Wait()
		cancel()
		<-done
		copy(q.RequestTools, `["rm_all_now"]`)
		clear(q.CABundle)
		c.work.Wait()
		if n := v.asked(); n != 2 || strings.Contains(v.requests[1].body, "rm_all") {
			t.Errorf("asked %d times: %s", n, v.requests[n-1].body)
		}
	})
}

func TestCloseEndsEveryQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, silent)
		c := v.client(t, func(o *Options) { o.MaxRunningPerPolicy = 2 })
		var wg sync.WaitGroup
		var closed atomic.Int64
		for i := range 5 { // two sent, three waiting
			wg.Go(func() {
				if got := c.Validate(t.Context(), v.question(func(q *Question) { q.Policy.Generation = int64(i) })); got.Cause == CauseClosed {
					closed.Add(1)
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		c.Close()
		wg.Wait()
		if took := time.Since(began); took != 0 || closed.Load() != 5 || v.network.Open() != 0 {
			t.Errorf("%d closed, %d connections, after %s", closed.Load(), v.network.Open(), took)
		}
		if got := c.Validate(t.Context(), v.question()); got.Cause != CauseClosed || got.Valid {
			t.Errorf("afterwards: %+v", got)
		}
	})
}
