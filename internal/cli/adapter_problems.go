package cli

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/shown"
)

// adapterProblems are what status would say of the adapters.
func adapterProblems(set *manifest.Set, out *compile.Output) (found []manifest.Diagnostic) {
	for _, a := range set.Adapters {
		o := out.Adapters[types.NamespacedName{Namespace: a.Namespace, Name: a.Name}]
		if o == nil {
			continue
		}
		key := manifest.Key{Kind: manifest.KindToolAdapter, Namespace: a.Namespace, Name: a.Name}
		place := func(ptr string) manifest.Position { return set.Position(key, ptr) }
		found = append(found, diagnostics(key, "", slices.Concat(o.Problems, recordProblems(set, a.Namespace, o)), place)...)
		if o.RefReason == callgatev1alpha1.ReasonRefNotFound {
			found = append(found, manifest.Diagnostic{Position: place("/spec/toolName"), Object: key.String(), Message: shown.Escape(o.RefMessage)})
		}
		found = append(found, diagnostics(key, "warning: ", o.Warnings, place)...)
	}
	return found
}

// recordProblems are those of the ConfigMap that an adapter in force reads.
func recordProblems(set *manifest.Set, namespace string, o *compile.AdapterOutcome) (problems []callgatev1alpha1.Problem) {
	if o.Adapter == nil {
		return nil
	}
	a, ok := o.Adapter.Program.(*adapter.Adapter)
	if !ok {
		return nil
	}
	ref, reads := a.ConfigMap()
	if !reads {
		return nil
	}
	cm, there := fileRecords{set}.find(namespace, ref.Name)
	for _, p := range a.CheckConfigMap(cm, there) {
		problems = append(problems, callgatev1alpha1.Problem{Path: &p.Path, Message: p.Message})
	}
	return problems
}
