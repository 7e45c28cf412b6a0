package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// namespaceMetadata is a namespace of which only the metadata is kept.
func namespaceMetadata() *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return object
}

// namespaceLabels gives the labels of the namespaces in which a policy takes the tenant
// from one. The others decide nothing.
func (r *snapshotReconciler) namespaceLabels(ctx context.Context, policies []*callgatev1alpha1.ToolPolicy) (map[string]map[string]string, error) {
	labels := map[string]map[string]string{}
	for _, p := range policies {
		if p.Spec.Tenant.From == callgatev1alpha1.TenantFromNamespaceLabel {
			labels[p.Namespace] = nil
		}
	}
	if len(labels) == 0 {
		return nil, nil
	}
	var list metav1.PartialObjectMetadataList
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	if err := r.reader.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing namespaces: %w", err)
	}
	for i := range list.Items {
		if _, wanted := labels[list.Items[i].Name]; wanted {
			labels[list.Items[i].Name] = list.Items[i].Labels
		}
	}
	return labels, nil
}
