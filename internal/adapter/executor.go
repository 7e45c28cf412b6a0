package adapter

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/utils/clock"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

// Executor runs calls. It is safe for concurrent use. Close must be called for its
// goroutines to end at once; without it each ends with its adapter's timeout.
type Executor struct {
	opts     Settings
	clock    clock.PassiveClock
	observer Observer
	tables   *tables

	// base is the context of every execution; cancel ends it, work counts them.
	base   context.Context //nolint:containedctx // executions outlive the callers that begin them; this is their owner's life
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	recent  *recent
	lanes   *lanes
	flights map[identity]*flight
	closed  bool
}

// flight is one execution that any number of callers may wait for.
type flight struct {
	mark fingerprint
	done chan struct{}
	// outcome is written before done is closed.
	outcome Outcome
}

// NewExecutor fails only if the settings make no sense.
func NewExecutor(opts Settings) (*Executor, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("checking the settings of executions: %w", err)
	}
	opts = opts.complete()
	e := &Executor{
		opts: opts, clock: opts.Clock, observer: opts.Observer,
		tables:  newTables(opts.MaxTables, opts.MaxTableBytes),
		recent:  newRecent(opts),
		lanes:   newLanes(opts),
		flights: map[identity]*flight{},
	}
	e.base, e.cancel = context.WithCancel(context.Background()) //nolint:forbidigo // the life of executions is the executor's, which ends with Close
	return e, nil
}

// Close ends every execution and waits for them. Afterwards every outcome is
// CauseClosed.
func (e *Executor) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.cancel()
	e.work.Wait()
}

// Execute runs a call: or waits for the same one that is running, or answers what became
// of it a short while ago. The same one is that of the same caller with the same uid; if
// anything else about it differs, nothing is run.
//
// It returns within the adapter's timeout. ctx ends the wait and not the execution: what
// was begun may have been done, and a second request with the uid is told. Nothing is
// ever sent twice.
func (e *Executor) Execute(ctx context.Context, call Call) Outcome {
	outcome, share := e.execute(ctx, call)
	e.observer.Answered(call.Adapter.Source(), share, outcome.Code, outcome.Cause)
	return outcome
}

func (e *Executor) execute(ctx context.Context, call Call) (Outcome, Share) {
	t, failure := prepare(call)
	if failure != nil {
		return *failure, ShareRefused
	}
	outcome, flight, share := e.join(ctx, t)
	if flight == nil {
		return outcome, share
	}
	select {
	case <-flight.done:
		return flight.outcome, share
	case <-ctx.Done():
		return fail(CauseCanceled, "the caller stopped waiting"), share
	}
}

// join finds the outcome, or the execution that will have it, or begins one. Without a
// flight the outcome is final.
func (e *Executor) join(ctx context.Context, t *task) (Outcome, *flight, Share) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return fail(CauseClosed, "the executor is closed"), nil, ShareRefused
	}
	if known, ok := e.recent.get(t.id, e.clock.Now()); ok {
		if known.mark != t.mark {
			return reused(), nil, ShareRefused
		}
		return known.outcome, nil, ShareRepeated
	}
	if f, ok := e.flights[t.id]; ok {
		if f.mark != t.mark {
			return reused(), nil, ShareRefused
		}
		return Outcome{}, f, ShareJoined
	}
	if ctx.Err() != nil {
		return fail(CauseCanceled, "the caller stopped waiting"), nil, ShareRefused
	}
	if !e.lanes.enter(t.adapter.namespace, t.held) {
		return fail(CauseBusy, "too much is executed already"), nil, ShareRefused
	}
	f := &flight{mark: t.mark, done: make(chan struct{})}
	e.flights[t.id] = f
	e.work.Go(func() { e.fly(f, t) })
	return Outcome{}, f, ShareOwn
}

func reused() Outcome {
	return fail(CauseReusedUID, "the uid was used for another call, or the adapter or the fields have changed since: give a new one")
}

// fly runs one execution. It belongs to the executor and not to the caller that began it.
func (e *Executor) fly(f *flight, t *task) {
	ctx, cancel := context.WithTimeout(e.base, t.adapter.Timeout())
	defer cancel()
	source := t.adapter.Source()
	e.observer.InFlight(source, 1)
	began := e.clock.Now()
	f.outcome = e.survive(ctx, t)
	if f.outcome.Cause == CauseCanceled || f.outcome.Cause != "" && e.base.Err() != nil {
		f.outcome = fail(CauseClosed, "the executor is closed")
	}
	now := e.clock.Now()
	e.observer.Executed(source, f.outcome.Cause, now.Sub(began))
	e.observer.InFlight(source, -1)

	e.mu.Lock()
	if f.outcome.final(t.adapter.repeatable()) {
		e.recent.put(t.id, t.mark, f.outcome, now.Add(e.opts.RecentTTL))
	}
	delete(e.flights, t.id)
	e.lanes.leave(t.adapter.namespace, t.held)
	e.mu.Unlock()
	close(f.done)
}

// survive performs, and makes a panic a failure of this execution: in a goroutine of its
// own it would end the process.
func (e *Executor) survive(ctx context.Context, t *task) (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = fail(CausePanicked, fmt.Sprintf("panic of type %T", p))
		}
	}()
	return e.perform(ctx, t)
}

// perform looks the record up and projects it.
func (e *Executor) perform(ctx context.Context, t *task) Outcome {
	var record []byte
	var failure Outcome
	if t.adapter.http != nil {
		record, failure = e.ask(ctx, t)
	} else {
		record, failure = e.lookUp(ctx, t.adapter, t.key)
	}
	if record == nil {
		if failure.Cause == "" {
			return fail(CauseBadRecord, "the record is empty")
		}
		return failure
	}
	result, cause := t.projection.Apply(record)
	if cause != "" {
		return fail(cause, "the record")
	}
	return Outcome{Code: reviewv1alpha1.CodeOK, Result: result}
}

// charge takes room for what is read of an answer.
func (e *Executor) charge(t *task, bytes int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.lanes.grow(t.adapter.namespace, bytes) {
		return false
	}
	t.held += bytes
	return true
}

// ended is the outcome of an execution whose context is over.
func ended(ctx context.Context) Outcome {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return fail(CauseTimeout, "the time for the execution ran out")
	}
	return fail(CauseCanceled, "the execution was given up")
}
