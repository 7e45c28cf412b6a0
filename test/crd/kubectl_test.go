package crd_test

import (
	"context"
	"maps"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

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
		must(kubectl(ctx, namespace, "", "create", "-f", "testdata/valid/tooladapter-minimal.yaml"))
	})

	DescribeTable("finds the objects by any name", func(ctx context.Context, resource string, want ...string) {
		Expect(strings.Fields(kubectl(ctx, namespace, "", "get", resource, "-o", "name").Out)).To(ConsistOf(want))
	},
		Entry("category", "callgate", "toolschema.callgate.dev/ping", "toolpolicy.callgate.dev/minimal", "tooladapter.callgate.dev/minimal"),
		Entry("tsch", "tsch", "toolschema.callgate.dev/ping"),
		Entry("tpol", "tpol", "toolpolicy.callgate.dev/minimal"),
		Entry("tadp", "tadp", "tooladapter.callgate.dev/minimal"),
		Entry("plural of a ToolAdapter", "tooladapters", "tooladapter.callgate.dev/minimal"),
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
		Entry("of a ToolAdapter", "tadp", false, "NAME TOOL READY REASON TENANCY AGE"),
		Entry("of a ToolAdapter, wide", "tadp", true, "NAME TOOL READY REASON TENANCY CONFIGMAP URL MESSAGE AGE"),
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

	It("sees in the columns of a ToolAdapter what it says", func(ctx context.Context) {
		Expect(words(kubectl(ctx, namespace, "", "get", "tadp", "--no-headers", "-o", "wide").Out)).
			To(HavePrefix("minimal get_ticket Unknown Pending Required tickets Waiting for the controller "))
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
		Entry("of the fields of a result", "tsch.spec.result", "Absent: nothing of it."),
		Entry("of RBAC", "tpol.spec.authorization.mode", `the caller must also be allowed the verb "call" on the tool's ToolSchema`),
		Entry("of a tenant", "tpol.spec.tenant", "It is never an argument. Absent: the caller's namespace."),
		Entry("of a rule", "tpol.spec.rules.expression", "It may read args (what was judged), tool {name, server, labels}"),
		Entry("of a rule about every tool", "tpol.spec.rules", "Absent: every tool."),
		Entry("of the validator", "tpol.spec.semanticValidation", "It can only block: without a clear yes the offer is blocked."),
		Entry("of the validator's secret", "tpol.spec.semanticValidation", "The Secret must have the type callgate.dev/bearer-token"),
		Entry("of disclosure", "tpol.spec.disclosure", "Where several policies apply, the one that tells least decides."),
		Entry("of audit", "tpol.spec.audit", "Full: the arguments themselves, personal data and secrets included."),
		Entry("of adapters", "tooladapter", "It grants nothing: ToolPolicies say who may call the tool"),
		Entry("of a key", "tadp.spec.key", `such as tenant + ":" + args.ticket_id`),
		Entry("of the variables of a URL", "tadp.spec.http.url", "https://tickets.support.svc/v1/{tenant}/tickets/{args.ticket_id}?view={args.view}"),
		Entry("of records", "tadp.spec.records", `The ConfigMap must have the label callgate.dev/records: "true"`),
		Entry("of tenancy", "tadp.spec.tenancy", "Required (the default): the key or the url must read the tenant."),
	)
})

var _ = Describe("The status subresource", func() {
	for _, kind := range []schema.GroupVersionKind{toolSchemaKind, toolPolicyKind, toolAdapterKind} {
		It("keeps status out of the reach of whoever writes a "+kind.Kind, func(ctx context.Context) {
			o := minimal(kind, env.Namespace(ctx, GinkgoT()))
			Expect(env.Client.Create(ctx, o)).To(Succeed())
			generation := o.GetGeneration()
			spec := at(o, "spec")

			put(o.Object, []string{"status", "observedGeneration"}, int64(7), nil)
			Expect(env.Client.Update(ctx, o)).To(Succeed())
			Expect(at(o, "status", "observedGeneration")).To(BeNil())

			put(o.Object, []string{"status", "observedGeneration"}, int64(1), nil)
			o.SetLabels(map[string]string{"a": "b"})
			o.Object["spec"] = map[string]any{}
			Expect(env.Client.Status().Update(ctx, o)).To(Succeed())
			Expect(at(o, "status", "observedGeneration")).To(BeEquivalentTo(1))
			Expect(at(o, "spec")).To(Equal(spec), "whoever writes status writes no spec")
			Expect(o.GetGeneration()).To(Equal(generation), "a status is no new generation")
		})

		DescribeTable("is read by kstatus: "+kind.Kind, func(ctx context.Context, generation int64, conditions map[string]string, want status.Status) {
			o := minimal(kind, env.Namespace(ctx, GinkgoT()))
			Expect(env.Client.Create(ctx, o)).To(Succeed())
			if conditions != nil {
				var all []any
				for _, name := range slices.Sorted(maps.Keys(conditions)) {
					all = append(all, map[string]any{
						"type": name, "status": conditions[name], "reason": "Reason", "message": "m", "lastTransitionTime": "2026-01-01T00:00:00Z",
					})
				}
				o.Object["status"] = map[string]any{"observedGeneration": generation, "conditions": all}
				Expect(env.Client.Status().Update(ctx, o)).To(Succeed())
			}
			read := &unstructured.Unstructured{}
			read.SetGroupVersionKind(kind)
			Expect(env.Client.Get(ctx, key(o), read)).To(Succeed())
			got, err := status.Compute(read)
			Expect(err).NotTo(HaveOccurred())
			Expect(got.Status).To(Equal(want))
		},
			Entry("nobody has looked", int64(0), nil, status.InProgressStatus),
			Entry("in force", int64(1), map[string]string{"Accepted": "True", "Ready": "True"}, status.CurrentStatus),
			Entry("waiting for what it names", int64(1), map[string]string{"Accepted": "True", "Ready": "False"}, status.InProgressStatus),
			Entry("at fault", int64(1), map[string]string{"Accepted": "False", "Ready": "False", "Stalled": "True"}, status.FailedStatus),
			Entry("an older generation", int64(0), map[string]string{"Accepted": "True", "Ready": "True"}, status.InProgressStatus),
		)
	}
})
