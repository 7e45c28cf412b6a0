package e2e_test

import (
	"context"
	"io"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/callgate/callgate/test/harness"
)

// scrape asks for the metrics, with a token for the API server's own audience as
// Prometheus has it.
func scrape(ctx context.Context, token string) (status int, text string) {
	GinkgoHelper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+manager.Metrics.String()+"/metrics", http.NoBody)
	Expect(err).NotTo(HaveOccurred())
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := manager.Client.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	return response.StatusCode, string(body)
}

var _ = Describe("Metrics", func() {
	It("are for those who may get them, and count what was answered", func(ctx SpecContext) {
		p := newPlace(ctx)
		token := env.Token(ctx, GinkgoTB(), p.namespace, "agent", "", 600)
		By("nobody without a token, and no account without the right")
		status, _ := scrape(ctx, "")
		Expect(status).To(Equal(http.StatusUnauthorized))
		status, _ = scrape(ctx, token)
		Expect(status).To(Equal(http.StatusForbidden))

		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "metrics-" + p.namespace}, Rules: []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}}
		Expect(env.Client.Create(ctx, role)).To(Succeed())
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: role.Name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: p.namespace, Name: "agent"}},
		}
		Expect(env.Client.Create(ctx, binding)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			Expect(env.Client.Delete(ctx, binding)).To(Succeed())
			Expect(env.Client.Delete(ctx, role)).To(Succeed())
		})
		Expect(env.Client.Create(ctx, harness.ToolSchema(p.namespace, "get-weather", "get_weather", `{"type":"object","properties":{"city":{"type":"string"}}}`))).To(Succeed())
		Expect(env.Client.Create(ctx, harness.ToolPolicy(p.namespace, "policy", "get_weather"))).To(Succeed())
		Eventually(func() bool {
			return verdict(ctx, p.token, harness.Call("get_weather", `{"city":"S3CRET"}`)).Allowed
		}).Should(BeTrue(), "the policy comes into force")
		verdict(ctx, p.token, harness.Call("delete_everything", `{}`))

		Eventually(func(g Gomega) {
			status, text := scrape(ctx, token)
			g.Expect(status).To(Equal(http.StatusOK), "a refusal is remembered for some seconds")
			for _, line := range []string{
				`callgate_verdicts_total{action="allow",code="ok",phase="tool_call",policy_namespace="` + p.namespace + `"} 1`,
				`callgate_verdicts_total{action="deny",code="unknown_tool",phase="tool_call",policy_namespace="` + p.namespace + `"} 1`,
				`callgate_drain_state 0`, `callgate_policy_set_info{revision="sha256:`, `callgate_requests_total{code="200",reason="",resource="toolcallreviews"}`,
				`callgate_identity_requests_total{resource="toolcallreviews",result="hit"}`, `callgate_certificate_not_after_timestamp_seconds 1.`,
				`callgate_audit_records_total`, `callgate_compile_duration_seconds_count`, `go_goroutines`,
			} {
				g.Expect(text).To(ContainSubstring(line))
			}
			g.Expect(text).NotTo(Or(ContainSubstring("S3CRET"), ContainSubstring("get_weather"), ContainSubstring("delete_everything")))
		}).WithTimeout(30 * time.Second).Should(Succeed())
	})
})
