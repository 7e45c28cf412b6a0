package webhooks

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// busy makes a handler whose judge waits for release.
func busy(t *testing.T, limit int) (*ReviewHandler, chan struct{}) {
	h := newTestHandler(t, func(o *ReviewOptions) { o.MaxInFlight = limit })
	release := make(chan struct{})
	h.cheap = nil
	h.judge = func(s *snapshot.Snapshot, c review.Caller, in toolcall.Review, answers review.Answers) review.Decision {
		<-release
		return review.Calls(s, c, in, answers)
	}
	return h, release
}

func as(caller string) *http.Request {
	r := newRequest(allowed)
	r.Header.Set("Authorization", "Bearer "+caller)
	return r
}

func TestInFlightIsBoundedInAllAndPerCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, release := busy(t, 16)
		codes := make(chan int, 100)
		ask := func(caller string) {
			go func() { codes <- serve(h, as(caller)).StatusCode }()
			synctest.Wait()
		}
		for range 10 {
			ask("assistant")
		}
		if n := len(codes); n != 6 {
			t.Fatalf("%d of 10 requests of one caller refused, want all over a quarter of 16", n)
		}
		for _, other := range []string{"a", "b", "c"} {
			for range 4 {
				ask(other)
			}
		}
		if n := len(codes); n != 6 {
			t.Fatalf("others are refused while there is room: %d", n-6)
		}
		ask("d")
		if n := len(codes); n != 7 {
			t.Fatal("the seventeenth was admitted")
		}
		for range 7 {
			if code := <-codes; code != http.StatusTooManyRequests {
				t.Errorf("refused with %d", code)
			}
		}
		close(release)
		for range 16 {
			if code := <-codes; code != http.StatusOK {
				t.Errorf("admitted and answered %d", code)
			}
		}
		if resp := serve(h, as("assistant")); resp.StatusCode != http.StatusOK {
			t.Errorf("afterwards %d", resp.StatusCode)
		}
	})
}

// trickle is a body that comes after a while, or never.
type trickle struct {
	after time.Duration
	body  string
	cut   chan struct{}
}

func (b *trickle) Read(p []byte) (int, error) {
	select {
	case <-time.After(b.after):
		n := copy(p, b.body)
		if b.body = b.body[n:]; b.body == "" {
			return n, io.EOF
		}
		return n, nil
	case <-b.cut:
		return 0, errTimeout{}
	}
}

type errTimeout struct{}

func (errTimeout) Error() string   { return "i/o timeout" }
func (errTimeout) Timeout() bool   { return true }
func (errTimeout) Temporary() bool { return true }

// deadlines is a recorder whose read deadline cuts the trickle.
type deadlines struct {
	*httptest.ResponseRecorder
	body *trickle
}

func (d deadlines) SetReadDeadline(at time.Time) error {
	if !at.IsZero() {
		time.AfterFunc(max(0, time.Until(at)), func() { close(d.body.cut) })
	}
	return nil
}

func slow(h http.Handler, caller string, after time.Duration) int {
	body := &trickle{after: after, body: allowed, cut: make(chan struct{})}
	r := as(caller)
	r.Body, r.ContentLength = io.NopCloser(body), -1
	w := deadlines{httptest.NewRecorder(), body}
	h.ServeHTTP(w, r)
	return w.Code
}

func TestSlowBodiesDoNotFillThePlacesOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHandler(t, func(o *ReviewOptions) { o.MaxArriving, o.MaxSlowBodies = 4, 8 })
		codes := make(chan int, 8)
		for i := range 4 {
			go func() { codes <- slow(h, "slow"+strconv.Itoa(i), time.Hour) }()
		}
		synctest.Wait()
		if resp := serve(h, as("assistant")); resp.StatusCode != http.StatusTooManyRequests {
			t.Fatalf("with all places taken: %d", resp.StatusCode)
		}
		time.Sleep(251 * time.Millisecond)
		synctest.Wait()
		if resp := serve(h, as("assistant")); resp.StatusCode != http.StatusOK {
			t.Fatalf("after the slow ones stood aside: %d", resp.StatusCode)
		}
		began := time.Now()
		for range 4 {
			if code := <-codes; code != http.StatusRequestTimeout {
				t.Errorf("a body that never came: %d", code)
			}
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("closed after %s", took)
		}
		checkIdle(t, h)
	})
}

func TestSlowBodyThatComesIsJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHandler(t)
		if code := slow(h, "assistant", 2*time.Second); code != http.StatusOK {
			t.Errorf("answer %d", code)
		}
	})
}

func TestLargeBodiesAreBoundedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHandler(t, func(o *ReviewOptions) { o.MaxLargeBodyBytes = 3 << 20 })
		codes := make(chan int, 10)
		for i := range 5 {
			go func() { codes <- slow(h, strconv.Itoa(i), time.Second) }() // of unannounced length
		}
		synctest.Wait()
		if n := len(codes); n != 2 {
			t.Fatalf("%d refused, want the two over 3 MiB", n)
		}
		if resp := serve(h, as("assistant")); resp.StatusCode != http.StatusOK {
			t.Errorf("a small body beside large ones: %d", resp.StatusCode)
		}
		want := map[int]int{http.StatusTooManyRequests: 2, http.StatusOK: 3}
		for range 5 {
			want[<-codes]--
		}
		if want[http.StatusOK] != 0 || h.large.Load() != 0 {
			t.Errorf("left over: %v, %d bytes", want, h.large.Load())
		}
	})
}

func TestSlowBodiesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHandler(t, func(o *ReviewOptions) { o.MaxArriving, o.MaxSlowBodies = 16, 4 })
		codes := make(chan int, 6)
		for i := range 6 {
			go func() { codes <- slow(h, strconv.Itoa(i), time.Hour) }()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(codes); n != 2 {
			t.Fatalf("%d cut off, want the two over the bound", n)
		}
		for range 2 {
			if code := <-codes; code != http.StatusTooManyRequests {
				t.Errorf("cut off with %d", code)
			}
		}
		for range 4 {
			<-codes
		}
	})
}

func TestRetryAfterGrowsUnderLoadAndShrinksAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRetryAfter(clock.RealClock{})
		if r.drop() != 1 {
			t.Error("the first wait is not 1 s")
		}
		most := int32(0)
		for range 600 { // 10 a second for a minute
			time.Sleep(100 * time.Millisecond)
			most = max(most, r.drop())
		}
		if most != 32 {
			t.Errorf("the longest wait is %d s", most)
		}
		time.Sleep(2 * time.Minute)
		if got := r.drop(); got != 1 {
			t.Errorf("after two calm minutes %d s", got)
		}
	})
}

func TestServerLimits(t *testing.T) {
	l := DefaultServerLimits()
	if err := l.Validate(); err != nil {
		t.Fatal(err)
	}
	if (ServerLimits{}).Validate() == nil {
		t.Error("no limits at all are accepted")
	}
	s, err := NewDecisionServer(ServerOptions{
		Handler: http.NotFoundHandler(), Certificates: &Certificates{}, Drain: NewDrain(DrainOptions{}), Limits: l,
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := s.http
	for name, ok := range map[string]bool{
		"headers in 5 s":         srv.ReadHeaderTimeout == 5*time.Second,
		"a request in 10 s":      srv.ReadTimeout == 10*time.Second,
		"an answer in 10 s":      srv.WriteTimeout == 10*time.Second,
		"idle beyond clients'":   srv.IdleTimeout > 90*time.Second,
		"16 KiB of headers":      srv.MaxHeaderBytes == 16<<10,
		"100 streams":            srv.HTTP2.MaxConcurrentStreams == 100,
		"ping after 30 s":        srv.HTTP2.SendPingTimeout == 30*time.Second,
		"ping answered in 15 s":  srv.HTTP2.PingTimeout == 15*time.Second,
		"h2 write stalls 10 s":   srv.HTTP2.WriteByteTimeout == 10*time.Second,
		"TLS 1.2":                srv.TLSConfig.MinVersion == 0x0303,
		"2,000 connections":      l.MaxConnections == 2000,
		"256 from one address":   l.MaxConnectionsPerIP == 256,
		"no HTTP without TLS h2": !srv.Protocols.UnencryptedHTTP2(),
	} {
		if !ok {
			t.Errorf("not so: %s", name)
		}
	}
}
