package webhooks

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
)

// ServerLimits are the limits of the decision endpoint.
type ServerLimits struct {
	// MaxConnections is per replica: 42 KiB of each idle one make 82 MiB.
	MaxConnections int
	// MaxConnectionsPerIP keeps one node or gateway from having them all.
	MaxConnectionsPerIP int
	// MaxHandshakes run at once; the others wait. One costs as much as 40 verdicts.
	MaxHandshakes int
	// HeaderTimeout bounds the handshake, and from then on the headers of each
	// request.
	HeaderTimeout time.Duration
	// ReadTimeout bounds a whole request where no handler sets a bound of its own: it
	// is HeaderTimeout and the 5 s of a body.
	ReadTimeout time.Duration
	// WriteTimeout bounds a request from the end of its headers to the end of its
	// answer, and in HTTP/2 a connection on which nothing can be written.
	WriteTimeout time.Duration
	// IdleTimeout must exceed the 90 s of Go clients, or a request may meet the close.
	IdleTimeout time.Duration
	// MaxHeaderBytes has room for a token of 8 KiB. net/http adds 4 KiB of slack.
	MaxHeaderBytes int
	// MaxStreams, PingAfter and PingTimeout are HTTP/2's.
	MaxStreams             int
	PingAfter, PingTimeout time.Duration
	// MaxAge is when a connection is asked to be replaced, ± 10 %, so that clients
	// spread again over the replicas after a rollout.
	MaxAge time.Duration
}

// DefaultServerLimits are the documented defaults.
func DefaultServerLimits() ServerLimits {
	return ServerLimits{
		MaxConnections:      2000,
		MaxConnectionsPerIP: 256,
		MaxHandshakes:       4 * runtime.GOMAXPROCS(0),
		HeaderTimeout:       5 * time.Second,
		ReadTimeout:         10 * time.Second,
		WriteTimeout:        10 * time.Second,
		IdleTimeout:         120 * time.Second,
		MaxHeaderBytes:      16 << 10,
		MaxStreams:          100,
		PingAfter:           30 * time.Second,
		PingTimeout:         15 * time.Second,
		MaxAge:              5 * time.Minute,
	}
}

// Validate reports a limit that is not set.
func (l ServerLimits) Validate() error {
	for _, v := range []int{l.MaxConnections, l.MaxConnectionsPerIP, l.MaxHandshakes, l.MaxHeaderBytes, l.MaxStreams} {
		if v < 1 {
			return errors.New("every count must be at least 1")
		}
	}
	for _, d := range []time.Duration{l.HeaderTimeout, l.ReadTimeout, l.WriteTimeout, l.IdleTimeout, l.PingAfter, l.PingTimeout, l.MaxAge} {
		if d <= 0 {
			return errors.New("every timeout must be greater than zero")
		}
	}
	return nil
}

// ServerOptions are what a DecisionServer needs.
type ServerOptions struct {
	Handler http.Handler
	// Certificates are needed unless Plain is set.
	Certificates *Certificates
	// Plain serves without TLS. It is for loopback, which whoever sets it makes sure of.
	Plain  bool
	Drain  *Drain
	Limits ServerLimits
	// AcceptLoop may be nil.
	AcceptLoop *Heartbeat
	// OnRefused is called for each connection over a cap; it may be nil.
	OnRefused func()
	Clock     clock.WithDelayedExecution
	Log       logr.Logger
}

// DecisionServer serves the decision endpoint over HTTP/1.1 and HTTP/2, under TLS. It is
// not part of controller-runtime's manager, whose server has no timeouts and cancels
// requests in flight when a stop begins.
type DecisionServer struct {
	opts      ServerOptions
	http      *http.Server
	listening atomic.Bool
	handshake chan struct{}

	// base is the context of every request. It ends only when nothing is in flight
	// any more, or the time for that is over.
	base   context.Context //nolint:containedctx // http.Server takes it through a function; the server is its owner
	cancel context.CancelFunc
	// over is closed when Shutdown has returned.
	over chan struct{}
	shut atomic.Bool
}

// NewDecisionServer makes a server. Handler, Certificates and Drain must be set.
func NewDecisionServer(opts ServerOptions) (*DecisionServer, error) {
	if opts.Handler == nil || opts.Certificates == nil && !opts.Plain || opts.Drain == nil {
		return nil, errors.New("making the decision server: handler, certificates and drain are needed")
	}
	if err := opts.Limits.Validate(); err != nil {
		return nil, fmt.Errorf("checking the limits of the decision server: %w", err)
	}
	if opts.AcceptLoop == nil {
		opts.AcceptLoop = &Heartbeat{}
	}
	if opts.OnRefused == nil {
		opts.OnRefused = func() {}
	}
	if opts.Clock == nil {
		opts.Clock = clock.RealClock{}
	}
	opts.Log = orDiscard(opts.Log)
	s := &DecisionServer{opts: opts, handshake: make(chan struct{}, opts.Limits.MaxHandshakes), over: make(chan struct{})}
	s.base, s.cancel = context.WithCancel(context.Background()) //nolint:forbidigo // requests in flight outlive the stop that a caller's context would carry
	s.http = s.newHTTPServer()
	return s, nil
}

func (s *DecisionServer) newHTTPServer() *http.Server {
	limits := s.opts.Limits
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(s.opts.Plain)
	return &http.Server{
		Handler:           s.retiring(s.opts.Handler),
		TLSConfig:         s.tlsConfig(),
		ReadHeaderTimeout: limits.HeaderTimeout,
		ReadTimeout:       limits.ReadTimeout,
		WriteTimeout:      limits.WriteTimeout,
		IdleTimeout:       limits.IdleTimeout,
		MaxHeaderBytes:    limits.MaxHeaderBytes,
		Protocols:         protocols,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: limits.MaxStreams,
			SendPingTimeout:      limits.PingAfter,
			PingTimeout:          limits.PingTimeout,
			WriteByteTimeout:     limits.WriteTimeout,
		},
		BaseContext: func(net.Listener) context.Context { return s.base },
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			spread := 0.9 + 0.2*rand.Float64() //nolint:gosec // spreads load; nothing secret hangs on it
			age := time.Duration(spread * float64(limits.MaxAge))
			return context.WithValue(ctx, retireKey{}, s.opts.Clock.Now().Add(age))
		},
		ErrorLog: log.New(logWriter{s.opts.Log}, "", 0),
	}
}

func (s *DecisionServer) tlsConfig() *tls.Config {
	if s.opts.Plain {
		return nil
	}
	config := &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: s.opts.Certificates.GetCertificate,
	}
	gated := config.Clone()
	gated.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		return s.gate(config, hello)
	}
	return gated
}

// handshakePlace is the longest that one handshake keeps its place. The costly part
// takes a few ms; a client of TLS 1.2 can make the server wait in the middle of it.
const handshakePlace = 250 * time.Millisecond

// gate lets so many handshakes do their costly part at once. The place is given back
// when that part is done, the connection ends, or after handshakePlace.
func (s *DecisionServer) gate(config *tls.Config, hello *tls.ClientHelloInfo) (*tls.Config, error) {
	conn, ok := hello.Conn.(*cappedConn)
	if !ok {
		return nil, nil
	}
	// net/http bounds the handshake by the connection's deadline, which does not reach
	// this wait.
	ctx, cancel := context.WithTimeout(hello.Context(), s.opts.Limits.HeaderTimeout)
	defer cancel()
	select {
	case s.handshake <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for a place to shake hands: %w", ctx.Err())
	}
	giveBack := sync.OnceFunc(func() { <-s.handshake })
	late := s.opts.Clock.AfterFunc(handshakePlace, giveBack)
	finish := func() {
		late.Stop()
		giveBack()
	}
	if !conn.handshaking(finish) {
		finish()
	}
	own := config.Clone()
	own.VerifyConnection = func(tls.ConnectionState) error {
		finish()
		return nil
	}
	return own, nil
}

type retireKey struct{}

// retiring asks the client to go elsewhere when this replica is closing, or the
// connection is old. In HTTP/2 net/http turns the header into a GOAWAY.
func (s *DecisionServer) retiring(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		retire, ok := r.Context().Value(retireKey{}).(time.Time)
		if s.opts.Drain.Closing() || ok && s.opts.Clock.Now().After(retire) {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Serve accepts connections from l until Shutdown or the end of ctx, and closes l. It
// returns nil when the last request has ended: after Shutdown when that returns, at
// the end of ctx at once, with the requests in flight cut off.
func (s *DecisionServer) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = s.close() })
	defer stop()
	capped := newCappedListener(l, s.opts.Limits, s.opts.AcceptLoop, s.opts.Clock, s.opts.OnRefused)
	s.listening.Store(true)
	var err error
	if s.opts.Plain {
		err = s.http.Serve(capped)
	} else {
		err = s.http.ServeTLS(capped, "", "")
	}
	s.listening.Store(false)
	if !errors.Is(err, http.ErrServerClosed) {
		_ = s.close()
		return fmt.Errorf("serving reviews: %w", err)
	}
	if s.shut.Load() {
		<-s.over
	}
	return nil
}

// Shutdown closes the listener and waits until the requests in flight are answered.
// At the end of ctx it cuts them off and returns ctx's error.
func (s *DecisionServer) Shutdown(ctx context.Context) error {
	if s.shut.Swap(true) {
		<-s.over
		return nil
	}
	defer close(s.over)
	s.listening.Store(false)
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("waiting for requests in flight: %w", err), s.close())
	}
	s.cancel()
	return err
}

func (s *DecisionServer) close() error {
	s.listening.Store(false)
	s.cancel()
	if err := s.http.Close(); err != nil {
		return fmt.Errorf("closing the decision server: %w", err)
	}
	return nil
}

// Listening reports whether connections are accepted.
func (s *DecisionServer) Listening() bool { return s.listening.Load() }

// logWriter takes net/http's own messages, which are about connections of strangers:
// worth a look when debugging, not worth a line each in a flood.
type logWriter struct{ log logr.Logger }

func (w logWriter) Write(p []byte) (int, error) {
	w.log.V(1).Info("The HTTP server reported a fault", "detail", strings.TrimSpace(string(p)))
	return len(p), nil
}
