package crd_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// policySpec is what one writer says of a policy. An empty list is one that it does
// not mention.
type policySpec struct{ accounts, tools, actions string }

func (p policySpec) text() string {
	var fields []string
	if p.accounts != "" {
		fields = append(fields, `"subjects": {"serviceAccountNames": `+p.accounts+`}`)
	}
	if p.tools != "" {
		fields = append(fields, `"declaredTools": `+p.tools)
	}
	if p.actions != "" {
		fields = append(fields, `"validationActions": `+p.actions)
	}
	return `{"apiVersion": "callgate.dev/v1alpha1", "kind": "ToolPolicy", "metadata": {"name": "policy"}, "spec": {` +
		strings.Join(fields, ", ") + `}}`
}

func readPolicy(ctx context.Context, namespace string) callgatev1alpha1.ToolPolicySpec {
	GinkgoHelper()
	p := &callgatev1alpha1.ToolPolicy{}
	Expect(env.Client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: "policy"}, p)).To(Succeed())
	return p.Spec
}

// What is left of a policy's lists when their owners withdraw. A list that decides who
// may or what may cannot be emptied; the one that decides what a failure does goes
// back to Deny.
var _ = Describe("Writing a ToolPolicy", func() {
	var namespace string
	BeforeEach(func(ctx context.Context) { namespace = env.Namespace(ctx, GinkgoT()) })

	apply := func(ctx context.Context, manager string, p policySpec) result {
		return kubectl(ctx, namespace, p.text(), "apply", "--server-side", "--field-manager="+manager, "-f", "-")
	}
	whole := policySpec{accounts: `["a"]`, tools: `["t"]`, actions: `["Audit"]`}
	untouched := func(ctx context.Context) {
		GinkgoHelper()
		spec := readPolicy(ctx, namespace)
		Expect(spec.Subjects.ServiceAccountNames).To(HaveExactElements(BeEquivalentTo("a")))
		Expect(spec.DeclaredTools).To(HaveExactElements(BeEquivalentTo("t")))
	}

	single := []struct {
		name string
		args []string
	}{
		{"kubectl apply", []string{"apply"}},
		{"kubectl apply --server-side", []string{"apply", "--server-side"}},
		{"kubectl replace", []string{"replace"}},
	}
	for _, w := range single {
		write := func(ctx context.Context, p policySpec) result {
			return kubectl(ctx, namespace, p.text(), append(w.args, "-f", "-")...)
		}
		first := func(ctx context.Context) {
			GinkgoHelper()
			args := w.args
			if args[0] == "replace" {
				args = []string{"create"}
			}
			must(kubectl(ctx, namespace, whole.text(), append(args, "-f", "-")...))
		}

		DescribeTable("refuses a list of who or what that is emptied: "+w.name,
			func(ctx context.Context, p policySpec, why string) {
				first(ctx)
				refused(write(ctx, p), why)
				untouched(ctx)
			},
			Entry("no subjects", policySpec{tools: `["t"]`}, "spec.subjects: Required value"),
			Entry("no accounts", policySpec{accounts: `[]`, tools: `["t"]`}, "spec.subjects"),
			Entry("null accounts", policySpec{accounts: `null`, tools: `["t"]`}, "spec.subjects"),
			Entry("no tools", policySpec{accounts: `["a"]`}, "spec.declaredTools: Required value"),
			Entry("empty tools", policySpec{accounts: `["a"]`, tools: `[]`}, "spec.declaredTools"),
			Entry("null tools", policySpec{accounts: `["a"]`, tools: `null`}, "spec.declaredTools"),
		)

		DescribeTable("denies again once the actions are withdrawn: "+w.name,
			func(ctx context.Context, actions string) {
				first(ctx)
				must(write(ctx, policySpec{accounts: `["a"]`, tools: `["t"]`, actions: actions}))
				Expect(readPolicy(ctx, namespace).ValidationActions).To(HaveExactElements(callgatev1alpha1.ActionDeny))
			},
			Entry("absent", ""),
			Entry("null", "null"),
		)

		It("never stores empty actions: "+w.name, func(ctx context.Context) {
			first(ctx)
			r := write(ctx, policySpec{accounts: `["a"]`, tools: `["t"]`, actions: `[]`})
			if r.Err != nil {
				Expect(r.All).To(ContainSubstring("spec.validationActions in body should have at least 1 items"))
				Expect(readPolicy(ctx, namespace).ValidationActions).To(HaveExactElements(callgatev1alpha1.ActionAudit))
				return
			}
			Expect(readPolicy(ctx, namespace).ValidationActions).To(HaveExactElements(callgatev1alpha1.ActionDeny))
		})
	}

	It("merges what two managers own, and keeps the rest when one withdraws", func(ctx context.Context) {
		must(apply(ctx, "alice", policySpec{accounts: `["a"]`, tools: `["t"]`}))
		must(apply(ctx, "bob", policySpec{accounts: `["b"]`, tools: `["u"]`}))
		spec := readPolicy(ctx, namespace)
		Expect(spec.Subjects.ServiceAccountNames).To(ConsistOf(BeEquivalentTo("a"), BeEquivalentTo("b")))
		Expect(spec.DeclaredTools).To(ConsistOf(BeEquivalentTo("t"), BeEquivalentTo("u")))

		must(apply(ctx, "bob", policySpec{}))
		untouched(ctx)

		refused(apply(ctx, "alice", policySpec{}), "spec.subjects: Required value")
		refused(apply(ctx, "alice", policySpec{accounts: `["a"]`}), "spec.declaredTools: Required value")
		untouched(ctx)
	})

	It("does not let a second manager slip in the star", func(ctx context.Context) {
		must(apply(ctx, "alice", policySpec{accounts: `["a"]`, tools: `["t"]`}))
		refused(apply(ctx, "bob", policySpec{accounts: `["*"]`}), ruleAccounts)
		refused(apply(ctx, "bob", policySpec{tools: `["*"]`}), ruleTools)
		untouched(ctx)
	})

	It("keeps the default Deny beside an action that a second manager adds", func(ctx context.Context) {
		must(apply(ctx, "alice", policySpec{accounts: `["a"]`, tools: `["t"]`}))
		must(apply(ctx, "bob", policySpec{actions: `["Audit"]`}))
		Expect(readPolicy(ctx, namespace).ValidationActions).To(ConsistOf(callgatev1alpha1.ActionDeny, callgatev1alpha1.ActionAudit))
		refused(apply(ctx, "bob", policySpec{actions: `["Warn"]`}), ruleActions)
		must(apply(ctx, "bob", policySpec{}))
		Expect(readPolicy(ctx, namespace).ValidationActions).To(HaveExactElements(callgatev1alpha1.ActionDeny))
	})

	// The one who withdraws Deny while another has written Audit is left with Audit,
	// which is what the other wrote and what the object shows.
	It("goes back to Deny only when the last owner of the actions withdraws", func(ctx context.Context) {
		must(apply(ctx, "alice", policySpec{accounts: `["a"]`, tools: `["t"]`, actions: `["Deny"]`}))
		must(apply(ctx, "bob", policySpec{actions: `["Audit"]`}))

		must(apply(ctx, "alice", policySpec{accounts: `["a"]`, tools: `["t"]`}))
		Expect(readPolicy(ctx, namespace).ValidationActions).To(HaveExactElements(callgatev1alpha1.ActionAudit))
		must(apply(ctx, "bob", policySpec{}))
		Expect(readPolicy(ctx, namespace).ValidationActions).To(HaveExactElements(callgatev1alpha1.ActionDeny))
	})

	It("blocks again once the owner of Allow withdraws it", func(ctx context.Context) {
		must(apply(ctx, "alice", policySpec{accounts: `["a"]`, tools: `["t"]`}))
		lax := strings.Replace(policySpec{}.text(), `"spec": {`, `"spec": {"undeclaredTools": "Allow", "unvalidatedCalls": "Allow"`, 1)
		// alice does not own the defaults, but the fields are there with another value.
		must(kubectl(ctx, namespace, lax, "apply", "--server-side", "--field-manager=bob", "-f", "-"))
		Expect(readPolicy(ctx, namespace).UndeclaredTools).To(Equal(callgatev1alpha1.PassAllow))

		must(apply(ctx, "bob", policySpec{}))
		spec := readPolicy(ctx, namespace)
		Expect(spec.UndeclaredTools).To(Equal(callgatev1alpha1.PassBlock))
		Expect(spec.UnvalidatedCalls).To(Equal(callgatev1alpha1.PassBlock))
	})

	It("treats the selector as one: two different ones conflict", func(ctx context.Context) {
		with := func(selector string) string {
			return strings.Replace(whole.text(), `"spec": {`, `"spec": {"schemaSelector": `+selector+`, `, 1)
		}
		must(kubectl(ctx, namespace, with(`{"matchLabels": {"team": "a"}}`), "apply", "--server-side", "--field-manager=alice", "-f", "-"))
		refused(kubectl(ctx, namespace, with(`{"matchLabels": {"tier": "b"}}`), "apply", "--server-side", "--field-manager=bob", "-f", "-"),
			`conflict with "alice": .spec.schemaSelector`)
	})
})
