package crd_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// What is left of the fields that only add restrictions, and of those that say what
// leaves, when several write an object and when they withdraw.
var _ = Describe("Writing what restricts", func() {
	var namespace string
	BeforeEach(func(ctx context.Context) { namespace = env.Namespace(ctx, GinkgoT()) })

	serverSide := func(ctx context.Context, manager, text string) result {
		return kubectl(ctx, namespace, text, "apply", "--server-side", "--field-manager="+manager, "-f", "-")
	}
	// policy is a policy whose who and what alice owns, and more.
	policy := func(ctx context.Context, manager, more string) result {
		text := policySpec{}.text()
		if manager == "alice" {
			text = policySpec{accounts: `["a"]`, tools: `["t"]`}.text()
		}
		before, after, _ := strings.Cut(text, `"spec": {`)
		if more != "" && !strings.HasPrefix(after, "}") {
			more += ", "
		}
		return serverSide(ctx, manager, before+`"spec": {`+more+after)
	}
	rule := func(name, more string) string {
		return `{"name": "` + name + `", "expression": "tenant == 'a'"` + more + `}`
	}
	rules := func(ctx context.Context) (names []string) {
		for _, r := range readPolicy(ctx, namespace).Rules {
			names = append(names, r.Name)
		}
		return names
	}

	It("merges the rules of two managers by name, and keeps one's when the other withdraws", func(ctx context.Context) {
		must(policy(ctx, "alice", `"rules": [`+rule("mine", "")+`]`))
		must(policy(ctx, "bob", `"rules": [`+rule("his", `, "tools": ["t"]`)+`]`))
		Expect(rules(ctx)).To(ConsistOf("mine", "his"))

		must(policy(ctx, "bob", ``))
		Expect(rules(ctx)).To(ConsistOf("mine"))
		must(policy(ctx, "alice", ``))
		Expect(rules(ctx)).To(BeEmpty())
	})

	It("does not let a second manager rewrite, confine or empty a rule", func(ctx context.Context) {
		must(policy(ctx, "alice", `"rules": [`+rule("mine", "")+`]`))
		for _, his := range []string{`{"name": "mine", "expression": "true"}`, rule("mine", `, "tools": ["u"]`), `{"name": "mine", "tools": ["u"]}`, `{"name": "mine"}`} {
			refused(policy(ctx, "bob", `"rules": [`+his+`]`), `conflict with "alice": .spec.rules[name="mine"]`)
		}
		r := policy(ctx, "bob", `"rules": []`)
		Expect(rules(ctx)).To(ConsistOf("mine"), r.All)
		Expect(readPolicy(ctx, namespace).Rules[0]).To(Equal(callgatev1alpha1.PolicyRule{
			Name: "mine", Expression: "tenant == 'a'",
		}))
	})

	It("does not let a second manager change what belongs together", func(ctx context.Context) {
		must(policy(ctx, "alice", `"tenant": {"from": "NamespaceLabel", "label": "tenant"}, "semanticValidation": {"endpoint": "https://judge.example", "secretKeyRef": {"name": "judge", "key": "token"}}`))
		refused(policy(ctx, "bob", `"tenant": {"from": "NamespaceLabel", "label": "other"}`), `conflict with "alice": .spec.tenant`)
		refused(policy(ctx, "bob", `"semanticValidation": {"endpoint": "https://elsewhere.example"}`), `conflict with "alice": .spec.semanticValidation`)
	})

	DescribeTable("refuses a list that is emptied, whoever writes", func(ctx context.Context, field, why string) {
		text := strings.Replace(policySpec{accounts: `["a"]`, tools: `["t"]`}.text(), `"spec": {`, `"spec": {`+field+`, `, 1)
		for _, how := range [][]string{{"create"}, {"apply"}, {"apply", "--server-side"}} {
			refused(kubectl(ctx, namespace, text, append(how, "-f", "-")...), why)
		}
	},
		Entry("rules", `"rules": []`, "spec.rules in body should have at least 1 items"),
		Entry("a rule's tools", `"rules": [`+rule("r", `, "tools": []`)+`]`, "spec.rules[0].tools in body should have at least 1 items"),
	)

	It("goes back to the defaults once the owner of a setting withdraws it", func(ctx context.Context) {
		must(policy(ctx, "alice", ``))
		must(policy(ctx, "bob", `"authorization": {"mode": "RBAC"}, "tenant": {"from": "NamespaceLabel", "label": "tenant"}, "disclosure": "Opaque", "failurePolicy": "Ignore", "audit": {"arguments": "Full"}, "semanticValidation": {"endpoint": "https://judge.example"}`))
		spec := readPolicy(ctx, namespace)
		Expect(spec.Authorization.Mode).To(Equal(callgatev1alpha1.AuthorizationRBAC))
		Expect(spec.Tenant).To(Equal(callgatev1alpha1.PolicyTenant{From: callgatev1alpha1.TenantFromNamespaceLabel, Label: "tenant"}))
		Expect(spec.Disclosure).To(Equal(callgatev1alpha1.DisclosureOpaque))
		Expect(spec.FailurePolicy).To(BeEquivalentTo("Ignore"))
		Expect(spec.Audit.Arguments).To(Equal(callgatev1alpha1.AuditFull))
		Expect(spec.SemanticValidation.Endpoint).To(Equal("https://judge.example"))

		must(policy(ctx, "bob", ``))
		spec = readPolicy(ctx, namespace)
		Expect(spec.Authorization.Mode).To(Equal(callgatev1alpha1.AuthorizationNone))
		Expect(spec.Tenant).To(Equal(callgatev1alpha1.PolicyTenant{From: callgatev1alpha1.TenantFromNamespace}))
		Expect(spec.Disclosure).To(Equal(callgatev1alpha1.DisclosureFull))
		Expect(spec.FailurePolicy).To(BeEquivalentTo("Fail"))
		Expect(spec.Audit.Arguments).To(Equal(callgatev1alpha1.AuditDigest))
		Expect(spec.SemanticValidation).To(BeZero())
	})

	It("merges the fields of a result, and refuses to empty them", func(ctx context.Context) {
		with := func(fields string) string { return schemaText(`{"result": {"fields": ` + fields + `}}`) }
		must(serverSide(ctx, "alice", with(`["/id"]`)))
		must(serverSide(ctx, "bob", with(`["/title"]`)))
		Expect(readBack(ctx, namespace, "tool").Spec.Result.Fields).To(ConsistOf(BeEquivalentTo("/id"), BeEquivalentTo("/title")))
		must(serverSide(ctx, "bob", schemaText(`{}`)))
		Expect(readBack(ctx, namespace, "tool").Spec.Result.Fields).To(HaveExactElements(BeEquivalentTo("/id")))
		refused(kubectl(ctx, namespace, with(`[]`), "replace", "-f", "-"), "spec.result.fields in body should have at least 1 items")
		refused(kubectl(ctx, namespace, schemaText(`{"result": {}}`), "replace", "-f", "-"), "spec.result.fields: Required value")
		must(kubectl(ctx, namespace, schemaText(`{}`), "replace", "-f", "-"))
		Expect(readBack(ctx, namespace, "tool").Spec.Result.Fields).To(BeEmpty(), "and nothing leaves")
	})
})

// What is left of an adapter when several write it.
var _ = Describe("Writing a ToolAdapter", func() {
	var namespace string
	BeforeEach(func(ctx context.Context) { namespace = env.Namespace(ctx, GinkgoT()) })

	apply := func(ctx context.Context, manager, spec string) result {
		text := `{"apiVersion": "callgate.dev/v1alpha1", "kind": "ToolAdapter", "metadata": {"name": "adapter"}, "spec": {` + spec + `}}`
		return kubectl(ctx, namespace, text, "apply", "--server-side", "--field-manager="+manager, "-f", "-")
	}
	read := func(ctx context.Context) callgatev1alpha1.ToolAdapterSpec {
		GinkgoHelper()
		a := &callgatev1alpha1.ToolAdapter{}
		Expect(env.Client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: "adapter"}, a)).To(Succeed())
		return a.Spec
	}
	const records = `"toolName": "t", "key": "tenant", "records": {"configMapKeyRef": {"name": "c", "key": "k"}}`

	It("does not let a second manager slip in another source, tool or place", func(ctx context.Context) {
		must(apply(ctx, "alice", records))
		before := read(ctx)
		refused(apply(ctx, "bob", `"http": {"url": "https://elsewhere/{tenant}"}`), ruleSource)
		refused(apply(ctx, "bob", `"toolName": "u"`), `conflict with "alice": .spec.toolName`)
		refused(apply(ctx, "bob", `"key": "args.id"`), `conflict with "alice": .spec.key`)
		refused(apply(ctx, "bob", `"records": {"configMapKeyRef": {"name": "other"}}`), `conflict with "alice": .spec.records.configMapKeyRef`)
		Expect(read(ctx)).To(Equal(before))
	})

	It("does not let a second manager give a backend more than the first does", func(ctx context.Context) {
		must(apply(ctx, "alice", `"toolName": "t", "http": {"url": "https://h/{tenant}"}`))
		for _, more := range []string{`"method": "DELETE"`, `"serviceAccountTokenAudience": "callgate.dev/ns"`, `"url": "https://elsewhere/{tenant}"`} {
			refused(apply(ctx, "bob", `"http": {`+more+`}`), `conflict with "alice": .spec.http`)
		}
	})

	It("keeps tenants apart again once the owner of None withdraws it", func(ctx context.Context) {
		must(apply(ctx, "alice", records))
		must(apply(ctx, "bob", `"tenancy": "None"`))
		Expect(read(ctx).Tenancy).To(Equal(callgatev1alpha1.TenancyNone))
		must(apply(ctx, "bob", ``))
		Expect(read(ctx).Tenancy).To(Equal(callgatev1alpha1.TenancyRequired))
	})

	It("refuses to lose the None that a URL without a tenant needs", func(ctx context.Context) {
		must(apply(ctx, "alice", `"toolName": "t", "tenancy": "None", "http": {"url": "https://h/all"}`))
		refused(apply(ctx, "alice", `"toolName": "t", "http": {"url": "https://h/all"}`), ruleTenancy)
		Expect(read(ctx).Tenancy).To(Equal(callgatev1alpha1.TenancyNone))
	})

	It("moves from one source to the other in one write", func(ctx context.Context) {
		must(apply(ctx, "alice", records))
		must(apply(ctx, "alice", `"toolName": "t", "http": {"url": "https://h/{tenant}"}`))
		Expect(read(ctx).Records).To(BeZero())
		Expect(read(ctx).Key).To(BeEmpty())
		Expect(read(ctx).HTTP.Method).To(Equal(callgatev1alpha1.MethodGet))
	})
})
