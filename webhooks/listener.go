package webhooks

import (
	"errors"
	"net"
	"net/netip"
	"sync"

	"k8s.io/utils/clock"
)

// cappedListener refuses connections over a cap, in all and from one address, with a
// reset: they cost no handshake, no buffer and no TIME_WAIT.
type cappedListener struct {
	net.Listener
	total, perIP int
	beat         *Heartbeat
	clock        clock.PassiveClock
	refused      func()

	mu   sync.Mutex
	open int
	byIP map[netip.Addr]int
}

func newCappedListener(l net.Listener, limits ServerLimits, beat *Heartbeat, c clock.PassiveClock, refused func()) *cappedListener {
	return &cappedListener{
		Listener: l, total: limits.MaxConnections, perIP: limits.MaxConnectionsPerIP,
		beat: beat, clock: c, refused: refused, byIP: map[netip.Addr]int{},
	}
}

// Accept returns the next connection that is within the caps.
func (l *cappedListener) Accept() (net.Conn, error) {
	for {
		l.beat.End()
		c, err := l.Listener.Accept()
		l.beat.Begin(l.clock.Now())
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				l.beat.End()
			}
			return nil, err //nolint:wrapcheck // net/http looks at the error itself
		}
		ip := addrOf(c)
		if l.enter(ip) {
			return &cappedConn{Conn: c, leave: sync.OnceFunc(func() { l.leave(ip) })}, nil
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		// Counted first: whoever sees the reset finds it counted.
		l.refused()
		_ = c.Close()
	}
}

func (l *cappedListener) enter(ip netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.total || l.byIP[ip] >= l.perIP {
		return false
	}
	l.open++
	l.byIP[ip]++
	return true
}

func (l *cappedListener) leave(ip netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.byIP[ip]--; l.byIP[ip] == 0 {
		delete(l.byIP, ip)
	}
}

// addrOf is the zero address for connections without one, such as a test's pipe.
func addrOf(c net.Conn) netip.Addr {
	ap, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap()
}

// cappedConn gives its place back when it is closed, and with it a handshake that it
// is in.
type cappedConn struct {
	net.Conn
	leave func()

	mu     sync.Mutex
	closed bool
	finish func()
}

func (c *cappedConn) Close() error {
	c.leave()
	c.mu.Lock()
	c.closed = true
	finish := c.finish
	c.mu.Unlock()
	if finish != nil {
		finish()
	}
	return c.Conn.Close() //nolint:wrapcheck // a net.Conn's own error is what its users expect
}

// handshaking remembers how to end the handshake's place; false if the connection is
// closed already.
func (c *cappedConn) handshaking(finish func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish = finish
	return !c.closed
}
