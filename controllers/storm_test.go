package controllers

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/testenv/statuscheck"
)

var _ = Describe("A storm", func() {
	It("of 1,000 ToolSchemas ends with every status right", func(ctx SpecContext) {
		const count = 1000
		ns := env.Namespace(ctx, GinkgoT())
		p := makePolicy(ns, "agents", callgatev1alpha1.AnyTool)
		create(ctx, p)
		ready(ctx, p, callgatev1alpha1.ReasonInForce)
		swaps, heap := replica.swaps.Load(), liveHeap()

		start := time.Now()
		var writers sync.WaitGroup
		for w := range 8 {
			writers.Go(func() {
				defer GinkgoRecover()
				for i := w; i < count; i += 8 {
					parameters := goodParameters
					if i%10 == 0 {
						parameters = badParameters
					}
					create(ctx, makeSchema(ns, fmt.Sprintf("s-%04d", i), fmt.Sprintf("tool_%04d", i), parameters))
				}
			})
		}
		writers.Wait()
		created := time.Since(start)

		list := &callgatev1alpha1.ToolSchemaList{}
		Eventually(func(g Gomega) {
			g.Expect(env.Client.List(ctx, list, client.InNamespace(ns))).To(Succeed())
			pending := 0
			for i := range list.Items {
				if list.Items[i].Status.ObservedGeneration == nil {
					pending++
				}
			}
			g.Expect(pending).To(BeZero(), "still pending")
		}).WithPolling(100 * time.Millisecond).Should(Succeed())
		reported := time.Since(start)

		invalid := 0
		for i := range list.Items {
			Expect(statuscheck.ToolSchema(&list.Items[i])).To(BeEmpty())
			if len(list.Items[i].Status.Problems) > 0 {
				invalid++
			}
		}
		Expect(list.Items).To(HaveLen(count))
		Expect(invalid).To(Equal(count / 10))
		compiles := replica.swaps.Load() - swaps
		Expect(compiles).To(BeNumerically("<=", count), "one runs and one waits, whatever the storm")
		AddReportEntry("storm", fmt.Sprintf("created in %s, reported %s later, %d compiles, %d KiB of heap a schema",
			created.Round(time.Millisecond), (reported-created).Round(time.Millisecond), compiles, (liveHeap()-heap)/count/1024))
	})
})

func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
