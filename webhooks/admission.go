package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
)

// +kubebuilder:webhookconfiguration:mutating=false,name=callgate
// +kubebuilder:webhook:serviceName=callgate,serviceNamespace=callgate-system,servicePort=9443,path=/admission/callgate.dev/v1alpha1,mutating=false,failurePolicy=ignore,sideEffects=None,groups=callgate.dev,resources=toolschemas;toolpolicies;tooladapters,verbs=create;update,versions=v1alpha1,name=preview.callgate.dev,admissionReviewVersions=v1,timeoutSeconds=3

// AdmissionPath is where the API server sends what is about to be stored.
const AdmissionPath = "/admission/callgate.dev/v1alpha1"

// previewWait is how long an object waits for the preview before it. It leaves a
// second of the API server's three for the preview itself.
const previewWait = 2 * time.Second

// Previewer tells what would become of an object if it were stored now. nil means
// that it cannot tell.
type Previewer interface {
	PreviewSchema(context.Context, *callgatev1alpha1.ToolSchema) *compile.SchemaOutcome
	PreviewPolicy(context.Context, *callgatev1alpha1.ToolPolicy) *compile.PolicyOutcome
}

// Mux is where a handler is registered: controller-runtime's webhook server is one.
type Mux interface {
	Handle(pattern string, handler http.Handler)
}

// RegisterAdmission puts the admission webhook on mux, at AdmissionPath.
func RegisterAdmission(mux Mux, previewer Previewer, log logr.Logger) {
	mux.Handle(AdmissionPath, &admission.Webhook{
		Handler: NewAdmissionHandler(previewer, log),
		LogConstructor: func(logr.Logger, *admission.Request) logr.Logger {
			return orDiscard(log)
		},
	})
}

// AdmissionHandler allows everything, and warns of what status is about to say, so
// that kubectl apply shows it at once. Nothing depends on it: what does not compile
// is stored, reported in status, and blocks.
type AdmissionHandler struct {
	previewer Previewer
	log       logr.Logger
	clock     clock.Clock
	// turn holds one token: one preview at a time, however many objects are applied.
	turn chan struct{}
}

var _ admission.Handler = &AdmissionHandler{}

// NewAdmissionHandler makes an AdmissionHandler.
func NewAdmissionHandler(previewer Previewer, log logr.Logger) *AdmissionHandler {
	return &AdmissionHandler{previewer: previewer, log: orDiscard(log), clock: clock.RealClock{}, turn: make(chan struct{}, 1)}
}

// Handle implements admission.Handler.
func (h *AdmissionHandler) Handle(ctx context.Context, req admission.Request) (resp admission.Response) {
	defer func() {
		if p := recover(); p != nil {
			h.log.Error(errPreviewPanicked, "Previewing an object failed",
				"kind", req.Kind.Kind, "namespace", req.Namespace, "name", req.Name,
				"type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			resp = admission.Allowed("").WithWarnings(notChecked("the check failed"))
		}
	}()
	return admission.Allowed("").WithWarnings(h.warnings(ctx, req)...)
}

var errPreviewPanicked = errors.New("previewing panicked")

func (h *AdmissionHandler) warnings(ctx context.Context, req admission.Request) []string {
	if req.SubResource != "" || req.Operation != admissionv1.Create && req.Operation != admissionv1.Update {
		return nil
	}
	switch req.Kind.Kind {
	case "ToolSchema":
		return preview(ctx, h, req, &callgatev1alpha1.ToolSchema{}, &callgatev1alpha1.ToolSchema{}, sameSchema,
			func(s *callgatev1alpha1.ToolSchema) []string {
				return schemaWarnings(s, h.previewer.PreviewSchema(ctx, s))
			})
	case "ToolPolicy":
		return preview(ctx, h, req, &callgatev1alpha1.ToolPolicy{}, &callgatev1alpha1.ToolPolicy{}, samePolicy,
			func(p *callgatev1alpha1.ToolPolicy) []string {
				return policyWarnings(h.previewer.PreviewPolicy(ctx, p))
			})
	case "ToolAdapter":
		return h.adapterWarnings(ctx, req)
	default:
		return nil
	}
}

// preview decodes the object and, unless nothing changed that matters, waits for its
// turn and asks.
func preview[T any](ctx context.Context, h *AdmissionHandler, req admission.Request, obj, old *T, same func(a, b *T) bool, ask func(*T) []string) []string {
	if err := json.Unmarshal(req.Object.Raw, obj); err != nil {
		return []string{notChecked("the object cannot be decoded")}
	}
	if len(req.OldObject.Raw) > 0 && json.Unmarshal(req.OldObject.Raw, old) == nil && same(obj, old) {
		return nil
	}
	wait := h.clock.NewTimer(previewWait)
	defer wait.Stop()
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
		return ask(obj)
	case <-wait.C():
	case <-ctx.Done():
	}
	return []string{notChecked("too many objects are being applied")}
}

// sameSchema reports whether an update changes nothing that decides: it touched a
// finalizer, an owner or an object on its way out.
func sameSchema(a, b *callgatev1alpha1.ToolSchema) bool {
	return a.DeletionTimestamp != nil || apiequality.Semantic.DeepEqual(a.Spec, b.Spec) &&
		apiequality.Semantic.DeepEqual(a.Labels, b.Labels) &&
		apiequality.Semantic.DeepEqual(a.Annotations, b.Annotations)
}

func samePolicy(a, b *callgatev1alpha1.ToolPolicy) bool {
	return a.DeletionTimestamp != nil || apiequality.Semantic.DeepEqual(a.Spec, b.Spec)
}
