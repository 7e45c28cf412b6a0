package webhooks

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
)

// AdapterPreviewer is a Previewer that knows ToolAdapters too.
type AdapterPreviewer interface {
	Previewer
	PreviewAdapter(context.Context, *callgatev1alpha1.ToolAdapter) *compile.AdapterOutcome
}

var _ AdapterPreviewer = &CompilePreviewer{}

// WithAdapters has ToolAdapters previewed as that compiler has them.
func (p *CompilePreviewer) WithAdapters(compiler compile.AdapterCompiler) *CompilePreviewer {
	p.adapters = compiler
	return p
}

// PreviewAdapter implements AdapterPreviewer. Whether a ConfigMap is there, status tells.
func (p *CompilePreviewer) PreviewAdapter(ctx context.Context, a *callgatev1alpha1.ToolAdapter) *compile.AdapterOutcome {
	in, ok := p.input(ctx, a.Namespace)
	if !ok || p.adapters == nil {
		return nil
	}
	var list callgatev1alpha1.ToolAdapterList
	if err := p.reader.List(ctx, &list, client.InNamespace(a.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		p.log.Error(err, "Listing tool adapters for a preview failed", "namespace", a.Namespace)
		return nil
	}
	in.AdapterCompiler = p.adapters
	for i := range list.Items {
		in.Adapters = append(in.Adapters, &list.Items[i])
	}
	in.Adapters = with(in.Adapters, a, (*callgatev1alpha1.ToolAdapter).GetName)
	return compile.Compile(in, p.previous()).Adapters[types.NamespacedName{Namespace: a.Namespace, Name: a.Name}]
}

// adapterWarnings are those of what is about to be stored.
func (h *AdmissionHandler) adapterWarnings(ctx context.Context, req admission.Request) []string {
	previewer, ok := h.previewer.(AdapterPreviewer)
	if !ok {
		return nil
	}
	return preview(ctx, h, req, &callgatev1alpha1.ToolAdapter{}, &callgatev1alpha1.ToolAdapter{}, sameAdapter,
		func(a *callgatev1alpha1.ToolAdapter) []string {
			o := previewer.PreviewAdapter(ctx, a)
			if o == nil {
				return []string{notChecked("the policy set cannot be read now")}
			}
			reason, message := o.Reason, o.Message
			if reason == "" {
				reason, message = o.RefReason, o.RefMessage
			}
			return list(reason, message, "", o.Problems, o.Warnings)
		})
}

func sameAdapter(a, b *callgatev1alpha1.ToolAdapter) bool {
	return a.DeletionTimestamp != nil || apiequality.Semantic.DeepEqual(a.Spec, b.Spec)
}
