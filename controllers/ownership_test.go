package controllers

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/testenv/statuscheck"
)

var _ = Describe("Status", func() {
	It("has one owner", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		s := makeSchema(ns, "weather", "get_weather", goodParameters)
		create(ctx, s)
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
		owners := map[string]metav1.ManagedFieldsOperationType{}
		for _, entry := range s.ManagedFields {
			if entry.Subresource == "status" {
				owners[entry.Manager] = entry.Operation
			}
		}
		Expect(owners).To(Equal(map[string]metav1.ManagedFieldsOperationType{StatusOwner: metav1.ManagedFieldsOperationApply}))
	})

	It("is put right after another writer", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		s, p := makeSchema(ns, "weather", "get_weather", goodParameters), makePolicy(ns, "agents", "get_weather")
		create(ctx, s, p)
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
		ready(ctx, p, callgatev1alpha1.ReasonInForce)

		lies := []metav1.Condition{
			{Type: "Ready", Status: metav1.ConditionFalse, Reason: "Lie", Message: "no", LastTransitionTime: metav1.Now()},
			{Type: "Stalled", Status: metav1.ConditionTrue, Reason: "Lie", Message: "no", LastTransitionTime: metav1.Now()},
			{Type: "Audited", Status: metav1.ConditionTrue, Reason: "Fine", Message: "somebody else's", LastTransitionTime: metav1.Now()},
		}
		problem := []callgatev1alpha1.Problem{{Path: new("/x"), Message: "a lie"}}
		lie(ctx, s, map[string]any{"conditions": lies, "problems": problem, "toolName": "other"})
		lie(ctx, p, map[string]any{"conditions": lies, "problems": problem, "invalidSchemas": []string{"a_lie"}})

		for _, obj := range []client.Object{s, p} {
			Eventually(func(g Gomega) {
				g.Expect(env.Client.Get(ctx, client.ObjectKeyFromObject(obj), obj)).To(Succeed())
				conditions, _, broken := inspect(obj)
				g.Expect(broken).To(BeEmpty())
				g.Expect(meta.IsStatusConditionTrue(conditions, callgatev1alpha1.ConditionReady)).To(BeTrue())
				g.Expect(meta.FindStatusCondition(conditions, callgatev1alpha1.ConditionStalled)).To(BeNil(), "what we do not say is not said")
				g.Expect(meta.FindStatusCondition(conditions, "Audited")).NotTo(BeNil(), "others may say more")
			}).Should(Succeed(), "%T", obj)
		}
		Expect(s.Status.Problems).To(BeEmpty())
		Expect(s.Status.ToolName).To(BeEquivalentTo("get_weather"))
		Expect(p.Status.Problems).To(BeEmpty())
		Expect(p.Status.InvalidSchemas).To(BeEmpty())
		Expect(statuscheck.ToolSchema(s)).To(BeEmpty())
	})
})

// lie writes a status as somebody who is not the controller.
func lie(ctx SpecContext, obj client.Object, status map[string]any) {
	GinkgoHelper()
	patch, err := json.Marshal(map[string]any{"status": status})
	Expect(err).NotTo(HaveOccurred())
	target := obj.DeepCopyObject().(client.Object)
	Expect(env.Client.Status().Patch(ctx, target, client.RawPatch("application/merge-patch+json", patch), client.FieldOwner("liar"))).To(Succeed())
}
