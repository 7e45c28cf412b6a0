// Package outboundtest has what tests of outbound calls stand on: a network in memory,
// so that timeouts can run on a synthetic clock, names, and certificates.
package outboundtest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// Names is a resolver. It knows absolute names only, as the guard asks for them: with
// their dot at the end.
type Names map[string][]netip.Addr

// LookupNetIP implements outbound.Resolver.
func (n Names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if addrs, ok := n[host]; ok {
		return addrs, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// Addrs reads addresses; it panics on text that is none.
func Addrs(texts ...string) []netip.Addr {
	var out []netip.Addr
	for _, text := range texts {
		out = append(out, netip.MustParseAddr(text))
	}
	return out
}

// Network connects clients to listeners in memory. Its zero value has no listener.
type Network struct {
	mu        sync.Mutex
	listeners map[string]*listener
	silent    map[string]bool
	dialled   []string
	dialling  int
	open      int
}

// Listen makes a listener at "address:port".
func (n *Network) Listen(address string) net.Listener {
	l := &listener{address: address, accept: make(chan net.Conn), closed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners == nil {
		n.listeners = map[string]*listener{}
	}
	n.listeners[address] = l
	return l
}

// Silence makes "address:port" a black hole: connecting to it never ends by itself.
func (n *Network) Silence(address string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.silent == nil {
		n.silent = map[string]bool{}
	}
	n.silent[address] = true
}

// Dial is an outbound.DialFunc.
func (n *Network) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	n.dialled = append(n.dialled, address)
	n.dialling++
	l, silent := n.listeners[address], n.silent[address]
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		n.dialling--
		n.mu.Unlock()
	}()
	if silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if l == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	near, far := pipe()
	select {
	case l.accept <- far:
		n.count(1)
		return &conn{Conn: near, network: n}, nil
	case <-l.closed:
		_ = near.Close()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		_ = near.Close()
		return nil, ctx.Err()
	}
}

// pipe is net.Pipe with what a kernel has beyond it: room for what was written and not
// yet read. Without it, both ends of a failing handshake wait for the other to read.
func pipe() (near, far net.Conn) {
	near, nearEnd := net.Pipe()
	farEnd, far := net.Pipe()
	go pump(farEnd, nearEnd)
	go pump(nearEnd, farEnd)
	return near, far
}

func pump(to, from net.Conn) {
	// 64 chunks of 4 KiB: about a socket's buffers.
	chunks := make(chan []byte, 64)
	go func() {
		defer close(chunks)
		for {
			chunk := make([]byte, 4096)
			n, err := from.Read(chunk)
			if err != nil {
				return
			}
			chunks <- chunk[:n]
		}
	}()
	for chunk := range chunks {
		if _, err := to.Write(chunk); err != nil {
			_ = from.Close()
		}
	}
	_ = to.Close()
}

// Dialled is every address that was dialled, in order.
func (n *Network) Dialled() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.dialled...)
}

// Open is how many connections the clients have not closed, those that they are still
// making among them.
func (n *Network) Open() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open + n.dialling
}

func (n *Network) count(by int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.open += by
}

// conn is the client's end.
type conn struct {
	net.Conn
	network *Network
	once    sync.Once
}

func (c *conn) Close() error {
	c.once.Do(func() { c.network.count(-1) })
	return c.Conn.Close()
}

type listener struct {
	address string
	accept  chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accept:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(l.address))
}

// Authority signs certificates that are valid in any year that a test may believe to
// be in.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

var (
	notBefore = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	notAfter  = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
)

// NewAuthority makes an authority with a key of its own.
func NewAuthority() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "outboundtest"},
		NotBefore: notBefore, NotAfter: notAfter,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &Authority{cert: cert, key: key, pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, err
}

// PEM is the authority's certificate, to trust it by.
func (a *Authority) PEM() []byte { return append([]byte(nil), a.pem...) }

// Serve is a server's TLS configuration, with a certificate for names and addresses.
func (a *Authority) Serve(hosts ...string) (*tls.Config, error) {
	if len(hosts) == 0 {
		return nil, errors.New("give a host")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: hosts[0]},
		NotBefore: notBefore, NotAfter: notAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		NextProtos:   []string{"h2", "http/1.1"},
	}, nil
}
