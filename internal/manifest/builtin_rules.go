package manifest

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// pathSegmentName is the rule for names of RBAC objects: what a URL path can hold.
func pathSegmentName(name string, _ bool) []string {
	return content.IsPathSegmentName(name)
}

// checkConfigMap holds a ConfigMap to the API server's rules: keys that can be file
// names, each once, and 1 MiB of data.
func checkConfigMap(c *corev1.ConfigMap) (errs field.ErrorList) {
	size := 0
	for _, key := range slices.Sorted(maps.Keys(c.Data)) {
		size += len(c.Data[key])
		if _, twice := c.BinaryData[key]; twice {
			errs = append(errs, field.Invalid(field.NewPath("data").Key(key), key, "duplicate of key present in binaryData"))
		}
		errs = append(errs, checkConfigMapKey(field.NewPath("data"), key)...)
	}
	for _, key := range slices.Sorted(maps.Keys(c.BinaryData)) {
		size += len(c.BinaryData[key])
		errs = append(errs, checkConfigMapKey(field.NewPath("binaryData"), key)...)
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(field.NewPath(""), "", corev1.MaxSecretSize))
	}
	return errs
}

func checkConfigMapKey(path *field.Path, key string) (errs field.ErrorList) {
	for _, msg := range validation.IsConfigMapKey(key) {
		errs = append(errs, field.Invalid(path.Key(key), key, msg))
	}
	return errs
}

// checkRules holds the rules of a role to the API server's: each about resources, or,
// in a ClusterRole, about URLs.
func checkRules(rules []rbacv1.PolicyRule, namespaced bool) (errs field.ErrorList) {
	for i, r := range rules {
		path := field.NewPath("rules").Index(i)
		if len(r.Verbs) == 0 {
			errs = append(errs, field.Required(path.Child("verbs"), "verbs must contain at least one value"))
		}
		if len(r.NonResourceURLs) > 0 {
			if namespaced {
				errs = append(errs, field.Invalid(path.Child("nonResourceURLs"), r.NonResourceURLs, "namespaced rules cannot apply to non-resource URLs"))
			}
			if len(r.APIGroups)+len(r.Resources)+len(r.ResourceNames) > 0 {
				errs = append(errs, field.Invalid(path.Child("nonResourceURLs"), r.NonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs"))
			}
			continue
		}
		if len(r.APIGroups) == 0 {
			errs = append(errs, field.Required(path.Child("apiGroups"), "resource rules must supply at least one api group"))
		}
		if len(r.Resources) == 0 {
			errs = append(errs, field.Required(path.Child("resources"), "resource rules must supply at least one resource"))
		}
	}
	return errs
}

// checkBinding fills in the defaults of a binding and holds it to the API server's
// rules.
func checkBinding(ref *rbacv1.RoleRef, subjects []rbacv1.Subject, namespaced bool) (errs field.ErrorList) {
	path, kinds := field.NewPath("roleRef"), []string{KindClusterRole}
	if namespaced {
		kinds = append(kinds, KindRole)
	}
	if ref.APIGroup == "" {
		ref.APIGroup = rbacv1.GroupName
	}
	if ref.APIGroup != rbacv1.GroupName {
		errs = append(errs, field.NotSupported(path.Child("apiGroup"), ref.APIGroup, []string{rbacv1.GroupName}))
	}
	if !slices.Contains(kinds, ref.Kind) {
		errs = append(errs, field.NotSupported(path.Child("kind"), ref.Kind, kinds))
	}
	if ref.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	for _, msg := range pathSegmentName(ref.Name, false) {
		errs = append(errs, field.Invalid(path.Child("name"), ref.Name, msg))
	}
	for i := range subjects {
		errs = append(errs, checkSubject(&subjects[i], namespaced, field.NewPath("subjects").Index(i))...)
	}
	return errs
}

// checkSubject validates one subject. A ServiceAccount that a RoleBinding names without a
// namespace is one of the binding's own.
func checkSubject(s *rbacv1.Subject, namespaced bool, path *field.Path) (errs field.ErrorList) {
	if s.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	group := rbacv1.GroupName
	switch s.Kind {
	case rbacv1.ServiceAccountKind:
		group = ""
		if s.Namespace == "" && !namespaced {
			errs = append(errs, field.Required(path.Child("namespace"), ""))
		}
		if s.Name != "" {
			for _, msg := range apivalidation.ValidateServiceAccountName(s.Name, false) {
				errs = append(errs, field.Invalid(path.Child("name"), s.Name, msg))
			}
		}
	case rbacv1.UserKind, rbacv1.GroupKind:
		if s.APIGroup == "" {
			s.APIGroup = group
		}
	default:
		return append(errs, field.NotSupported(path.Child("kind"), s.Kind, []string{rbacv1.ServiceAccountKind, rbacv1.UserKind, rbacv1.GroupKind}))
	}
	if s.APIGroup != group {
		errs = append(errs, field.NotSupported(path.Child("apiGroup"), s.APIGroup, []string{group}))
	}
	return errs
}
