package controllers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
)

// heartbeatInterval is well under the minute after which a silent worker counts
// as dead.
const heartbeatInterval = 10 * time.Second

// maxRest bounds what a rest adds to the time until a change is in force.
const maxRest = 250 * time.Millisecond

// wholeSet and heartbeat are the only two things that the worker is asked for. A
// storm of events therefore leaves one compile running and one waiting, and a
// compile that hangs keeps the heart from beating. A name with a slash is no
// object's.
func wholeSet() reconcile.Request { return request("policy/set") }

func heartbeat() reconcile.Request { return request("heart/beat") }

func request(name string) (r reconcile.Request) {
	r.Name = name
	return r
}

// Swap tells of a policy set that has just been put in force.
type Swap struct {
	Snapshot *snapshot.Snapshot
	// Previous is nil for the first.
	Previous *snapshot.Snapshot
	// Changed counts the objects whose outcome changed.
	Changed int
	// At is when it came into force, Took how long listing and compiling took.
	At   time.Time
	Took time.Duration
}

// snapshotReconciler keeps the store equal to the cache. It runs on every replica
// and has no means of writing to the API server.
type snapshotReconciler struct {
	reader  client.Reader
	store   *snapshot.Store
	clock   clock.PassiveClock
	heart   *Heartbeat
	compile func(compile.Input, *compile.Output) *compile.Output
	onSwap  func(Swap)

	schemas, policies *waker

	// adapters is woken, and adapterOptions told, where adapters run calls.
	adapters       *waker
	adapterOptions AdapterOptions

	// distrusted: the last compile panicked, so the next starts without the memo
	// of the one before. There is one worker, so no lock.
	distrusted bool
	// restUntil is when the next compile may start: after one the worker rests as
	// long as it took, so that a storm of changes leaves half a core to verdicts. A
	// lone change never waits.
	restUntil time.Time
}

// Reconcile implements reconcile.Reconciler.
func (r *snapshotReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.heart.beat(r.clock.Now())
	if req == heartbeat() {
		return ctrl.Result{RequeueAfter: heartbeatInterval}, nil
	}
	start := r.clock.Now()
	if rest := r.restUntil.Sub(start); rest > 0 {
		return ctrl.Result{RequeueAfter: rest}, nil
	}
	in, err := r.list(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	out, err := r.compileSafely(in)
	if err != nil {
		return ctrl.Result{}, err
	}
	r.swap(ctx, out, start)
	end := r.clock.Now()
	r.restUntil = end.Add(min(end.Sub(start), maxRest))
	return ctrl.Result{}, nil
}

// list takes the objects as the cache holds them. Compile only reads them, and a
// copy of everything for every change would cost more than the compile.
func (r *snapshotReconciler) list(ctx context.Context) (compile.Input, error) {
	var in compile.Input
	var schemas callgatev1alpha1.ToolSchemaList
	if err := r.reader.List(ctx, &schemas, client.UnsafeDisableDeepCopy); err != nil {
		return in, fmt.Errorf("listing tool schemas: %w", err)
	}
	var policies callgatev1alpha1.ToolPolicyList
	if err := r.reader.List(ctx, &policies, client.UnsafeDisableDeepCopy); err != nil {
		return in, fmt.Errorf("listing tool policies: %w", err)
	}
	in.Schemas = pointers(schemas.Items)
	in.Policies = pointers(policies.Items)
	if r.adapterOptions.enabled() {
		var adapters callgatev1alpha1.ToolAdapterList
		if err := r.reader.List(ctx, &adapters, client.UnsafeDisableDeepCopy); err != nil {
			return in, fmt.Errorf("listing tool adapters: %w", err)
		}
		in.Adapters, in.AdapterCompiler = pointers(adapters.Items), r.adapterOptions.Compiler
	}
	labels, err := r.namespaceLabels(ctx, in.Policies)
	in.NamespaceLabels = labels
	return in, err
}

func pointers[T any](items []T) []*T {
	refs := make([]*T, len(items))
	for i := range items {
		refs[i] = &items[i]
	}
	return refs
}

// compileSafely turns a panic into an error: the process goes on serving what is
// in force, and the queue tries again.
func (r *snapshotReconciler) compileSafely(in compile.Input) (out *compile.Output, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.distrusted = true
			err = fmt.Errorf("compiling the policy set: panic: %v\n%s", p, debug.Stack())
		}
	}()
	var memo *compile.Output
	if current := r.store.Load(); current != nil && !r.distrusted {
		memo = current.Output
	}
	out = r.compile(in, memo)
	if out == nil {
		return nil, errors.New("compiling the policy set: no output")
	}
	r.distrusted = false
	return out, nil
}

// swap puts out in force first and has it reported second.
func (r *snapshotReconciler) swap(ctx context.Context, out *compile.Output, start time.Time) {
	next := snapshot.New(out)
	previous := r.store.Swap(next)
	schemas, policies := changedObjects(previous, next)
	r.schemas.wake(schemas...)
	r.policies.wake(policies...)
	if r.adapterOptions.enabled() {
		r.adapterOptions.swapped(next)
		var before map[types.NamespacedName]*compile.AdapterOutcome
		if previous != nil {
			before = previous.Adapters
		}
		r.adapters.wake(changed(before, next.Adapters)...)
	}

	now := r.clock.Now()
	if previous == nil || previous.Revision != next.Revision {
		ctrl.LoggerFrom(ctx).Info("Put a policy set in force", "revision", next.Revision,
			"toolSchemas", len(next.Schemas), "toolPolicies", len(next.Policies), "compiled", out.Compiled)
	}
	if r.onSwap != nil {
		r.onSwap(Swap{
			Snapshot: next, Previous: previous, Changed: len(schemas) + len(policies),
			At: now, Took: now.Sub(start),
		})
	}
}
