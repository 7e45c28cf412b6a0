package controllers

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
)

// Adapters, and the data that they look up. ConfigMaps are read with the ClusterRole
// callgate-records-reader, bound in the namespaces that have such adapters.
// +kubebuilder:rbac:groups=callgate.dev,resources=tooladapters,verbs=get;list;watch
// +kubebuilder:rbac:groups=callgate.dev,resources=tooladapters/status,verbs=patch

// Backends that want to know Callgate are sent a token of its own ServiceAccount.
// +kubebuilder:rbac:groups="",namespace=callgate-system,resources=serviceaccounts/token,resourceNames=callgate,verbs=create

// AdapterOptions are what adapters need. The zero value leaves them alone: they run
// nothing, and nobody tells of them.
type AdapterOptions struct {
	// Compiler makes them part of the policy set.
	Compiler compile.AdapterCompiler
	// Records watches what they look up.
	Records *Records
}

func (o AdapterOptions) enabled() bool { return o.Compiler != nil && o.Records != nil }

// adapterReconciler reports in a ToolAdapter's status what has become of it.
type adapterReconciler struct {
	statusWriter
	store   *snapshot.Store
	records *Records
	writes  *pace
}

// setupAdapters has Records follow what is swapped in, and adds the status controller.
func setupAdapters(mgr ctrl.Manager, opts Options, writer statusWriter, woken *waker) error {
	opts.Adapters.Records.wake(func(namespace string) { woken.wake(adaptersOf(opts.Store.Load(), namespace)...) })
	if err := mgr.Add(opts.Adapters.Records); err != nil {
		return fmt.Errorf("adding the watch of records: %w", err)
	}
	c, err := newController(mgr, "tooladapter-status", opts.StatusConcurrency, &adapterReconciler{
		statusWriter: writer, store: opts.Store, records: opts.Adapters.Records, writes: newPace(),
	})
	if err != nil {
		return err
	}
	return errors.Join(c.Watch(woken), watchOwn(mgr, c, &callgatev1alpha1.ToolAdapter{}))
}

// wake has tell called after every change of a namespace's records.
func (r *Records) wake(tell func(namespace string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = tell
}

// swapped has the records followed of the namespaces that have an adapter in force which reads records.
func (o AdapterOptions) swapped(next *snapshot.Snapshot) {
	if !o.enabled() {
		return
	}
	namespaces := map[string]struct{}{}
	for key, outcome := range next.Adapters {
		if _, reads := recordsOf(outcome); reads {
			namespaces[key.Namespace] = struct{}{}
		}
	}
	o.Records.follow(namespaces)
}

// recordsOf is the adapter in force, if it reads records.
func recordsOf(o *compile.AdapterOutcome) (*adapter.Adapter, bool) {
	if o == nil || o.Adapter == nil {
		return nil, false
	}
	a, ok := o.Adapter.Program.(*adapter.Adapter)
	if !ok {
		return nil, false
	}
	_, reads := a.ConfigMap()
	return a, reads
}

func adaptersOf(snap *snapshot.Snapshot, namespace string) (requests []reconcile.Request) {
	if snap == nil {
		return nil
	}
	for key := range snap.Adapters {
		if key.Namespace == namespace {
			requests = append(requests, reconcile.Request{NamespacedName: key})
		}
	}
	return requests
}

// Reconcile implements reconcile.Reconciler.
func (r *adapterReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !r.leading() {
		return ctrl.Result{}, nil
	}
	obj := &callgatev1alpha1.ToolAdapter{}
	if err := r.client.Get(ctx, req.NamespacedName, obj); err != nil {
		r.writes.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var outcome *compile.AdapterOutcome
	if snap := r.store.Load(); snap != nil {
		outcome = snap.Adapters[req.NamespacedName]
	}
	if outcome == nil || outcome.UID != obj.UID || outcome.Generation != obj.Generation {
		// What is in force does not know this generation; the swap that brings it
		// wakes us.
		return ctrl.Result{}, nil
	}
	if r.writes.behind(req.NamespacedName, obj.ResourceVersion) {
		return ctrl.Result{}, nil
	}
	problems, known := r.resolve(outcome, req.Namespace)
	if !known {
		return ctrl.Result{}, nil // the first look at the namespace wakes us
	}
	now := r.clock.Now()
	want := toolAdapterStatus(obj, outcome, problems, now)
	if sameToolAdapterStatus(obj.Status, want) {
		return ctrl.Result{}, nil
	}
	if rest := r.writes.wait(req.NamespacedName, now, minWriteInterval); rest > 0 {
		return ctrl.Result{RequeueAfter: rest}, nil
	}
	r.writes.begin(req.NamespacedName, now)
	return ctrl.Result{}, r.write(ctx, obj, want)
}

// resolve looks at the ConfigMap that the adapter names. known is false while nobody has
// had a look.
func (r *adapterReconciler) resolve(o *compile.AdapterOutcome, namespace string) (problems []adapter.Problem, known bool) {
	a, reads := recordsOf(o)
	if !reads {
		return nil, true
	}
	ref, _ := a.ConfigMap()
	one := func(reason, message string) ([]adapter.Problem, bool) {
		return []adapter.Problem{{Path: "/spec/records/configMapKeyRef/name", Reason: reason, Message: message}}, true
	}
	cm, found, err := r.records.look(namespace, ref.Name)
	switch {
	case errors.Is(err, errNotRead):
		return nil, false
	case errors.Is(err, errTooMuch):
		return one(callgatev1alpha1.ReasonInvalidRef, err.Error())
	case errors.Is(err, errNotFollowed):
		return one(callgatev1alpha1.ReasonRefNotPermitted, fmt.Sprintf("Callgate watches the records of %d namespaces at most", maxFollowedNamespaces))
	case apierrors.IsForbidden(err):
		return one(callgatev1alpha1.ReasonRefNotPermitted,
			"Callgate may not read ConfigMaps here: bind the ClusterRole callgate-records-reader in this namespace to its ServiceAccount")
	case err != nil:
		return one(callgatev1alpha1.ReasonRefNotFound, "the ConfigMaps of the namespace cannot be read now")
	case !found:
		return one(callgatev1alpha1.ReasonRefNotFound,
			fmt.Sprintf("there is no ConfigMap %q in the adapter's namespace with the label %s: \"true\", by which its owner consents", ref.Name, adapter.RecordsLabel))
	}
	return a.CheckConfigMap(cm, found), true
}

func (r *adapterReconciler) write(ctx context.Context, obj *callgatev1alpha1.ToolAdapter, want callgatev1alpha1.ToolAdapterStatus) error {
	if !r.leading() {
		return nil
	}
	config := toolAdapterConfig(obj, want)
	if gone, err := r.apply(ctx, config); gone || err != nil {
		return err
	}
	key := client.ObjectKeyFromObject(obj)
	r.writes.wrote(key, config.ResourceVersion)
	r.announce(obj, obj.Status.Conditions, want.Conditions)

	have, err := answer[callgatev1alpha1.ToolAdapterStatus](config.Status)
	if err != nil || sameToolAdapterStatus(have, want) {
		return err
	}
	base := obj.DeepCopy()
	base.Status = have
	mended := base.DeepCopy()
	mended.Status = want
	mended.Status.Conditions = append(foreign(have.Conditions), want.Conditions...)
	if err := r.overwrite(ctx, base, mended); err != nil {
		return err
	}
	r.writes.wrote(key, &mended.ResourceVersion)
	return nil
}
