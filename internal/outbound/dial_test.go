package outbound

import (
	"net"
	"net/netip"
	"testing"
)

// The kernel's own view: a listener that would take the connection must not see one.
func TestTheAddressIsJudgedAgainWhereTheKernelConnects(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at := netip.MustParseAddrPort(l.Addr().String())
	for name, tc := range map[string]struct {
		special []string
		port    uint16
		want    Cause
	}{
		"loopback":         {port: at.Port(), want: CauseNotAllowed},
		"opened":           {special: []string{"loopback"}, port: at.Port(), want: ""},
		"another port":     {special: []string{"loopback"}, port: at.Port() + 1, want: CauseNotAllowed},
		"a class too many": {special: []string{"multicast"}, port: at.Port(), want: CauseNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustPolicy(t, []string{"judge.example.org:*"}, tc.special...)
			d := &dialer{policy: p}
			conn, err := d.guarded(target{host: host{name: "judge.example.org"}, port: tc.port}, byHost)(t.Context(), "tcp", at.String())
			if got := CauseOf(err); got != tc.want {
				t.Errorf("cause %q, want %q (%v)", got, tc.want, err)
			}
			if conn != nil {
				_ = conn.Close()
			}
		})
	}
}
