package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
)

func schema(name, document string) *callgatev1alpha1.ToolSchema {
	s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: name}}
	if document != "" {
		s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(document)}
	}
	return s
}

func request(t *testing.T, op admissionv1.Operation, obj, old any) admission.Request {
	t.Helper()
	req := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Operation: op, Namespace: "support"}}
	for to, from := range map[*runtime.RawExtension]any{&req.Object: obj, &req.OldObject: old} {
		if from == nil {
			continue
		}
		raw, err := json.Marshal(from)
		if err != nil {
			t.Fatal(err)
		}
		to.Raw = raw
	}
	switch obj.(type) {
	case *callgatev1alpha1.ToolPolicy:
		req.Kind.Kind = "ToolPolicy"
	default:
		req.Kind.Kind = "ToolSchema"
	}
	return req
}

func newReader(t *testing.T, funcs interceptor.Funcs, objs ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := callgatev1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objs...).WithInterceptorFuncs(funcs).Build()
}

const broken = `{"type":"object","properties":{"days":{"type":"int"}}}`

func TestAdmissionWarnsOfWhatStatusWillSay(t *testing.T) {
	reader := newReader(t, interceptor.Funcs{},
		schema("weather", `{"type":"object","properties":{"days":{"type":"integer"}}}`),
		schema("other", ""))
	h := NewAdmissionHandler(NewCompilePreviewer(reader, &snapshot.Store{}, logr.Discard()), logr.Discard())
	duplicate := schema("copy", "")
	duplicate.Spec.ToolName = "other"
	text := schema("weather", "")
	text.Spec.ParametersJSON = broken
	cases := map[string]struct {
		obj  any
		want []string
	}{
		"a good one":        {obj: schema("weather", `{"type":"object","properties":{"city":{"type":"string"}}}`)},
		"a broken one":      {obj: schema("weather", broken), want: []string{"InvalidSchema", "spec.parameters/properties/days/type: "}},
		"a new broken one":  {obj: schema("new", broken), want: []string{"InvalidSchema"}},
		"broken text":       {obj: text, want: []string{"spec.parametersJSON/properties/days/type: "}},
		"a duplicate name":  {obj: duplicate, want: []string{"DuplicateToolName"}},
		"one already there": {obj: schema("other", "")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			resp := h.Handle(t.Context(), request(t, admissionv1.Create, tc.obj, nil))
			if !resp.Allowed {
				t.Fatal("refused")
			}
			all := strings.Join(resp.Warnings, "\n")
			for _, want := range tc.want {
				if !strings.Contains(all, want) {
					t.Errorf("no %q in:\n%s", want, all)
				}
			}
			if tc.want == nil && len(resp.Warnings) != 0 {
				t.Errorf("warnings: %s", all)
			}
		})
	}
}

func TestAdmissionPreviewsPolicies(t *testing.T) {
	reader := newReader(t, interceptor.Funcs{}, schema("weather", ""))
	h := NewAdmissionHandler(NewCompilePreviewer(reader, ready(), logr.Discard()), logr.Discard())
	p := &callgatev1alpha1.ToolPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: "p"},
		Spec: callgatev1alpha1.ToolPolicySpec{
			Subjects:       callgatev1alpha1.PolicySubjects{ServiceAccountNames: []callgatev1alpha1.ServiceAccountName{"*"}},
			DeclaredTools:  []callgatev1alpha1.EffectiveToolName{"weather", "missing"},
			SchemaSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}},
		},
	}
	resp := h.Handle(t.Context(), request(t, admissionv1.Create, p, nil))
	if all := strings.Join(resp.Warnings, "\n"); !resp.Allowed || !strings.Contains(all, "InvalidSpec") {
		t.Errorf("allowed %v:\n%s", resp.Allowed, all)
	}
	p.Spec.SchemaSelector = nil
	resp = h.Handle(t.Context(), request(t, admissionv1.Create, p, nil))
	if all := strings.Join(resp.Warnings, "\n"); !strings.Contains(all, "missing") {
		t.Errorf("a declared tool without schema:\n%s", all)
	}
}

// oracle is a fake Previewer.
type oracle struct {
	schema func() *compile.SchemaOutcome
	asked  int
}

func (o *oracle) PreviewSchema(context.Context, *callgatev1alpha1.ToolSchema) *compile.SchemaOutcome {
	o.asked++
	return o.schema()
}

func (o *oracle) PreviewPolicy(context.Context, *callgatev1alpha1.ToolPolicy) *compile.PolicyOutcome {
	o.asked++
	return nil
}

func TestAdmissionLooksOnlyAtWhatDecides(t *testing.T) {
	o := &oracle{schema: func() *compile.SchemaOutcome { return &compile.SchemaOutcome{} }}
	h := NewAdmissionHandler(o, logr.Discard())
	s := schema("a", "")
	labelled := s.DeepCopy()
	labelled.Labels = map[string]string{"a": "b"}
	finalized := s.DeepCopy()
	finalized.Finalizers = []string{"x/y"}
	going := labelled.DeepCopy()
	going.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	status := request(t, admissionv1.Update, labelled, s)
	status.SubResource = "status"
	stranger := request(t, admissionv1.Create, s, nil)
	stranger.Kind.Kind = "ConfigMap"
	for name, tc := range map[string]struct {
		req  admission.Request
		want int
	}{
		"create":     {request(t, admissionv1.Create, s, nil), 1},
		"new labels": {request(t, admissionv1.Update, labelled, s), 1},
		"finalizer":  {request(t, admissionv1.Update, finalized, s), 0},
		"going":      {request(t, admissionv1.Update, going, s), 0},
		"delete":     {request(t, admissionv1.Delete, nil, s), 0},
		"status":     {status, 0},
		"other kind": {stranger, 0},
	} {
		o.asked = 0
		if resp := h.Handle(t.Context(), tc.req); !resp.Allowed || o.asked != tc.want {
			t.Errorf("%s: allowed %v, asked %d times, want %d", name, resp.Allowed, o.asked, tc.want)
		}
	}
}

func TestAdmissionAlwaysAllows(t *testing.T) {
	failing := newReader(t, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return context.DeadlineExceeded
		},
	})
	garbage := request(t, admissionv1.Create, schema("a", ""), nil)
	garbage.Object.Raw = []byte(`{"spec":1}`)
	for name, tc := range map[string]struct {
		previewer Previewer
		req       admission.Request
	}{
		"panic":      {&oracle{schema: func() *compile.SchemaOutcome { panic("no") }}, request(t, admissionv1.Create, schema("a", ""), nil)},
		"no cache":   {NewCompilePreviewer(failing, &snapshot.Store{}, logr.Discard()), request(t, admissionv1.Create, schema("a", ""), nil)},
		"undecoded":  {&oracle{}, garbage},
		"no outcome": {&oracle{schema: func() *compile.SchemaOutcome { return nil }}, request(t, admissionv1.Create, schema("a", ""), nil)},
	} {
		h := NewAdmissionHandler(tc.previewer, logr.Discard())
		for range 2 { // the turn is given back
			resp := h.Handle(t.Context(), tc.req)
			if !resp.Allowed || len(resp.Warnings) != 1 || !strings.Contains(resp.Warnings[0], "not checked") {
				t.Errorf("%s: allowed %v, %q", name, resp.Allowed, resp.Warnings)
			}
		}
	}
}

func TestAdmissionPreviewsOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		o := &oracle{schema: func() *compile.SchemaOutcome { <-release; return &compile.SchemaOutcome{} }}
		h := NewAdmissionHandler(o, logr.Discard())
		go h.Handle(t.Context(), request(t, admissionv1.Create, schema("a", ""), nil))
		synctest.Wait()
		began := time.Now()
		resp := h.Handle(t.Context(), request(t, admissionv1.Create, schema("b", ""), nil))
		if !resp.Allowed || len(resp.Warnings) != 1 || time.Since(began) != 2*time.Second {
			t.Errorf("busy: allowed %v, %q after %s", resp.Allowed, resp.Warnings, time.Since(began))
		}
		close(release)
	})
}

func TestWarningsAreBounded(t *testing.T) {
	long := strings.Repeat("é\u202e", 300)
	problems := make([]callgatev1alpha1.Problem, 100)
	for i := range problems {
		path := fmt.Sprintf("/p/%d", i)
		problems[i] = callgatev1alpha1.Problem{Path: &path, Message: long}
	}
	got := schemaWarnings(schema("a", ""), &compile.SchemaOutcome{Reason: "InvalidSchema", Message: long, Problems: problems})
	total := 0
	for _, l := range got {
		total += len(l)
		if len(l) > maxWarningBytes || strings.Contains(l, "\u202e") || strings.ToValidUTF8(l, "") != l {
			t.Errorf("a warning of %d bytes: %q", len(l), l)
		}
	}
	if len(got) > maxWarnings || total > maxWarningsBytes {
		t.Errorf("%d warnings of %d bytes", len(got), total)
	}
	if last := got[len(got)-1]; !strings.Contains(last, fmt.Sprintf("%d more", 101-len(got)+1)) {
		t.Errorf("the last one is %q", last)
	}
	for n := range 25 {
		short := make([]callgatev1alpha1.Problem, n)
		for i := range short {
			short[i].Message = "m"
		}
		if got := bound(func() (l []string) {
			for _, p := range short {
				l = append(l, p.Message)
			}
			return l
		}()); len(got) != min(n, maxWarnings) {
			t.Errorf("%d lines give %d", n, len(got))
		}
	}
}

func TestRegisterAdmission(t *testing.T) {
	mux := http.NewServeMux()
	RegisterAdmission(mux, &oracle{schema: func() *compile.SchemaOutcome {
		return &compile.SchemaOutcome{Reason: "InvalidSchema", Message: "no"}
	}}, logr.Discard())
	req := request(t, admissionv1.Create, schema("a", ""), nil)
	req.UID = "1"
	body, _ := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"}, Request: &req.AdmissionRequest,
	})
	r := httptest.NewRequest(http.MethodPost, AdmissionPath, strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	var got admissionv1.AdmissionReview
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Response == nil || !got.Response.Allowed || len(got.Response.Warnings) != 1 {
		t.Errorf("answer %d %s (%v)", w.Code, w.Body, err)
	}
}
