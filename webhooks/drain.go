package webhooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
)

// DrainState is how far this process is on its way out. It only goes up.
type DrainState int32

// The states, in order.
const (
	// Serving: not draining.
	Serving DrainState = iota
	// Lame: not ready any more, but serving as before, until every client has heard.
	Lame
	// Closing: every answer asks its client to use another connection from now on.
	Closing
	// ShuttingDown: the listener is closed, requests in flight are awaited.
	ShuttingDown
	// Stopped: nothing is served.
	Stopped
)

func (s DrainState) String() string {
	switch s {
	case Serving:
		return "serving"
	case Lame:
		return "lame"
	case Closing:
		return "closing"
	case ShuttingDown:
		return "shutting down"
	default:
		return "stopped"
	}
}

// DrainOptions are the lengths of the states. Zero stands for the default, so that a
// test or a development run must ask for a short drain.
type DrainOptions struct {
	// Lame is how long this replica serves after it said that it is not ready.
	// Default 15 s: load balancers refresh their endpoints every 10 s.
	Lame time.Duration
	// Closing is how long every answer carries Connection: close. Default 5 s: the
	// time in which every connection in use has had an answer.
	Closing time.Duration
	// Shutdown bounds the wait for requests in flight. Default 20 s; net/http alone
	// waits 5 s for connections that never sent a byte.
	Shutdown time.Duration
	// OnChange is called on every change of state, in order, and must not block for
	// long: the next state waits for it.
	OnChange func(DrainState)
	Clock    clock.WithTicker
	Log      logr.Logger
}

// Drain takes a process from serving to stopped so that no request is lost:
// Serving → Lame → Closing → ShuttingDown → Stopped.
type Drain struct {
	opts  DrainOptions
	log   logr.Logger
	state atomic.Int32
	// lastWait is when the wait for requests in flight ends; nil before it begins.
	lastWait atomic.Pointer[time.Time]
}

// NewDrain makes a Drain in state Serving.
func NewDrain(opts DrainOptions) *Drain {
	opts.Lame = orDefault(opts.Lame, 15*time.Second)
	opts.Closing = orDefault(opts.Closing, 5*time.Second)
	opts.Shutdown = orDefault(opts.Shutdown, 20*time.Second)
	if opts.Clock == nil {
		opts.Clock = clock.RealClock{}
	}
	return &Drain{opts: opts, log: orDiscard(opts.Log)}
}

// State is the present state.
func (d *Drain) State() DrainState { return DrainState(d.state.Load()) }

// Draining reports whether the process is on its way out.
func (d *Drain) Draining() bool { return d.State() > Serving }

// CutsOff reports whether work that begins now and takes so long may still be going on
// when the process stops: from the first signal on, only what the last wait is long
// enough for is safe, and once that has begun what is left of it. A nil Drain cuts nothing
// off.
func (d *Drain) CutsOff(length time.Duration) bool {
	if d == nil || !d.Draining() {
		return false
	}
	left := d.opts.Shutdown
	if end := d.lastWait.Load(); end != nil {
		left = end.Sub(d.opts.Clock.Now())
	}
	return length > left
}

// Closing reports whether answers must carry Connection: close.
func (d *Drain) Closing() bool { return d.State() >= Closing }

// ErrDrainCut: a second signal, or the end of the context, ended the drain before the
// requests in flight were answered.
var ErrDrainCut = errors.New("draining: cut short")

// Run waits for the first signal and then goes through the states. shutdown closes
// the listener and returns when the requests in flight are answered, or its context
// ends. A second signal, or the end of ctx, ends the drain at once: shutdown is then
// called with a context that has ended. Run returns nil after a whole drain,
// ErrDrainCut after one cut short, and shutdown's error otherwise.
func (d *Drain) Run(ctx context.Context, signals <-chan os.Signal, shutdown func(context.Context) error) error {
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	select {
	case <-signals:
	case <-ctx.Done():
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-signals:
			cut()
		case <-ctx.Done():
		}
	}()
	err := d.drain(ctx, shutdown)
	cut()
	<-watched
	return err
}

func (d *Drain) drain(ctx context.Context, shutdown func(context.Context) error) error {
	d.enter(Lame)
	d.pause(ctx, d.opts.Lame)
	d.enter(Closing)
	d.pause(ctx, d.opts.Closing)
	d.lastWait.Store(new(d.opts.Clock.Now().Add(d.opts.Shutdown)))
	d.enter(ShuttingDown)
	bounded, cancel := context.WithTimeout(ctx, d.opts.Shutdown)
	err := shutdown(bounded)
	interrupted := ctx.Err() != nil
	cancel()
	d.enter(Stopped)
	switch {
	case interrupted:
		return errors.Join(ErrDrainCut, err)
	case err != nil:
		return fmt.Errorf("shutting down: %w", err)
	}
	return nil
}

func (d *Drain) enter(s DrainState) {
	d.state.Store(int32(s))
	d.log.Info("Drain state changed", "state", s.String())
	if d.opts.OnChange != nil {
		d.opts.OnChange(s)
	}
}

func (d *Drain) pause(ctx context.Context, length time.Duration) {
	if ctx.Err() != nil {
		return
	}
	t := d.opts.Clock.NewTimer(length)
	defer t.Stop()
	select {
	case <-t.C():
	case <-ctx.Done():
	}
}
