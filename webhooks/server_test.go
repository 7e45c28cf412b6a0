package webhooks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func newTestServer(t *testing.T, h http.Handler, change ...func(*ServerOptions)) *DecisionServer {
	t.Helper()
	opts := ServerOptions{Handler: h, Limits: DefaultServerLimits()}
	for _, f := range change {
		f(&opts)
	}
	if opts.Drain == nil {
		opts.Drain = NewDrain(DrainOptions{})
	}
	if opts.Certificates == nil {
		opts.Certificates, _ = goodCertificates(t)
	}
	s, err := NewDecisionServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// running is a server that serves.
type running struct {
	*DecisionServer
	addr string
	pool *x509.CertPool
	done chan error
}

func start(t *testing.T, h http.Handler, change ...func(*ServerOptions)) *running {
	t.Helper()
	certs, pool := goodCertificates(t)
	s := newTestServer(t, h, append([]func(*ServerOptions){func(o *ServerOptions) { o.Certificates = certs }}, change...)...)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &running{DecisionServer: s, addr: l.Addr().String(), pool: pool, done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { r.done <- s.Serve(ctx, l) }()
	t.Cleanup(cancel)
	return r
}

func (r *running) client(t *testing.T, h2 bool) *http.Client {
	t.Helper()
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: r.pool}, ForceAttemptHTTP2: h2}
	if !h2 {
		tr.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 10 * time.Second}
}

func (r *running) post(t *testing.T, c *http.Client, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+r.addr+ReviewPath, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer assistant")
	return c.Do(req)
}

func bothProtocols(t *testing.T, test func(t *testing.T, h2 bool)) {
	t.Run("h1", func(t *testing.T) { test(t, false) })
	t.Run("h2", func(t *testing.T) { test(t, true) })
}

func TestReviewOverTheWire(t *testing.T) {
	bothProtocols(t, func(t *testing.T, h2 bool) {
		r := start(t, newTestHandler(t))
		c := r.client(t, h2)
		for body, want := range map[string]int{
			allowed:                              200,
			allowed + strings.Repeat(" ", 2<<20): 413,
			"{":                                  400,
		} {
			resp, err := r.post(t, c, body)
			if err != nil {
				// A body that is refused half way may end the connection first.
				if want == 413 {
					continue
				}
				t.Fatal(err)
			}
			if resp.StatusCode != want || (resp.ProtoMajor == 2) != h2 {
				t.Errorf("answer %d over %s, want %d", resp.StatusCode, resp.Proto, want)
			}
			checkAnswer(t, resp)
			_ = resp.Body.Close()
		}
	})
}

func TestRequestsInFlightSurviveTheShutdown(t *testing.T) {
	bothProtocols(t, func(t *testing.T, h2 bool) {
		entered, release := make(chan struct{}), make(chan struct{})
		canceled := atomic.Bool{}
		r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			close(entered)
			<-release
			canceled.Store(req.Context().Err() != nil)
			_, _ = io.WriteString(w, "done")
		}))
		answered := make(chan error, 1)
		go func() {
			resp, err := r.post(t, r.client(t, h2), "{}")
			if err == nil {
				var body []byte
				if body, err = io.ReadAll(resp.Body); string(body) != "done" {
					err = errors.Join(err, errors.New("cut off"))
				}
				_ = resp.Body.Close()
			}
			answered <- err
		}()
		<-entered
		down := make(chan error, 1)
		go func() { down <- r.Shutdown(context.Background()) }()
		for r.Listening() {
			time.Sleep(time.Millisecond)
		}
		select {
		case <-r.done:
			t.Error("Serve returned with a request in flight")
		default:
		}
		close(release)
		if err := <-answered; err != nil || canceled.Load() {
			t.Errorf("in flight: %v, canceled %v", err, canceled.Load())
		}
		if err := errors.Join(<-down, <-r.done); err != nil {
			t.Error(err)
		}
		if _, err := net.Dial("tcp", r.addr); err == nil {
			t.Error("the listener is open after the shutdown")
		}
	})
}

func TestShutdownDeadlineCutsOff(t *testing.T) {
	entered := make(chan struct{})
	r := start(t, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		close(entered)
		<-req.Context().Done()
	}))
	go func() {
		if resp, err := r.post(t, r.client(t, true), "{}"); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := <-r.done; err != nil {
		t.Error(err)
	}
}

func TestClosingAsksEveryClientToGo(t *testing.T) {
	bothProtocols(t, func(t *testing.T, h2 bool) {
		d := NewDrain(DrainOptions{})
		r := start(t, newTestHandler(t), func(o *ServerOptions) { o.Drain = d })
		c := r.client(t, h2)
		ask := func() *http.Response {
			resp, err := r.post(t, c, allowed)
			if err != nil {
				t.Fatal(err)
			}
			if got := checkAnswer(t, resp); got == nil || !got.Allowed {
				t.Errorf("in state %s: %+v", d.State(), got)
			}
			_ = resp.Body.Close()
			return resp
		}
		d.enter(Lame)
		if ask().Close {
			t.Error("lame already closes connections")
		}
		d.enter(Closing)
		for range 3 { // each on a new connection: new requests are served all the same
			if resp := ask(); !h2 && !resp.Close {
				t.Error("closing, and the connection stays")
			}
		}
	})
}

func TestBodyThatNeverComesIsAnswered(t *testing.T) {
	bothProtocols(t, func(t *testing.T, h2 bool) {
		r := start(t, newTestHandler(t, func(o *ReviewOptions) {
			o.BodyPatience, o.BodyTimeout = 10*time.Millisecond, 50*time.Millisecond
		}))
		body, never := io.Pipe()
		defer func() { _ = never.Close() }()
		go func() { _, _ = io.WriteString(never, allowed[:20]) }()
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+r.addr+ReviewPath, body)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer assistant")
		resp, err := r.client(t, h2).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if checkAnswer(t, resp); resp.StatusCode != http.StatusRequestTimeout {
			t.Errorf("answer %d", resp.StatusCode)
		}
		_ = resp.Body.Close()
	})
}

func TestEndOfTheContextClosesTheServer(t *testing.T) {
	s := newTestServer(t, http.NotFoundHandler())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	for !s.Listening() {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err != nil || s.Listening() {
		t.Errorf("got %v, listening %v", err, s.Listening())
	}
}

func TestHealthServer(t *testing.T) {
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	s := NewHealthServer(ok, ok)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	for path, want := range map[string]int{"/readyz": 200, "/livez": 200, "/": 404} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+path, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
