package webhooks

import (
	"strings"
	"testing"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/snapshot"
)

func TestAdmissionPreviewsAdapters(t *testing.T) {
	adapterOf := func(name, tool, key string) *callgatev1alpha1.ToolAdapter {
		a := &callgatev1alpha1.ToolAdapter{ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: name}}
		a.Spec.ToolName, a.Spec.Key = callgatev1alpha1.EffectiveToolName(tool), key
		a.Spec.Records.ConfigMapKeyRef = callgatev1alpha1.ConfigMapKeyRef{Name: "records", Key: "k"}
		return a
	}
	creating := func(a *callgatev1alpha1.ToolAdapter) admission.Request {
		req := request(t, admissionv1.Create, a, nil)
		req.Kind.Kind = "ToolAdapter"
		return req
	}
	const good = `tenant + ":x"`
	weather := schema("weather", "")
	weather.Spec.Result.Fields = []callgatev1alpha1.ResultField{"/id"}
	reader := newReader(t, interceptor.Funcs{}, weather, schema("taken", ""), adapterOf("first", "taken", good))
	previewer := NewCompilePreviewer(reader, &snapshot.Store{}, logr.Discard()).WithAdapters(&adapter.Compiler{})
	backend := adapterOf("backend", "weather", "")
	backend.Spec.Records = callgatev1alpha1.AdapterRecords{}
	backend.Spec.HTTP.URL = "https://example.org/{tenant}"
	for about, test := range map[string]struct {
		adapter *callgatev1alpha1.ToolAdapter
		want    string
	}{
		"a key without the tenant":  {adapterOf("a", "weather", `"x"`), "spec/key: the key does not read tenant"},
		"a key that does not parse": {adapterOf("a", "weather", `tenant +`), "InvalidSpec"},
		"a tool without a schema":   {adapterOf("a", "other", good), "RefNotFound"},
		"a tool that has one":       {adapterOf("second", "taken", good), "DuplicateToolName"},
		"a host that is not known":  {backend, "EndpointNotAllowed"},
		"a good one":                {adapterOf("a", "weather", `tenant + ":" + caller.serviceAccountName`), ""},
	} {
		resp := NewAdmissionHandler(previewer, logr.Discard()).Handle(t.Context(), creating(test.adapter))
		all := strings.Join(resp.Warnings, "\n")
		if !resp.Allowed || !strings.Contains(all, test.want) || (test.want == "") != (all == "") {
			t.Errorf("%s: allowed %v, warned:\n%s\nwant %q", about, resp.Allowed, all, test.want)
		}
	}
	resp := NewAdmissionHandler(NewCompilePreviewer(reader, &snapshot.Store{}, logr.Discard()), logr.Discard()).
		Handle(t.Context(), creating(adapterOf("a", "weather", good)))
	if all := strings.Join(resp.Warnings, "\n"); !resp.Allowed || !strings.Contains(all, "not checked") {
		t.Errorf("without a compiler: %s", all)
	}
}
