package controllers

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/testenv/statuscheck"
)

var _ = Describe("Leadership", func() {
	It("decides who reports, never who enforces", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		replica.gate.lose()
		DeferCleanup(replica.gate.gain)
		s := makeSchema(ns, "weather", "get_weather", goodParameters)
		create(ctx, s)
		Eventually(func() any { return replica.store.Load().Schema(client.ObjectKeyFromObject(s)) }).ShouldNot(BeNil())
		Consistently(func(g Gomega) {
			g.Expect(env.Client.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(s.Status.ObservedGeneration).To(BeNil(), "this replica does not lead")
			g.Expect(statuscheck.ToolSchema(s)).To(BeEmpty(), "an object that nobody has reported on reads as in progress")
		}).Should(Succeed())

		replica.gate.gain()
		ready(ctx, s, callgatev1alpha1.ReasonInForce)
	})

	It("passes on when it is released", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		first, stopFirst := stand(ns, "first")
		Eventually(first.Leading).Should(BeTrue())
		second, _ := stand(ns, "second")
		Consistently(second.Leading).Should(BeFalse())

		stopFirst()
		Expect(first.Leading()).To(BeFalse(), "the gate closes before the Lease is released")
		Eventually(second.Leading).WithTimeout(10*time.Second).Should(BeTrue(), "released, not expired")
	})

	It("ends nothing when it is stolen, and comes back", func(ctx SpecContext) {
		ns := env.Namespace(ctx, GinkgoT())
		leader, _ := stand(ns, "first")
		var gains atomic.Int64
		leader.OnGain(func() { gains.Add(1) })
		Eventually(leader.Leading).Should(BeTrue())
		Eventually(gains.Load).Should(BeNumerically(">=", 1))
		before := gains.Load()

		leases := env.Clientset.CoordinationV1().Leases(ns)
		theft := fmt.Sprintf(`{"spec":{"holderIdentity":"thief","leaseDurationSeconds":3,"renewTime":%q}}`,
			time.Now().UTC().Format(metav1.RFC3339Micro))
		_, err := leases.Patch(ctx, "callgate", types.MergePatchType, []byte(theft), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(leader.Leading).Should(BeFalse())
		Eventually(leader.Leading).Should(BeTrue(), "the thief does not renew")
		Eventually(gains.Load).Should(BeNumerically(">", before), "everything is looked at again")
	})
})

// stand has a candidate take part until it is stopped. stop returns once the Lease
// has been released.
func stand(ns, identity string) (leader *Leader, stop func()) {
	GinkgoHelper()
	leader, err := NewLeader(LeaderOptions{
		Config: env.Config, Namespace: ns, Name: "callgate", Identity: identity,
		LeaseDuration: 4 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
	})
	Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- leader.Run(ctx) }()
	var stopped bool
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		Eventually(done).Should(Receive(BeNil()))
	}
	DeferCleanup(stop)
	return leader, stop
}
