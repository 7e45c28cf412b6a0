package e2e_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/test/cases"
	"github.com/callgate/callgate/test/harness"
)

// tickets are the records of two tenants: the same number, a title of each, and fields
// that must not leave, some of them by the name of one that may, at another depth.
const tickets = `{
 "%[1]s:TKT-104": {"id":"TKT-104","title":"Settings crash","status":"open","internal":{"title":"S3CRET-1","status":["S3CRET-2"]},"notes":"S3CRET-3"},
 "%[2]s:TKT-104": {"id":"TKT-104","title":"Private billing issue","status":"closed","internal":{"title":"S3CRET-4"},"notes":"S3CRET-5"},
 "%[1]s:TKT-105": {"id":"TKT-105","title":{"title":"S3CRET-6"},"status":{"id":"S3CRET-7"},"ticket":{"id":"S3CRET-8","title":"S3CRET-9"}}
}`

const secretMark = "S3CRET"

// getTicket is the contract, without a pattern: what a key is made of is not left to one.
func getTicket(namespace string) *callgatev1alpha1.ToolSchema {
	s := harness.ToolSchema(namespace, "get-ticket", "get_ticket", `{"type":"object","properties":{"ticket_id":{"type":"string"}},"required":["ticket_id"]}`)
	s.Spec.Result.Fields = []callgatev1alpha1.ResultField{"/id", "/title", "/status"}
	return s
}

func recordsAdapter(namespace string) *callgatev1alpha1.ToolAdapter {
	a := &callgatev1alpha1.ToolAdapter{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "get-ticket"}}
	a.Spec.ToolName, a.Spec.Key = "get_ticket", `tenant + ":" + args.ticket_id`
	a.Spec.Records.ConfigMapKeyRef = callgatev1alpha1.ConfigMapKeyRef{Name: "tickets", Key: "tickets.json"}
	return a
}

func ticketRecords(namespace, one, two string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tickets", Labels: map[string]string{adapter.RecordsLabel: "true"}},
		Data:       map[string]string{"tickets.json": fmt.Sprintf(tickets, one, two)},
	}
}

// letRead binds the role by which Callgate reads the records of a namespace.
func letRead(ctx context.Context, namespace string) {
	GinkgoHelper()
	Expect(env.Client.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "records"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "callgate-records-reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: harness.SystemNamespace, Name: "callgate"}},
	})).To(Succeed())
}

// execution is the body of one; more is members of the request.
func execution(uid, id, more string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallExecution","request":{"uid":%q,"call":{"id":"1","name":"get_ticket","arguments":{"ticket_id":%s}}%s}}`, uid, id, more)
}

// run gives the code, and the result of an execution that has one.
func run(ctx context.Context, token string, body []byte) string {
	GinkgoHelper()
	a := manager.AskExecution(ctx, GinkgoTB(), token, body)
	Expect(string(a.Body)).NotTo(ContainSubstring(secretMark))
	if a.Status != 200 {
		return fmt.Sprint(a.Status)
	}
	r := a.Executed(GinkgoTB())
	Expect(r.OK).To(Equal(r.Result != nil))
	return strings.TrimSpace(string(r.Code) + " " + string(r.Result))
}

func running(ctx context.Context, token string, body []byte) func() string {
	return func() string { return run(ctx, token, body) }
}

// ready waits until an adapter says this.
func ready(ctx context.Context, namespace, conditionType, reason string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		var a callgatev1alpha1.ToolAdapter
		g.Expect(env.Client.Get(ctx, objectKey(namespace, "get-ticket"), &a)).To(Succeed())
		c := meta.FindStatusCondition(a.Status.Conditions, conditionType)
		g.Expect(c).NotTo(BeNil())
		g.Expect(c.Reason).To(Equal(reason), c.Message)
	}).Should(Succeed())
}

const (
	crash   = `ok {"id":"TKT-104","title":"Settings crash","status":"open"}`
	billing = `ok {"id":"TKT-104","title":"Private billing issue","status":"closed"}`
)

// injections are ids that reach for another key.
func injections(one, two string) []string {
	quoted := []string{
		two + ":TKT-104", one + ":TKT-104", "../" + two + ":TKT-104", two + "%3ATKT-104", "%2e%2e", "..", ".", "", ":", " TKT-104",
		`TKT-104\u0000`, `TKT-104\n`, `\n` + two + `:TKT-104`, `TKT-104/../` + two + `:TKT-104`, `__proto__`, `constructor`, strings.Repeat("x", 10<<10),
	}
	for i := range quoted {
		quoted[i] = `"` + quoted[i] + `"`
	}
	return quoted
}

var _ = Describe("The support assistant, over HTTPS", Ordered, func() {
	BeforeAll(func(ctx SpecContext) {
		harness.Apply(ctx, GinkgoTB(), env, cases.ExecutionObjects)
		env.ServiceAccount(ctx, GinkgoTB(), cases.ExecutionNamespace, cases.ExecutionAccount)
	})

	It("answers its whole table, from a real ConfigMap and by real roles", func(ctx SpecContext) {
		token := env.Token(ctx, GinkgoTB(), cases.ExecutionNamespace, cases.ExecutionAccount, harness.Audience, 600)
		table, err := os.ReadFile("../../" + cases.ExecutionFixtures)
		Expect(err).NotTo(HaveOccurred())
		all, err := cases.ReadExecutions(table)
		Expect(err).NotTo(HaveOccurred())
		ready(ctx, cases.ExecutionNamespace, callgatev1alpha1.ConditionReady, callgatev1alpha1.ReasonInForce)
		for i, x := range all {
			Eventually(func() string {
				return x.Check(manager.AskExecution(ctx, GinkgoTB(), token, x.Body(fmt.Sprint("table-", i))).Executed(GinkgoTB()))
			}).Should(BeEmpty(), x.About)
			body := x.Body(fmt.Sprint("table-", i))
			answer := manager.AskExecution(ctx, GinkgoTB(), token, body)
			Expect(fromTree(ctx, cases.ExecutionObjects, "system:serviceaccount:"+cases.ExecutionNamespace+":"+cases.ExecutionAccount, body)).
				To(Equal(response(answer.Body)), "files and cluster give one answer: "+x.About)
		}
	})
})

var _ = Describe("An execution", func() {
	It("reaches its own namespace's records and nobody else's", func(ctx SpecContext) {
		one, two := newPlace(ctx), newPlace(ctx)
		for _, p := range []place{one, two} {
			letRead(ctx, p.namespace)
			Expect(env.Client.Create(ctx, getTicket(p.namespace))).To(Succeed())
			Expect(env.Client.Create(ctx, harness.ToolPolicy(p.namespace, "policy", "get_ticket"))).To(Succeed())
			Expect(env.Client.Create(ctx, recordsAdapter(p.namespace))).To(Succeed())
			// Each holds the other's ticket too, so that only the key keeps them apart.
			Expect(env.Client.Create(ctx, ticketRecords(p.namespace, one.namespace, two.namespace))).To(Succeed())
			ready(ctx, p.namespace, callgatev1alpha1.ConditionReady, callgatev1alpha1.ReasonInForce)
		}
		Eventually(running(ctx, one.token, execution("a", `"TKT-104"`, ""))).Should(Equal(crash))
		Eventually(running(ctx, two.token, execution("a", `"TKT-104"`, ""))).Should(Equal(billing))
		By("another tenant in the arguments, the context, or the account asked for")
		Expect(run(ctx, one.token, execution("b", `"TKT-104","tenant":"`+two.namespace+`"`, ""))).To(Equal("invalid_arguments"))
		Expect(run(ctx, one.token, execution("c", `"TKT-104"`, `,"context":{"tenant":"`+two.namespace+`"}`))).To(Equal("forbidden"))
		Expect(run(ctx, one.token, execution("d", `"TKT-104"`, `,"onBehalfOf":{"namespace":"`+two.namespace+`","serviceAccountName":"agent"}`))).To(Equal("403"))
		for i, id := range injections(one.namespace, two.namespace) {
			Expect(run(ctx, one.token, execution(fmt.Sprint("i", i), id, ""))).To(Equal("not_found"), "%.40s", id)
		}
		By("fields that have the right name at another depth, or the wrong kind")
		Expect(run(ctx, one.token, execution("e", `"TKT-105"`, ""))).To(Equal(`ok {"id":"TKT-105"}`))
	})

	It("reaches one tenant of several by trusted context alone", func(ctx SpecContext) {
		p := newPlace(ctx)
		letRead(ctx, p.namespace)
		Expect(env.Client.Create(ctx, getTicket(p.namespace))).To(Succeed())
		policy := harness.ToolPolicy(p.namespace, "policy", "get_ticket")
		policy.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"agent", "other"}
		policy.Spec.Tenant.From = callgatev1alpha1.TenantFromContext
		Expect(env.Client.Create(ctx, policy)).To(Succeed())
		Expect(env.Client.Create(ctx, recordsAdapter(p.namespace))).To(Succeed())
		Expect(env.Client.Create(ctx, ticketRecords(p.namespace, "alpha", "beta"))).To(Succeed())
		env.ServiceAccount(ctx, GinkgoTB(), p.namespace, "other")
		other := env.Token(ctx, GinkgoTB(), p.namespace, "other", harness.Audience, 600)
		grant(ctx, p.namespace, "alpha", p.namespace, rbacv1.PolicyRule{
			APIGroups: []string{"callgate.dev"}, Resources: []string{"tenants"}, ResourceNames: []string{"alpha"}, Verbs: []string{"use"},
		})
		alpha, beta := `,"context":{"tenant":"alpha"}`, `,"context":{"tenant":"beta"}`
		Eventually(running(ctx, p.token, execution("a", `"TKT-104"`, alpha))).Should(Equal(crash))
		Expect(run(ctx, p.token, execution("b", `"TKT-104"`, beta))).To(Equal("forbidden"))
		Expect(run(ctx, p.token, execution("c", `"TKT-104"`, ""))).To(Equal("forbidden"))
		Expect(run(ctx, p.token, execution("d", `"TKT-104","tenant":"alpha"`, alpha))).To(Equal("invalid_arguments"))
		Expect(run(ctx, p.token, execution("e", `"TKT-104"`, `,"context":{"tenant":"alpha:TKT-104"}`))).To(Equal("forbidden"))
		Expect(run(ctx, other, execution("f", `"TKT-104"`, alpha))).To(Equal("forbidden"))
		Expect(run(ctx, p.token, execution("g", `"TKT-104"`, alpha+`,"onBehalfOf":{"namespace":"`+p.namespace+`","serviceAccountName":"other"}`))).To(Equal("403"))
		for i, id := range injections("alpha", "beta") {
			Expect(run(ctx, p.token, execution(fmt.Sprint("i", i), id, alpha))).To(Equal("not_found"), "%.40s", id)
		}
	})

	It("says in status and by its code what an adapter lacks", func(ctx SpecContext) {
		p := newPlace(ctx)
		Expect(env.Client.Create(ctx, harness.ToolPolicy(p.namespace, "policy", "get_ticket"))).To(Succeed())
		Expect(env.Client.Create(ctx, recordsAdapter(p.namespace))).To(Succeed())
		ready(ctx, p.namespace, callgatev1alpha1.ConditionResolvedRefs, callgatev1alpha1.ReasonRefNotFound)
		Expect(env.Client.Create(ctx, getTicket(p.namespace))).To(Succeed())
		ready(ctx, p.namespace, callgatev1alpha1.ConditionResolvedRefs, callgatev1alpha1.ReasonRefNotPermitted)
		Eventually(running(ctx, p.token, execution("a", `"TKT-104"`, ""))).Should(Equal("upstream_error"))
		letRead(ctx, p.namespace)
		ready(ctx, p.namespace, callgatev1alpha1.ConditionResolvedRefs, callgatev1alpha1.ReasonRefNotFound)
		records := ticketRecords(p.namespace, p.namespace, "beta")
		records.Labels = nil
		Expect(env.Client.Create(ctx, records)).To(Succeed())
		Expect(run(ctx, p.token, execution("b", `"TKT-104"`, ""))).To(Equal("upstream_error"))
		records.Labels = map[string]string{adapter.RecordsLabel: "true"}
		Expect(env.Client.Update(ctx, records)).To(Succeed())
		ready(ctx, p.namespace, callgatev1alpha1.ConditionReady, callgatev1alpha1.ReasonInForce)
		Eventually(running(ctx, p.token, execution("c", `"TKT-104"`, ""))).Should(Equal(crash))

		By("a second adapter for the tool, after which neither runs it")
		second := recordsAdapter(p.namespace)
		second.Name = "second"
		Expect(env.Client.Create(ctx, second)).To(Succeed())
		ready(ctx, p.namespace, callgatev1alpha1.ConditionAccepted, callgatev1alpha1.ReasonDuplicateToolName)
		Expect(run(ctx, p.token, execution("d", `"TKT-104"`, ""))).To(Equal("upstream_error"))
		Expect(env.Client.Delete(ctx, second)).To(Succeed())
		ready(ctx, p.namespace, callgatev1alpha1.ConditionReady, callgatev1alpha1.ReasonInForce)

		By("a policy that only warns, and would block")
		warns := harness.ToolPolicy(p.namespace, "warns", "another")
		warns.Spec.ValidationActions = []callgatev1alpha1.ValidationAction{callgatev1alpha1.ActionWarn}
		Expect(env.Client.Create(ctx, warns)).To(Succeed())
		Eventually(running(ctx, p.token, execution("e", `"TKT-104"`, ""))).Should(Equal("upstream_error"))
		Expect(manager.AskExecution(ctx, GinkgoTB(), p.token, execution("f", `"TKT-104"`, "")).Executed(GinkgoTB()).WouldBlock).To(BeTrue())
		Expect(env.Client.Delete(ctx, warns)).To(Succeed())

		By("a uid that is used again, for the same call and for another")
		Eventually(running(ctx, p.token, execution("g", `"TKT-104"`, ""))).Should(Equal(crash))
		Expect(run(ctx, p.token, execution("g", `"TKT-104"`, ""))).To(Equal(crash))
		Expect(run(ctx, p.token, execution("g", `"TKT-105"`, ""))).To(Equal("upstream_error"))
	})
})
