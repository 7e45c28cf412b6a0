package crd_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/jsonschema"
)

func key(o client.Object) client.ObjectKey { return client.ObjectKeyFromObject(o) }

// stored is a ToolSchema as it came back from the API server, and what the gate makes
// of it.
type stored struct {
	*callgatev1alpha1.ToolSchema
	outcome *compile.SchemaOutcome
	tool    *compile.Tool
}

// readBack gets a ToolSchema and compiles it.
func readBack(ctx context.Context, namespace, name string) stored {
	GinkgoHelper()
	s := &callgatev1alpha1.ToolSchema{}
	Expect(env.Client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, s)).To(Succeed())
	out := compile.Compile(compile.Input{Schemas: []*callgatev1alpha1.ToolSchema{s}}, nil)
	return stored{
		ToolSchema: s,
		outcome:    out.Schemas[types.NamespacedName{Namespace: namespace, Name: name}],
		tool:       out.Namespaces[namespace].Tools[string(s.EffectiveToolName())],
	}
}

// document is the stored schema document.
func (s stored) document() string {
	if s.Spec.Parameters == nil {
		return ""
	}
	return string(s.Spec.Parameters.Raw)
}

// allows tells whether a call with these arguments would pass. A tool that is not
// ready passes nothing.
func (s stored) allows(arguments string) bool {
	return s.tool.Ready() && s.tool.Judge.Judge(jsonschema.Input{Raw: []byte(arguments)}).OK()
}

// notes are all problems and warnings, as the status shows them.
func (s stored) notes() []string {
	var out []string
	for _, list := range [][]callgatev1alpha1.Problem{s.outcome.Problems, s.outcome.Warnings} {
		for _, p := range list {
			out = append(out, *p.Path+" "+p.Message)
		}
	}
	return out
}

// way is one way of writing an object.
type way struct {
	name string
	// before writes an earlier version of the object, where there has to be one;
	// args write the object. Both are arguments of kubectl.
	before, args []string
	// drops: nulls that are values of keys do not arrive.
	drops bool
}

// The ways in which people and tools write objects.
var ways = []way{
	{name: "kubectl create", args: []string{"create"}},
	{name: "kubectl replace", before: []string{"create"}, args: []string{"replace"}},
	{name: "kubectl apply, the first time", args: []string{"apply"}, drops: true},
	{name: "kubectl apply, over an apply", before: []string{"apply"}, args: []string{"apply"}, drops: true},
	{name: "kubectl apply, over a create", before: []string{"create"}, args: []string{"apply"}, drops: true},
	{name: "kubectl apply, over a server-side apply", before: []string{"apply", "--server-side"}, args: []string{"apply"}, drops: true},
	{name: "kubectl replace, over an apply", before: []string{"apply"}, args: []string{"replace"}},
	{name: "kubectl apply --server-side, the first time", args: []string{"apply", "--server-side"}},
	{name: "kubectl apply --server-side, over itself", before: []string{"apply", "--server-side"}, args: []string{"apply", "--server-side"}},
	{name: "kubectl apply --server-side --force-conflicts, over an apply", before: []string{"apply"}, args: []string{"apply", "--server-side", "--force-conflicts"}},
}

// schemaText is a ToolSchema named tool with the given spec.
func schemaText(spec string) string {
	return `{"apiVersion": "callgate.dev/v1alpha1", "kind": "ToolSchema", "metadata": {"name": "tool"}, "spec": ` + spec + `}`
}

// write writes an object the way's way, over earlier where there has to be one.
func (w way) write(ctx context.Context, namespace, earlier, text string) {
	GinkgoHelper()
	if w.before != nil {
		must(kubectl(ctx, namespace, earlier, append(w.before, "-f", "-")...))
	}
	must(kubectl(ctx, namespace, text, append(w.args, "-f", "-")...))
}

func must(r result) {
	GinkgoHelper()
	Expect(r.Err).NotTo(HaveOccurred(), r.All)
}

// refused expects kubectl to fail and to say why.
func refused(r result, why string) {
	GinkgoHelper()
	Expect(r.Err).To(HaveOccurred(), r.All)
	Expect(r.All).To(ContainSubstring(why))
}
