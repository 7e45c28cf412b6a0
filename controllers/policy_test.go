package controllers

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

var _ = Describe("A ToolPolicy", func() {
	It("is in force before any ToolSchema is, and warns", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		p := makePolicy(ns, "agents", "get_weather")
		create(ctx, p)
		ready(ctx, p, callgatev1alpha1.ReasonInForce)
		Expect(p.Status.Counts.ToolsWithoutSchema).To(HaveValue(BeEquivalentTo(1)))
		Expect(p.Status.Warnings).NotTo(BeEmpty(), "a declared tool without a schema blocks, and the author should know")

		By("giving the tool a schema: the first change shows at once")
		create(ctx, makeSchema(ns, "weather", "get_weather", goodParameters))
		Eventually(func(g Gomega) {
			g.Expect(env.Client.Get(ctx, client.ObjectKeyFromObject(p), p)).To(Succeed())
			g.Expect(p.Status.Counts.ToolsWithoutSchema).To(HaveValue(BeEquivalentTo(0)))
			g.Expect(p.Status.Counts.SelectedSchemas).To(HaveValue(BeEquivalentTo(1)))
		}).Should(Succeed())
	})

	It("stays Ready over another object's fault, and names it", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		s := makeSchema(ns, "weather", "get_weather", badParameters)
		create(ctx, s)
		ready(ctx, s, callgatev1alpha1.ReasonInvalidSchema)
		p := makePolicy(ns, "agents", "get_weather")
		create(ctx, p)
		ready(ctx, p, callgatev1alpha1.ReasonInForce)
		Expect(p.Status.InvalidSchemas).To(ConsistOf(callgatev1alpha1.EffectiveToolName("get_weather")))
		Expect(p.Status.Counts.InvalidSchemas).To(HaveValue(BeEquivalentTo(1)))
	})

	It("selects by the labels that a ToolSchema has now", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		s := makeSchema(ns, "weather", "get_weather", goodParameters)
		create(ctx, s)
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
		p := makePolicy(ns, "agents", "get_weather")
		p.Spec.SchemaSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "maps"}}
		create(ctx, p)
		ready(ctx, p, callgatev1alpha1.ReasonInForce)
		Expect(p.Status.Counts.SelectedSchemas).To(HaveValue(BeEquivalentTo(0)))

		update(ctx, s, func(s *callgatev1alpha1.ToolSchema) { s.Labels = map[string]string{"team": "maps"} })
		Eventually(func(g Gomega) {
			g.Expect(env.Client.Get(ctx, client.ObjectKeyFromObject(p), p)).To(Succeed())
			g.Expect(p.Status.Counts.SelectedSchemas).To(HaveValue(BeEquivalentTo(1)))
		}).Should(Succeed(), "a label changes no generation, but it changes what is in force")
	})

	It("that cannot be evaluated is stalled and stays in force", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		p := makePolicy(ns, "agents", "get_weather")
		p.Spec.SchemaSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "team", Operator: "Like", Values: []string{"m"}},
		}}
		create(ctx, p)
		ready(ctx, p, callgatev1alpha1.ReasonInvalidSpec)
		Expect(p.Status.Problems).NotTo(BeEmpty())
		Expect(meta.IsStatusConditionTrue(p.Status.Conditions, callgatev1alpha1.ConditionStalled)).To(BeTrue())
		Expect(replica.store.Load().Namespaces[ns].Policies).To(HaveLen(1), "dropping it would open the door")
	})

	It("that is deleted is out of force", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		p := makePolicy(ns, "agents", "get_weather")
		create(ctx, p)
		ready(ctx, p, callgatev1alpha1.ReasonInForce)
		key := client.ObjectKeyFromObject(p)
		Expect(replica.store.Load().Policy(key)).NotTo(BeNil())
		Expect(env.Client.Delete(ctx, p)).To(Succeed())
		Eventually(func() any { return replica.store.Load().Policy(key) }).Should(BeNil())
	})

	It("is recompiled for what decides and not for what is written about it", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		p := makePolicy(ns, "agents", "get_weather")
		create(ctx, p)
		ready(ctx, p, callgatev1alpha1.ReasonInForce)
		before := replica.swaps.Load()
		update(ctx, p, func(p *callgatev1alpha1.ToolPolicy) { p.Annotations = map[string]string{"note": "hello"} })
		Consistently(replica.swaps.Load).Should(Equal(before), "an annotation decides nothing")
		update(ctx, p, func(p *callgatev1alpha1.ToolPolicy) { p.Spec.DeclaredTools = append(p.Spec.DeclaredTools, "other") })
		ready(ctx, p, callgatev1alpha1.ReasonInForce)
		after := replica.swaps.Load()
		Expect(after).To(Equal(before+1), "one change, one compile")
		Consistently(replica.swaps.Load).Should(Equal(after), "our own status must not compile everything again")
	})
})
