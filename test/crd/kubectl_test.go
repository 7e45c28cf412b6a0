package crd_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// words makes a text comparable that kubectl has broken into lines.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

var _ = Describe("An operator with kubectl", func() {
	var namespace string
	BeforeEach(func(ctx context.Context) {
		namespace = env.Namespace(ctx, GinkgoT())
		must(kubectl(ctx, namespace, "", "create", "-f", "testdata/valid/toolschema-minimal.yaml"))
		must(kubectl(ctx, namespace, "", "create", "-f", "testdata/valid/toolpolicy-minimal.yaml"))
	})

	DescribeTable("finds the objects by any name", func(ctx context.Context, resource string, want ...string) {
		Expect(strings.Fields(kubectl(ctx, namespace, "", "get", resource, "-o", "name").Out)).To(ConsistOf(want))
	},
		Entry("category", "callgate", "toolschema.callgate.dev/ping", "toolpolicy.callgate.dev/minimal"),
		Entry("tsch", "tsch", "toolschema.callgate.dev/ping"),
		Entry("tpol", "tpol", "toolpolicy.callgate.dev/minimal"),
		Entry("singular", "toolschema", "toolschema.callgate.dev/ping"),
		Entry("plural", "toolpolicies", "toolpolicy.callgate.dev/minimal"),
	)

	DescribeTable("sees columns", func(ctx context.Context, resource string, wide bool, want string) {
		args := []string{"get", resource}
		if wide {
			args = append(args, "-o", "wide")
		}
		header, _, _ := strings.Cut(kubectl(ctx, namespace, "", args...).Out, "\n")
		Expect(words(header)).To(Equal(want))
	},
		Entry("of a ToolSchema", "tsch", false, "NAME TOOL READY REASON AGE"),
		Entry("of a ToolSchema, wide", "tsch", true, "NAME TOOL READY REASON DIALECT MESSAGE AGE"),
		Entry("of a ToolPolicy", "tpol", false, "NAME READY REASON DECLARED SCHEMAS AGE"),
		Entry("of a ToolPolicy, wide", "tpol", true, "NAME READY REASON DECLARED SCHEMAS ACTIONS MESSAGE AGE"),
	)

	It("sees in the columns what status says", func(ctx context.Context) {
		Expect(words(kubectl(ctx, namespace, "", "get", "tsch", "--no-headers").Out)).To(HavePrefix("ping Unknown Pending"))

		s := readBack(ctx, namespace, "ping").ToolSchema
		s.Status = callgatev1alpha1.ToolSchemaStatus{
			ToolName: "ping",
			Conditions: []metav1.Condition{{
				Type: callgatev1alpha1.ConditionReady, Status: metav1.ConditionTrue,
				Reason: callgatev1alpha1.ReasonInForce, LastTransitionTime: metav1.Now(),
			}},
		}
		Expect(env.Client.Status().Update(ctx, s)).To(Succeed())
		Expect(words(kubectl(ctx, namespace, "", "get", "tsch", "--no-headers").Out)).To(HavePrefix("ping ping True InForce"))
	})

	DescribeTable("reads the documentation", func(ctx context.Context, field, want string) {
		r := kubectl(ctx, namespace, "", "explain", field)
		must(r)
		Expect(words(r.Out)).To(ContainSubstring(want))
	},
		Entry("of a kind", "toolschema", "A schema that does not compile is stored all the same"),
		Entry("of what a tool's arguments are held to", "toolschema.spec.arguments", `undeclared says what becomes of an argument that nothing in the schema declares. Reject (the default): it is unexpected, at the top level.`),
		Entry("of absence", "toolschema.spec.arguments", "Absent: the strict default of each of its fields."),
		Entry("of the document", "tsch.spec.parameters", `kubectl's client-side apply drops nulls such as "const: null" from it`),
		Entry("of the allow list", "toolpolicy.spec.declaredTools", "The single entry * stands for every name."),
		Entry("of the actions", "tpol.spec.validationActions", "Deny and Warn exclude each other."),
	)
})

var _ = Describe("The status subresource", func() {
	It("keeps status out of the reach of whoever writes the object", func(ctx context.Context) {
		namespace := env.Namespace(ctx, GinkgoT())
		o := minimal(toolSchemaKind, namespace)
		Expect(env.Client.Create(ctx, o)).To(Succeed())
		s := readBack(ctx, namespace, o.GetName()).ToolSchema
		generation := s.Generation

		s.Status.ToolName = "forged"
		Expect(env.Client.Update(ctx, s)).To(Succeed())
		Expect(readBack(ctx, namespace, o.GetName()).Status.ToolName).To(BeEmpty())

		s = readBack(ctx, namespace, o.GetName()).ToolSchema
		s.Status.ToolName = "mine"
		s.Spec.Arguments.Undeclared = callgatev1alpha1.UndeclaredFollowSchema
		Expect(env.Client.Status().Update(ctx, s)).To(Succeed())
		got := readBack(ctx, namespace, o.GetName())
		Expect(got.Status.ToolName).To(BeEquivalentTo("mine"))
		Expect(got.Spec.Arguments.Undeclared).To(Equal(callgatev1alpha1.UndeclaredReject), "whoever writes status writes no spec")
		Expect(got.Generation).To(Equal(generation), "a status is no new generation")
	})
})
