package e2e_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/test/harness"
)

// backend is an upstream on loopback that behaves by what the ticket is called.
type backend struct {
	*httptest.Server
	redirected atomic.Int64

	mu   sync.Mutex
	seen []*http.Request
}

func newBackend() *backend {
	b := &backend{}
	b.Server = httptest.NewTLSServer(http.HandlerFunc(b.answer))
	DeferCleanup(b.Close)
	return b
}

func (b *backend) answer(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.seen = append(b.seen, r)
	b.mu.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/metadata"):
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	case strings.HasSuffix(r.URL.Path, "/itself"):
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	case strings.HasSuffix(r.URL.Path, "/elsewhere"):
		b.redirected.Add(1)
		_, _ = io.WriteString(w, `{"id":"S3CRET"}`)
	case strings.HasSuffix(r.URL.Path, "/endless"):
		for block := []byte(strings.Repeat("S3CRET", 1<<10)); r.Context().Err() == nil; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	case strings.HasSuffix(r.URL.Path, "/slow"):
		<-r.Context().Done()
	case strings.HasSuffix(r.URL.Path, "/long"):
		w.Header().Set("Content-Length", "999999999")
		_, _ = io.WriteString(w, `{"id":"S3CRET"}`)
	case strings.HasSuffix(r.URL.Path, "/short"):
		w.Header().Set("Content-Length", "9000")
		_, _ = io.WriteString(w, `{"id":"S3CRET"}`)
	case strings.HasSuffix(r.URL.Path, "/text"):
		_, _ = io.WriteString(w, `<html>S3CRET</html>`)
	case strings.HasSuffix(r.URL.Path, "/error"):
		http.Error(w, "S3CRET", http.StatusInternalServerError)
	case strings.HasSuffix(r.URL.Path, "/none"):
		http.Error(w, `{"id":"S3CRET"}`, http.StatusNotFound)
	default:
		_, _ = io.WriteString(w, `{"id":"TKT-104","title":"Settings crash","status":"open","notes":"S3CRET"}`)
	}
}

func (b *backend) last() *http.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.seen) == 0 {
		return nil
	}
	return b.seen[len(b.seen)-1]
}

func httpAdapter(p place, b *backend) *callgatev1alpha1.ToolAdapter {
	a := &callgatev1alpha1.ToolAdapter{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "get-ticket"}}
	a.Spec.ToolName = "get_ticket"
	a.Spec.HTTP = callgatev1alpha1.AdapterHTTP{
		URL: b.URL + "/v1/{tenant}/tickets/{args.ticket_id}", TimeoutMilliseconds: 1000, MaxResponseBytes: 64 << 10,
		CABundle:                    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: b.Certificate().Raw}),
		ServiceAccountTokenAudience: "callgate.dev/" + p.namespace,
	}
	return a
}

func httpPlace(ctx context.Context, b *backend) place {
	GinkgoHelper()
	p := newPlace(ctx)
	Expect(env.Client.Create(ctx, getTicket(p.namespace))).To(Succeed())
	Expect(env.Client.Create(ctx, harness.ToolPolicy(p.namespace, "policy", "get_ticket"))).To(Succeed())
	Expect(env.Client.Create(ctx, httpAdapter(p, b))).To(Succeed())
	ready(ctx, p.namespace, callgatev1alpha1.ConditionReady, callgatev1alpha1.ReasonInForce)
	Eventually(running(ctx, p.token, execution("first", `"TKT-104"`, ""))).Should(Equal(crash))
	return p
}

var _ = Describe("An execution through a backend", func() {
	It("tells it whose call it is, by headers and a token that open nothing else", func(ctx SpecContext) {
		b := newBackend()
		p := httpPlace(ctx, b)
		r := b.last()
		Expect(r.URL.Path).To(Equal("/v1/" + p.namespace + "/tickets/TKT-104"))
		Expect(r.Header.Get("Callgate-Tenant")).To(Equal(p.namespace))
		Expect(r.Header.Get("Callgate-Caller")).To(Equal("system:serviceaccount:" + p.namespace + ":agent"))
		Expect(r.Header.Get("Idempotency-Key")).To(Equal("first"))
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		Expect(token).NotTo(BeElementOf("", p.token))
		review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{"callgate.dev/" + p.namespace}}}
		Expect(env.Client.Create(ctx, review)).To(Succeed())
		Expect(review.Status.User.Username).To(Equal("system:serviceaccount:" + harness.SystemNamespace + ":callgate"))
		By("the API server itself, for which it is no token")
		own := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
		Expect(env.Client.Create(ctx, own)).To(Succeed())
		Expect(own.Status.Authenticated).To(BeFalse())
		By("being asked once for one uid")
		asked := len(b.seen)
		Expect(run(ctx, p.token, execution("first", `"TKT-104"`, ""))).To(Equal(crash))
		Expect(b.seen).To(HaveLen(asked))
	})

	DescribeTable("has the documented code where the backend", func(ctx SpecContext, id, code string) {
		b := newBackend()
		p := httpPlace(ctx, b)
		Expect(run(ctx, p.token, execution("x", `"`+id+`"`, ""))).To(Equal(code))
		Expect(b.redirected.Load()).To(BeZero())
	},
		Entry("redirects to a metadata address", "metadata", "upstream_error"),
		Entry("redirects to itself", "itself", "upstream_error"),
		Entry("does not answer", "slow", "upstream_timeout"),
		Entry("names a length beyond the bound", "long", "upstream_error"),
		Entry("names a length that it does not send", "short", "upstream_error"),
		Entry("answers 200 with what is no JSON", "text", "upstream_error"),
		Entry("fails", "error", "upstream_error"),
		Entry("has no such record", "none", "not_found"),
	)

	It("keeps memory flat where the backend streams without end", func(ctx SpecContext) {
		b := newBackend()
		p := httpPlace(ctx, b)
		heap := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before := heap()
		for i := range 20 {
			Expect(run(ctx, p.token, execution(fmt.Sprint("e", i), `"endless"`, ""))).To(Equal("upstream_error"))
		}
		// Twenty answers of 64 KiB would be 1.3 MiB; what is sent is hundreds.
		Eventually(heap).WithTimeout(10 * time.Second).Should(BeNumerically("<", before+16<<20))
	})

	It("keeps an argument in its own segment", func(ctx SpecContext) {
		b := newBackend()
		p := httpPlace(ctx, b)
		for i, id := range []string{"..", ".", "", "../../beta/tickets/TKT-104", "%2e%2e", "..%2fbeta", `TKT-104\u0000`, `TKT\n`, `a\\\\b`, strings.Repeat("x", 10<<10)} {
			asked := len(b.seen)
			Expect(run(ctx, p.token, execution(fmt.Sprint("s", i), `"`+id+`"`, ""))).To(HavePrefix("not_found"), "%.40s", id)
			Expect(b.seen).To(HaveLen(asked), "%.40s", id)
		}
		Expect(run(ctx, p.token, execution("q", `"TKT-104?x=1#y&z"`, ""))).To(Equal(crash))
		Expect(b.last().URL.EscapedPath()).To(Equal("/v1/" + p.namespace + "/tickets/TKT-104%3Fx%3D1%23y%26z"))
		Expect(b.last().URL.RawQuery).To(BeEmpty())
	})

	It("goes nowhere that the operator has not allowed", func(ctx SpecContext) {
		b := newBackend()
		p := newPlace(ctx)
		a := httpAdapter(p, b)
		a.Spec.HTTP.URL = "https://192.0.2.1/{tenant}/{args.ticket_id}"
		Expect(env.Client.Create(ctx, getTicket(p.namespace))).To(Succeed())
		Expect(env.Client.Create(ctx, harness.ToolPolicy(p.namespace, "policy", "get_ticket"))).To(Succeed())
		Expect(env.Client.Create(ctx, a)).To(Succeed())
		ready(ctx, p.namespace, callgatev1alpha1.ConditionResolvedRefs, callgatev1alpha1.ReasonEndpointNotAllowed)
		Eventually(running(ctx, p.token, execution("n", `"TKT-104"`, ""))).Should(Equal("upstream_error"))
	})
})
