package app

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/go-logr/logr"
)

// Run runs the manager until ctx ends or a signal comes, and then drains it. It
// returns nil after a whole drain. What ends by itself, such as a listener that
// breaks, starts the drain too, and is returned.
func Run(ctx context.Context, opts Options) error {
	if err := opts.Validate(); err != nil {
		return fmt.Errorf("checking the options:\n%w", err)
	}
	if opts.Log == nil {
		opts.Log = os.Stderr
	}
	p, err := build(opts, newLogger(opts))
	if err != nil {
		return err
	}
	return p.run(ctx)
}

// run starts everything, waits, drains, and stops what is left in the reverse order:
// the endpoint, the leader's term, what the endpoint needs, and health last.
func (p *parts) run(ctx context.Context) error {
	listeners, err := listen(p.opts)
	if err != nil {
		return err
	}
	g := newGroup(context.WithoutCancel(ctx))
	running := []*part{
		g.start("health", func(ctx context.Context) error { return p.health.Serve(ctx, listeners.health) }),
		g.start("audit", p.runAudit),
		g.start("tracing", p.runTracing),
		g.start("certificates", p.certificates.Run),
		g.start("identity", p.identity.Run),
		g.start("identity for offers", p.offerIdentity.Run),
		g.start("execution", p.execution.run),
		g.start("authorization", p.authorizer.Run),
		g.start("validator", p.runValidator),
		g.start("controllers", p.manager.Start),
	}
	if p.metricsServer != nil {
		running = append(running, g.start("metrics", func(ctx context.Context) error { return serveMetrics(ctx, p.metricsServer, listeners.metrics) }))
	}
	if p.admission != nil {
		running = append(running, g.start("admission", func(ctx context.Context) error { return serveAdmission(ctx, p.admission, listeners.admission) }))
	}
	p.term = g.start("leader election", p.leader.Run)
	running = append(running, p.term,
		g.start(endpoint, func(ctx context.Context) error { return p.server.Serve(ctx, listeners.endpoint) }))
	p.log.Info("Listening", "endpoint", listeners.endpoint.Addr().String(), "health", listeners.health.Addr().String())
	if p.opts.OnListen != nil {
		p.opts.OnListen(listeners.addresses())
	}

	signals, done := relay(ctx, g, p.opts.Signals)
	drained := p.drain.Run(context.WithoutCancel(ctx), signals, p.server.Shutdown)
	for _, part := range slices.Backward(running) {
		part.stop()
	}
	done()
	return errors.Join(drained, g.failure())
}

// runValidator lets questions be asked until ctx ends, and ends those that are.
func (p *parts) runValidator(ctx context.Context) error {
	<-ctx.Done()
	p.semantic.Close()
	return nil
}

// relay gives what starts and what cuts the drain: the process's signals, the end of ctx,
// and the failure of a part.
func relay(ctx context.Context, g *group, signals <-chan os.Signal) (<-chan os.Signal, func()) {
	out := make(chan os.Signal, 2)
	over := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		done, failed := ctx.Done(), g.failed
		for {
			var signal os.Signal = syscall.SIGTERM
			select {
			case <-over:
				return
			case <-done:
				done = nil
			case <-failed:
				failed = nil
			case signal = <-signals:
			}
			select {
			case out <- signal:
			case <-over:
				return
			}
		}
	})
	return out, func() {
		close(over)
		work.Wait()
	}
}

// group runs the parts, each with a context of its own, and remembers what failed.
type group struct {
	base   context.Context //nolint:containedctx // the parent of every part's context; the group is its owner
	failed chan struct{}

	mu   sync.Mutex
	errs []error
}

func newGroup(base context.Context) *group {
	return &group{base: base, failed: make(chan struct{})}
}

// endpoint is the one part that ends by being shut down, before its context does.
const endpoint = "endpoint"

// part is one thing that runs.
type part struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// stop ends the part and waits for it. It may be called more than once.
func (p *part) stop() {
	p.cancel()
	<-p.ended
}

// start runs f until its context ends.
func (g *group) start(name string, f func(context.Context) error) *part {
	ctx, cancel := context.WithCancel(g.base)
	p := &part{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		err := f(ctx)
		if err == nil && ctx.Err() == nil && name != endpoint {
			err = errors.New("ended by itself")
		}
		g.record(orErr(name, err))
	}()
	return p
}

func (g *group) record(err error) {
	if err == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.errs) == 0 {
		close(g.failed)
	}
	g.errs = append(g.errs, err)
}

func (g *group) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return errors.Join(g.errs...)
}

// listeners are opened before anything starts, so that an address in use is told at
// once and nothing has to be taken down.
type listeners struct{ endpoint, admission, metrics, health net.Listener }

func listen(opts Options) (l listeners, err error) {
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	open := func(flag, address string) (net.Listener, error) {
		listener, err := net.Listen("tcp", address) //nolint:noctx // binding an address does not wait
		return listener, orErr("--"+flag, err)
	}
	if l.health, err = open("health-bind-address", opts.HealthBindAddress); err != nil {
		return l, err
	}
	if l.endpoint, err = open("bind-address", opts.BindAddress); err != nil {
		return l, err
	}
	if opts.AdmissionBindAddress != "" {
		if l.admission, err = open("admission-bind-address", opts.AdmissionBindAddress); err != nil {
			return l, err
		}
	}
	if opts.MetricsBindAddress != "" {
		l.metrics, err = open("metrics-bind-address", opts.MetricsBindAddress)
	}
	return l, err
}

func (l listeners) close() {
	for _, listener := range []net.Listener{l.endpoint, l.admission, l.metrics, l.health} {
		if listener != nil {
			_ = listener.Close()
		}
	}
}

func (l listeners) addresses() Addresses {
	a := Addresses{Endpoint: l.endpoint.Addr(), Health: l.health.Addr()}
	if l.admission != nil {
		a.Admission = l.admission.Addr()
	}
	if l.metrics != nil {
		a.Metrics = l.metrics.Addr()
	}
	return a
}

// serveAdmission serves until ctx ends. Whoever is cut off is the API server, whose
// failure policy for this webhook is to ignore that.
func serveAdmission(ctx context.Context, server *http.Server, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.ServeTLS(l, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// quiet takes net/http's own messages at debug level.
func quiet(log logr.Logger) *stdlog.Logger {
	return stdlog.New(writerFunc(func(p []byte) (int, error) {
		log.V(1).Info("The HTTP server reported a fault", "detail", strings.TrimSpace(string(p)))
		return len(p), nil
	}), "", 0)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
