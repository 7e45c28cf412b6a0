package adapter

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/outbound/outboundtest"
)

const (
	address = "192.0.2.1:443"
	ticket  = `{"id":"TKT-104","title":"Settings crash","status":"open","internal":"secret-note"}`
	shownAs = `{"id":"TKT-104","title":"Settings crash","status":"open"}`
	url104  = "https://tickets.support.svc/v1/{tenant}/tickets/{args.ticket_id}"
)

// stub is a backend in memory, behind TLS. Each test runs in a bubble of
// testing/synctest, so that timeouts cost no time, and no goroutine may be left when the
// test ends.
type stub struct {
	network   outboundtest.Network
	authority *outboundtest.Authority

	mu       sync.Mutex
	requests []request
}

type request struct {
	method, uri, host, body string
	header                  http.Header
}

func newStub(t *testing.T, handler http.HandlerFunc) *stub {
	t.Helper()
	authority, err := outboundtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	s := &stub{authority: authority}
	config, err := authority.Serve("tickets.support.svc")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		TLSConfig: config, ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			s.mu.Lock()
			s.requests = append(s.requests, request{r.Method, r.RequestURI, r.Host, string(body), r.Header.Clone()})
			s.mu.Unlock()
			handler(w, r)
		}),
	}
	l := s.network.Listen(address)
	go func() { _ = server.ServeTLS(l, "", "") }()
	t.Cleanup(func() { _ = server.Close() })
	synctest.Wait()
	return s
}

func (s *stub) asked() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests...)
}

// adapter compiles an adapter whose backend the stub is.
func (s *stub) adapter(t *testing.T, change ...func(*callgatev1alpha1.AdapterHTTP)) *Adapter {
	t.Helper()
	return s.adapterWith(t, Options{}, change...)
}

func (s *stub) adapterWith(t *testing.T, opts Options, change ...func(*callgatev1alpha1.AdapterHTTP)) *Adapter {
	t.Helper()
	opts.Dial = s.network.Dial
	if opts.Resolver == nil {
		opts.Resolver = outboundtest.Names{"tickets.support.svc.cluster.local.": outboundtest.Addrs("192.0.2.1")}
	}
	bundle := func(h *callgatev1alpha1.AdapterHTTP) { h.CABundle = s.authority.PEM() }
	return compiled(t, opts, backendAt(url104, append([]func(*callgatev1alpha1.AdapterHTTP){bundle}, change...)...))
}

func compiled(t *testing.T, opts Options, change ...func(*callgatev1alpha1.ToolAdapter)) *Adapter {
	t.Helper()
	a, problems, _ := Compile(adapterObject(change...), opts)
	if a == nil {
		t.Fatal(problems)
	}
	return a
}

func executor(t *testing.T, change ...func(*Settings)) *Executor {
	t.Helper()
	opts := DefaultSettings()
	for _, f := range change {
		f(&opts)
	}
	e, err := NewExecutor(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// call is a call of get_ticket for the tenant alpha.
func call(t *testing.T, a *Adapter, change ...func(*Call)) Call {
	t.Helper()
	c := Call{
		UID: "uid-1", Caller: Caller{"support", "system:serviceaccount:support:assistant"},
		Adapter: a, Projection: mustProject(t, "/id", "/title", "/status"),
		Arguments: []byte(`{"ticket_id":"TKT-104"}`),
		Activation: &expr.Activation{
			Tenant: "alpha",
			Caller: expr.Caller{Namespace: "support", ServiceAccountName: "assistant", Username: "system:serviceaccount:support:assistant", Via: "https"},
		},
	}
	for _, f := range change {
		f(&c)
	}
	if c.Activation != nil {
		c.Activation.Args = expr.NewArgs(c.Arguments)
	}
	return c
}

func arguments(text string) func(*Call) { return func(c *Call) { c.Arguments = []byte(text) } }
func uid(text string) func(*Call)       { return func(c *Call) { c.UID = text } }
func tenant(text string) func(*Call)    { return func(c *Call) { c.Activation.Tenant = text } }

func timeout(ms int32) func(*callgatev1alpha1.AdapterHTTP) {
	return func(h *callgatev1alpha1.AdapterHTTP) { h.TimeoutMilliseconds = ms }
}

func method(m callgatev1alpha1.HTTPMethod) func(*callgatev1alpha1.AdapterHTTP) {
	return func(h *callgatev1alpha1.AdapterHTTP) { h.Method = m }
}

func answers(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// silent never answers.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// drip writes a byte of an answer each second.
func drip(w http.ResponseWriter, r *http.Request) {
	for _, c := range []byte(ticket) {
		_, _ = w.Write([]byte{c})
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(time.Second):
		case <-r.Context().Done():
			return
		}
	}
}

func endless(w http.ResponseWriter, _ *http.Request) {
	for range 100 << 20 / 4096 {
		if _, err := w.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// raw answers with these very bytes and ends the connection.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

// configMaps are ConfigMaps by namespace/name.
type configMaps struct {
	mu    sync.Mutex
	items map[string]ConfigMap
	err   error
	reads int
}

func (c *configMaps) ConfigMap(_ context.Context, namespace, name string) (ConfigMap, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	cm, ok := c.items[namespace+"/"+name]
	return cm, ok, c.err
}

func ticketMap(text string) *configMaps {
	return &configMaps{items: map[string]ConfigMap{"support/tickets": {
		Labels: map[string]string{RecordsLabel: "true"}, Data: map[string]string{"tickets.json": text},
	}}}
}

// tokens gives one token, whatever the audience.
type tokens struct {
	token string
	err   error
	asked []string
}

func (s *tokens) Token(_ context.Context, audience string) (string, error) {
	s.asked = append(s.asked, audience)
	return s.token, s.err
}

var errStub = errors.New("secret-cause")

// watcher counts what an Observer is told.
type watcher struct {
	mu       sync.Mutex
	shares   map[Share]int
	executed int
	running  int
}

func (w *watcher) Answered(_ Source, s Share, _ reviewv1alpha1.VerdictCode, _ Cause) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shares == nil {
		w.shares = map[Share]int{}
	}
	w.shares[s]++
}

func (w *watcher) Executed(Source, Cause, time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.executed++
}

func (w *watcher) InFlight(_ Source, delta int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running += delta
}

func mustPolicy(t *testing.T, allowed, special []string) outbound.Policy {
	t.Helper()
	p, err := outbound.ParsePolicy(allowed, special, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}
