package crd_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	ruleName     = "metadata.name is longer than 128 characters: set spec.toolName"
	ruleOneOf    = "set parameters or parametersJSON, not both"
	ruleTools    = "* stands for every tool and must be the only entry"
	ruleAccounts = "* stands for every ServiceAccount and must be the only entry"
	ruleActions  = "Deny and Warn exclude each other: a blocked call needs no warning"
)

// crossRules are the rules across fields: what to set on a minimal object, and the
// message it is refused with, "" where it is taken.
var crossRules = []struct {
	policy  bool
	name    string
	path    string
	value   any
	also    string
	message string
}{
	{false, "both documents", "spec.parameters", map[string]any{}, "spec.parametersJSON", ruleOneOf},
	{false, "the object alone", "spec.parameters", map[string]any{}, "", ""},
	{false, "the text alone", "spec.parametersJSON", "{}", "", ""},
	{true, "every tool", "spec.declaredTools", list("*"), "", ""},
	{true, "every tool and one more", "spec.declaredTools", list("*", "a"), "", ruleTools},
	{true, "one tool and every tool", "spec.declaredTools", list("a", "*"), "", ruleTools},
	{true, "every account", "spec.subjects.serviceAccountNames", list("*"), "", ""},
	{true, "every account and one more", "spec.subjects.serviceAccountNames", list("*", "a"), "", ruleAccounts},
	{true, "one account and every account", "spec.subjects.serviceAccountNames", list("a", "*"), "", ruleAccounts},
	{true, "Deny and Warn", "spec.validationActions", list("Deny", "Warn"), "", ruleActions},
	{true, "Warn and Deny", "spec.validationActions", list("Warn", "Deny"), "", ruleActions},
	{true, "Deny and Audit", "spec.validationActions", list("Deny", "Audit"), "", ""},
	{true, "Warn and Audit", "spec.validationActions", list("Warn", "Audit"), "", ""},
	{true, "Audit alone", "spec.validationActions", list("Audit"), "", ""},
}

var _ = Describe("Rules across fields", func() {
	expect := func(err error, message string) {
		GinkgoHelper()
		if message == "" {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		Expect(err).To(MatchError(ContainSubstring(message)))
	}
	for _, r := range crossRules {
		kind := toolSchemaKind
		if r.policy {
			kind = toolPolicyKind
		}
		set := func(o *unstructured.Unstructured) {
			GinkgoHelper()
			Expect(unstructured.SetNestedField(o.Object, r.value, strings.Split(r.path, ".")...)).To(Succeed())
			if r.also != "" {
				Expect(unstructured.SetNestedField(o.Object, "{}", strings.Split(r.also, ".")...)).To(Succeed())
			}
		}
		It("holds for "+r.name+", on create", func(ctx context.Context) {
			o := minimal(kind, env.Namespace(ctx, GinkgoT()))
			set(o)
			expect(dryRun(ctx, o), r.message)
		})
		It("holds for "+r.name+", on update", func(ctx context.Context) {
			o := minimal(kind, env.Namespace(ctx, GinkgoT()))
			Expect(env.Client.Create(ctx, o)).To(Succeed())
			set(o)
			expect(env.Client.Update(ctx, o), r.message)
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
		for _, r := range crossRules {
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
