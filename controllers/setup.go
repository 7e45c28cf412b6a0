package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
)

const (
	// defaultStatusConcurrency has a thousand new objects reported within a second
	// or two at 10 ms a write, and asks no more of an API server than eight clients.
	defaultStatusConcurrency = 8

	// A failed reconcile is tried again soon: the queue's default of up to a
	// quarter of an hour would leave status wrong long after an outage.
	minRetry = 50 * time.Millisecond
	maxRetry = 5 * time.Second

	// never: a controller that gives up waiting for its cache ends the process,
	// which may be serving verdicts by then.
	never = 10 * 365 * 24 * time.Hour

	eventReporter = "callgate"
)

// Options are what Setup needs.
type Options struct {
	// Store takes the policy sets. Required.
	Store *snapshot.Store
	// Leadership says whether this process writes status. Required.
	Leadership Leadership
	// References tells whether what policies name may be used. Nil: they name nothing
	// that is looked at.
	References References
	// Adapters are what runs calls. The zero value: nothing does.
	Adapters AdapterOptions
	// Heartbeat, if set, beats while the compile worker works.
	Heartbeat *Heartbeat
	// OnSwap, if set, is called after each swap, from the compile worker; it must
	// not block.
	OnSwap func(Swap)
	// Clock is the real one where it is nil.
	Clock clock.PassiveClock
	// StatusConcurrency is how many statuses of one kind are written at once. Zero:
	// eight.
	StatusConcurrency int
}

// Setup adds the controllers to mgr. The manager has to be made with CacheOptions,
// and should be with MapperProvider and a configuration from ClientConfig. It must
// not elect a leader itself.
func Setup(mgr ctrl.Manager, opts Options) error {
	if opts.Store == nil || opts.Leadership == nil {
		return errors.New("setting up controllers: a store and a leadership are needed")
	}
	if opts.Clock == nil {
		opts.Clock = clock.RealClock{}
	}
	if opts.Heartbeat == nil {
		opts.Heartbeat = &Heartbeat{}
	}
	if opts.StatusConcurrency <= 0 {
		opts.StatusConcurrency = defaultStatusConcurrency
	}
	schemas, policies, adapters := newWaker("swapped tool schemas"), newWaker("swapped tool policies"), newWaker("swapped tool adapters")
	opts.Leadership.OnGain(func() {
		if current := opts.Store.Load(); current != nil {
			s, p := changedObjects(nil, current)
			schemas.wake(s...)
			policies.wake(p...)
			adapters.wake(changed(nil, current.Adapters)...)
		}
	})
	if err := setupSnapshot(mgr, opts, schemas, policies, adapters); err != nil {
		return fmt.Errorf("setting up the snapshot controller: %w", err)
	}
	if err := setupStatus(mgr, opts, schemas, policies, adapters); err != nil {
		return fmt.Errorf("setting up the status controllers: %w", err)
	}
	return nil
}

func setupSnapshot(mgr ctrl.Manager, opts Options, schemas, policies, adapters *waker) error {
	c, err := newController(mgr, "snapshot", 1, &snapshotReconciler{
		reader:   mgr.GetCache(),
		store:    opts.Store,
		clock:    opts.Clock,
		heart:    opts.Heartbeat,
		compile:  compile.Compile,
		onSwap:   opts.OnSwap,
		schemas:  schemas,
		policies: policies,

		adapterOptions: opts.Adapters,
		adapters:       adapters,
	})
	if err != nil {
		return err
	}
	// An empty cluster has no event to start from. The queue is read once the caches
	// have synced.
	first := newWaker("first compile")
	first.wake(wholeSet(), heartbeat())
	if opts.Adapters.enabled() {
		if err := watchDecisive(mgr, c, &callgatev1alpha1.ToolAdapter{}); err != nil {
			return err
		}
	}
	return errors.Join(
		c.Watch(first),
		watchDecisive(mgr, c, &callgatev1alpha1.ToolSchema{}),
		watchDecisive(mgr, c, &callgatev1alpha1.ToolPolicy{}),
		watchDecisive(mgr, c, namespaceMetadata()),
	)
}

func setupStatus(mgr ctrl.Manager, opts Options, schemas, policies, adapters *waker) error {
	writer := statusWriter{
		client:   mgr.GetClient(),
		recorder: mgr.GetEventRecorder(eventReporter),
		clock:    opts.Clock,
		leading:  opts.Leadership.Leading,
	}
	forSchemas, err := newController(mgr, "toolschema-status", opts.StatusConcurrency, &toolSchemaReconciler{
		statusWriter: writer, store: opts.Store, writes: newPace(),
	})
	if err != nil {
		return err
	}
	forPolicies, err := newController(mgr, "toolpolicy-status", opts.StatusConcurrency, &toolPolicyReconciler{
		statusWriter: writer, store: opts.Store, writes: newPace(), counts: newPace(), references: opts.References,
	})
	if err != nil {
		return err
	}
	if opts.Adapters.enabled() {
		if err := setupAdapters(mgr, opts, writer, adapters); err != nil {
			return err
		}
	}
	return errors.Join(
		forSchemas.Watch(schemas),
		forPolicies.Watch(policies),
		watchOwn(mgr, forSchemas, &callgatev1alpha1.ToolSchema{}),
		watchOwn(mgr, forPolicies, &callgatev1alpha1.ToolPolicy{}),
	)
}

func newController(mgr ctrl.Manager, name string, workers int, r reconcile.Reconciler) (controller.Controller, error) {
	return controller.New(name, mgr, controller.Options{
		Reconciler:              r,
		MaxConcurrentReconciles: workers,
		// Leadership is the gate in the status controllers, not the manager's matter.
		NeedLeaderElection: new(false),
		CacheSyncTimeout:   never,
		RateLimiter:        workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetry, maxRetry),
	})
}

// watchDecisive asks for one compile of everything, whatever has changed.
func watchDecisive[T client.Object](mgr ctrl.Manager, c controller.Controller, object T) error {
	everything := handler.TypedEnqueueRequestsFromMapFunc(func(context.Context, T) []reconcile.Request {
		return []reconcile.Request{wholeSet()}
	})
	return c.Watch(source.Kind(mgr.GetCache(), object, everything, decisive[T]()))
}

// watchOwn has the status of an object looked at whenever anybody writes it.
func watchOwn[T client.Object](mgr ctrl.Manager, c controller.Controller, object T) error {
	return c.Watch(source.Kind(mgr.GetCache(), object, &handler.TypedEnqueueRequestForObject[T]{}))
}
