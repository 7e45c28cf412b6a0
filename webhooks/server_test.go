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

	testingclock "k8s.io/utils/clock/testing"
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

func TestOldConnectionsRetire(t *testing.T) {
	clock := testingclock.NewFakeClock(time.Now())
	r := start(t, newTestHandler(t), func(o *ServerOptions) { o.Clock = clock })
	c := r.client(t, false)
	for _, tc := range []struct {
		age   time.Duration
		close bool
	}{{0, false}, {4 * time.Minute, false}, {6 * time.Minute, true}} {
		clock.SetTime(clock.Now().Add(tc.age))
		resp, err := r.post(t, c, allowed)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.Close != tc.close {
			t.Errorf("after %s more: close is %v", tc.age, resp.Close)
		}
	}
}

func TestConnectionsAreCapped(t *testing.T) {
	for name, limits := range map[string][2]int{"in all": {2, 100}, "per address": {100, 2}} {
		t.Run(name, func(t *testing.T) {
			var refused atomic.Int64
			r := start(t, newTestHandler(t), func(o *ServerOptions) {
				o.Limits.MaxConnections, o.Limits.MaxConnectionsPerIP = limits[0], limits[1]
				o.OnRefused = func() { refused.Add(1) }
			})
			dial := func() (*tls.Conn, error) {
				return tls.Dial("tcp", r.addr, &tls.Config{RootCAs: r.pool})
			}
			var open []*tls.Conn
			for range 2 {
				c, err := dial()
				if err != nil {
					t.Fatal(err)
				}
				open = append(open, c)
			}
			if _, err := dial(); err == nil || refused.Load() != 1 {
				t.Fatalf("the third connection: %v, %d refused", err, refused.Load())
			}
			_ = open[0].Close()
			for {
				c, err := dial()
				if err == nil {
					_ = c.Close()
					break
				}
				time.Sleep(time.Millisecond)
			}
			_ = open[1].Close()
		})
	}
}

func TestHandshakePlacesAreGivenBack(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		r := start(t, newTestHandler(t), func(o *ServerOptions) { o.Limits.MaxHandshakes = 1 })
		for range 3 {
			// One that breaks off in the middle, and one that does not.
			broken, err := net.Dial("tcp", r.addr)
			if err != nil {
				t.Fatal(err)
			}
			_ = broken.Close()
			_, err = tls.Dial("tcp", r.addr, &tls.Config{MaxVersion: version}) // untrusted
			if err == nil {
				t.Fatal("trusted without a pool")
			}
			c, err := tls.Dial("tcp", r.addr, &tls.Config{RootCAs: r.pool, MaxVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			_ = c.Close()
		}
	}
	r := start(t, newTestHandler(t))
	if _, err := tls.Dial("tcp", r.addr, &tls.Config{RootCAs: r.pool, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
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

func TestStalledHandshakesGiveTheirPlacesBack(t *testing.T) {
	r := start(t, newTestHandler(t), func(o *ServerOptions) { o.Limits.MaxHandshakes = 1 })
	raw, err := net.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	// A client of TLS 1.2 that goes silent when the server's part has come.
	silent := tls.Client(&muteConn{Conn: raw}, &tls.Config{RootCAs: r.pool, MaxVersion: tls.VersionTLS12, ServerName: "127.0.0.1"})
	go func() { _ = silent.HandshakeContext(t.Context()) }()
	time.Sleep(20 * time.Millisecond)
	began := time.Now()
	c, err := tls.Dial("tcp", r.addr, &tls.Config{RootCAs: r.pool})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("waited %s behind a silent client", took)
	}
}

// muteConn sends its first write and drops the others.
type muteConn struct {
	net.Conn
	sent atomic.Bool
}

func (c *muteConn) Write(p []byte) (int, error) {
	if c.sent.Swap(true) {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

func TestHeadersAreBounded(t *testing.T) {
	r := start(t, newTestHandler(t))
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+r.addr+ReviewPath, strings.NewReader(allowed))
	req.Header.Set("Authorization", "Bearer "+strings.Repeat("a", 32<<10))
	resp, err := r.client(t, false).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("32 KiB of headers get %d", resp.StatusCode)
	}
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
