package e2e_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/test/cases"
	"github.com/callgate/callgate/test/harness"
)

// validatorToken must never be seen outside of a request to the validator.
const validatorToken = "t0ken-of-the-validator"

// place is a namespace with the ServiceAccount agent and its token.
type place struct{ namespace, token string }

func newPlace(ctx context.Context) place {
	GinkgoHelper()
	p := place{namespace: env.Namespace(ctx, GinkgoTB())}
	env.ServiceAccount(ctx, GinkgoTB(), p.namespace, "agent")
	p.token = env.Token(ctx, GinkgoTB(), p.namespace, "agent", harness.Audience, 600)
	return p
}

func (p place) offer(ctx context.Context, body []byte) *reviewv1alpha1.ToolRequestReviewResponse {
	GinkgoHelper()
	return manager.AskOffer(ctx, GinkgoTB(), p.token, body).OfferVerdict(GinkgoTB())
}

// eventually waits until an offer of the tool gets this verdict and reason.
func (p place) eventually(ctx context.Context, tool string, verdict reviewv1alpha1.RequestVerdict, reason string) *reviewv1alpha1.ToolRequestReviewResponse {
	GinkgoHelper()
	var r *reviewv1alpha1.ToolRequestReviewResponse
	Eventually(func(g Gomega) {
		r = p.offer(ctx, harness.Offer(tool))
		g.Expect(r.Policies).NotTo(BeEmpty(), "the policy is not in force yet")
		g.Expect(r.Verdict).To(Equal(verdict), "%+v", r.Details)
		g.Expect(r.Details.SemanticReason).To(Equal(reason))
	}).Should(Succeed())
	return r
}

var _ = Describe("The cases about offers, over HTTPS", func() {
	all, err := cases.Load()
	if err != nil {
		panic(err)
	}
	for _, c := range all {
		if c.Kind != cases.KindOffer {
			continue
		}
		It(c.ID+": "+c.About, func(ctx SpecContext) {
			p := newPlace(ctx)
			_, policy := c.Objects(p.namespace)
			Expect(env.Client.Create(ctx, policy)).To(Succeed())
			body, err := c.Body()
			Expect(err).NotTo(HaveOccurred())
			Eventually(func() string { return c.CheckOffer(p.offer(ctx, body)) }).Should(BeEmpty())
			want := fromFiles(ctx, p.namespace, body, typed("ToolPolicy", policy))
			Eventually(func() string { return response(manager.AskOffer(ctx, GinkgoTB(), p.token, body).Body) }).
				WithTimeout(10*time.Second).Should(Equal(want), "once the policy is in force, files and cluster give one verdict")
		})
	}
})

var _ = Describe("An offer", func() {
	It("is held to the allow list, as the configuration that is imported has it", func(ctx SpecContext) {
		p := newPlace(ctx)
		Expect(env.Client.Create(ctx, harness.ToolPolicy(p.namespace, "tools", "web_search", "database_query"))).To(Succeed())
		r := p.eventually(ctx, "web_search", reviewv1alpha1.VerdictAllow, "")
		Expect(r.ReasonCode).To(Equal(reviewv1alpha1.ReasonRequestOK))
		Expect(r.Phase).To(Equal("pre_request"))
		r = p.offer(ctx, harness.Offer("delete_database"))
		Expect(r.Verdict).To(Equal(reviewv1alpha1.VerdictBlock))
		Expect(r.ReasonCode).To(Equal(reviewv1alpha1.ReasonRequestInvalid))
		Expect(r.Details.UndeclaredTools).To(ConsistOf("delete_database"))
		Expect(r.PermittedTools).To(BeEmpty())
	})

	It("passes undeclared names where the policy says so, and any where it names none", func(ctx SpecContext) {
		p := newPlace(ctx)
		policy := harness.ToolPolicy(p.namespace, "tools", "web_search")
		policy.Spec.UndeclaredTools = callgatev1alpha1.PassAllow
		Expect(env.Client.Create(ctx, policy)).To(Succeed())
		r := p.eventually(ctx, "delete_database", reviewv1alpha1.VerdictAllow, "")
		Expect(r.Details.UndeclaredTools).To(ConsistOf("delete_database"))

		q := newPlace(ctx)
		Expect(env.Client.Create(ctx, harness.ToolPolicy(q.namespace, "tools", "*"))).To(Succeed())
		r = q.eventually(ctx, "delete_database", reviewv1alpha1.VerdictAllow, "")
		Expect(r.Details.UndeclaredTools).To(BeEmpty())
	})

	It("is blocked by a declared tool whose ToolSchema does not compile", func(ctx SpecContext) {
		p := newPlace(ctx)
		Expect(env.Client.Create(ctx, harness.ToolSchema(p.namespace, "broken", "database_query", `{"type":"objekt"}`))).To(Succeed())
		Expect(env.Client.Create(ctx, harness.ToolPolicy(p.namespace, "tools", "web_search", "database_query"))).To(Succeed())
		r := p.eventually(ctx, "web_search", reviewv1alpha1.VerdictBlock, "")
		Expect(r.Details.InvalidSchemas).To(ConsistOf("database_query"))
	})

	It("is judged for known callers only", func(ctx SpecContext) {
		a := manager.AskOffer(ctx, GinkgoTB(), "no-token", harness.Offer("x"))
		Expect(a.Refusal(GinkgoTB()).Code).To(BeEquivalentTo(http.StatusUnauthorized))
	})
})

// stub is a validator.
type stub struct {
	*httptest.Server
	answer atomic.Value // what to say, "" for a failure
	asked  atomic.Int32
	auth   atomic.Value
	text   atomic.Value
}

func newStub() *stub {
	s := &stub{}
	s.answer.Store(`{"valid":true,"reason":"fits"}`)
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		s.auth.Store(r.Header.Get("Authorization"))
		body, _ := io.ReadAll(r.Body)
		s.text.Store(string(body))
		answer, _ := s.answer.Load().(string)
		if answer == "" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, answer)
	}))
	DeferCleanup(s.Close)
	return s
}

func (s *stub) policy(namespace string) *callgatev1alpha1.ToolPolicy {
	p := harness.ToolPolicy(namespace, "judged", "web_search")
	p.Spec.SemanticValidation = callgatev1alpha1.SemanticValidation{
		Endpoint:     s.URL + "/v1/chat/completions",
		SecretKeyRef: callgatev1alpha1.SecretKeyRef{Name: "validator", Key: "token"},
		CABundle:     pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
	}
	return p
}

func (p place) secret(ctx context.Context, kind corev1.SecretType) {
	GinkgoHelper()
	Expect(env.Client.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "validator"}, Type: kind,
		StringData: map[string]string{"token": validatorToken},
	})).To(Succeed())
}

// readable lets the manager read the Secrets of the namespace.
func (p place) readable(ctx context.Context) {
	GinkgoHelper()
	Expect(env.Client.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "callgate-secret-reader"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "callgate-secret-reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: harness.SystemNamespace, Name: "callgate"}},
	})).To(Succeed())
}

// resolved waits until the policy's status says this of its references.
func resolved(ctx context.Context, policy *callgatev1alpha1.ToolPolicy, reason string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(env.Client.Get(ctx, client.ObjectKeyFromObject(policy), policy)).To(Succeed())
		c := meta.FindStatusCondition(policy.Status.Conditions, callgatev1alpha1.ConditionResolvedRefs)
		g.Expect(c).NotTo(BeNil())
		g.Expect(c.Reason).To(Equal(reason), c.Message)
		ready := meta.FindStatusCondition(policy.Status.Conditions, callgatev1alpha1.ConditionReady)
		want := metav1.ConditionFalse
		if reason == callgatev1alpha1.ReasonResolvedRefs {
			want = metav1.ConditionTrue
		}
		g.Expect(ready.Status).To(Equal(want), ready.Message)
	}).Should(Succeed())
}

var _ = Describe("A semantic validator", func() {
	It("is asked last, with the policy's own token, and can only say no", func(ctx SpecContext) {
		p, s := newPlace(ctx), newStub()
		p.readable(ctx)
		p.secret(ctx, "callgate.dev/bearer-token")
		policy := s.policy(p.namespace)
		Expect(env.Client.Create(ctx, policy)).To(Succeed())

		By("saying yes")
		r := p.eventually(ctx, "web_search", reviewv1alpha1.VerdictAllow, "fits")
		Expect(r.Details.SemanticValidated).To(BeTrue())
		Expect(s.auth.Load()).To(Equal("Bearer " + validatorToken))
		var asked struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		text, _ := s.text.Load().(string)
		Expect(json.Unmarshal([]byte(text), &asked)).To(Succeed())
		Expect(asked.Model).To(Equal("judge"))
		Expect(asked.Messages).To(HaveLen(1))
		Expect(asked.Messages[0].Content).To(MatchJSON(`{"declared_tools":["web_search"],"schemas":{},"request_tools":[{"type":"function","function":{"name":"web_search"}}]}`))
		resolved(ctx, policy, callgatev1alpha1.ReasonResolvedRefs)

		By("not being asked about what the local checks block")
		before := s.asked.Load()
		r = p.offer(ctx, harness.Offer("delete_database"))
		Expect(r.Verdict).To(Equal(reviewv1alpha1.VerdictBlock))
		Expect(r.Details.SemanticValidated).To(BeFalse())
		Expect(s.asked.Load()).To(Equal(before))

		By("saying no, and failing: each to an offer that it has not seen yet")
		s.answer.Store(`{"valid":false,"reason":"odd"}`)
		r = p.offer(ctx, offerAbout("no"))
		Expect(r.Verdict).To(Equal(reviewv1alpha1.VerdictBlock))
		Expect(r.ReasonCode).To(Equal(reviewv1alpha1.ReasonRequestInvalid))
		Expect(r.Details.SemanticReason).To(Equal("odd"))
		s.answer.Store("")
		r = p.offer(ctx, offerAbout("failure"))
		Expect(r.Verdict).To(Equal(reviewv1alpha1.VerdictBlock))
		Expect(r.Details.SemanticReason).To(Equal("bad_status"))

		Expect(string(managerLog.Contents())).NotTo(ContainSubstring(validatorToken))
		Expect(string(managerLog.Contents())).To(ContainSubstring("bad_status"))
	})

	It("blocks, and status says why, until its Secret may be used", func(ctx SpecContext) {
		p, s := newPlace(ctx), newStub()
		policy := s.policy(p.namespace)
		Expect(env.Client.Create(ctx, policy)).To(Succeed())
		p.eventually(ctx, "web_search", reviewv1alpha1.VerdictBlock, "secret_unusable")
		resolved(ctx, policy, callgatev1alpha1.ReasonRefNotPermitted)

		By("letting the manager read, though there is nothing")
		p.readable(ctx)
		resolved(ctx, policy, callgatev1alpha1.ReasonRefNotFound)

		By("giving it a Secret of another type")
		p.secret(ctx, corev1.SecretTypeOpaque)
		resolved(ctx, policy, callgatev1alpha1.ReasonRefNotPermitted)
		p.eventually(ctx, "web_search", reviewv1alpha1.VerdictBlock, "secret_unusable")
		Expect(s.asked.Load()).To(BeZero())

		By("giving it one whose owner consents")
		Expect(env.Client.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "validator"}})).To(Succeed())
		p.secret(ctx, "callgate.dev/bearer-token")
		resolved(ctx, policy, callgatev1alpha1.ReasonResolvedRefs)
		p.eventually(ctx, "web_search", reviewv1alpha1.VerdictAllow, "fits")
	})

	It("is not asked where the operator has not allowed it", func(ctx SpecContext) {
		p := newPlace(ctx)
		policy := harness.ToolPolicy(p.namespace, "judged", "web_search")
		policy.Spec.SemanticValidation.Endpoint = "https://127.0.0.2/v1/chat/completions"
		Expect(env.Client.Create(ctx, policy)).To(Succeed())
		p.eventually(ctx, "web_search", reviewv1alpha1.VerdictBlock, "not_allowed")
		resolved(ctx, policy, callgatev1alpha1.ReasonEndpointNotAllowed)
	})
})

// offerAbout is an offer of web_search that differs by its description.
func offerAbout(description string) []byte {
	return []byte(`{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolRequestReview","request":{"message":{"format":"OpenAIChat","body":{"messages":[],"tools":[{"type":"function","function":{"name":"web_search","description":"` + description + `"}}]}}}}`)
}
