package controllers

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	callgatev1alpha1ac "github.com/callgate/callgate/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
)

// toolSchemaStatus is the status that obj has to have. It is a pure function; the
// time serves only conditions whose status changes.
func toolSchemaStatus(obj *callgatev1alpha1.ToolSchema, o *compile.SchemaOutcome, now time.Time) callgatev1alpha1.ToolSchemaStatus {
	accepted, ready, stalled := finding{reason: o.Reason, message: o.Message}.acceptance()
	conditions := append([]metav1.Condition{accepted, ready}, stalled...)
	return callgatev1alpha1.ToolSchemaStatus{
		Conditions:         settle(conditions, obj.Status.Conditions, o.Generation, now),
		ObservedGeneration: &o.Generation,
		ToolName:           o.ToolName,
		Dialect:            o.Dialect,
		SchemaHash:         o.Hash,
		Problems:           fitProblems(o.Problems),
		Warnings:           fitProblems(o.Warnings),
	}
}

// sameToolSchemaStatus reports whether nothing is left to write.
func sameToolSchemaStatus(have, want callgatev1alpha1.ToolSchemaStatus) bool {
	have.Conditions = ours(have.Conditions)
	return equality.Semantic.DeepEqual(have, want)
}

func toolSchemaConfig(obj *callgatev1alpha1.ToolSchema, s callgatev1alpha1.ToolSchemaStatus) *callgatev1alpha1ac.ToolSchemaApplyConfiguration {
	status := callgatev1alpha1ac.ToolSchemaStatus().
		WithConditions(conditionConfigs(s.Conditions)...).
		WithObservedGeneration(*s.ObservedGeneration).
		WithToolName(s.ToolName).
		WithProblems(problemConfigs(s.Problems)...).
		WithWarnings(problemConfigs(s.Warnings)...)
	if s.Dialect != "" {
		status.WithDialect(s.Dialect)
	}
	if s.SchemaHash != "" {
		status.WithSchemaHash(s.SchemaHash)
	}
	// With the UID, a status never lands on an object of the same name that has
	// taken the place of this one.
	return callgatev1alpha1ac.ToolSchema(obj.Name, obj.Namespace).WithUID(obj.UID).WithStatus(status)
}
