package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/testenv"

	"github.com/callgate/callgate/test/harness"
)

// only gives the one result of a review.
func only(ctx context.Context, token string, body []byte) reviewv1alpha1.ToolCallResult {
	GinkgoHelper()
	results := verdict(ctx, token, body).Results
	Expect(results).To(HaveLen(1))
	return results[0]
}

func code(ctx context.Context, token string, body []byte) func() string {
	return func() string { return string(only(ctx, token, body).Code) }
}

// condition tells one condition as "status reason".
func condition(ctx context.Context, object client.Object, kind string) func() string {
	return func() string {
		if err := env.Client.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err.Error()
		}
		var conditions []metav1.Condition
		switch o := object.(type) {
		case *callgatev1alpha1.ToolSchema:
			conditions = o.Status.Conditions
		case *callgatev1alpha1.ToolPolicy:
			conditions = o.Status.Conditions
		}
		c := meta.FindStatusCondition(conditions, kind)
		if c == nil {
			return "absent"
		}
		return string(c.Status) + " " + c.Reason
	}
}

var _ = Describe("Objects and verdicts", func() {
	It("blocks the tool of a schema that does not compile, disturbs no other, and enforces the mended one within a second", func(ctx SpecContext) {
		namespace, token := allowedCaller(ctx)
		policy := harness.ToolPolicy(namespace, "policy", "weather", "mail")
		Expect(env.Client.Patch(ctx, policy, client.Merge)).To(Succeed())
		mail := harness.ToolSchema(namespace, "mail", "mail", `{"type":"object","properties":{"to":{"type":"str"}}}`)
		Expect(env.Client.Create(ctx, mail)).To(Succeed())
		send := harness.Call("mail", `{"to":"ada"}`)
		Eventually(code(ctx, token, send)).Should(Equal("schema_not_ready"))
		Expect(only(ctx, token, good).Allowed).To(BeTrue(), "a call to another tool")
		Eventually(condition(ctx, mail, "Accepted")).Should(Equal("False InvalidSchema"))
		Expect(mail.Status.Problems).To(ContainElement(HaveField("Path", HaveValue(Equal("/properties/to/type")))))
		Eventually(condition(ctx, policy, "Ready")).Should(Equal("True InForce"), "a broken tool leaves the policy in force")

		mail.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(`{"type":"object","properties":{"to":{"type":"string"}}}`)}
		Expect(env.Client.Update(ctx, mail)).To(Succeed())
		Eventually(code(ctx, token, send)).WithTimeout(time.Second).Should(Equal("ok"), "the mended schema is enforced within a second")
		Eventually(condition(ctx, mail, "Ready")).Should(Equal("True InForce"))
		Expect(condition(ctx, mail, "Stalled")()).To(Equal("absent"))
		Expect(mail.Status.Problems).To(BeEmpty())
	})

	It("serves a name claimed twice by neither, and by the one that is left", func(ctx SpecContext) {
		namespace, token := allowedCaller(ctx)
		second := harness.WeatherSchema(namespace)
		second.Name = "second"
		Expect(env.Client.Create(ctx, second)).To(Succeed())
		Eventually(code(ctx, token, good)).Should(Equal("schema_not_ready"))
		Eventually(condition(ctx, second, "Accepted")).Should(Equal("False DuplicateToolName"))
		Eventually(condition(ctx, harness.WeatherSchema(namespace), "Accepted")).Should(Equal("False DuplicateToolName"))
		Expect(env.Client.Delete(ctx, second)).To(Succeed())
		Eventually(code(ctx, token, good)).Should(Equal("ok"))
		Eventually(condition(ctx, harness.WeatherSchema(namespace), "Ready")).Should(Equal("True InForce"))
	})

	It("allows nothing any more once the policy is deleted", func(ctx SpecContext) {
		namespace, token := allowedCaller(ctx)
		Expect(env.Client.Delete(ctx, harness.WeatherPolicy(namespace))).To(Succeed())
		Eventually(code(ctx, token, good)).WithTimeout(time.Second).Should(Equal("no_policy"))
	})

	It("tells of declared tools without a schema, and blocks them", func(ctx SpecContext) {
		namespace, token := allowedCaller(ctx)
		policy := harness.ToolPolicy(namespace, "policy", "weather", "bare")
		Expect(env.Client.Patch(ctx, policy, client.Merge)).To(Succeed())
		Eventually(func() []callgatev1alpha1.Problem {
			Expect(env.Client.Get(ctx, client.ObjectKeyFromObject(policy), policy)).To(Succeed())
			return policy.Status.Warnings
		}).Should(ContainElement(HaveField("Path", HaveValue(Equal("/spec/declaredTools/1")))))
		Expect(only(ctx, token, harness.Call("bare", `{}`)).Errors).To(Equal([]string{"unknown_tool:bare"}))
	})

	It("lets a policy be tried out: Audit records, Warn tells", func(ctx SpecContext) {
		namespace, token := allowedCaller(ctx)
		bad := harness.Call("weather", `{"days":true,"tz":"UTC"}`)
		want := []string{"missing:city", "type:days", "unexpected:tz"}
		Expect(only(ctx, token, bad).Errors).To(Equal(want))
		for action, warnings := range map[callgatev1alpha1.ValidationAction][]string{"Audit": {}, "Warn": want} {
			policy := harness.WeatherPolicy(namespace)
			policy.Spec.ValidationActions = []callgatev1alpha1.ValidationAction{action}
			Expect(env.Client.Patch(ctx, policy, client.Merge)).To(Succeed())
			Eventually(func() []string {
				r := only(ctx, token, bad)
				if !r.Allowed || !r.WouldBlock || r.Code != "ok" || len(r.Errors) > 0 {
					return []string{string(r.Code)}
				}
				return r.Warnings
			}).Should(Equal(warnings), string(action))
		}
	})

	It("keeps the argument values of audited calls out of the log", func(ctx SpecContext) {
		namespace, token := allowedCaller(ctx)
		policy := harness.WeatherPolicy(namespace)
		policy.Spec.ValidationActions = []callgatev1alpha1.ValidationAction{"Audit"}
		Expect(env.Client.Patch(ctx, policy, client.Merge)).To(Succeed())
		bad := harness.Call("weather", `{"days":"correct-horse-battery"}`)
		Eventually(func() bool { return only(ctx, token, bad).WouldBlock }).Should(BeTrue())
		log := CurrentSpecReport().CapturedGinkgoWriterOutput
		Expect(log).To(ContainSubstring("type:days"))
		Expect(log).NotTo(ContainSubstring("correct-horse-battery"))
		Expect(log).NotTo(ContainSubstring(token))
	})
})

// kubectl runs the real one as the administrator.
func kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	GinkgoHelper()
	binary, kubeconfig := env.Kubectl(GinkgoTB())
	cmd := exec.CommandContext(ctx, binary, append([]string{"--kubeconfig", kubeconfig}, args...)...)
	root, err := testenv.ModuleRoot()
	Expect(err).NotTo(HaveOccurred())
	cmd.Dir = root
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var _ = Describe("kubectl", func() {
	It("applies the samples, waits for them, and changes nothing the second time", func(ctx SpecContext) {
		namespace := env.Namespace(ctx, GinkgoTB())
		out, err := kubectl(ctx, "", "apply", "-n", namespace, "-f", "config/samples")
		Expect(err).NotTo(HaveOccurred(), out)
		out, err = kubectl(ctx, "", "wait", "-n", namespace, "--for=condition=Ready", "--timeout=20s", "tsch,tpol", "--all")
		Expect(err).NotTo(HaveOccurred(), out)
		before, err := kubectl(ctx, "", "get", "callgate", "-n", namespace, "-o", "jsonpath={.items[*].metadata.resourceVersion}")
		Expect(err).NotTo(HaveOccurred(), before)
		for _, flags := range [][]string{{}, {}, {"--server-side", "--force-conflicts"}, {"--server-side"}} {
			out, err = kubectl(ctx, "", append([]string{"apply", "-n", namespace, "-f", "config/samples"}, flags...)...)
			Expect(err).NotTo(HaveOccurred(), out)
			if len(flags) == 0 {
				Expect(strings.Count(out, "unchanged")).To(Equal(strings.Count(out, "\n")), out)
				after, err := kubectl(ctx, "", "get", "callgate", "-n", namespace, "-o", "jsonpath={.items[*].metadata.resourceVersion}")
				Expect(err).NotTo(HaveOccurred())
				Expect(after).To(Equal(before))
			}
		}
		out, err = kubectl(ctx, "", "get", "tsch", "-n", namespace)
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(MatchRegexp(`(?m)^get-weather\s+get_weather\s+True\s+InForce\s`), out)
		Expect(out).To(MatchRegexp(`(?m)^docs-search\s+docs/search\s+True\s+InForce\s`), out)
	})

	It("is warned on apply of what status will report, and is refused nothing", func(ctx SpecContext) {
		namespace := env.Namespace(ctx, GinkgoTB())
		manifest := `
apiVersion: callgate.dev/v1alpha1
kind: ToolSchema
metadata: {name: mail}
spec:
  parameters: {type: object, properties: {to: {type: str}, count: {minimum: "1"}}}
---
apiVersion: callgate.dev/v1alpha1
kind: ToolPolicy
metadata: {name: p}
spec:
  subjects: {serviceAccountNames: [agent]}
  declaredTools: [mail, bare]
`
		out, err := kubectl(ctx, manifest, "apply", "-n", namespace, "-f", "-")
		Expect(err).NotTo(HaveOccurred(), out)
		Expect(out).To(ContainSubstring("Warning:"), out)
		Expect(out).To(ContainSubstring("/properties/to/type"), out)
		Expect(out).To(ContainSubstring("/properties/count/minimum"), out)
		Expect(out).To(ContainSubstring(`"bare" has no ToolSchema yet`), out)
	})

	It("is warned of a null that client-side apply dropped, and status says so", func(ctx SpecContext) {
		namespace := env.Namespace(ctx, GinkgoTB())
		manifest := func(more string) string {
			return `{"apiVersion":"callgate.dev/v1alpha1","kind":"ToolSchema","metadata":{"name":"t"},"spec":{"parameters":{"type":"object","properties":{"a":{"const":null}` + more + `}}}}`
		}
		out, err := kubectl(ctx, manifest(``), "apply", "-n", namespace, "-f", "-")
		Expect(err).NotTo(HaveOccurred(), out)
		out, err = kubectl(ctx, manifest(`,"b":{"type":"string"}`), "apply", "-n", namespace, "-f", "-")
		Expect(err).NotTo(HaveOccurred(), out)
		schema := harness.ToolSchema(namespace, "t", "", `{}`)
		Expect(env.Client.Get(ctx, client.ObjectKeyFromObject(schema), schema)).To(Succeed())
		Expect(string(schema.Spec.Parameters.Raw)).NotTo(ContainSubstring(`"const"`), "otherwise there is nothing to warn of")
		Expect(out).To(ContainSubstring("/properties/a/const"), out)
		Eventually(func() []callgatev1alpha1.Problem {
			Expect(env.Client.Get(ctx, client.ObjectKeyFromObject(schema), schema)).To(Succeed())
			return schema.Status.Warnings
		}).Should(ContainElement(HaveField("Path", HaveValue(Equal("/properties/a/const")))))
	})

	It("lets two server-side appliers own parts of one policy without a fight", func(ctx SpecContext) {
		namespace := env.Namespace(ctx, GinkgoTB())
		manifest := func(tool string) string {
			return `{"apiVersion":"callgate.dev/v1alpha1","kind":"ToolPolicy","metadata":{"name":"p"},"spec":{"subjects":{"serviceAccountNames":["agent"]},"declaredTools":["` + tool + `"]}}`
		}
		for round := range 3 {
			for _, tool := range []string{"one", "two"} {
				out, err := kubectl(ctx, manifest(tool), "apply", "-n", namespace, "--server-side", "--field-manager=team-"+tool, "-f", "-")
				Expect(err).NotTo(HaveOccurred(), "round %d: %s", round, out)
			}
		}
		policy := harness.ToolPolicy(namespace, "p")
		Eventually(condition(ctx, policy, "Ready")).Should(Equal("True InForce"))
		Expect(policy.Spec.DeclaredTools).To(ConsistOf(callgatev1alpha1.EffectiveToolName("one"), callgatev1alpha1.EffectiveToolName("two")))
		Expect(policy.Generation).To(BeEquivalentTo(2), "only the first apply of each changed anything")
	})
})

var _ = Describe("The documents' examples", func() {
	It("do what they say", func(ctx SpecContext) {
		namespace := env.Namespace(ctx, GinkgoTB())
		env.ServiceAccount(ctx, GinkgoTB(), namespace, "assistant")
		out, err := kubectl(ctx, "", "apply", "-n", namespace, "-f", "config/samples")
		Expect(err).NotTo(HaveOccurred(), out)
		out, err = kubectl(ctx, "", "wait", "-n", namespace, "--for=condition=Ready", "--timeout=20s", "tsch,tpol", "--all")
		Expect(err).NotTo(HaveOccurred(), out)
		dir := GinkgoTB().TempDir()
		token, ca := filepath.Join(dir, "token"), filepath.Join(dir, "ca.crt")
		Expect(os.WriteFile(token, []byte(env.Token(ctx, GinkgoTB(), namespace, "assistant", harness.Audience, 600)+"\n"), 0o600)).To(Succeed())
		Expect(os.WriteFile(ca, manager.CA, 0o600)).To(Succeed())
		root, err := testenv.ModuleRoot()
		Expect(err).NotTo(HaveOccurred())
		examples := [][]string{{"bash", "docs/examples/call.sh"}, {"go", "run", "./docs/examples/call"}}
		if _, err := exec.LookPath("python3"); err == nil {
			examples = append(examples, []string{"python3", "docs/examples/call.py"})
		}
		for _, example := range examples {
			By(fmt.Sprint(example))
			cmd := exec.CommandContext(ctx, example[0], example[1:]...)
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "CALLGATE_URL=https://"+manager.Endpoint.String(), "CALLGATE_TOKEN="+token, "CALLGATE_CA="+ca)
			out, err := cmd.CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), "%s", out)
			for _, want := range []string{"missing:city", "type:days", "unexpected:tz"} {
				Expect(string(out)).To(ContainSubstring(want), fmt.Sprint(example))
			}
		}
	})
})
