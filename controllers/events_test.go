package controllers

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

var _ = Describe("Events", func() {
	It("tell of a changed Ready and of nothing else", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		s := makeSchema(ns, "weather", "get_weather", goodParameters)
		create(ctx, s)
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
		Eventually(func() []string { return eventsOf(ctx, ns) }).Should(Equal([]string{"Normal InForce"}))

		By("changing the schema without changing its readiness")
		update(ctx, s, func(s *callgatev1alpha1.ToolSchema) { s.Spec.Parameters.Raw = []byte(`{"type":"object"}`) })
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
		Consistently(func() []string { return eventsOf(ctx, ns) }).Should(HaveLen(1))

		By("breaking it")
		update(ctx, s, func(s *callgatev1alpha1.ToolSchema) { s.Spec.Parameters.Raw = []byte(badParameters) })
		ready(ctx, s, callgatev1alpha1.ReasonInvalidSchema)
		Eventually(func() []string { return eventsOf(ctx, ns) }).Should(ConsistOf("Normal InForce", "Warning InvalidSchema"))
	})
})

func eventsOf(ctx context.Context, ns string) []string {
	GinkgoHelper()
	list, err := env.Clientset.EventsV1().Events(ns).List(ctx, metav1.ListOptions{})
	Expect(err).NotTo(HaveOccurred())
	var lines []string
	for _, e := range list.Items {
		lines = append(lines, e.Type+" "+e.Reason)
	}
	return lines
}
