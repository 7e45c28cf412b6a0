package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
)

// Serve serves the endpoint from files until ctx ends or a signal comes, and then drains
// it. It returns nil after a whole drain.
func Serve(ctx context.Context, opts ServeOptions) error {
	if err := opts.Validate(); err != nil {
		return fmt.Errorf("checking the options:\n%w", err)
	}
	if opts.Log == nil {
		opts.Log = os.Stderr
	}
	log := newLogger(Options{Log: opts.Log, LogLevel: opts.LogLevel, LogFormat: opts.LogFormat})
	// Bound before anything is read or written, so that an address in use changes
	// nothing.
	listeners, err := listen(Options{BindAddress: opts.BindAddress, HealthBindAddress: opts.HealthBindAddress})
	if err != nil {
		return err
	}
	if opts.InsecureHTTP && !onLoopback(listeners.endpoint) {
		listeners.close()
		return fmt.Errorf("--insecure-http is for loopback only, and %s is not", listeners.endpoint.Addr())
	}
	s, err := buildServed(ctx, opts, log)
	if err != nil {
		listeners.close()
		return err
	}
	return s.run(ctx, listeners)
}

// onLoopback looks at the address that the kernel gave.
func onLoopback(l net.Listener) bool {
	tcp, ok := l.Addr().(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// run starts everything, waits, drains, and stops what is left in the reverse order.
func (s *served) run(ctx context.Context, l listeners) error {
	g := newGroup(context.WithoutCancel(ctx))
	running := []*part{
		g.start("health", func(ctx context.Context) error { return s.health.Serve(ctx, l.health) }),
		g.start("outside", s.runOutside),
	}
	if s.audit != nil {
		running = append(running, g.start("audit", s.audit.Run))
	}
	if s.certificates != nil {
		running = append(running, g.start("certificates", s.certificates.Run))
	}
	for _, w := range s.watches {
		running = append(running, g.start(w.name, w.run))
	}
	running = append(running, g.start(endpoint, func(ctx context.Context) error { return s.server.Serve(ctx, l.endpoint) }))
	s.log.Info("Listening", "endpoint", l.endpoint.Addr().String(), "health", l.health.Addr().String(), "tls", !s.opts.InsecureHTTP)
	if s.opts.OnListen != nil {
		s.opts.OnListen(l.addresses())
	}
	signals, done := relay(ctx, g, s.opts.Signals)
	drained := s.drain.Run(context.WithoutCancel(ctx), signals, s.server.Shutdown)
	for _, part := range slices.Backward(running) {
		part.stop()
	}
	done()
	return errors.Join(drained, g.failure())
}

// runOutside lets validators and backends be asked until ctx ends, and ends what is
// being asked.
func (s *served) runOutside(ctx context.Context) error {
	<-ctx.Done()
	s.semantic.Close()
	s.executor.Close()
	return nil
}
