package e2e_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/callgate/callgate/test/harness"
)

var good = harness.Call("weather", `{"city":"Oslo"}`)

// allowedCaller makes a namespace in which the ServiceAccount agent may call weather.
func allowedCaller(ctx context.Context) (namespace, token string) {
	GinkgoHelper()
	namespace = env.Namespace(ctx, GinkgoTB())
	env.ServiceAccount(ctx, GinkgoTB(), namespace, "agent")
	Expect(env.Client.Create(ctx, harness.WeatherSchema(namespace))).To(Succeed())
	Expect(env.Client.Create(ctx, harness.WeatherPolicy(namespace))).To(Succeed())
	token = env.Token(ctx, GinkgoTB(), namespace, "agent", harness.Audience, 600)
	Eventually(func() bool { return verdict(ctx, token, good).Allowed }).
		Should(BeTrue(), "the objects come into force")
	return namespace, token
}

var _ = Describe("Identity", func() {
	It("refuses everybody who is not who they should be", func(ctx SpecContext) {
		namespace, token := allowedCaller(ctx)
		parts := strings.Split(token, ".")
		for name, t := range map[string]string{
			"no token":               "",
			"an opaque token":        "c2VjcmV0LXRva2Vu",
			"another audience":       env.Token(ctx, GinkgoTB(), namespace, "agent", "somebody.else", 600),
			"an expired token":       expired(token),
			"a broken signature":     parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])),
			"another key":            forged(token),
			"no signature":           parts[0] + "." + parts[1] + ".",
			"a header and no claims": parts[0] + ".." + parts[2],
			"an endless token":       strings.Repeat("a", 9000) + "." + parts[1] + "." + parts[2],
		} {
			By(name)
			a := ask(ctx, t, good)
			Expect(a.Status).To(Equal(http.StatusUnauthorized), "%s: %s", name, a.Body)
			Expect(a.Header.Get("WWW-Authenticate")).To(HavePrefix("Bearer"), name)
			status := a.Refusal(GinkgoTB())
			Expect(status.Reason).To(Equal(metav1.StatusReasonUnauthorized), name)
			if t != "" {
				Expect(string(a.Body)).NotTo(ContainSubstring(t), "the token is in the answer")
			}
		}
	})

	It("refuses a user who is no ServiceAccount with 403", func(ctx SpecContext) {
		a := ask(ctx, issuer.token("alice", time.Minute), good)
		Expect(a.Status).To(Equal(http.StatusForbidden), "%s", a.Body)
		Expect(a.Refusal(GinkgoTB()).Reason).To(Equal(metav1.StatusReasonForbidden))
	})

	It("refuses an impostor from another issuer who calls himself a ServiceAccount's user", func(ctx SpecContext) {
		a := ask(ctx, issuer.token("not-a:serviceaccount:x:y", time.Minute), good)
		Expect(a.Status).To(Equal(http.StatusForbidden), "%s", a.Body)
	})

	It("refuses a ServiceAccount that may not create reviews with 403, and takes it once it may", func(ctx SpecContext) {
		namespace, token := allowedCaller(ctx)
		deny := &rbacv1.ClusterRoleBinding{}
		Expect(env.Client.Get(ctx, objectKey("", "callers"), deny)).To(Succeed())
		before := deny.DeepCopy()
		deny.Subjects = []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "system:serviceaccounts:nobody"}}
		Expect(env.Client.Update(ctx, deny)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			latest := &rbacv1.ClusterRoleBinding{}
			Expect(env.Client.Get(ctx, objectKey("", "callers"), latest)).To(Succeed())
			latest.Subjects = before.Subjects
			Expect(env.Client.Update(ctx, latest)).To(Succeed())
		})
		Eventually(func() int { return ask(ctx, token, good).Status }).
			Should(Equal(http.StatusForbidden), "a revoked right is noticed within the cache's life")
		Expect(env.Client.Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "caller"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "callgate-caller"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: "agent"}},
		})).To(Succeed())
		Eventually(func() int { return ask(ctx, token, good).Status }).
			Should(Equal(http.StatusOK), "a grant in the caller's own namespace is enough")
	})

	It("refuses the token of a deleted ServiceAccount within the cache's life", func(ctx SpecContext) {
		namespace, token := allowedCaller(ctx)
		Expect(env.Client.Delete(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "agent"}})).To(Succeed())
		// The API server itself takes up to ten seconds to forget a token.
		Eventually(func() int { return ask(ctx, token, good).Status }).WithTimeout(identityTTL+15*time.Second).
			Should(Equal(http.StatusUnauthorized), "the token of a deleted ServiceAccount is refused")
	})

	It("refuses a token from its expiry on, whatever the API server says", func(ctx SpecContext) {
		_, _ = allowedCaller(ctx)
		token := issuer.token("alice", 3*time.Second)
		Expect(ask(ctx, token, good).Status).To(Equal(http.StatusForbidden))
		Eventually(func() int { return ask(ctx, token, good).Status }).WithTimeout(6 * time.Second).
			Should(Equal(http.StatusUnauthorized))
	})
})

// expired gives the token with an expiry that has passed; its signature is then wrong
// too, but nobody should get as far as checking it.
func expired(token string) string {
	return rewritten(token, func(claims map[string]any) { claims["exp"] = time.Now().Add(-time.Minute).Unix() })
}

// forged gives the same claims signed by somebody else.
func forged(token string) string {
	parts := strings.Split(token, ".")
	var header, claims map[string]any
	decode(parts[0], &header)
	decode(parts[1], &claims)
	return sign(issuer.key, header, claims)
}

func rewritten(token string, change func(map[string]any)) string {
	parts := strings.Split(token, ".")
	var claims map[string]any
	decode(parts[1], &claims)
	change(claims)
	text, err := json.Marshal(claims)
	Expect(err).NotTo(HaveOccurred())
	return parts[0] + "." + encode(text) + "." + parts[2]
}

func decode(part string, into *map[string]any) {
	GinkgoHelper()
	text, err := base64.RawURLEncoding.DecodeString(part)
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(text, into)).To(Succeed())
}
