package outbound_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/outbound/outboundtest"
)

const (
	judge   = "judge.example.org"
	address = "192.0.2.1"
)

// net/http reads the environment's proxies once in a process: so every test has them.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"} {
		if err := os.Setenv(name, "http://192.0.2.66:3128"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// stub is a server in memory, and a client of it.
type stub struct {
	network   outboundtest.Network
	authority *outboundtest.Authority
	options   outbound.Options
}

func newStub(t *testing.T, handler http.HandlerFunc) *stub {
	t.Helper()
	authority, err := outboundtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	policy, err := outbound.ParsePolicy([]string{judge}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	s := &stub{authority: authority}
	s.options = outbound.Options{
		Policy: policy, Timeout: 3 * time.Second, CABundle: authority.PEM(),
		Resolver: outboundtest.Names{judge + ".": outboundtest.Addrs(address)},
		Dial:     s.network.Dial,
	}
	s.serve(t, address+":443", handler, judge)
	return s
}

func (s *stub) serve(t *testing.T, at string, handler http.HandlerFunc, names ...string) {
	t.Helper()
	config, err := s.authority.Serve(names...)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, TLSConfig: config, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.ServeTLS(s.network.Listen(at), "", "") }()
	t.Cleanup(func() { _ = server.Close() })
	synctest.Wait()
}

func (s *stub) client(t *testing.T) *outbound.Client {
	t.Helper()
	c, err := outbound.NewClient(s.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func get(ctx context.Context, t *testing.T, c *outbound.Client, url string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	data, err := outbound.ReadAll(resp.Body, 1000)
	return string(data), err
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }

const secretURL = "https://" + judge + "/secret-path?secret-query"

func TestFailuresHaveTheirCause(t *testing.T) {
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		change  func(*testing.T, *stub)
		url     string
		want    outbound.Cause
	}{
		"answered":     {want: ""},
		"not allowed":  {url: "https://other.example.org/", want: outbound.CauseNotAllowed},
		"no such name": {change: func(_ *testing.T, s *stub) { s.options.Resolver = outboundtest.Names{} }, want: outbound.CauseResolve},
		"a name without addresses": {change: func(_ *testing.T, s *stub) {
			s.options.Resolver = outboundtest.Names{judge + ".": nil}
		}, want: outbound.CauseResolve},
		"a resolver that hangs": {change: func(_ *testing.T, s *stub) { s.options.Resolver = hanging{} }, want: outbound.CauseTimeout},
		"refused": {change: func(_ *testing.T, s *stub) {
			s.options.Resolver = outboundtest.Names{judge + ".": outboundtest.Addrs("192.0.2.9")}
		}, want: outbound.CauseConnect},
		"black hole": {change: func(_ *testing.T, s *stub) { s.network.Silence(address + ":443") }, want: outbound.CauseTimeout},
		"no handshake": {change: func(_ *testing.T, s *stub) {
			l := s.network.Listen(address + ":443")
			go func() {
				c, _ := l.Accept()
				_, _ = io.Copy(io.Discard, c) // reads, and never says a word
			}()
		}, want: outbound.CauseTimeout},
		"no TLS": {change: func(_ *testing.T, s *stub) {
			l := s.network.Listen(address + ":443")
			go func() {
				c, _ := l.Accept()
				go func() { _, _ = io.Copy(io.Discard, c) }()
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				_ = c.Close()
			}()
		}, want: outbound.CauseTLS},
		"another host's certificate": {change: func(t *testing.T, s *stub) {
			s.serve(t, address+":443", hello, "other.example.org")
		}, want: outbound.CauseTLS},
		"another authority": {change: func(t *testing.T, s *stub) {
			other, err := outboundtest.NewAuthority()
			if err != nil {
				t.Fatal(err)
			}
			s.options.CABundle = other.PEM()
		}, want: outbound.CauseTLS},
		"the system's authorities": {change: func(_ *testing.T, s *stub) { s.options.CABundle = nil }, want: outbound.CauseTLS},
		"TLS 1.1": {change: func(t *testing.T, s *stub) {
			config, _ := s.authority.Serve(judge)
			config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
			server := &http.Server{Handler: http.HandlerFunc(hello), TLSConfig: config, ErrorLog: log.New(io.Discard, "", 0)}
			go func() { _ = server.ServeTLS(s.network.Listen(address+":443"), "", "") }()
			t.Cleanup(func() { _ = server.Close() })
			synctest.Wait()
		}, want: outbound.CauseTLS},
		"redirect": {handler: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+judge+"/secret-location", http.StatusTemporaryRedirect)
		}, want: outbound.CauseRedirect},
		"not modified": {handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }, want: outbound.CauseRedirect},
		"an error is an answer": {handler: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
		}, want: ""},
		"no headers in time": {handler: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, want: outbound.CauseTimeout},
		"slow drip":          {handler: drip, want: outbound.CauseTimeout},
		"an endless body": {handler: func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 4096)); err != nil {
					return
				}
			}
		}, want: outbound.CauseTooLarge},
		"endless headers": {handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Large", strings.Repeat("x", 1<<20))
		}, want: outbound.CauseNoAnswer},
		"a body cut short": {handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		}, want: outbound.CauseNoAnswer},
		"a connection cut": {handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, want: outbound.CauseNoAnswer},
	} {
		for _, keep := range []bool{false, true} {
			t.Run(name+"/keepalive="+strconv.FormatBool(keep), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					handler, url := tc.handler, tc.url
					if handler == nil {
						handler = hello
					}
					if url == "" {
						url = secretURL
					}
					s := newStub(t, handler)
					s.options.KeepAlive = keep
					if tc.change != nil {
						tc.change(t, s)
					}
					c := s.client(t)
					began := time.Now()
					_, err := get(t.Context(), t, c, url)
					if got := outbound.CauseOf(err); got != tc.want {
						t.Errorf("cause %q, want %q (%v)", got, tc.want, err)
					}
					if _, typed := errors.AsType[*outbound.Error](err); err != nil && (!typed || strings.Contains(err.Error(), "secret")) {
						t.Errorf("the error is %T: %v", err, err)
					}
					if took := time.Since(began); took > s.options.Timeout {
						t.Errorf("took %s", took)
					}
					if !keep {
						synctest.Wait()
						if n := s.network.Open(); n != 0 {
							t.Errorf("%d connections outlive the call", n)
						}
					}
				})
			})
		}
	}
}

// drip writes a byte a second, for ever.
func drip(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		_, _ = io.WriteString(w, "x")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(time.Second):
		case <-r.Context().Done():
		}
	}
}

func TestNothingIsTakenFromTheEnvironmentOrFromAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var headers []http.Header
		s := newStub(t, func(w http.ResponseWriter, r *http.Request) {
			headers = append(headers, r.Header.Clone())
			w.Header().Set("Set-Cookie", "session=1")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "not gzip at all")
		})
		s.options.KeepAlive = true
		c := s.client(t)
		for range 2 {
			if text, err := get(t.Context(), t, c, secretURL); err != nil || text != "not gzip at all" {
				t.Errorf("got %q, %v", text, err)
			}
		}
		for _, h := range headers {
			if h.Get("Cookie") != "" || h.Get("Accept-Encoding") != "" {
				t.Errorf("sent %v", h)
			}
		}
		if got := s.network.Dialled(); len(got) != 1 || got[0] != address+":443" {
			t.Errorf("dialled %v", got)
		}
	})
}

func TestConnectionsAreKeptOnlyWhenAsked(t *testing.T) {
	for _, keep := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var http2 atomic.Int64
			s := newStub(t, func(w http.ResponseWriter, r *http.Request) {
				if r.ProtoMajor == 2 {
					http2.Add(1)
				}
				hello(w, r)
			})
			s.options.KeepAlive = keep
			c := s.client(t)
			for range 3 {
				if _, err := get(t.Context(), t, c, secretURL); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			dialled, open := len(s.network.Dialled()), s.network.Open()
			if keep && (dialled != 1 || open != 1 || http2.Load() != 3) || !keep && (dialled != 3 || open != 0 || http2.Load() != 0) {
				t.Errorf("keep %t: %d dialled, %d open, %d by HTTP/2", keep, dialled, open, http2.Load())
			}
			c.Close()
			synctest.Wait()
			if n := s.network.Open(); n != 0 {
				t.Errorf("%d connections left after Close", n)
			}
		})
	}
}

func TestIdleConnectionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, hello)
		s.options.KeepAlive = true
		if _, err := get(t.Context(), t, s.client(t), secretURL); err != nil {
			t.Fatal(err)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if n := s.network.Open(); n != 0 {
			t.Errorf("%d connections open after 31 s", n)
		}
	})
}

func TestReadAll(t *testing.T) {
	for size, fits := range map[int]bool{0: true, 9: true, 10: true, 11: false, 1 << 20: false} {
		r := strings.NewReader(strings.Repeat("x", size))
		data, err := outbound.ReadAll(r, 10)
		if fits && (err != nil || len(data) != size) || !fits && (outbound.CauseOf(err) != outbound.CauseTooLarge || data != nil) {
			t.Errorf("%d bytes: %d, %v", size, len(data), err)
		}
		if read := size - r.Len(); read > 11 {
			t.Errorf("%d bytes: read %d", size, read)
		}
	}
}

func TestNewClientRefusesWhatHasNoBound(t *testing.T) {
	if _, err := outbound.NewClient(outbound.Options{}); err == nil {
		t.Error("a client without a timeout")
	}
	if _, err := outbound.NewClient(outbound.Options{Timeout: time.Second, CABundle: []byte("x")}); err == nil {
		t.Error("a client without a usable bundle")
	}
}
