package adapter

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

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
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

	// A network that is more than loopback, so that it can be written without opening
	// the class.
	opened := Options{Upstreams: mustPolicy(t, []string{"126.0.0.0/7:*"}, []string{"loopback"})}
	bundle := func(h *callgatev1alpha1.AdapterHTTP) { h.CABundle = authority.PEM() }
	adapter := func(opts Options, ms int32) (*Adapter, []Problem) {
		a, problems, _ := Compile(adapterObject(backendAt(server.URL+"/{tenant}/{args.ticket_id}", bundle, timeout(ms))), opts)
		return a, problems
	}
	if _, problems := adapter(Options{Upstreams: mustPolicy(t, []string{"126.0.0.0/7:*"}, nil)}, 1000); len(problems) != 1 ||
		problems[0].Reason != callgatev1alpha1.ReasonEndpointNotAllowed {
		t.Errorf("a loopback address compiles: %v", problems)
	}
	before := runtime.NumGoroutine()
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		timeout int32
		want    Cause
	}{
		"ok":       {answers(200, ticket), 30000, ""},
		"404":      {answers(404, ticket), 30000, CauseNoRecord},
		"silence":  {silent, 200, CauseTimeout},
		"drip":     {drip, 200, CauseTimeout},
		"100 MB":   {endless, 30000, CauseTooLarge},
		"redirect": {redirect("http://169.254.169.254/"), 30000, CauseRedirect},
	} {
		handler.Store(&tc.handler)
		// No executor is closed: executions end by themselves.
		e, err := NewExecutor(DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		a, problems := adapter(opened, tc.timeout)
		if a == nil {
			t.Fatal(problems)
		}
		if got := e.Execute(t.Context(), call(t, a)); got.Cause != tc.want {
			t.Errorf("%s: got %+v, want %q", name, got, tc.want)
		}
	}
	for deadline := time.Now().Add(20 * time.Second); open.Load() > 0 || runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections and %d goroutines are left (%d before)", open.Load(), runtime.NumGoroutine(), before)
		}
	}
}
