package cli

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/lint"
	"github.com/callgate/callgate/internal/manifest"
)

// lintRecords looks at the ConfigMaps that adapters in force read. One that is not in the
// files may be in the cluster.
func lintRecords(set *manifest.Set, out *compile.Output) map[types.NamespacedName]lint.Records {
	found := map[types.NamespacedName]lint.Records{}
	for _, a := range set.Adapters {
		name := types.NamespacedName{Namespace: a.Namespace, Name: a.Name}
		o := out.Adapters[name]
		if o == nil || o.Adapter == nil {
			continue
		}
		program, ok := o.Adapter.Program.(*adapter.Adapter)
		if !ok {
			continue
		}
		ref, reads := program.ConfigMap()
		if !reads {
			continue
		}
		_, there := fileRecords{set}.find(a.Namespace, ref.Name)
		found[name] = lint.Records{Missing: !there, Problems: recordProblems(set, a.Namespace, o)}
	}
	return found
}
