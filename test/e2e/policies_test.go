package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/test/harness"
)

// tenantOf is a namespace with the ServiceAccount agent, the tool weather, and a policy.
func tenantOf(ctx context.Context, change func(*callgatev1alpha1.ToolPolicySpec)) (namespace, token string) {
	GinkgoHelper()
	namespace = env.Namespace(ctx, GinkgoTB())
	env.ServiceAccount(ctx, GinkgoTB(), namespace, "agent")
	Expect(env.Client.Create(ctx, harness.WeatherSchema(namespace))).To(Succeed())
	policy := harness.WeatherPolicy(namespace)
	if change != nil {
		change(&policy.Spec)
	}
	Expect(env.Client.Create(ctx, policy)).To(Succeed())
	return namespace, env.Token(ctx, GinkgoTB(), namespace, "agent", harness.Audience, 600)
}

// grant lets agent of one namespace do something in another.
func grant(ctx context.Context, in, name, agentOf string, rule rbacv1.PolicyRule) *rbacv1.RoleBinding {
	GinkgoHelper()
	Expect(env.Client.Create(ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: name}, Rules: []rbacv1.PolicyRule{rule}})).To(Succeed())
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: agentOf, Name: "agent"}},
	}
	Expect(env.Client.Create(ctx, binding)).To(Succeed())
	return binding
}

// with is a review of a good call that also says something else.
func with(extra string) []byte {
	return []byte(strings.Replace(string(good), `"uid":"u"`, `"uid":"u",`+extra, 1))
}

// brief is a verdict on one call in a line.
func brief(ctx context.Context, token string, body []byte) string {
	GinkgoHelper()
	a := ask(ctx, token, body)
	if a.Status != http.StatusOK {
		return fmt.Sprint(a.Status)
	}
	r := a.Verdict(GinkgoTB()).Results[0]
	return strings.Join(append([]string{string(r.Code)}, r.Errors...), " ")
}

func say(ctx context.Context, token string, body []byte) func() string {
	return func() string { return brief(ctx, token, body) }
}

var _ = Describe("Policies", func() {
	It("let RBAC grant tools one by one, and take them away within the life of an answer", func(ctx SpecContext) {
		namespace, token := tenantOf(ctx, func(s *callgatev1alpha1.ToolPolicySpec) {
			s.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"*"}
			s.Authorization.Mode = callgatev1alpha1.AuthorizationRBAC
		})
		Expect(env.Client.Create(ctx, harness.ToolSchema(namespace, "mail", "mail", `{"type":"object"}`))).To(Succeed())
		Eventually(say(ctx, token, good)).Should(Equal("forbidden forbidden:rbac"))
		binding := grant(ctx, namespace, "weather", namespace, rbacv1.PolicyRule{
			APIGroups: []string{"callgate.dev"}, Resources: []string{"toolschemas"}, ResourceNames: []string{"weather"}, Verbs: []string{"call"},
		})
		Eventually(say(ctx, token, good)).Should(Equal("ok"))
		Eventually(say(ctx, token, harness.Call("mail", `{}`))).Should(Equal("forbidden forbidden:rbac"))
		By("telling only the code of an earlier stage to whom the tool is refused")
		Expect(brief(ctx, token, harness.Call("mail", `{"x":1}`))).To(Equal("invalid_arguments"))
		Expect(brief(ctx, token, harness.Call("weather", `{}`))).To(Equal("invalid_arguments missing:city"))
		Expect(env.Client.Delete(ctx, binding)).To(Succeed())
		Eventually(say(ctx, token, good)).WithTimeout(identityTTL * 3).Should(Equal("forbidden forbidden:rbac"))
	})

	It("judge for another ServiceAccount only where the caller may", func(ctx SpecContext) {
		target, own := tenantOf(ctx, nil)
		front := env.Namespace(ctx, GinkgoTB())
		env.ServiceAccount(ctx, GinkgoTB(), front, "agent")
		token := env.Token(ctx, GinkgoTB(), front, "agent", harness.Audience, 600)
		Eventually(say(ctx, own, good)).Should(Equal("ok"))
		Expect(brief(ctx, token, good)).To(Equal("no_policy no_policy"))
		delegated := with(`"onBehalfOf":{"namespace":"` + target + `","serviceAccountName":"agent"}`)
		a := ask(ctx, token, delegated)
		Expect(a.Status).To(Equal(http.StatusForbidden))
		Expect(a.Refusal(GinkgoTB()).Message).To(ContainSubstring("reviewas"))
		binding := grant(ctx, target, "front", front, rbacv1.PolicyRule{
			APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, ResourceNames: []string{"agent"}, Verbs: []string{"reviewas"},
		})
		Eventually(say(ctx, token, delegated)).Should(Equal("ok"))
		Expect(brief(ctx, token, with(`"onBehalfOf":{"namespace":"`+target+`","serviceAccountName":"other"}`))).To(Equal("403"))
		Expect(env.Client.Delete(ctx, binding)).To(Succeed())
		Eventually(say(ctx, token, delegated)).WithTimeout(identityTTL * 3).Should(Equal("403"))
	})

	It("take a tenant from the context only from who may use it", func(ctx SpecContext) {
		namespace, token := tenantOf(ctx, func(s *callgatev1alpha1.ToolPolicySpec) { s.Tenant.From = callgatev1alpha1.TenantFromContext })
		alpha := with(`"context":{"tenant":"alpha"}`)
		Eventually(say(ctx, token, alpha)).Should(Equal("forbidden forbidden:tenant"))
		Expect(brief(ctx, token, good)).To(Equal("forbidden forbidden:tenant"))
		grant(ctx, namespace, "alpha", namespace, rbacv1.PolicyRule{
			APIGroups: []string{"callgate.dev"}, Resources: []string{"tenants"}, ResourceNames: []string{"alpha"}, Verbs: []string{"use"},
		})
		Eventually(say(ctx, token, alpha)).Should(Equal("ok"))
		Expect(brief(ctx, token, with(`"context":{"tenant":"beta"}`))).To(Equal("forbidden forbidden:tenant"))
		By("refusing a tenant in the context where the policy has another source")
		_, other := tenantOf(ctx, nil)
		Eventually(say(ctx, other, good)).Should(Equal("ok"))
		Expect(brief(ctx, other, alpha)).To(Equal("forbidden forbidden:tenant"))
	})

	It("take a tenant from a label of the namespace, as it is now", func(ctx SpecContext) {
		namespace, token := tenantOf(ctx, func(s *callgatev1alpha1.ToolPolicySpec) {
			s.Tenant = callgatev1alpha1.PolicyTenant{From: callgatev1alpha1.TenantFromNamespaceLabel, Label: "example.com/tenant"}
			s.Rules = []callgatev1alpha1.PolicyRule{{Name: "alpha", Expression: `tenant == "alpha"`}}
		})
		Eventually(say(ctx, token, good)).Should(Equal("forbidden forbidden:tenant"))
		for value, want := range map[string]string{"beta": "forbidden forbidden:policy/alpha", "alpha": "ok"} {
			ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
			Expect(env.Client.Patch(ctx, ns, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"example.com/tenant":"`+value+`"}}}`)))).To(Succeed())
			Eventually(say(ctx, token, good)).Should(Equal(want))
		}
	})

	It("hold calls to their rules", func(ctx SpecContext) {
		rule := func(name, expression string) callgatev1alpha1.PolicyRule {
			return callgatev1alpha1.PolicyRule{Name: name, Expression: expression}
		}
		namespace, token := tenantOf(ctx, func(s *callgatev1alpha1.ToolPolicySpec) {
			s.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"pay"}
			s.Rules = []callgatev1alpha1.PolicyRule{rule("limit", `args.amount <= 100 || caller.namespace == "finance"`)}
			s.Rules[0].Message = "Over 100 a person pays."
		})
		Expect(env.Client.Create(ctx, harness.ToolSchema(namespace, "pay", "pay",
			`{"type":"object","properties":{"amount":{"type":"number"},"list":{"type":"array","items":{"type":"integer"}}},"required":["amount"]}`))).To(Succeed())
		pay := func(arguments string) []byte { return harness.Call("pay", arguments) }
		Eventually(say(ctx, token, pay(`{"amount":100}`))).Should(Equal("ok"))
		a := verdict(ctx, token, pay(`{"amount":100.5}`)).Results[0]
		Expect(a.Errors).To(Equal([]string{"forbidden:policy/limit"}))
		Expect(a.Feedback).To(Equal(`The call to "pay" is not allowed: Over 100 a person pays. Do not repeat it.`))
		Expect(brief(ctx, token, pay(`{"amount":1e400}`))).To(Equal("forbidden forbidden:policy/limit"))

		policy := &callgatev1alpha1.ToolPolicy{}
		costly := "{\"amount\":1,\"list\":[" + strings.TrimSuffix(strings.Repeat("1,", 3000), ",") + "]}"
		for _, mode := range []callgatev1alpha1.FailurePolicy{callgatev1alpha1.FailurePolicyFail, callgatev1alpha1.FailurePolicyIgnore} {
			for _, tc := range []struct {
				about, expression, arguments, want string
				accepted                           metav1.ConditionStatus
			}{
				{"too costly", `args.list.all(x, args.list.all(y, x == y))`, costly, "forbidden forbidden:policy/rule", metav1.ConditionTrue},
				{"dividing by zero", `100 / int(args.amount) > 0`, `{"amount":0}`, "forbidden forbidden:policy/rule", metav1.ConditionTrue},
				{"a missing argument", `args.list.size() > 0`, `{"amount":1}`, "forbidden forbidden:policy/rule", metav1.ConditionTrue},
				{"an argument that no schema has", `args.amuont < 5`, `{"amount":1}`, "forbidden forbidden:policy/rule", metav1.ConditionTrue},
				{"no CEL", `args.amount <`, `{"amount":1}`, map[callgatev1alpha1.FailurePolicy]string{
					callgatev1alpha1.FailurePolicyFail: "policy_error policy_error:policy/rule", callgatev1alpha1.FailurePolicyIgnore: "ok"}[mode], metav1.ConditionFalse},
			} {
				By(fmt.Sprintf("%s, under %s", tc.about, mode))
				Expect(env.Client.Get(ctx, objectKey(namespace, "policy"), policy)).To(Succeed())
				policy.Spec.FailurePolicy = mode
				policy.Spec.Rules = []callgatev1alpha1.PolicyRule{rule("rule", tc.expression)}
				Expect(env.Client.Update(ctx, policy)).To(Succeed())
				Eventually(func(g Gomega) {
					g.Expect(env.Client.Get(ctx, objectKey(namespace, "policy"), policy)).To(Succeed())
					accepted := meta.FindStatusCondition(policy.Status.Conditions, callgatev1alpha1.ConditionAccepted)
					g.Expect(accepted.ObservedGeneration).To(Equal(policy.Generation))
					g.Expect(accepted.Status).To(Equal(tc.accepted), accepted.Message)
				}).Should(Succeed())
				Expect(brief(ctx, token, pay(tc.arguments))).To(Equal(tc.want))
			}
		}
		Expect(policy.Status.Problems).To(HaveLen(1))
		Expect(policy.Status.Problems[0].Message).To(HavePrefix("line 1, column "))
	})
})
