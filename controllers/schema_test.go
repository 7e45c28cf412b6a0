package controllers

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

var _ = Describe("A ToolSchema", func() {
	It("becomes Ready and says what it is", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		s := makeSchema(ns, "weather", "get_weather", goodParameters)
		create(ctx, s)
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
		Expect(s.Status.ToolName).To(BeEquivalentTo("get_weather"))
		Expect(s.Status.Dialect).To(Equal("Draft7"))
		Expect(s.Status.SchemaHash).To(HavePrefix("sha256:"))
	})

	It("that does not compile is stalled until somebody mends it", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		s := makeSchema(ns, "weather", "get_weather", badParameters)
		create(ctx, s)
		ready(ctx, s, callgatev1alpha1.ReasonInvalidSchema)
		Expect(s.Status.Problems).NotTo(BeEmpty())
		Expect(*s.Status.Problems[0].Path).To(HavePrefix("/properties/city"), "where the mistake is")
		Expect(meta.IsStatusConditionTrue(s.Status.Conditions, callgatev1alpha1.ConditionStalled)).To(BeTrue())
		Expect(s.Status.SchemaHash).To(BeEmpty())

		update(ctx, s, func(s *callgatev1alpha1.ToolSchema) { s.Spec.Parameters.Raw = []byte(goodParameters) })
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
		Expect(s.Status.Problems).To(BeEmpty(), "what was wrong is wrong no more")
		Expect(meta.FindStatusCondition(s.Status.Conditions, callgatev1alpha1.ConditionStalled)).To(BeNil())
	})

	It("shares no tool name, and none of those that try serves it", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		first, second := makeSchema(ns, "first", "get_weather", goodParameters), makeSchema(ns, "second", "get_weather", goodParameters)
		create(ctx, first)
		ready(ctx, first, callgatev1alpha1.ReasonInForce)
		create(ctx, second)
		for s, other := range map[*callgatev1alpha1.ToolSchema]string{first: "second", second: "first"} {
			ready(ctx, s, callgatev1alpha1.ReasonDuplicateToolName)
			accepted := meta.FindStatusCondition(s.Status.Conditions, callgatev1alpha1.ConditionAccepted)
			Expect(accepted.Message).To(ContainSubstring(other), "the message names the other one")
		}

		By("deleting one of them")
		Expect(env.Client.Delete(ctx, first)).To(Succeed())
		ready(ctx, second, callgatev1alpha1.ReasonInForce)
	})

	It("that takes the place of another of its name is looked at anew", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		s := makeSchema(ns, "weather", "get_weather", badParameters)
		create(ctx, s)
		ready(ctx, s, callgatev1alpha1.ReasonInvalidSchema)
		Expect(env.Client.Delete(ctx, s)).To(Succeed())
		s = makeSchema(ns, "weather", "get_weather", goodParameters)
		create(ctx, s)
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
	})

	It("warns of nulls that kubectl dropped, and only of those", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		s := makeSchema(ns, "weather", "get_weather", `{"type":"object","properties":{"city":{}}}`)
		s.Annotations = map[string]string{
			"kubectl.kubernetes.io/last-applied-configuration": `{"spec":{"toolName":"get_weather","parameters":` +
				`{"type":"object","properties":{"city":{"const":null}}}}}`,
		}
		create(ctx, s)
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
		Expect(s.Status.Warnings).To(ContainElement(HaveField("Path", HaveValue(Equal("/properties/city/const")))))

		By("reading the object as the cache keeps it")
		cached := &callgatev1alpha1.ToolSchema{}
		Expect(replica.mgr.GetClient().Get(ctx, client.ObjectKeyFromObject(s), cached)).To(Succeed())
		Expect(cached.ManagedFields).To(BeNil(), "nobody reads them")
		Expect(cached.Annotations).NotTo(HaveKey("kubectl.kubernetes.io/last-applied-configuration"))

		By("saying it another way")
		update(ctx, s, func(s *callgatev1alpha1.ToolSchema) {
			s.Annotations = nil
			s.Spec.Parameters.Raw = []byte(`{"type":"object","properties":{"city":{"type":"null"}}}`)
		})
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
		Expect(s.Status.Warnings).To(BeEmpty())
	})
})
