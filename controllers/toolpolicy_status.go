package controllers

import (
	"math"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	callgatev1alpha1ac "github.com/callgate/callgate/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
)

// toolPolicyStatus is the status that obj has to have, given what was found of the
// objects that it names. It is a pure function; the
// time serves only conditions whose status changes.
func toolPolicyStatus(obj *callgatev1alpha1.ToolPolicy, o *compile.PolicyOutcome, refs finding, now time.Time) callgatev1alpha1.ToolPolicyStatus {
	accepted, ready, stalled := finding{reason: o.Reason, message: o.Message}.acceptance()
	resolved := condition(callgatev1alpha1.ConditionResolvedRefs, metav1.ConditionTrue, callgatev1alpha1.ReasonResolvedRefs,
		"Everything that the policy refers to exists")
	if refs.reason != "" {
		// The policy is in force all the same, and blocks what it cannot judge.
		resolved = condition(callgatev1alpha1.ConditionResolvedRefs, metav1.ConditionFalse, refs.reason, refs.message)
		if o.Reason == "" {
			ready = condition(callgatev1alpha1.ConditionReady, metav1.ConditionFalse, refs.reason,
				"Calls are judged, but every offer is blocked that needs the validator: "+refs.message)
		}
	}
	conditions := append([]metav1.Condition{accepted, resolved, ready}, stalled...)
	return callgatev1alpha1.ToolPolicyStatus{
		Conditions:         settle(conditions, obj.Status.Conditions, o.Generation, now),
		ObservedGeneration: &o.Generation,
		Counts: callgatev1alpha1.ToolPolicyCounts{
			DeclaredTools:      count(o.DeclaredTools),
			SelectedSchemas:    count(o.SelectedSchemas),
			InvalidSchemas:     count(o.InvalidSchemas),
			ToolsWithoutSchema: count(o.ToolsWithoutSchema),
		},
		InvalidSchemas: o.InvalidNames[:min(len(o.InvalidNames), maxInvalidSchemas)],
		Problems:       fitProblems(o.Problems),
		Warnings:       fitProblems(o.Warnings),
	}
}

func count(n int) *int32 { return new(int32(min(max(n, 0), math.MaxInt32))) }

// sameToolPolicyStatus reports whether nothing is left to write.
func sameToolPolicyStatus(have, want callgatev1alpha1.ToolPolicyStatus) bool {
	have.Conditions = ours(have.Conditions)
	return equality.Semantic.DeepEqual(have, want)
}

// sameToolPolicyVerdict reports whether all that differs is what the namespace's
// ToolSchemas decide, which may wait: counts, names of invalid schemas, warnings.
func sameToolPolicyVerdict(have, want callgatev1alpha1.ToolPolicyStatus) bool {
	have.Counts, have.InvalidSchemas, have.Warnings = want.Counts, want.InvalidSchemas, want.Warnings
	return sameToolPolicyStatus(have, want)
}

func toolPolicyConfig(obj *callgatev1alpha1.ToolPolicy, s callgatev1alpha1.ToolPolicyStatus) *callgatev1alpha1ac.ToolPolicyApplyConfiguration {
	status := callgatev1alpha1ac.ToolPolicyStatus().
		WithConditions(conditionConfigs(s.Conditions)...).
		WithObservedGeneration(*s.ObservedGeneration).
		WithCounts(callgatev1alpha1ac.ToolPolicyCounts().
			WithDeclaredTools(*s.Counts.DeclaredTools).
			WithSelectedSchemas(*s.Counts.SelectedSchemas).
			WithInvalidSchemas(*s.Counts.InvalidSchemas).
			WithToolsWithoutSchema(*s.Counts.ToolsWithoutSchema)).
		WithInvalidSchemas(s.InvalidSchemas...).
		WithProblems(problemConfigs(s.Problems)...).
		WithWarnings(problemConfigs(s.Warnings)...)
	// With the UID, a status never lands on an object of the same name that has
	// taken the place of this one.
	return callgatev1alpha1ac.ToolPolicy(obj.Name, obj.Namespace).WithUID(obj.UID).WithStatus(status)
}
