package e2e_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/callgate/callgate/internal/app"
	"github.com/callgate/callgate/test/harness"
)

var _ = Describe("Traces", func() {
	It("reach the receiver that the operator named, before the manager has stopped", func(ctx SpecContext) {
		var mu sync.Mutex
		spans, text := map[string]int{}, ""
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			defer GinkgoRecover()
			body, err := gzip.NewReader(r.Body)
			Expect(err).NotTo(HaveOccurred())
			raw, err := io.ReadAll(body)
			Expect(err).NotTo(HaveOccurred())
			var got collector.ExportTraceServiceRequest
			Expect(proto.Unmarshal(raw, &got)).To(Succeed())
			mu.Lock()
			defer mu.Unlock()
			text += got.String()
			for _, resource := range got.ResourceSpans {
				for _, scope := range resource.ScopeSpans {
					for _, span := range scope.Spans {
						spans[span.Name]++
					}
				}
			}
		}))
		DeferCleanup(receiver.Close)

		namespace, token := tenantOf(ctx, nil)
		traced := harness.StartManager(ctx, GinkgoTB(), env, func(o *app.Options) {
			o.Log, o.Audit.Mode = GinkgoWriter, "off"
			o.Tracing.Endpoint, o.Tracing.SampleRatio = receiver.URL+"/v1/traces", 1
		})
		Eventually(func() int {
			return traced.Ask(ctx, GinkgoTB(), token, auditedCall("traced-1", "ToolCallReview", "")).Status
		}).Should(Equal(http.StatusOK), "the policy comes into force")
		traced.AskOffer(ctx, GinkgoTB(), token, auditedOffer("traced-2")).OfferVerdict(GinkgoTB())
		traced.Stop(GinkgoTB())

		mu.Lock()
		defer mu.Unlock()
		for _, name := range []string{"toolcallreviews", "toolrequestreviews", "identity", "decode", "judge"} {
			Expect(spans).To(HaveKey(name))
		}
		Expect(text).To(And(ContainSubstring("traced-1"), ContainSubstring("traced-2"), ContainSubstring(namespace)))
		Expect(text).NotTo(Or(ContainSubstring(auditSecret), ContainSubstring("weather")))
	})
})
