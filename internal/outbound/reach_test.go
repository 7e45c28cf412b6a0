package outbound_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/outbound/outboundtest"
)

type hanging struct{}

func (hanging) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestACallThatIsGivenUpEndsItsDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, hello)
		s.network.Silence(address + ":443")
		c := s.client(t)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { _, err := get(ctx, t, c, secretURL); done <- err }()
		synctest.Wait()
		cancel()
		if err := <-done; outbound.CauseOf(err) != outbound.CauseCanceled {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if s.network.Open() != 0 {
			t.Error("the dial goes on")
		}
	})
}

// closing tells when a connection is closed.
type closing struct {
	net.Conn
	at chan time.Time
}

func (c closing) Close() error {
	select {
	case c.at <- time.Now():
	default:
	}
	return c.Conn.Close()
}

// TLS says goodbye before it closes, and would wait 5 s for a peer that reads nothing.
func TestAConnectionEndsWithItsCallWhateverTLSWantsToSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, hello)
		closed := make(chan time.Time, 1)
		s.options.Dial = func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			config, err := s.authority.Serve(judge)
			if err != nil {
				return nil, err
			}
			go func() {
				peer := tls.Server(far, config)
				_, _ = http.ReadRequest(bufio.NewReader(peer)) // and not a byte more
			}()
			return closing{near, closed}, nil
		}
		began := time.Now()
		if _, err := get(t.Context(), t, s.client(t), secretURL); outbound.CauseOf(err) != outbound.CauseTimeout {
			t.Errorf("got %v", err)
		}
		if took := (<-closed).Sub(began); took != s.options.Timeout {
			t.Errorf("closed after %s", took)
		}
	})
}

func TestNamesThatLeadElsewhereAreRefusedAtDial(t *testing.T) {
	for name, tc := range map[string]struct {
		addrs   []string
		allowed []string
		special []string
		want    outbound.Cause
		dialled []string
	}{
		"loopback":        {addrs: []string{"127.0.0.1"}, want: outbound.CauseNotAllowed},
		"metadata":        {addrs: []string{"169.254.169.254"}, want: outbound.CauseNotAllowed},
		"mapped loopback": {addrs: []string{"::ffff:127.0.0.1"}, want: outbound.CauseNotAllowed},
		"NAT64 metadata":  {addrs: []string{"64:ff9b::a9fe:a9fe"}, want: outbound.CauseNotAllowed},
		"translated":      {addrs: []string{"::ffff:0:127.0.0.1", "2001:db8::5efe:7f00:1"}, want: outbound.CauseNotAllowed},
		"unspecified":     {addrs: []string{"0.0.0.0", "::"}, want: outbound.CauseNotAllowed},
		"one of several is good": {
			addrs: []string{"127.0.0.1", address, "169.254.169.254"}, want: "", dialled: []string{address + ":443"},
		},
		"good ones are tried in turn, by families": {
			addrs: []string{"2001:db8::1", "2001:db8::2", "::1", address}, want: "",
			dialled: []string{"[2001:db8::1]:443", address + ":443"},
		},
		"no more than four": {
			addrs: []string{"192.0.2.11", "192.0.2.12", "192.0.2.13", "192.0.2.14", address}, want: outbound.CauseConnect,
			dialled: []string{"192.0.2.11:443", "192.0.2.12:443", "192.0.2.13:443", "192.0.2.14:443"},
		},
		"outside the only network":     {addrs: []string{address}, allowed: []string{"198.51.100.0/24"}, want: outbound.CauseNotAllowed},
		"inside it, by whatever name":  {addrs: []string{address}, allowed: []string{"192.0.2.0/24"}, want: "", dialled: []string{address + ":443"}},
		"the network of another port":  {addrs: []string{address}, allowed: []string{"192.0.2.0/24:8443", "198.51.100.0/24"}, want: outbound.CauseNotAllowed},
		"an opened class":              {addrs: []string{"127.0.0.1"}, special: []string{"loopback"}, want: outbound.CauseConnect, dialled: []string{"127.0.0.1:443"}},
		"another class that is opened": {addrs: []string{"127.0.0.1"}, special: []string{"link-local"}, want: outbound.CauseNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStub(t, hello)
				allowed := tc.allowed
				if allowed == nil {
					allowed = []string{judge}
				}
				policy, err := outbound.ParsePolicy(allowed, tc.special, "")
				if err != nil {
					t.Fatal(err)
				}
				s.options.Policy = policy
				s.options.Resolver = outboundtest.Names{judge + ".": outboundtest.Addrs(tc.addrs...)}
				_, err = get(t.Context(), t, s.client(t), secretURL)
				if got := outbound.CauseOf(err); got != tc.want {
					t.Errorf("cause %q, want %q (%v)", got, tc.want, err)
				}
				if got := strings.Join(s.network.Dialled(), " "); got != strings.Join(tc.dialled, " ") {
					t.Errorf("dialled %q", got)
				}
			})
		})
	}
}

func TestServicesAreLookedUpInTheirLongForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, hello)
		s.options.Policy = outbound.Policy{}.WithServices("support")
		s.options.Resolver = outboundtest.Names{"tickets.support.svc.cluster.local.": outboundtest.Addrs("10.96.0.7")}
		l := s.network.Listen("10.96.0.7:8080")
		server := &http.Server{Handler: http.HandlerFunc(hello)}
		go func() { _ = server.Serve(l) }()
		defer server.Close()
		synctest.Wait()
		if text, err := get(t.Context(), t, s.client(t), "http://tickets.support.svc:8080/"); err != nil || text != "hello" {
			t.Errorf("got %q, %v", text, err)
		}
	})
}
