package manifest

import (
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// Our own kinds that are read.
const (
	KindToolAdapter = "ToolAdapter"
	KindToolPolicy  = "ToolPolicy"
	KindToolSchema  = "ToolSchema"
)

// Kubernetes' own kinds that are read. No kind of theirs has the name of one of ours.
const (
	KindNamespace          = "Namespace"
	KindConfigMap          = "ConfigMap"
	KindRole               = "Role"
	KindClusterRole        = "ClusterRole"
	KindRoleBinding        = "RoleBinding"
	KindClusterRoleBinding = "ClusterRoleBinding"
)

// append decodes an admitted object into its Go type.
func (s *Set) append(kind string, encoded []byte) error {
	switch kind {
	case KindToolSchema:
		return take(&s.Schemas, encoded)
	case KindToolPolicy:
		return take(&s.Policies, encoded)
	case KindToolAdapter:
		return take(&s.Adapters, encoded)
	case KindNamespace:
		return take(&s.Namespaces, encoded)
	case KindConfigMap:
		return take(&s.ConfigMaps, encoded)
	case KindRole:
		return take(&s.Roles, encoded)
	case KindClusterRole:
		return take(&s.ClusterRoles, encoded)
	case KindRoleBinding:
		return take(&s.RoleBindings, encoded)
	case KindClusterRoleBinding:
		return take(&s.ClusterRoleBindings, encoded)
	}
	return nil
}

func take[T any, P object[T]](list *[]P, encoded []byte) error {
	o := P(new(T))
	if err := json.Unmarshal(encoded, o); err != nil {
		return err
	}
	o.SetUID(contentUID(encoded))
	*list = append(*list, o)
	return nil
}

func (s *Set) sort() {
	byName(s.Schemas)
	byName(s.Policies)
	byName(s.Adapters)
	byName(s.Namespaces)
	byName(s.ConfigMaps)
	byName(s.Roles)
	byName(s.ClusterRoles)
	byName(s.RoleBindings)
	byName(s.ClusterRoleBindings)
	s.Notes = sortNotes(s.Notes)
}

// listOf gives the kind that a list is of. ok is false for what is no list of ours:
// such a kind is an object, or nobody's.
func listOf(apiVersion, kind string) (item string, ok bool) {
	if apiVersion == "v1" && kind == "List" {
		return "", true
	}
	item, ok = strings.CutSuffix(kind, "List")
	if !ok {
		return "", false
	}
	if apiVersion == callgatev1alpha1.GroupVersion.String() {
		return item, true
	}
	return item, slices.Contains(builtinKinds[apiVersion], item)
}

// builtinKinds are Kubernetes' own kinds that are read, by apiVersion.
var builtinKinds = map[string][]string{
	corev1.SchemeGroupVersion.String(): {KindNamespace, KindConfigMap},
	rbacv1.SchemeGroupVersion.String(): {KindRole, KindClusterRole, KindRoleBinding, KindClusterRoleBinding},
}

// clusterScoped kinds have no namespace.
func clusterScoped(kind string) bool {
	return kind == KindNamespace || kind == KindClusterRole || kind == KindClusterRoleBinding
}
