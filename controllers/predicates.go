package controllers

import (
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/callgate/callgate/internal/compile"
)

// decisive lets through only what can change a compile. Above all it stops the
// leader's own status writes, which would otherwise compile everything again.
func decisive[T client.Object]() predicate.TypedPredicate[T] {
	return predicate.TypedFuncs[T]{
		UpdateFunc: func(e event.TypedUpdateEvent[T]) bool { return decides(e.ObjectOld, e.ObjectNew) },
	}
}

func decides(before, after client.Object) bool {
	return before.GetUID() != after.GetUID() ||
		before.GetGeneration() != after.GetGeneration() ||
		!maps.Equal(before.GetLabels(), after.GetLabels()) ||
		before.GetAnnotations()[compile.LostInApplyAnnotation] != after.GetAnnotations()[compile.LostInApplyAnnotation]
}
