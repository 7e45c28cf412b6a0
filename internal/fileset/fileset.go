package fileset

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rbac"
)

// Compile compiles the objects. prev is a memo, and may be nil. Without adapters nothing
// is executed.
func Compile(objects *manifest.Set, adapters compile.AdapterCompiler, prev *compile.Output) *compile.Output {
	labels := make(map[string]map[string]string, len(objects.Namespaces))
	for _, ns := range objects.Namespaces {
		labels[ns.Name] = ns.Labels
	}
	return compile.Compile(compile.Input{
		Schemas: objects.Schemas, Policies: objects.Policies, NamespaceLabels: labels,
		Adapters: objects.Adapters, AdapterCompiler: adapters,
	}, prev)
}

// Authorizer answers by the roles and bindings of the objects.
func Authorizer(objects *manifest.Set) *rbac.Authorizer {
	return rbac.New(rbac.Objects{
		Roles: objects.Roles, ClusterRoles: objects.ClusterRoles,
		RoleBindings: objects.RoleBindings, ClusterRoleBindings: objects.ClusterRoleBindings,
	})
}

// Records are the ConfigMaps of the objects.
type Records map[types.NamespacedName]adapter.ConfigMap

var _ adapter.ConfigMaps = Records{}

// RecordsOf gives the ConfigMaps of the objects.
func RecordsOf(objects *manifest.Set) Records {
	records := make(Records, len(objects.ConfigMaps))
	for _, cm := range objects.ConfigMaps {
		records[types.NamespacedName{Namespace: cm.Namespace, Name: cm.Name}] = adapter.ConfigMap{Labels: cm.Labels, Data: cm.Data}
	}
	return records
}

// ConfigMap implements adapter.ConfigMaps.
func (r Records) ConfigMap(_ context.Context, namespace, name string) (cm adapter.ConfigMap, found bool, err error) {
	cm, found = r[types.NamespacedName{Namespace: namespace, Name: name}]
	return cm, found, nil
}
