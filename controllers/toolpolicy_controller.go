package controllers

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/snapshot"
)

// toolPolicyReconciler reports in a ToolPolicy's status what has become of it.
type toolPolicyReconciler struct {
	statusWriter
	store  *snapshot.Store
	writes *pace
	// counts paces the writes that tell of nothing but other objects: without it
	// one ToolSchema's change would rewrite every policy of its namespace.
	counts *pace
	// references is nil where nothing that policies name is looked at.
	references References
}

// References tells whether what a policy names exists and may be used. reason is "", or
// one of the API's; err says that nobody can tell now.
type References interface {
	Check(ctx context.Context, policy *callgatev1alpha1.ToolPolicy) (reason, message string, err error)
}

const (
	// unresolvedInterval is how soon a reference that cannot be used is looked at again:
	// Secrets are not watched, and whoever mends one waits for its policy.
	unresolvedInterval = 5 * time.Second
	// resolvedInterval is the same of one that can: a thousand policies are 17 reads a
	// second then.
	resolvedInterval = time.Minute
)

// Reconcile implements reconcile.Reconciler.
func (r *toolPolicyReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !r.leading() {
		return ctrl.Result{}, nil
	}
	obj := &callgatev1alpha1.ToolPolicy{}
	if err := r.client.Get(ctx, req.NamespacedName, obj); err != nil {
		r.writes.forget(req.NamespacedName)
		r.counts.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	outcome := r.store.Load().Policy(req.NamespacedName)
	if outcome == nil || outcome.UID != obj.UID || outcome.Generation != obj.Generation {
		// What is in force does not know this generation; the swap that brings it
		// wakes us.
		return ctrl.Result{}, nil
	}
	if r.writes.behind(req.NamespacedName, obj.ResourceVersion) {
		return ctrl.Result{}, nil
	}
	refs, again, err := r.resolve(ctx, obj)
	if err != nil {
		return ctrl.Result{}, err
	}
	now := r.clock.Now()
	want := toolPolicyStatus(obj, outcome, refs, now)
	if sameToolPolicyStatus(obj.Status, want) {
		return ctrl.Result{RequeueAfter: again}, nil
	}
	if rest := r.delay(req.NamespacedName, obj.Status, want, now); rest > 0 {
		return ctrl.Result{RequeueAfter: rest}, nil
	}
	return ctrl.Result{RequeueAfter: again}, r.write(ctx, obj, want)
}

// resolve looks at what the policy names; again is when to look once more, 0 for never.
func (r *toolPolicyReconciler) resolve(ctx context.Context, obj *callgatev1alpha1.ToolPolicy) (refs finding, again time.Duration, err error) {
	if r.references == nil || obj.Spec.SemanticValidation.Endpoint == "" {
		return finding{}, 0, nil
	}
	refs.reason, refs.message, err = r.references.Check(ctx, obj)
	if err != nil {
		return finding{}, 0, fmt.Errorf("resolving the references of a policy: %w", err)
	}
	if refs.reason != "" {
		return refs, unresolvedInterval, nil
	}
	return refs, resolvedInterval, nil
}

// delay tells how long a write has to wait. One that may go ahead is noted.
func (r *toolPolicyReconciler) delay(key types.NamespacedName, have, want callgatev1alpha1.ToolPolicyStatus, now time.Time) time.Duration {
	if rest := r.writes.wait(key, now, minWriteInterval); rest > 0 {
		return rest
	}
	if sameToolPolicyVerdict(have, want) {
		if rest := r.counts.wait(key, now, countsInterval); rest > 0 {
			return rest
		}
		r.counts.begin(key, now)
	}
	r.writes.begin(key, now)
	return 0
}

func (r *toolPolicyReconciler) write(ctx context.Context, obj *callgatev1alpha1.ToolPolicy, want callgatev1alpha1.ToolPolicyStatus) error {
	if !r.leading() {
		return nil
	}
	config := toolPolicyConfig(obj, want)
	if gone, err := r.apply(ctx, config); gone || err != nil {
		return err
	}
	key := client.ObjectKeyFromObject(obj)
	r.writes.wrote(key, config.ResourceVersion)
	r.announce(obj, obj.Status.Conditions, want.Conditions)

	have, err := answer[callgatev1alpha1.ToolPolicyStatus](config.Status)
	if err != nil || sameToolPolicyStatus(have, want) {
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
