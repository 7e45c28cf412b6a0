package controllers

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	callgatev1alpha1ac "github.com/callgate/callgate/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/compile"
)

// toolAdapterStatus is the status that obj has to have, given what was found of its
// ConfigMap. It is a pure function; the time serves only conditions whose status
// changes.
func toolAdapterStatus(obj *callgatev1alpha1.ToolAdapter, o *compile.AdapterOutcome, refs []adapter.Problem, now time.Time) callgatev1alpha1.ToolAdapterStatus {
	accepted, ready, stalled := finding{reason: o.Reason, message: o.Message}.acceptance()
	resolved := condition(callgatev1alpha1.ConditionResolvedRefs, metav1.ConditionTrue, callgatev1alpha1.ReasonResolvedRefs,
		"Everything that the adapter refers to exists and may be used")
	reason, message := o.RefReason, o.RefMessage
	problems := slices.Clone(o.Problems)
	for _, p := range refs {
		if reason == "" {
			reason, message = p.Reason, "At "+p.Path+": "+p.Message
		}
		problems = append(problems, callgatev1alpha1.Problem{Path: &p.Path, Message: p.Message})
	}
	switch {
	case reason != "":
		resolved = condition(callgatev1alpha1.ConditionResolvedRefs, metav1.ConditionFalse, reason, message)
		if o.Accepted() {
			ready = condition(callgatev1alpha1.ConditionReady, metav1.ConditionFalse, reason, message)
		}
	case !o.Accepted():
		resolved = condition(callgatev1alpha1.ConditionResolvedRefs, metav1.ConditionUnknown, callgatev1alpha1.ReasonPending,
			"Looked at once the adapter is accepted")
	default:
		ready.Message = "Calls are run by this generation"
	}
	conditions := append([]metav1.Condition{accepted, resolved, ready}, stalled...)
	return callgatev1alpha1.ToolAdapterStatus{
		Conditions:         settle(conditions, obj.Status.Conditions, o.Generation, now),
		ObservedGeneration: &o.Generation,
		Problems:           fitProblems(problems),
		Warnings:           fitProblems(o.Warnings),
	}
}

// sameToolAdapterStatus reports whether nothing is left to write.
func sameToolAdapterStatus(have, want callgatev1alpha1.ToolAdapterStatus) bool {
	have.Conditions = ours(have.Conditions)
	return equality.Semantic.DeepEqual(have, want)
}

func toolAdapterConfig(obj *callgatev1alpha1.ToolAdapter, s callgatev1alpha1.ToolAdapterStatus) *callgatev1alpha1ac.ToolAdapterApplyConfiguration {
	status := callgatev1alpha1ac.ToolAdapterStatus().
		WithConditions(conditionConfigs(s.Conditions)...).
		WithObservedGeneration(*s.ObservedGeneration).
		WithProblems(problemConfigs(s.Problems)...).
		WithWarnings(problemConfigs(s.Warnings)...)
	// With the UID, a status never lands on an object of the same name that has
	// taken the place of this one.
	return callgatev1alpha1ac.ToolAdapter(obj.Name, obj.Namespace).WithUID(obj.UID).WithStatus(status)
}
