package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
)

const (
	// connectTimeout bounds the look-up of the name and the connecting to all of its
	// addresses together: a lost SYN is sent again after 1 s (RFC 6298), and calls have
	// 3 s in all by default.
	connectTimeout = 2 * time.Second
	// tlsTimeout bounds the handshake, two round trips, for the same reason.
	tlsTimeout = 2 * time.Second
	// maxAddresses is how many addresses of a name are tried: each gets its share of
	// connectTimeout, which 500 ms of a far host's round trip must fit.
	maxAddresses = 4
)

// Resolver looks up the addresses of a name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// DialFunc connects to an address and a port, never to a name. The DialContext of a
// *net.Dialer is one.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// dialer is what the transport connects through. It does not trust that the URL was
// checked: it knows the host and port that are dialled, and judges them again.
type dialer struct {
	policy   Policy
	resolver Resolver
	dial     DialFunc
	tls      *tls.Config
	// oneCall ends each connection with the call that it was made for.
	oneCall bool
}

// dialPlain is http.Transport.DialContext.
func (d *dialer) dialPlain(ctx context.Context, _, address string) (net.Conn, error) {
	conn, _, err := d.connect(ctx, true, address)
	return conn, err
}

// dialTLS is http.Transport.DialTLSContext.
func (d *dialer) dialTLS(ctx context.Context, _, address string) (net.Conn, error) {
	conn, t, err := d.connect(ctx, false, address)
	if err != nil {
		return nil, err
	}
	config := d.tls.Clone()
	config.ServerName, _, _ = net.SplitHostPort(address)
	if t.host.addr.IsValid() {
		config.ServerName = t.host.addr.String()
	}
	ctx, done := within(ctx, tlsTimeout)
	defer done()
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		if e := ended(ctx); e != nil {
			return nil, e
		}
		return nil, &Error{Cause: CauseTLS, Detail: t.host.String() + ": " + describeTLS(err)}
	}
	return secured, nil
}

func (d *dialer) connect(ctx context.Context, plain bool, address string) (net.Conn, target, error) {
	hostname, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, target{}, notAllowed("the address to dial has no port")
	}
	t, err := d.policy.target(plain, hostname, port)
	if err != nil {
		return nil, t, err
	}
	g, err := d.policy.judge(t)
	if err != nil {
		return nil, t, err
	}
	call := ctx
	ctx, done := within(ctx, connectTimeout)
	defer done()
	addrs, err := d.allowed(ctx, t, g)
	if err != nil {
		return nil, t, err
	}
	conn, err := d.connectAny(ctx, t, g, addrs)
	if err == nil && d.oneCall {
		endWithCall(call, conn)
	}
	return conn, t, err
}

// allowed is the addresses of a target that may be dialled. Each is judged by itself:
// one that is refused neither opens nor closes the way to the others.
func (d *dialer) allowed(ctx context.Context, t target, g grant) ([]netip.Addr, error) {
	addrs := []netip.Addr{t.host.addr}
	if !t.host.addr.IsValid() {
		var err error
		// The dot makes the name absolute: see long.
		if addrs, err = d.resolver.LookupNetIP(ctx, "ip", t.host.name+"."); err != nil || len(addrs) == 0 {
			return nil, resolveError(ctx, t, err)
		}
	}
	var out []netip.Addr
	var first error
	for _, addr := range addrs {
		if err := d.policy.judgeAddress(t, g, addr); err == nil {
			out = append(out, addr.Unmap())
		} else if first == nil {
			first = err
		}
	}
	if len(out) == 0 {
		return nil, first
	}
	out = alternate(out)
	return out[:min(len(out), maxAddresses)], nil
}

// alternate takes IPv6 and IPv4 in turns, beginning with the resolver's first choice,
// so that a family without a route does not use up the attempts.
func alternate(addrs []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	for _, addr := range addrs {
		if addr.Is4() == addrs[0].Is4() {
			first = append(first, addr)
		} else {
			second = append(second, addr)
		}
	}
	out := make([]netip.Addr, 0, len(addrs))
	for i := range max(len(first), len(second)) {
		out = append(out, first[min(i, len(first)):min(i+1, len(first))]...)
		out = append(out, second[min(i, len(second)):min(i+1, len(second))]...)
	}
	return out
}

func (d *dialer) connectAny(ctx context.Context, t target, g grant, addrs []netip.Addr) (net.Conn, error) {
	dial := d.dial
	if dial == nil {
		dial = d.guarded(t, g)
	}
	var last error
	for _, addr := range addrs {
		one, cancel := context.WithTimeout(ctx, connectTimeout/time.Duration(len(addrs)))
		conn, err := dial(one, "tcp", netip.AddrPortFrom(addr, t.port).String())
		cancel()
		if err == nil {
			return conn, nil
		}
		if e := ended(ctx); e != nil {
			return nil, e
		}
		last = connectError(t, addr, err)
	}
	return nil, last
}

// guarded is the real dialer. Its Control sees the address that the kernel is about to
// connect to, and so holds whatever the layers above it got wrong.
func (d *dialer) guarded(t target, g grant) DialFunc {
	control := func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || at.Port() != t.port {
			return notAllowed("the address to connect to is not the one that was judged")
		}
		return d.policy.judgeAddress(t, g, at.Addr())
	}
	return (&net.Dialer{ControlContext: control}).DialContext
}

// callKey finds the context of the call in the context of its dial. net/http gives the
// dial the call's values without its end, so that another call may use the connection;
// here a dial ends with the call that wanted it.
type callKey struct{}

func withCall(ctx context.Context) context.Context { return context.WithValue(ctx, callKey{}, ctx) }

func callOf(ctx context.Context) context.Context {
	if call, ok := ctx.Value(callKey{}).(context.Context); ok {
		return call
	}
	return ctx
}

// within bounds one part of a call, which also ends when the call does.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	call := callOf(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(call, func() { cancel(context.Cause(call)) })
	ctx, cancelTimeout := context.WithTimeout(ctx, limit)
	return ctx, func() {
		cancelTimeout()
		stop()
		cancel(nil)
	}
}

// endWithCall closes conn when the call ends, whatever TLS and HTTP still want to say.
func endWithCall(ctx context.Context, conn net.Conn) {
	context.AfterFunc(callOf(ctx), func() { _ = conn.Close() })
}

func resolveError(ctx context.Context, t target, err error) error {
	if e := ended(ctx); e != nil {
		return e
	}
	detail := "looking it up failed"
	if e, ok := errors.AsType[*net.DNSError](err); err == nil || ok && e.IsNotFound {
		detail = "it has no address"
	} else if ok && e.IsTimeout {
		return &Error{Cause: CauseTimeout, Detail: t.host.String() + ": the name servers did not answer in time"}
	}
	return &Error{Cause: CauseResolve, Detail: t.host.String() + ": " + detail}
}

func connectError(t target, addr netip.Addr, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	at := netip.AddrPortFrom(addr, t.port).String()
	if errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
		return &Error{Cause: CauseTimeout, Detail: at + ": no connection in time"}
	}
	return &Error{Cause: CauseConnect, Detail: at + ": " + system(err, "no connection")}
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// describeTLS names what is wrong with a handshake without quoting the certificate.
func describeTLS(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate is signed by no authority that is trusted here (caBundle, else the system's)"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate is not made out to this host"
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return "the certificate is not valid at this time"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate is not valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the port does not speak TLS"
	}
	return "the handshake failed"
}
