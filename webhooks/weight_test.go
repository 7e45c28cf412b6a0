package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

func TestWeights(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want int
	}{
		"nothing":                   {"", 1},
		"a scalar":                  {`0`, 1},
		"an ordinary review":        {allowed, 11},
		"300,000 integers":          {`[` + integers(300_000) + `]`, 300_001},
		"members":                   {`{"a":0,"b":0,"c":0}`, 4},
		"nesting without commas":    {strings.Repeat("[", 100) + strings.Repeat("]", 100), 101},
		"objects without commas":    {strings.Repeat(`{"":`, 100) + "0" + strings.Repeat("}", 100), 101},
		"text in a string":          {`{"argumentsText":"{\"a\":[0,0,0]}"}`, 6},
		"escaped commas":            {`{"argumentsText":"[0\u002c0\u002C0]"}`, 5},
		"escaped brackets":          {`"\u005b\u005B\u007b\u007B"`, 5},
		"other escapes":             {`"\u003cb\u003e\u0000\u002e\n\\"`, 1},
		"an escape cut off":         {`"\u00`, 1},
		"an escape cut off in half": {`"\u002`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := weigh([]byte(tc.body))
			if got != tc.want {
				t.Errorf("the weight is %d, want %d", got, tc.want)
			}
			var v any
			if json.Unmarshal([]byte(tc.body), &v) == nil && got < valuesIn(v) {
				t.Errorf("the weight is %d for %d values", got, valuesIn(v))
			}
		})
	}
}

// integers lists n integers.
func integers(n int) string { return strings.TrimSuffix(strings.Repeat("0,", n), ",") }

func valuesIn(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			n += valuesIn(one)
		}
	case map[string]any:
		for _, one := range v {
			n += valuesIn(one)
		}
	}
	return n
}

// weighing makes the request of a caller whose review weighs n.
func weighing(t *testing.T, caller string, n int) *http.Request {
	t.Helper()
	body := func(n int) string {
		return envelope(`{"calls":[{"name":"get_ticket","arguments":{"a":[` + integers(n) + `]}}]}`)
	}
	b := body(n + 1 - weigh([]byte(body(1))))
	if got := weigh([]byte(b)); got != n {
		t.Fatalf("the review weighs %d, want %d", got, n)
	}
	r := newRequest(b)
	r.Header.Set("Authorization", "Bearer "+caller)
	return r
}

// held makes a handler that judges the callers named held-… only after release.
func held(t *testing.T, change ...func(*ReviewOptions)) (h *ReviewHandler, release chan struct{}) {
	h = newTestHandler(t, append([]func(*ReviewOptions){func(o *ReviewOptions) { o.MaxInFlight = 64 }}, change...)...)
	release = make(chan struct{})
	h.cheap = nil
	h.judge = func(s *snapshot.Snapshot, c review.Caller, in toolcall.Review, answers review.Answers) review.Decision {
		if strings.HasPrefix(c.Name, "held-") {
			<-release
		}
		return review.Calls(s, c, in, answers)
	}
	return h, release
}

// hold has requests judged until release, and returns where their codes come.
func hold(h *ReviewHandler, requests ...*http.Request) chan int {
	codes := make(chan int, len(requests))
	for _, r := range requests {
		go func() { codes <- serve(h, r).StatusCode }()
		synctest.Wait()
	}
	return codes
}

func checkRefused(t *testing.T, resp *http.Response, message string) {
	t.Helper()
	body, _ := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if checkAnswer(t, resp); resp.StatusCode != http.StatusTooManyRequests || !bytes.Contains(body, []byte(message)) ||
		!bytes.Contains(body, []byte("send fewer or smaller calls at once")) {
		t.Errorf("answer %d: %s", resp.StatusCode, body)
	}
}

func checkJudged(t *testing.T, resp *http.Response) {
	t.Helper()
	if checkAnswer(t, resp); resp.StatusCode != http.StatusOK {
		t.Errorf("answer %d", resp.StatusCode)
	}
}

func checkReleased(t *testing.T, h *ReviewHandler, codes chan int, want int) {
	t.Helper()
	for range cap(codes) {
		if code := <-codes; code != want {
			t.Errorf("held and answered %d", code)
		}
	}
	checkIdle(t, h)
}

func TestValuesAreBoundedInAllAndPerCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, release := held(t)
		codes := hold(h, weighing(t, "held-a", 20_000))
		checkRefused(t, serve(h, weighing(t, "held-a", 5001)), "of this caller")
		checkJudged(t, serve(h, weighing(t, "b", 25_000)))
		checkJudged(t, serve(h, weighing(t, "b", 5001)))

		more := hold(h, weighing(t, "held-b", 25_000), weighing(t, "held-c", 25_000), weighing(t, "held-d", 25_000))
		checkRefused(t, serve(h, weighing(t, "e", 5001)), "the reviews in flight")
		checkJudged(t, serve(h, weighing(t, "e", 5000)))
		// Ordinary reviews are judged all the same, also of who is over its share.
		checkJudged(t, serve(h, weighing(t, "b", 1000)))
		checkJudged(t, serve(h, as("e")))
		if len(codes)+len(more) != 0 {
			t.Error("a review that should be judged was answered")
		}
		close(release)
		for range cap(more) {
			<-more
		}
		checkReleased(t, h, codes, http.StatusOK)
	})
}

func TestHeavyReviewsAreJudgedOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, release := held(t)
		codes := hold(h, weighing(t, "held-a", 300_000))
		for _, caller := range []string{"held-a", "b"} {
			checkRefused(t, serve(h, weighing(t, caller, 25_001)), "another review as costly")
		}
		checkJudged(t, serve(h, weighing(t, "b", 25_000)))
		checkJudged(t, serve(h, as("b")))
		close(release)
		checkReleased(t, h, codes, http.StatusOK)
		checkJudged(t, serve(h, weighing(t, "b", 25_001)))
	})
}

func TestLimitsOfValuesCanBeSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, release := held(t, func(o *ReviewOptions) { o.MaxValues, o.MaxHeavy = 8000, 2 })
		codes := hold(h, weighing(t, "held-a", 2001), weighing(t, "held-b", 2001), weighing(t, "held-c", 2000))
		checkRefused(t, serve(h, weighing(t, "d", 2001)), "another review as costly")
		checkRefused(t, serve(h, weighing(t, "held-c", 1001)), "of this caller")
		close(release)
		checkReleased(t, h, codes, http.StatusOK)
	})
}

func TestLimitsBelowZeroAreRefused(t *testing.T) {
	for name, change := range map[string]func(*ReviewOptions){
		"in flight": func(o *ReviewOptions) { o.MaxInFlight = -1 },
		"values":    func(o *ReviewOptions) { o.MaxValues = -1 },
		"heavy":     func(o *ReviewOptions) { o.MaxHeavy = -1 },
		"bytes":     func(o *ReviewOptions) { o.MaxLargeBodyBytes = -1 },
		"timeout":   func(o *ReviewOptions) { o.BodyTimeout = -1 },
	} {
		opts := ReviewOptions{Identity: passport{}, Snapshots: ready()}
		change(&opts)
		if _, err := NewReviewHandler(opts); err == nil {
			t.Errorf("accepted: %s", name)
		}
	}
}

// gone is the writer of a client that is gone.
type gone struct{ *httptest.ResponseRecorder }

func (gone) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestValuesAreGivenBack(t *testing.T) {
	for _, weight := range []int{20_000, 30_000} {
		t.Run("after a panic", func(t *testing.T) {
			h := newTestHandler(t)
			h.cheap = nil
			h.judge = func(*snapshot.Snapshot, review.Caller, toolcall.Review, review.Answers) review.Decision {
				panic("judging")
			}
			resp := serve(h, weighing(t, "assistant", weight))
			if checkAnswer(t, resp); resp.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("answer %d", resp.StatusCode)
			}
			checkIdle(t, h)
		})
		t.Run("after a bad request", func(t *testing.T) {
			h := newTestHandler(t)
			resp := serve(h, newRequest("["+integers(weight)+"]"))
			if checkAnswer(t, resp); resp.StatusCode != http.StatusBadRequest {
				t.Errorf("answer %d", resp.StatusCode)
			}
			checkIdle(t, h)
		})
		t.Run("after the client is gone", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, release := held(t)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() {
					defer close(done)
					h.ServeHTTP(gone{httptest.NewRecorder()}, weighing(t, "held-a", weight).WithContext(ctx))
				}()
				synctest.Wait()
				if h.values.total+h.heavy.total == 0 {
					t.Error("the review is not counted")
				}
				cancel()
				close(release)
				<-done
				checkIdle(t, h)
			})
		})
	}
}

// A small body can ask for much work; it is then judged in the heavy lane too.
func TestCostlyReviewsAreJudgedOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, release := held(t)
		h.cheap = func(s *snapshot.Snapshot, c review.Caller, in toolcall.Review, answers review.Answers) (review.Decision, bool) {
			if strings.HasPrefix(c.Name, "held-") {
				return review.Decision{}, false
			}
			return review.Cheap(s, c, in, answers)
		}
		codes := hold(h, as("held-a"))
		checkRefused(t, serve(h, as("held-b")), "another review as costly")
		checkRefused(t, serve(h, weighing(t, "held-b", 20_000)), "another review as costly")
		checkJudged(t, serve(h, as("b")))
		checkJudged(t, serve(h, weighing(t, "b", 25_000)))
		close(release)
		checkReleased(t, h, codes, http.StatusOK)
		checkJudged(t, serve(h, as("held-b")))
		checkIdle(t, h)
	})
}
