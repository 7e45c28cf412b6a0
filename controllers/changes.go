package controllers

import (
	"reflect"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
)

// changedObjects are those of which next says something that previous did not. A
// nil previous said nothing, so all of them.
func changedObjects(previous, next *snapshot.Snapshot) (schemas, policies []reconcile.Request) {
	if previous == nil {
		previous = snapshot.New(&compile.Output{})
	}
	return changed(previous.Schemas, next.Schemas), changed(previous.Policies, next.Policies)
}

func changed[T any](before, after map[types.NamespacedName]*T) []reconcile.Request {
	var requests []reconcile.Request
	for key, outcome := range after {
		old := before[key]
		if old == outcome || (old != nil && reflect.DeepEqual(old, outcome)) {
			continue
		}
		requests = append(requests, reconcile.Request{NamespacedName: key})
	}
	return requests
}
