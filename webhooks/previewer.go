package webhooks

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
)

// CompilePreviewer previews by compiling the object's namespace as it would be, with
// the compiler and the memo of the set in force: only what changed is compiled.
type CompilePreviewer struct {
	reader    client.Reader
	snapshots Snapshots
	log       logr.Logger
	// adapters is nil where adapters are not previewed.
	adapters compile.AdapterCompiler
}

var _ Previewer = &CompilePreviewer{}

// NewCompilePreviewer makes a Previewer over reader, which should be the manager's
// cache, and the store in force.
func NewCompilePreviewer(reader client.Reader, snapshots Snapshots, log logr.Logger) *CompilePreviewer {
	return &CompilePreviewer{reader: reader, snapshots: snapshots, log: orDiscard(log)}
}

// PreviewSchema implements Previewer.
func (p *CompilePreviewer) PreviewSchema(ctx context.Context, s *callgatev1alpha1.ToolSchema) *compile.SchemaOutcome {
	in, ok := p.input(ctx, s.Namespace)
	if !ok {
		return nil
	}
	in.Schemas = with(in.Schemas, s, (*callgatev1alpha1.ToolSchema).GetName)
	return compile.Compile(in, p.previous()).Schemas[types.NamespacedName{Namespace: s.Namespace, Name: s.Name}]
}

// PreviewPolicy implements Previewer.
func (p *CompilePreviewer) PreviewPolicy(ctx context.Context, t *callgatev1alpha1.ToolPolicy) *compile.PolicyOutcome {
	in, ok := p.input(ctx, t.Namespace)
	if !ok {
		return nil
	}
	in.Policies = with(in.Policies, t, (*callgatev1alpha1.ToolPolicy).GetName)
	return compile.Compile(in, p.previous()).Policies[types.NamespacedName{Namespace: t.Namespace, Name: t.Name}]
}

func (p *CompilePreviewer) previous() *compile.Output {
	if snap := p.snapshots.Load(); snap != nil {
		return snap.Output
	}
	return nil
}

// input lists the namespace. The objects are the cache's own: the compiler reads and
// never changes them, and copying the documents would cost more than compiling one.
func (p *CompilePreviewer) input(ctx context.Context, namespace string) (compile.Input, bool) {
	var schemas callgatev1alpha1.ToolSchemaList
	var policies callgatev1alpha1.ToolPolicyList
	opts := []client.ListOption{client.InNamespace(namespace), client.UnsafeDisableDeepCopy}
	if err := p.reader.List(ctx, &schemas, opts...); err != nil {
		p.log.Error(err, "Listing tool schemas for a preview failed", "namespace", namespace)
		return compile.Input{}, false
	}
	if err := p.reader.List(ctx, &policies, opts...); err != nil {
		p.log.Error(err, "Listing tool policies for a preview failed", "namespace", namespace)
		return compile.Input{}, false
	}
	in := compile.Input{
		Schemas:  make([]*callgatev1alpha1.ToolSchema, 0, len(schemas.Items)+1),
		Policies: make([]*callgatev1alpha1.ToolPolicy, 0, len(policies.Items)+1),
	}
	for i := range schemas.Items {
		in.Schemas = append(in.Schemas, &schemas.Items[i])
	}
	for i := range policies.Items {
		in.Policies = append(in.Policies, &policies.Items[i])
	}
	return in, true
}

// with puts obj in the place of the object of its name, or beside the others.
func with[T any](objs []*T, obj *T, name func(*T) string) []*T {
	for i, o := range objs {
		if name(o) == name(obj) {
			objs[i] = obj
			return objs
		}
	}
	return append(objs, obj)
}
