package crd_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

var strictArguments = map[string]any{
	"undeclared": "Reject", "integers": "Lexical", "nulls": "Strict", "formats": "Assert",
}

// at gives the value at a path, or nil.
func at(o *unstructured.Unstructured, path ...string) any {
	v, _, err := unstructured.NestedFieldNoCopy(o.Object, path...)
	Expect(err).NotTo(HaveOccurred())
	return v
}

var _ = Describe("Defaults", func() {
	DescribeTable("of a ToolSchema's arguments", func(ctx context.Context, spec string, want map[string]any) {
		o := object(env.Namespace(ctx, GinkgoT()), "apiVersion: callgate.dev/v1alpha1\nkind: ToolSchema\nmetadata: {name: x}\nspec: "+spec)
		Expect(env.Client.Create(ctx, o)).To(Succeed())
		Expect(at(o, "spec", "arguments")).To(Equal(want))
	},
		Entry("are strict for an empty spec", `{}`, strictArguments),
		Entry("are strict for a null", `{arguments: null}`, strictArguments),
		Entry("are strict for an empty object", `{arguments: {}}`, strictArguments),
		Entry("are strict for nulls", `{arguments: {undeclared: null, integers: null, nulls: null, formats: null}}`, strictArguments),
		Entry("fill in what one setting leaves open", `{arguments: {undeclared: FollowSchema}}`, map[string]any{
			"undeclared": "FollowSchema", "integers": "Lexical", "nulls": "Strict", "formats": "Assert",
		}),
	)

	DescribeTable("of a ToolPolicy", func(ctx context.Context, fields string) {
		o := object(env.Namespace(ctx, GinkgoT()), `
apiVersion: callgate.dev/v1alpha1
kind: ToolPolicy
metadata: {name: x}
spec: {subjects: {serviceAccountNames: [agent]}, declaredTools: [get_ticket]`+fields+`}`)
		Expect(env.Client.Create(ctx, o)).To(Succeed())
		Expect(at(o, "spec")).To(Equal(map[string]any{
			"subjects":          map[string]any{"serviceAccountNames": []any{"agent"}},
			"declaredTools":     []any{"get_ticket"},
			"undeclaredTools":   "Block",
			"unvalidatedCalls":  "Block",
			"validationActions": []any{"Deny"},
			"authorization":     map[string]any{"mode": "None"},
			"tenant":            map[string]any{"from": "Namespace"},
			"disclosure":        "Full",
			"failurePolicy":     "Fail",
			"audit":             map[string]any{"arguments": "Digest"},
		}))
	},
		Entry("block where fields are absent", ``),
		Entry("block where fields are null", `, undeclaredTools: null, unvalidatedCalls: null, validationActions: null`),
		Entry("take the tenant from the namespace where fields are null", `, authorization: null, tenant: null, disclosure: null, failurePolicy: null, audit: null, rules: null, semanticValidation: null`),
		Entry("are the same for empty objects", `, authorization: {}, tenant: {}, audit: {}`),
		Entry("are the same for nulls in objects", `, authorization: {mode: null}, tenant: {from: null, label: null}, audit: {arguments: null}`),
	)

	It("of a ToolPolicy's validator are filled in where there is one, and nothing is in a rule", func(ctx context.Context) {
		o := object(env.Namespace(ctx, GinkgoT()), `
apiVersion: callgate.dev/v1alpha1
kind: ToolPolicy
metadata: {name: x}
spec:
  subjects: {serviceAccountNames: [agent]}
  declaredTools: [get_ticket]
  rules: [{name: r, expression: "true"}]
  semanticValidation: {endpoint: "https://judge.example"}
`)
		Expect(env.Client.Create(ctx, o)).To(Succeed())
		Expect(at(o, "spec", "rules")).To(Equal([]any{map[string]any{"name": "r", "expression": "true"}}), "a default in a list would be a difference at every apply")
		Expect(at(o, "spec", "semanticValidation")).To(Equal(map[string]any{
			"endpoint": "https://judge.example", "model": "judge", "timeoutMilliseconds": int64(3000),
		}))
	})

	DescribeTable("of a ToolAdapter keep tenants apart and ask to read", func(ctx context.Context, fields string) {
		o := object(env.Namespace(ctx, GinkgoT()), `
apiVersion: callgate.dev/v1alpha1
kind: ToolAdapter
metadata: {name: x}
spec: {toolName: get_ticket`+fields+`}`)
		Expect(env.Client.Create(ctx, o)).To(Succeed())
		Expect(at(o, "spec")).To(Equal(map[string]any{
			"toolName": "get_ticket",
			"tenancy":  "Required",
			"http": map[string]any{
				"url": "https://h/{tenant}", "method": "GET", "timeoutMilliseconds": int64(3000), "maxResponseBytes": int64(1048576),
			},
		}))
	},
		Entry("where fields are absent", `, http: {url: "https://h/{tenant}"}`),
		Entry("where fields are null", `, tenancy: null, key: null, records: null, http: {url: "https://h/{tenant}", method: null, timeoutMilliseconds: null, maxResponseBytes: null, caBundle: null, serviceAccountTokenAudience: null}`),
	)

	DescribeTable("of status make an object that no controller has seen Unknown", func(ctx context.Context, kind string, status string, want []string) {
		text := "apiVersion: callgate.dev/v1alpha1\nkind: " + kind + "\nmetadata: {name: x}\n"
		o := object(env.Namespace(ctx, GinkgoT()), text+status)
		o.Object["spec"] = minimalSpec(o.GroupVersionKind())
		Expect(env.Client.Create(ctx, o)).To(Succeed())
		// As anybody else reads it, not as the create returned it.
		read := &unstructured.Unstructured{}
		read.SetGroupVersionKind(o.GroupVersionKind())
		Expect(env.Client.Get(ctx, key(o), read)).To(Succeed())

		var types []string
		for _, c := range at(read, "status", "conditions").([]any) {
			c := c.(map[string]any)
			types = append(types, c["type"].(string))
			Expect(c).To(And(HaveKeyWithValue("status", "Unknown"), HaveKeyWithValue("reason", callgatev1alpha1.ReasonPending)))
		}
		Expect(types).To(Equal(want))
		Expect(at(read, "status", "observedGeneration")).To(BeNil())
	},
		Entry("ToolSchema", "ToolSchema", "", []string{"Accepted", "Ready"}),
		Entry("ToolSchema with an empty status", "ToolSchema", "status: {}", []string{"Accepted", "Ready"}),
		Entry("ToolPolicy", "ToolPolicy", "", []string{"Accepted", "ResolvedRefs", "Ready"}),
		Entry("ToolAdapter", "ToolAdapter", "", []string{"Accepted", "ResolvedRefs", "Ready"}),
		Entry("ToolAdapter with an empty status", "ToolAdapter", "status: {}", []string{"Accepted", "ResolvedRefs", "Ready"}),
		Entry("ToolPolicy that claims to be in force", "ToolPolicy",
			`status: {observedGeneration: 1, conditions: [{type: Ready, status: "True", reason: InForce, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}]}`,
			[]string{"Accepted", "ResolvedRefs", "Ready"}),
	)
})
