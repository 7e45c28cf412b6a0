package controllers

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// namespaceShelf is a client.Reader over the metadata of namespaces; it counts its lists.
type namespaceShelf struct {
	client.Reader
	lists int
}

func (s *namespaceShelf) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	s.lists++
	if l, ok := list.(*metav1.PartialObjectMetadataList); ok {
		for _, name := range []string{"a", "b"} {
			object := *namespaceMetadata()
			object.Name, object.Labels = name, map[string]string{"tenant": "of-" + name}
			l.Items = append(l.Items, object)
		}
	}
	return nil
}

func TestOnlyNamespacesWhoseLabelsDecideAreRead(t *testing.T) {
	labelled := makePolicy("a", "p", "weather")
	labelled.Spec.Tenant = callgatev1alpha1.PolicyTenant{From: callgatev1alpha1.TenantFromNamespaceLabel, Label: "tenant"}
	s := &namespaceShelf{}
	r := newTestSnapshotReconciler(s)
	labels, err := r.namespaceLabels(t.Context(), []*callgatev1alpha1.ToolPolicy{makePolicy("b", "p", "weather")})
	if err != nil || labels != nil || s.lists != 0 {
		t.Errorf("without such a policy: %v, %v, %d lists", labels, err, s.lists)
	}
	labels, err = r.namespaceLabels(t.Context(), []*callgatev1alpha1.ToolPolicy{makePolicy("b", "p", "weather"), labelled})
	if diff := cmp.Diff(map[string]map[string]string{"a": {"tenant": "of-a"}}, labels); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
}

var _ = Describe("Labels of namespaces", func() {
	It("change the revision where a policy takes the tenant from one, and only there", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		policy := makePolicy(ns, "p", "weather")
		policy.Spec.Tenant = callgatev1alpha1.PolicyTenant{From: callgatev1alpha1.TenantFromNamespaceLabel, Label: "tenant"}
		create(ctx, policy)
		tenant := func() string {
			if n := replica.store.Load().Namespaces[ns]; n != nil && len(n.Policies) == 1 {
				return n.Policies[0].Tenant.Value
			}
			return "not in force"
		}
		Eventually(tenant).Should(BeEmpty())
		before := replica.store.Load().Revision
		namespace := &corev1.Namespace{}
		Expect(env.Client.Get(ctx, client.ObjectKey{Name: ns}, namespace)).To(Succeed())
		update(ctx, namespace, func(n *corev1.Namespace) { n.Labels["unread"] = "x" })
		Consistently(func() string { return replica.store.Load().Revision }).Should(Equal(before))
		update(ctx, namespace, func(n *corev1.Namespace) { n.Labels["tenant"] = "alpha" })
		Eventually(tenant).Should(Equal("alpha"))
		Expect(replica.store.Load().Revision).NotTo(Equal(before))
	})
})
