package controllers

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
)

var _ = Describe("A ToolPolicy's counts", func() {
	It("show their first change at once and then every 30 seconds; a verdict never waits", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		// The suite's replica must not report on the policy that this one paces.
		replica.gate.lose()
		DeferCleanup(replica.gate.gain)
		p := makePolicy(ns, "agents", "get_weather")
		create(ctx, p)

		clk := clocktesting.NewFakeClock(time.Now())
		store := &snapshot.Store{}
		r := &toolPolicyReconciler{
			statusWriter: statusWriter{
				client: env.Client, recorder: events.NewFakeRecorder(100), clock: clk, leading: func() bool { return true },
			},
			store: store, writes: newPace(), counts: newPace(),
		}
		key := client.ObjectKeyFromObject(p)
		reconcile := func(selected int, reason string) time.Duration {
			GinkgoHelper()
			store.Swap(snapshot.New(&compile.Output{Policies: map[types.NamespacedName]*compile.PolicyOutcome{
				key: {UID: p.UID, Generation: p.Generation, SelectedSchemas: selected, Reason: reason, Message: "m"},
			}}))
			result, err := r.Reconcile(ctx, ctrl.Request{NamespacedName: key})
			Expect(err).NotTo(HaveOccurred())
			return result.RequeueAfter
		}
		shown := func() int32 {
			GinkgoHelper()
			Expect(env.Client.Get(ctx, key, p)).To(Succeed())
			return *p.Status.Counts.SelectedSchemas
		}

		Expect(reconcile(1, "")).To(BeZero())
		Expect(shown()).To(BeEquivalentTo(1))

		By("changing a count for the first time")
		clk.Step(time.Second)
		Expect(reconcile(2, "")).To(BeZero())
		Expect(shown()).To(BeEquivalentTo(2), "the first change shows at once")

		By("changing it again")
		clk.Step(time.Second)
		Expect(reconcile(3, "")).To(Equal(29 * time.Second))
		Expect(shown()).To(BeEquivalentTo(2))

		By("changing the verdict in between, which takes the counts along")
		clk.Step(time.Second)
		Expect(reconcile(4, callgatev1alpha1.ReasonInvalidSpec)).To(BeZero())
		Expect(shown()).To(BeEquivalentTo(4))
		Expect(reconcile(4, callgatev1alpha1.ReasonInvalidSpec)).To(BeZero(), "nothing is left to write")

		By("waiting the interval out")
		Expect(reconcile(5, callgatev1alpha1.ReasonInvalidSpec)).To(BeNumerically("~", 28*time.Second, 28*time.Second))
		clk.Step(30 * time.Second)
		Expect(reconcile(5, callgatev1alpha1.ReasonInvalidSpec)).To(BeZero())
		Expect(shown()).To(BeEquivalentTo(5))
	})

	It("cannot be fought over faster than five times a second", func(ctx SpecContext) {
		writes, clk := newPace(), clocktesting.NewFakePassiveClock(time.Now())
		key := types.NamespacedName{Name: "a"}
		done := 0
		for range 1000 {
			if writes.wait(key, clk.Now(), minWriteInterval) == 0 {
				writes.begin(key, clk.Now())
				done++
			}
			clk.SetTime(clk.Now().Add(10 * time.Millisecond))
		}
		Expect(done).To(Equal(50), "in ten seconds")
	})
})
