package controllers

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/testenv"
)

var _ = Describe("An API server that goes away", func() {
	It("ages nothing when it is back", func(ctx SpecContext) {
		// A control plane of its own: the other specs need theirs. It waits for its
		// watches as long as it waits for a request before it goes.
		other := testenv.StartWith(GinkgoT(), testenv.Options{
			APIServerArgs: map[string][]string{"request-timeout": {"3s"}},
		})
		r := startReplica(ownUser(ctx, other), true)
		ns := other.Namespace(ctx, GinkgoT())
		s := makeSchema(ns, "before", "before", goodParameters)
		Expect(other.Client.Create(ctx, s)).To(Succeed())
		Eventually(func() any { return r.store.Load().Schema(client.ObjectKeyFromObject(s)) }).ShouldNot(BeNil())

		Expect(other.StopAPIServer()).To(Succeed())
		inForce := r.store.Load()
		Consistently(r.store.Load).WithTimeout(5*time.Second).Should(BeIdenticalTo(inForce), "what is in force stays")
		Expect(other.StartAPIServer()).To(Succeed())

		By("writing as soon as it answers")
		after := makeSchema(ns, "after", "after", goodParameters)
		Eventually(func() error { return client.IgnoreAlreadyExists(other.Client.Create(ctx, after)) }).Should(Succeed())
		back := time.Now()
		Eventually(func() any { return r.store.Load().Schema(client.ObjectKeyFromObject(after)) }).
			WithTimeout(5*time.Second).ShouldNot(BeNil(), "in force within five seconds")
		AddReportEntry("recovery", fmt.Sprintf("in force %s after the first write", time.Since(back).Round(time.Millisecond)))

		By("reporting as well")
		Eventually(func(g Gomega) {
			g.Expect(other.Client.Get(ctx, client.ObjectKeyFromObject(after), after)).To(Succeed())
			g.Expect(after.Status.ObservedGeneration).To(HaveValue(Equal(after.Generation)))
		}).WithTimeout(10 * time.Second).Should(Succeed())
		Expect(after.Status.ToolName).To(Equal(callgatev1alpha1.EffectiveToolName("after")))
	})
})
