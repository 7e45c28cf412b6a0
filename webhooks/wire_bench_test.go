package webhooks

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// BenchmarkReviewOverTLS is one verdict over the wire, 32 clients a core: all one
// caller, and each its own. "bare" is a handler that reads the body and writes a
// constant, on the same server.
func BenchmarkReviewOverTLS(b *testing.B) {
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write([]byte(`{"allowed":true}`))
	})
	for _, proto := range []string{"h1", "h2"} {
		for name, h := range map[string]http.Handler{"bare": bare, "one caller": newTestHandler(b), "many callers": newTestHandler(b)} {
			b.Run(proto+"/"+name, func(b *testing.B) { benchWire(b, h, proto == "h2", name == "many callers") })
		}
	}
}

func benchWire(b *testing.B, h http.Handler, h2, many bool) {
	certs, pool := goodCertificates(b)
	s, err := NewDecisionServer(ServerOptions{Handler: h, Certificates: certs, Drain: NewDrain(DrainOptions{}), Limits: DefaultServerLimits()})
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	go func() { _ = s.Serve(ctx, l) }()
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: h2, MaxIdleConnsPerHost: 256}
	if !h2 {
		tr.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	defer tr.CloseIdleConnections()
	var callers, refused atomic.Int64
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		token := "Bearer assistant"
		if many {
			token += strconv.FormatInt(callers.Add(1), 10)
		}
		for pb.Next() {
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+l.Addr().String()+ReviewPath, strings.NewReader(allowed))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", token)
			resp, err := tr.RoundTrip(req)
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				refused.Add(1)
			}
		}
	})
	b.ReportMetric(100*float64(refused.Load())/float64(b.N), "%refused")
}
