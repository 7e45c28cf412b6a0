package webhooks

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
)

// boundAuthorizer has an answer for each policy set.
type boundAuthorizer struct {
	fakeAuthorizer
	of map[*snapshot.Snapshot]review.AccessAnswer
}

func (b *boundAuthorizer) For(s *snapshot.Snapshot) Authorizer {
	return &fakeAuthorizer{answer: b.of[s], known: true}
}

// A review is judged by the permissions of the very policy set that judges it.
func TestAuthorizerOfThePolicySet(t *testing.T) {
	const asks = `{"uid":"u-1","calls":[{"name":"get_ticket","arguments":{}}],"context":{"tenant":"alpha"}}`
	store := granting()
	first := store.Load()
	second := snapshot.New(first.Output)
	h := newTestHandler(t, func(o *ReviewOptions) {
		o.Snapshots = store
		o.Authorizer = &boundAuthorizer{
			fakeAuthorizer{answer: review.Unanswered, known: true},
			map[*snapshot.Snapshot]review.AccessAnswer{first: review.Refused, second: review.Granted},
		}
	})
	for _, tc := range []struct {
		set  *snapshot.Snapshot
		want string
	}{{first, `"code":"forbidden"`}, {second, `"code":"ok"`}} {
		store.Swap(tc.set)
		answer, err := io.ReadAll(serve(h, newRequest(envelope(asks))).Body)
		if err != nil || !strings.Contains(string(answer), tc.want) {
			t.Errorf("answered %s (%v), want %s", answer, err, tc.want)
		}
	}
}

// Without TLS both versions of HTTP are served, and nothing else is different.
func TestPlainServer(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) })
	s, err := NewDecisionServer(ServerOptions{Handler: h, Plain: true, Drain: NewDrain(DrainOptions{}), Limits: DefaultServerLimits()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context(), l) }()
	for version, want := range map[int]string{1: "HTTP/1.1", 2: "HTTP/2.0"} {
		protocols := new(http.Protocols)
		protocols.SetHTTP1(version == 1)
		protocols.SetUnencryptedHTTP2(version == 2)
		client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
		response, err := client.Get("http://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		client.CloseIdleConnections()
		if string(text) != want {
			t.Errorf("served %s, want %s", text, want)
		}
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A pair that is made, and not read, is loaded as one that is, and the last good one
// stays.
func TestCertificatesFromASource(t *testing.T) {
	var current pair
	fault := errors.New("not yet")
	c := NewCertificates(CertificateOptions{Source: func() ([]byte, []byte, error) { return current.cert, current.key, fault }})
	if err := c.Valid(); err == nil {
		t.Error("valid without a certificate")
	}
	end := time.Now().Add(time.Hour).Truncate(time.Second)
	current, fault = newPair(t, 1, time.Now().Add(-time.Hour), end), nil
	for _, later := range []error{nil, errors.New("no more")} {
		if err := c.Reload(); err != nil {
			t.Fatal(err)
		}
		if fault = later; later != nil && c.Reload() == nil {
			t.Error("a source that fails was loaded")
		}
		if err := c.Valid(); err != nil || !c.NotAfter().Equal(end) {
			t.Errorf("valid: %v, until %v; want until %v", err, c.NotAfter(), end)
		}
	}
}
