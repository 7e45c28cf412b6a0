package webhooks

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	testingclock "k8s.io/utils/clock/testing"
)

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
