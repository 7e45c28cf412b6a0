package identity

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/internal/review"
)

// diary notes what an Observer is told.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) Identified(o Outcome) { d.add("%s", o) }
func (d *diary) LookedUp(answered bool, took time.Duration) {
	d.add("answered %v in %v", answered, took)
}
func (d *diary) Outage(out bool) { d.add("outage %v", out) }
func (d *diary) since(n int) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.lines[n:])
}
func (d *diary) expect(t *testing.T, about string, want ...string) {
	t.Helper()
	if got := d.since(0); !slices.Equal(got, want) {
		t.Errorf("%s: told of %q, want %q", about, got, want)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = nil
}

func TestEachWayToIdentifyIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, told := &apiServer{delay: time.Millisecond}, &diary{}
		a := newTest(t, s, func(o *Options) { o.Observer = told })
		good, bad := tokenFor(1, time.Hour), tokenFor(2, time.Hour)
		identify := func(token string) { _, _ = a.Identify(t.Context(), token) }

		identify("no token")
		told.expect(t, "a token without the shape of one", "local_refusal")
		identify(good)
		told.expect(t, "a new caller", "answered true in 2ms", "asked")
		identify(good)
		told.expect(t, "a known one", "hit")
		s.set(func(s *apiServer) { s.status = refused })
		identify(bad)
		told.expect(t, "a token that the API server refuses", "answered true in 1ms", "asked")
		identify(bad)
		told.expect(t, "the same again", "refusal_hit")
		time.Sleep(a.opts.SoftTTL)
		s.set(func(s *apiServer) { s.err = errors.New("no route to host") })
		identify(good)
		got := told.since(0)
		if n := len(got); n < 3 || got[n-1] != "stale" || !slices.Contains(got, "outage true") {
			t.Errorf("a known caller in an outage: told of %q", got)
		}
		told.lines = nil
		identify(tokenFor(3, time.Hour))
		told.expect(t, "a new caller in an outage", "unavailable")
	})
}

func TestEachLookUpOfAccessIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, told := &apiServer{delay: time.Millisecond}, &diary{}
		a := newAuthorizer(t, s, func(o *AccessOptions) { o.Observer = told })
		ask(t, a, mayCall("weather"))
		ask(t, a, mayCall("weather"))
		told.expect(t, "a question that was put twice", "answered true in 1ms")
		s.set(func(s *apiServer) { s.hang = true })
		if got := ask(t, a, mayCall("news")); got != review.Unanswered {
			t.Errorf("answer %d", got)
		}
		told.expect(t, "one that gets no answer", fmt.Sprintf("answered false in %v", a.opts.Deadline), "outage true")
		s.set(func(s *apiServer) { s.hang = false })
		time.Sleep(a.opts.OutageMemory + time.Second)
		ask(t, a, mayCall("news"))
		told.expect(t, "one after the outage", "answered true in 1ms", "outage false")
	})
}
