package semantic

import (
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/outbound/outboundtest"
)

const (
	endpoint = "https://judge.example.org/v1/chat/completions"
	address  = "192.0.2.1:443"
	secret   = "sk-secret-1"
)

// validator is a stub validator in memory, behind TLS. Each test runs in a bubble of
// testing/synctest, so that timeouts cost no time, and no goroutine may be left when the
// test ends.
type validator struct {
	network   outboundtest.Network
	authority *outboundtest.Authority

	mu       sync.Mutex
	requests []request
	running  int
	most     int
}

type request struct {
	header http.Header
	path   string
	body   string
}

func newValidator(t *testing.T, handler http.HandlerFunc) *validator {
	t.Helper()
	authority, err := outboundtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	v := &validator{authority: authority}
	config, err := authority.Serve("judge.example.org")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		TLSConfig: config, ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			v.mu.Lock()
			v.requests = append(v.requests, request{header: r.Header.Clone(), path: r.URL.Path, body: string(body)})
			v.running++
			v.most = max(v.most, v.running)
			v.mu.Unlock()
			defer func() {
				v.mu.Lock()
				v.running--
				v.mu.Unlock()
			}()
			handler(w, r)
		}),
	}
	l := v.network.Listen(address)
	go func() { _ = server.ServeTLS(l, "", "") }()
	t.Cleanup(func() { _ = server.Close() })
	synctest.Wait()
	return v
}

func (v *validator) asked() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.requests)
}

// client makes a Client that may ask the validator.
func (v *validator) client(t *testing.T, change ...func(*Options)) *Client {
	t.Helper()
	policy, err := outbound.ParsePolicy([]string{"judge.example.org"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	opts := DefaultOptions()
	opts.Upstreams = policy
	opts.Resolver = outboundtest.Names{"judge.example.org.": outboundtest.Addrs("192.0.2.1")}
	opts.Dial = v.network.Dial
	for _, f := range change {
		f(&opts)
	}
	c, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func (v *validator) question(change ...func(*Question)) Question {
	q := Question{
		Policy:        Policy{Namespace: "support", Name: "assistant", UID: "u-1", Generation: 1},
		Endpoint:      endpoint,
		Token:         NewToken(secret, "7"),
		CABundle:      v.authority.PEM(),
		DeclaredTools: []byte(`["web_search"]`),
		Schemas:       []byte(`{"web_search":{"type":"object"}}`),
		RequestTools:  []byte(`[{"type":"function","function":{"name":"web_search"}}]`),
	}
	for _, f := range change {
		f(&q)
	}
	return q
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// after answers valid when d has passed.
func after(d time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
			_, _ = io.WriteString(w, `{"valid":true}`)
		case <-r.Context().Done():
		}
	}
}

// silent never answers.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// drip writes a byte of an answer each second.
func drip(w http.ResponseWriter, r *http.Request) {
	for _, c := range strings.SplitAfter(`{"valid":true}`, "") {
		if r.Context().Err() != nil {
			return
		}
		_, _ = io.WriteString(w, c)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(time.Second):
		case <-r.Context().Done():
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

func namesOf(addrs map[string]string) outboundtest.Names {
	names := outboundtest.Names{}
	for name, addr := range addrs {
		names[name] = outboundtest.Addrs(addr)
	}
	return names
}

func mustPolicy(t *testing.T, allowed ...string) outbound.Policy {
	t.Helper()
	p, err := outbound.ParsePolicy(allowed, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}
