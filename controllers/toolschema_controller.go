package controllers

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/snapshot"
)

// toolSchemaReconciler reports in a ToolSchema's status what has become of it.
type toolSchemaReconciler struct {
	statusWriter
	store  *snapshot.Store
	writes *pace
}

// Reconcile implements reconcile.Reconciler.
func (r *toolSchemaReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !r.leading() {
		return ctrl.Result{}, nil
	}
	obj := &callgatev1alpha1.ToolSchema{}
	if err := r.client.Get(ctx, req.NamespacedName, obj); err != nil {
		r.writes.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	outcome := r.store.Load().Schema(req.NamespacedName)
	if outcome == nil || outcome.UID != obj.UID || outcome.Generation != obj.Generation {
		// What is in force does not know this generation; the swap that brings it
		// wakes us.
		return ctrl.Result{}, nil
	}
	if r.writes.behind(req.NamespacedName, obj.ResourceVersion) {
		return ctrl.Result{}, nil
	}
	now := r.clock.Now()
	want := toolSchemaStatus(obj, outcome, now)
	if sameToolSchemaStatus(obj.Status, want) {
		return ctrl.Result{}, nil
	}
	if rest := r.writes.wait(req.NamespacedName, now, minWriteInterval); rest > 0 {
		return ctrl.Result{RequeueAfter: rest}, nil
	}
	r.writes.begin(req.NamespacedName, now)
	return ctrl.Result{}, r.write(ctx, obj, want)
}

func (r *toolSchemaReconciler) write(ctx context.Context, obj *callgatev1alpha1.ToolSchema, want callgatev1alpha1.ToolSchemaStatus) error {
	if !r.leading() {
		return nil
	}
	config := toolSchemaConfig(obj, want)
	if gone, err := r.apply(ctx, config); gone || err != nil {
		return err
	}
	key := client.ObjectKeyFromObject(obj)
	r.writes.wrote(key, config.ResourceVersion)
	r.announce(obj, obj.Status.Conditions, want.Conditions)

	have, err := answer[callgatev1alpha1.ToolSchemaStatus](config.Status)
	if err != nil || sameToolSchemaStatus(have, want) {
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
