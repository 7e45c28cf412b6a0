package crd_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// What each way of writing does to a schema document. The rule that every case here
// upholds: what was written is what is judged by, or the status says that it is not.
var _ = Describe("Writing a ToolSchema", func() {
	// Each null that this document has as the value of a key means something.
	const nulls = `{
		"type": "object",
		"properties": {
			"none":   {"title": "no value", "const": null},
			"choice": {"enum": [null, "a"]},
			"filled": {"type": ["string", "null"], "default": null},
			"nested": {"const": {"a": null, "b": [null, {"c": null}]}}
		}
	}`
	const before = `{
		"type": "object",
		"properties": {
			"none":   {"title": "no value", "const": "x"},
			"choice": {"enum": ["a"]},
			"filled": {"type": ["string", "null"], "default": "x"},
			"nested": {"const": {"a": 1, "b": [1]}}
		}
	}`

	for _, w := range ways {
		It("keeps nulls, or says that they are lost: "+w.name, func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			w.write(ctx, namespace, schemaText(`{"parameters": `+before+`}`), schemaText(`{"parameters": `+nulls+`}`))
			s := readBack(ctx, namespace, "tool")

			// Nulls that are items of a list arrive, whoever writes.
			Expect(s.allows(`{"choice": null}`)).To(BeTrue())
			Expect(s.allows(`{"choice": "b"}`)).To(BeFalse())
			Expect(s.allows(`{"filled": null}`)).To(BeTrue())

			if !w.drops {
				Expect(s.document()).To(MatchJSON(nulls))
				Expect(s.allows(`{"none": null}`)).To(BeTrue())
				Expect(s.allows(`{"none": 1}`)).To(BeFalse())
				Expect(s.allows(`{"nested": {"a": null, "b": [null, {"c": null}]}}`)).To(BeTrue())
				// They are safe, until somebody applies the object the other way.
				Expect(s.notes()).To(ConsistOf(
					ContainSubstring("/properties/none/const kubectl apply without --server-side drops this null"),
					ContainSubstring("/properties/nested/const/a kubectl apply without --server-side drops this null"),
					ContainSubstring("/properties/nested/const/b/1/c kubectl apply without --server-side drops this null"),
				))
				return
			}
			Expect(s.document()).NotTo(MatchJSON(nulls))
			Expect(s.notes()).To(ContainElements(
				ContainSubstring("/properties/none/const kubectl's client-side apply dropped the null"),
				ContainSubstring("/properties/filled/default kubectl's client-side apply dropped the null"),
				ContainSubstring("/properties/nested/const/a kubectl's client-side apply dropped the null"),
			))
		})

		It("does not open a union whose branch lost its null: "+w.name, func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			text := func(branch string) string {
				return schemaText(`{"parameters": {"type": "object", "properties": {"x": {"anyOf": [` + branch + `, {"type": "string"}]}}}}`)
			}
			w.write(ctx, namespace, text(`{"const": 1}`), text(`{"const": null}`))
			s := readBack(ctx, namespace, "tool")

			Expect(s.allows(`{"x": {"anything": true}}`)).To(BeFalse())
			if s.outcome.Accepted() {
				Expect(s.allows(`{"x": null}`)).To(BeTrue())
				return
			}
			Expect(w.drops).To(BeTrue())
			Expect(s.notes()).To(ContainElement(ContainSubstring("this branch accepts everything")))
		})

		It("keeps parametersJSON to the byte: "+w.name, func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			const text = `{\"type\": \"object\", \"properties\": {\"z\": {\"const\": null}, \"a\": {\"maximum\": 18446744073709551617}, \"m\": {\"const\": 1.0}}}`
			w.write(ctx, namespace, schemaText(`{"parametersJSON": "{}"}`), schemaText(`{"parametersJSON": "`+text+`"}`))
			s := readBack(ctx, namespace, "tool")

			Expect(s.Spec.ParametersJSON).To(Equal(
				`{"type": "object", "properties": {"z": {"const": null}, "a": {"maximum": 18446744073709551617}, "m": {"const": 1.0}}}`))
			Expect(s.notes()).To(BeEmpty())
			Expect(s.allows(`{"z": null, "a": 18446744073709551617, "m": 1}`)).To(BeTrue())
			Expect(s.allows(`{"z": 1}`)).To(BeFalse())
			Expect(s.allows(`{"a": 18446744073709551618}`)).To(BeFalse())
		})
	}

	Describe("by two managers, server-side", func() {
		apply := func(ctx context.Context, namespace, manager, spec string) result {
			return kubectl(ctx, namespace, schemaText(spec), "apply", "--server-side", "--field-manager="+manager, "-f", "-")
		}
		const mine = `{"parameters": {"type": "object", "properties": {"x": {"const": null}}}}`
		const theirs = `{"parameters": {"type": "object", "properties": {"y": {}}}}`

		It("treats the document as one: two different ones conflict", func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			must(apply(ctx, namespace, "alice", mine))
			refused(apply(ctx, namespace, "bob", theirs), `conflict with "alice": .spec.parameters`)
			Expect(readBack(ctx, namespace, "tool").document()).To(MatchJSON(`{"type": "object", "properties": {"x": {"const": null}}}`))
		})

		It("takes no arguments once the last owner of the document withdraws it", func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			must(apply(ctx, namespace, "alice", mine))
			must(apply(ctx, namespace, "bob", mine))

			must(apply(ctx, namespace, "alice", `{}`))
			s := readBack(ctx, namespace, "tool")
			Expect(s.allows(`{"x": null}`)).To(BeTrue(), "bob still owns it")
			Expect(s.allows(`{"x": 1}`)).To(BeFalse())

			must(apply(ctx, namespace, "bob", `{}`))
			s = readBack(ctx, namespace, "tool")
			Expect(s.document()).To(BeEmpty())
			Expect(s.allows(`{"x": null}`)).To(BeFalse())
			Expect(s.allows(`{}`)).To(BeTrue())
		})

		It("refuses the text of one beside the object of the other", func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			must(apply(ctx, namespace, "alice", mine))
			refused(apply(ctx, namespace, "bob", `{"parametersJSON": "{}"}`), "set parameters or parametersJSON, not both")
		})

		It("closes again once the owner of a laxer setting withdraws it", func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			must(apply(ctx, namespace, "alice", mine))
			must(apply(ctx, namespace, "bob", `{"arguments": {"undeclared": "FollowSchema", "nulls": "Absent"}}`))
			Expect(readBack(ctx, namespace, "tool").allows(`{"undeclared": 1}`)).To(BeTrue())

			for _, nothing := range []string{`{"arguments": {}}`, `{}`} {
				must(apply(ctx, namespace, "bob", nothing))
				s := readBack(ctx, namespace, "tool")
				Expect(string(s.Spec.Arguments.Undeclared)).To(Equal("Reject"))
				Expect(string(s.Spec.Arguments.Nulls)).To(Equal("Strict"))
				Expect(s.allows(`{"undeclared": 1}`)).To(BeFalse())
			}
		})
	})
})
