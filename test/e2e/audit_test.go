package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/app"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/test/harness"
)

// auditSecret is in arguments that must not be kept unless all policies say so.
const auditSecret = "K33P-0UT"

// audited is a manager that records to a file.
type audited struct {
	*harness.Manager
	file string
}

func startAudited(ctx context.Context, change func(*app.Options)) audited {
	GinkgoHelper()
	dir := GinkgoTB().TempDir()
	key := filepath.Join(dir, "key")
	Expect(os.WriteFile(key, []byte("a key of the right length"), 0o600)).To(Succeed())
	a := audited{file: filepath.Join(dir, "audit.jsonl")}
	a.Manager = harness.StartManager(ctx, GinkgoTB(), env, func(o *app.Options) {
		o.Log, o.Audit.Path, o.Audit.KeyFile = GinkgoWriter, a.file, key
		if change != nil {
			change(o)
		}
	})
	return a
}

// of gives the records of one review.
func (a audited) of(uid string) (records []*audit.Record) {
	GinkgoHelper()
	f, err := os.Open(a.file)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = f.Close() }()
	for reader := audit.NewReader(f); ; {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return records
		}
		Expect(err).NotTo(HaveOccurred())
		// The last line may be on its way.
		if line.Record != nil && line.Record.UID == uid {
			records = append(records, line.Record)
		}
	}
}

// one waits for the record of a review, which is the only one.
func (a audited) one(uid string) *audit.Record {
	GinkgoHelper()
	Eventually(func() []*audit.Record { return a.of(uid) }).ShouldNot(BeEmpty())
	records := a.of(uid)
	Expect(records).To(HaveLen(1))
	return records[0]
}

func (a audited) text() string {
	GinkgoHelper()
	text, err := os.ReadFile(a.file)
	Expect(err).NotTo(HaveOccurred())
	return string(text)
}

// review is one of a call whose argument must not leak.
func auditedCall(uid, kind, more string) []byte {
	calls := `"calls":[{"id":"c","name":"weather","arguments":{"city":"` + auditSecret + `"}}]`
	if kind == "ToolCallExecution" {
		calls = `"call":{"id":"c","name":"weather","arguments":{"city":"` + auditSecret + `"}}`
	}
	return fmt.Appendf(nil, `{"apiVersion":"review.callgate.dev/v1alpha1","kind":%q,"request":{"uid":%q,%s%s}}`, kind, uid, calls, more)
}

func auditedOffer(uid string) []byte {
	return []byte(strings.Replace(string(harness.Offer("weather")), `"uid":"u"`, fmt.Sprintf(`"uid":%q`, uid), 1))
}

var _ = Describe("Audit", Ordered, func() {
	var a audited

	BeforeAll(func(ctx SpecContext) { a = startAudited(ctx, nil) })

	// answered waits until the manager allows a call, so that its policy is in force.
	inForce := func(ctx context.Context, token string) {
		GinkgoHelper()
		Eventually(func() string {
			answer := a.Ask(ctx, GinkgoTB(), token, auditedCall("waiting", "ToolCallReview", ""))
			if answer.Status != http.StatusOK {
				return fmt.Sprint(answer.Status)
			}
			return string(answer.Verdict(GinkgoTB()).Results[0].Code)
		}).Should(Equal("ok"))
	}

	It("keeps one record of a verdict of each phase, and no value of an argument", func(ctx SpecContext) {
		namespace, token := tenantOf(ctx, nil)
		inForce(ctx, token)
		caller := audit.Account{Namespace: namespace, ServiceAccountName: "agent", Via: "https"}

		verdict := a.Ask(ctx, GinkgoTB(), token, auditedCall("call-1", "ToolCallReview", "")).Verdict(GinkgoTB())
		r := a.one("call-1")
		Expect(r.Phase).To(Equal(audit.PhaseCall))
		Expect(r.Caller).To(Equal(caller))
		Expect(r.Allowed).To(BeTrue())
		Expect(r.Revision).To(Equal(verdict.Revision))
		Expect(r.Policies).To(Equal([]string{namespace + "/policy"}))
		Expect(r.Tenant).To(Equal(namespace))
		Expect(r.Arguments).To(Equal(audit.KeptDigest))
		Expect(r.DurationMicroseconds).To(BeNumerically(">", 0))
		Expect(r.Calls).To(HaveLen(1))
		Expect(r.Calls[0]).To(And(HaveField("ID", "c"), HaveField("Tool", "weather"), HaveField("Code", "ok"), HaveField("Arguments", BeNil())))
		Expect(r.Calls[0].ArgumentsDigest).To(HavePrefix("hmac-sha256:"))
		Expect(r.Calls[0].ArgumentsDigest).NotTo(ContainSubstring(strings.TrimPrefix(verdict.Results[0].ArgumentsDigest, "sha256:")))

		a.AskOffer(ctx, GinkgoTB(), token, auditedOffer("offer-1")).OfferVerdict(GinkgoTB())
		r = a.one("offer-1")
		Expect(r.Phase).To(Equal(audit.PhaseOffer))
		Expect(r.Caller).To(Equal(caller))
		Expect(r.Allowed).To(BeTrue())
		Expect(r.Offer.Entries).To(Equal([]audit.OfferEntry{{Names: []string{"weather"}}}))

		Expect(a.AskExecution(ctx, GinkgoTB(), token, auditedCall("execution-1", "ToolCallExecution", "")).Executed(GinkgoTB()).OK).To(BeFalse())
		r = a.one("execution-1")
		Expect(r.Phase).To(Equal(audit.PhaseExecution))
		Expect(r.Allowed).To(BeTrue())
		Expect(r.Execution).To(Equal(&audit.Execution{Cause: "no_adapter", Detail: r.Execution.Detail}))

		Expect(a.text()).NotTo(ContainSubstring(auditSecret))
	})

	It("keeps the arguments where all policies say so, and both accounts of a review on behalf of another", func(ctx SpecContext) {
		namespace, token := tenantOf(ctx, func(s *callgatev1alpha1.ToolPolicySpec) { s.Audit.Arguments = callgatev1alpha1.AuditFull })
		inForce(ctx, token)
		a.Ask(ctx, GinkgoTB(), token, auditedCall("full-1", "ToolCallReview", "")).Verdict(GinkgoTB())
		r := a.one("full-1")
		Expect(r.Arguments).To(Equal(audit.KeptFull))
		Expect(*r.Calls[0].Arguments).To(Equal(`{"city":"` + auditSecret + `"}`))

		other, platform := tenantOf(ctx, nil)
		grant(ctx, namespace, "reviewas", other, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, ResourceNames: []string{"agent"}, Verbs: []string{"reviewas"}})
		onBehalf := fmt.Sprintf(`,"onBehalfOf":{"namespace":%q,"serviceAccountName":"agent"}`, namespace)
		Eventually(func() int {
			return a.Ask(ctx, GinkgoTB(), platform, auditedCall("on-behalf-1", "ToolCallReview", onBehalf)).Status
		}).Should(Equal(http.StatusOK))
		r = a.one("on-behalf-1")
		Expect(r.Caller).To(Equal(audit.Account{Namespace: other, ServiceAccountName: "agent", Via: "https"}))
		Expect(r.OnBehalfOf).To(Equal(&audit.Account{Namespace: namespace, ServiceAccountName: "agent"}))
		Expect(r.Outside.Access).To(ContainElement(And(HaveField("Verb", "reviewas"), HaveField("Answer", audit.AnswerGranted))))
	})

	It("tells what a policy with Audit would have said", func(ctx SpecContext) {
		_, token := tenantOf(ctx, func(s *callgatev1alpha1.ToolPolicySpec) {
			s.ValidationActions = []callgatev1alpha1.ValidationAction{callgatev1alpha1.ActionAudit}
			s.Rules = []callgatev1alpha1.PolicyRule{{Name: "never", Expression: "false"}}
		})
		inForce(ctx, token)
		a.Ask(ctx, GinkgoTB(), token, auditedCall("watched-1", "ToolCallReview", "")).Verdict(GinkgoTB())
		r := a.one("watched-1")
		Expect(r.Allowed).To(BeTrue())
		Expect(r.WouldBlock).To(BeTrue())
		Expect(r.Calls[0].Audited).To(ConsistOf(And(HaveField("Code", "forbidden"), HaveField("Errors", []string{"forbidden:policy/never"}))))
	})

	It("answers 503 where a record is required and cannot be written, and loses none at a stop", func(ctx SpecContext) {
		_, token := tenantOf(ctx, nil)
		inForce(ctx, token)
		full := startAudited(ctx, func(o *app.Options) { o.Audit.Mode, o.Audit.Path = "required", "/dev/full" })
		answer := full.Ask(ctx, GinkgoTB(), token, auditedCall("lost-1", "ToolCallReview", ""))
		Expect(answer.Status).To(Equal(http.StatusServiceUnavailable))
		Expect(answer.Refusal(GinkgoTB()).Reason).To(BeEquivalentTo("NotRecorded"))
		Expect(answer.Header.Get("Retry-After")).NotTo(BeEmpty())
		full.Stop(GinkgoTB())

		whole := startAudited(ctx, func(o *app.Options) { o.Audit.Mode = "required" })
		whole.Ask(ctx, GinkgoTB(), token, auditedCall("kept-1", "ToolCallReview", "")).Verdict(GinkgoTB())
		Expect(whole.of("kept-1")).To(HaveLen(1), "the record is there when the verdict is")
		whole.Stop(GinkgoTB())
	})
})
