package semantic

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/outbound/outboundtest"
)

// The same over the real network: TCP on loopback, the system's dialer and clock.
func TestOverLoopback(t *testing.T) {
	authority, err := outboundtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	var handler atomic.Pointer[http.HandlerFunc]
	var open atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		(*handler.Load())(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}
	if server.TLS, err = authority.Serve("127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	server.StartTLS()
	defer server.Close()

	client := func(special ...string) *Client {
		opts := DefaultOptions()
		// A network that is more than loopback, so that it can be written without opening
		// the class.
		opts.Upstreams, err = outbound.ParsePolicy([]string{"126.0.0.0/7:*"}, special, "")
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	v := &validator{authority: authority}
	ask := func(c *Client, h http.HandlerFunc, timeout time.Duration) Answer {
		handler.Store(&h)
		return c.Validate(t.Context(), v.question(func(q *Question) {
			q.Endpoint, q.Timeout = server.URL, timeout
		}))
	}
	before := runtime.NumGoroutine()
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		timeout time.Duration
		special []string
		want    Answer
	}{
		"valid":       {says(`{"valid":true,"reason":"fine"}`), time.Minute, []string{"loopback"}, Answer{Valid: true, Reason: "fine"}},
		"invalid":     {says(completion(`{"valid":false,"reason":"odd"}`)), time.Minute, []string{"loopback"}, Answer{Reason: "odd"}},
		"timeout":     {silent, 200 * time.Millisecond, []string{"loopback"}, Answer{Cause: CauseTimeout}},
		"drip":        {drip, 200 * time.Millisecond, []string{"loopback"}, Answer{Cause: CauseTimeout}},
		"100 MB":      {endless, time.Minute, []string{"loopback"}, Answer{Cause: CauseTooLarge}},
		"redirect":    {redirect, time.Minute, []string{"loopback"}, Answer{Cause: CauseRedirect}},
		"not allowed": {says(`{"valid":true}`), time.Minute, nil, Answer{Cause: CauseNotAllowed}},
	} {
		c := client(tc.special...)
		got := ask(c, tc.handler, tc.timeout)
		got.Detail = ""
		if got != tc.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tc.want)
		}
	}
	// No client was closed: questions end by themselves.
	for deadline := time.Now().Add(20 * time.Second); open.Load() > 0 || runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections and %d goroutines are left (%d before)", open.Load(), runtime.NumGoroutine(), before)
		}
	}
}
