package crd_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	ruleName     = "metadata.name is longer than 128 characters: set spec.toolName"
	ruleOneOf    = "set parameters or parametersJSON, not both"
	ruleTools    = "* stands for every tool and must be the only entry"
	ruleAccounts = "* stands for every ServiceAccount and must be the only entry"
	ruleActions  = "Deny and Warn exclude each other: a blocked call needs no warning"
	ruleTenant   = "set label together with from: NamespaceLabel, and leave it out otherwise"
	ruleLabel    = "write a label's key: a name of at most 63 letters, digits, '-', '_' and '.', with a DNS name and '/' before it where it has a prefix, such as example.com/tenant"
	ruleMessage  = "set message or messageExpression, not both"
	ruleStar     = "leave tools out for a rule about every tool: * is matched as a name here, and the rule would hold for no call"
)

// crossRule is one rule across fields: what to set on a minimal object by path (nil
// removes), and the message it is refused with, "" where it is taken.
type crossRule struct {
	kind    schema.GroupVersionKind
	name    string
	fields  map[string]any
	message string
}

// schemaRules are those of ToolSchema.
func schemaRules() []crossRule {
	return []crossRule{
		{toolSchemaKind, "both documents", map[string]any{"spec.parameters": map[string]any{}, "spec.parametersJSON": "{}"}, ruleOneOf},
		{toolSchemaKind, "the object alone", map[string]any{"spec.parameters": map[string]any{}}, ""},
		{toolSchemaKind, "the text alone", map[string]any{"spec.parametersJSON": "{}"}, ""},
	}
}

// policyRules are those of ToolPolicy.
func policyRules() []crossRule {
	const (
		tools    = "spec.declaredTools"
		accounts = "spec.subjects.serviceAccountNames"
		actions  = "spec.validationActions"
		from     = "spec.tenant.from"
		label    = "spec.tenant.label"
	)
	rule := func(more map[string]any) map[string]any {
		item := map[string]any{"name": "r", "expression": "true"}
		for k, v := range more {
			item[k] = v
		}
		return map[string]any{"spec.rules": list(item)}
	}
	k := toolPolicyKind
	rules := []crossRule{
		{k, "every tool", map[string]any{tools: list("*")}, ""},
		{k, "every tool and one more", map[string]any{tools: list("*", "a")}, ruleTools},
		{k, "one tool and every tool", map[string]any{tools: list("a", "*")}, ruleTools},
		{k, "every account", map[string]any{accounts: list("*")}, ""},
		{k, "every account and one more", map[string]any{accounts: list("*", "a")}, ruleAccounts},
		{k, "one account and every account", map[string]any{accounts: list("a", "*")}, ruleAccounts},
		{k, "Deny and Warn", map[string]any{actions: list("Deny", "Warn")}, ruleActions},
		{k, "Warn and Deny", map[string]any{actions: list("Warn", "Deny")}, ruleActions},
		{k, "Deny and Audit", map[string]any{actions: list("Deny", "Audit")}, ""},
		{k, "Warn and Audit", map[string]any{actions: list("Warn", "Audit")}, ""},
		{k, "Audit alone", map[string]any{actions: list("Audit")}, ""},
		{k, "a tenant by label", map[string]any{from: "NamespaceLabel", label: "tenant"}, ""},
		{k, "a tenant by label without a label", map[string]any{from: "NamespaceLabel"}, ruleTenant},
		{k, "a tenant by namespace with a label", map[string]any{from: "Namespace", label: "tenant"}, ruleTenant},
		{k, "a tenant by default with a label", map[string]any{label: "tenant"}, ruleTenant},
		{k, "a tenant by context with a label", map[string]any{from: "Context", label: "tenant"}, ruleTenant},
		{k, "a rule with a message", rule(map[string]any{"message": "no"}), ""},
		{k, "a rule with an expression of a message", rule(map[string]any{"messageExpression": "tenant"}), ""},
		{k, "a rule with both messages", rule(map[string]any{"message": "no", "messageExpression": "tenant"}), ruleMessage},
		{k, "a rule about one tool", rule(map[string]any{"tools": list("a", "**")}), ""},
		{k, "a rule about a star", rule(map[string]any{"tools": list("*")}), ruleStar},
		{k, "a rule about a tool and a star", rule(map[string]any{"tools": list("a", "*")}), ruleStar},
	}
	for _, key := range []string{"tenant", "Tenant_1.x", "example.com/tenant", "a/b", longestLabel} {
		rules = append(rules, crossRule{k, "the label " + shorten(key), map[string]any{from: "NamespaceLabel", label: key}, ""})
	}
	for _, key := range []string{"a b", "-a", "a-", "a/b/c", "/a", "a/", "A/b", "a_b/c", "é", "a\n", repeat("a", 64), "x/" + repeat("a", 64)} {
		rules = append(rules, crossRule{k, "the label " + shorten(key), map[string]any{from: "NamespaceLabel", label: key}, ruleLabel})
	}
	return rules
}

func allRules() []crossRule { return slices.Concat(schemaRules(), policyRules(), adapterRules()) }

func shorten(s string) string { return fmt.Sprintf("%.20q of %d", s, len(s)) }

var _ = Describe("Rules across fields", func() {
	expect := func(err error, message string) {
		GinkgoHelper()
		if message == "" {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		Expect(err).To(MatchError(ContainSubstring(message)))
	}
	for _, r := range allRules() {
		set := func(o *unstructured.Unstructured) {
			for path, value := range r.fields {
				put(o.Object, strings.Split(path, "."), runtime.DeepCopyJSONValue(value), nil)
			}
		}
		It(fmt.Sprintf("holds for %s of a %s, on create", r.name, r.kind.Kind), func(ctx context.Context) {
			o := minimal(r.kind, env.Namespace(ctx, GinkgoT()))
			set(o)
			expect(both(ctx, o), r.message)
		})
		It(fmt.Sprintf("holds for %s of a %s, on update", r.name, r.kind.Kind), func(ctx context.Context) {
			o := minimal(r.kind, env.Namespace(ctx, GinkgoT()))
			Expect(env.Client.Create(ctx, o)).To(Succeed())
			set(o)
			expect(env.Client.Update(ctx, o, client.DryRunAll), r.message)
		})
	}

	DescribeTable("holds for the name that a tool has without toolName",
		func(ctx context.Context, length int, toolName, message string) {
			o := minimal(toolSchemaKind, env.Namespace(ctx, GinkgoT()))
			o.SetGenerateName("")
			o.SetName(repeat("a", length))
			if toolName != "" {
				Expect(unstructured.SetNestedField(o.Object, toolName, "spec", "toolName")).To(Succeed())
			}
			expect(dryRun(ctx, o), message)
		},
		Entry("at the limit", 128, "", ""),
		Entry("beyond the limit", 129, "", ruleName),
		Entry("beyond the limit, with a toolName", 253, "short", ""),
	)

	It("refuses to take toolName away from a long name", func(ctx context.Context) {
		o := minimal(toolSchemaKind, env.Namespace(ctx, GinkgoT()))
		o.SetGenerateName("")
		o.SetName(repeat("a", 129))
		Expect(unstructured.SetNestedField(o.Object, "short", "spec", "toolName")).To(Succeed())
		Expect(env.Client.Create(ctx, o)).To(Succeed())
		unstructured.RemoveNestedField(o.Object, "spec", "toolName")
		expect(env.Client.Update(ctx, o), ruleName)
	})

	It("has each of its rules covered here", func() {
		tested := []string{ruleName}
		for _, r := range allRules() {
			tested = append(tested, r.message)
		}
		for kind, root := range schemas() {
			for _, message := range rulesOf(root, "") {
				Expect(tested).To(ContainElement(message), kind)
			}
		}
	})
})

// rulesOf lists the messages of a schema's CEL rules.
func rulesOf(s *apiextensionsv1.JSONSchemaProps, path string) []string {
	if foreign(path) {
		return nil
	}
	var out []string
	for _, v := range s.XValidations {
		out = append(out, v.Message)
	}
	for name, p := range s.Properties {
		out = append(out, rulesOf(&p, strings.TrimPrefix(path+"."+name, "."))...)
	}
	if s.Items != nil {
		out = append(out, rulesOf(s.Items.Schema, path+"[]")...)
	}
	return out
}
