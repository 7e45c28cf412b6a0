package controllers

import (
	"encoding/json"
	"maps"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
)

// maxLostBytes keeps what the cache adds to an object far below what it drops.
const maxLostBytes = 1024

// CacheOptions are those that the manager's cache must have. A caller may add to
// ByObject.
func CacheOptions() cache.Options {
	return cache.Options{
		// A watch that nobody registered is a programmer's error, not one more
		// informer that no RBAC rule covers.
		ReaderFailOnMissingInformer: true,
		DefaultTransform:            stripForCache,
		ByObject: map[client.Object]cache.ByObject{
			&callgatev1alpha1.ToolSchema{}:  {Transform: stripForCache},
			&callgatev1alpha1.ToolPolicy{}:  {Transform: stripForCache},
			&callgatev1alpha1.ToolAdapter{}: {Transform: stripForCache},
		},
		NewInformer: newInformer,
	}
}

// ClientConfig copies config for the manager: without client-side rate limits,
// which would hold back a thousand status writes for a minute. The API server's
// priority and fairness is the limit.
func ClientConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst, config.RateLimiter = -1, 0, nil
	return config
}

// MapperProvider is for manager.Options: it knows the project's kinds without
// asking the API server, because a controller that cannot ask at its start would
// ask again only ten seconds later.
func MapperProvider(config *rest.Config, httpClient *http.Client) (meta.RESTMapper, error) {
	dynamic, err := apiutil.NewDynamicRESTMapper(config, httpClient)
	if err != nil {
		return nil, err
	}
	gv := callgatev1alpha1.GroupVersion
	static := meta.NewDefaultRESTMapper([]schema.GroupVersion{gv, corev1.SchemeGroupVersion})
	static.Add(corev1.SchemeGroupVersion.WithKind("Namespace"), meta.RESTScopeRoot)
	for kind, name := range map[string][2]string{
		"ToolSchema":  {"toolschemas", "toolschema"},
		"ToolPolicy":  {"toolpolicies", "toolpolicy"},
		"ToolAdapter": {"tooladapters", "tooladapter"},
	} {
		static.AddSpecific(gv.WithKind(kind), gv.WithResource(name[0]), gv.WithResource(name[1]), meta.RESTScopeNamespace)
	}
	return meta.FirstHitRESTMapper{MultiRESTMapper: meta.MultiRESTMapper{static, dynamic}}, nil
}

// stripForCache drops what nobody here reads and what would double the memory of
// an object. It is called more than once for one object, so the second time must
// change nothing.
func stripForCache(in any) (any, error) {
	obj, err := meta.Accessor(in)
	if err != nil {
		// A tombstone: its object has been through here already.
		return in, nil //nolint:nilerr // not an object, so nothing to strip
	}
	annotations := obj.GetAnnotations()
	// Every object of a server's answer has managedFields; none that has been
	// through here does.
	fresh := obj.GetManagedFields() != nil
	lastApplied, hasLastApplied := annotations[corev1.LastAppliedConfigAnnotation]
	_, hasLost := annotations[compile.LostInApplyAnnotation]
	if hasLastApplied || (fresh && hasLost) {
		annotations = maps.Clone(annotations)
		delete(annotations, corev1.LastAppliedConfigAnnotation)
		delete(annotations, compile.LostInApplyAnnotation)
		if lost := lostInApply(in, lastApplied); lost != "" {
			annotations[compile.LostInApplyAnnotation] = lost
		}
		obj.SetAnnotations(annotations)
	}
	if fresh {
		obj.SetManagedFields(nil)
	}
	return in, nil
}

// lostInApply keeps of the last-applied text the one thing that status needs.
func lostInApply(in any, lastApplied string) string {
	toolSchema, ok := in.(*callgatev1alpha1.ToolSchema)
	if !ok || lastApplied == "" || toolSchema.Spec.Parameters == nil {
		return ""
	}
	pointers := compile.LostInApply(lastApplied, toolSchema.Spec.Parameters.Raw)
	for len(pointers) > 0 {
		text, err := json.Marshal(pointers)
		if err == nil && len(text) <= maxLostBytes {
			return string(text)
		}
		pointers = pointers[:len(pointers)-1]
	}
	return ""
}
