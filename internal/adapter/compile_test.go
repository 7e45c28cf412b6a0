package adapter

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/outbound"
)

const ticketKey = `tenant + ":" + args.ticket_id`

func adapterObject(change ...func(*callgatev1alpha1.ToolAdapter)) *callgatev1alpha1.ToolAdapter {
	a := &callgatev1alpha1.ToolAdapter{
		ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: "get-ticket", UID: "u-1", Generation: 1},
		Spec:       callgatev1alpha1.ToolAdapterSpec{ToolName: "get_ticket", Tenancy: callgatev1alpha1.TenancyRequired},
	}
	for _, f := range change {
		f(a)
	}
	return a
}

func records(key string) func(*callgatev1alpha1.ToolAdapter) {
	return func(a *callgatev1alpha1.ToolAdapter) {
		a.Spec.Key = key
		a.Spec.Records.ConfigMapKeyRef = callgatev1alpha1.ConfigMapKeyRef{Name: "tickets", Key: "tickets.json"}
	}
}

func backendAt(url string, change ...func(*callgatev1alpha1.AdapterHTTP)) func(*callgatev1alpha1.ToolAdapter) {
	return func(a *callgatev1alpha1.ToolAdapter) {
		a.Spec.HTTP = callgatev1alpha1.AdapterHTTP{URL: url}
		for _, f := range change {
			f(&a.Spec.HTTP)
		}
	}
}

func noTenancy(a *callgatev1alpha1.ToolAdapter) { a.Spec.Tenancy = callgatev1alpha1.TenancyNone }

func TestCompileProblems(t *testing.T) {
	type change = func(*callgatev1alpha1.ToolAdapter)
	const service = "https://t.support.svc/{tenant}"
	upstreams, err := outbound.ParsePolicy([]string{"ok.example.org"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	const spec, endpoint = callgatev1alpha1.ReasonInvalidSpec, callgatev1alpha1.ReasonEndpointNotAllowed
	for name, tc := range map[string]struct {
		changes []change
		want    []string // reason and path
	}{
		"records":                    {[]change{records(ticketKey)}, nil},
		"no source":                  {nil, []string{spec + " /spec"}},
		"both":                       {[]change{records(ticketKey), backendAt(service)}, []string{spec + " /spec"}},
		"no key":                     {[]change{records("")}, []string{spec + " /spec/key"}},
		"no CEL":                     {[]change{records("tenant +")}, []string{spec + " /spec/key"}},
		"a number as key":            {[]change{records("size(tenant)")}, []string{spec + " /spec/key"}},
		"a key that reads tool":      {[]change{records("tenant + tool.name")}, []string{spec + " /spec/key"}},
		"no tenant":                  {[]change{records("args.ticket_id")}, []string{spec + " /spec/key"}},
		"the application's tenant":   {[]change{records("context.tenant + args.id")}, []string{spec + " /spec/key"}},
		"no tenant, and none needed": {[]change{records("string(args.ticket_id)"), noTenancy}, nil},
		"a caller's key":             {[]change{records(`tenant + "/" + caller.namespace + context.attributes.x`)}, nil},
		"no ConfigMap": {[]change{records(ticketKey), func(a *callgatev1alpha1.ToolAdapter) { a.Spec.Records.ConfigMapKeyRef.Name = "" }},
			[]string{spec + " /spec/records/configMapKeyRef"}},
		"names": {[]change{records(ticketKey), func(a *callgatev1alpha1.ToolAdapter) {
			a.Spec.ToolName, a.Namespace, a.Spec.Tenancy = "*", "", "Some"
		}}, []string{spec + " /metadata/namespace", spec + " /spec/toolName", spec + " /spec/tenancy"}},

		"a Service":                    {[]change{backendAt(service)}, nil},
		"a Service by http":            {[]change{backendAt("http://t.support.svc:8080/{tenant}")}, nil},
		"another namespace's Service":  {[]change{backendAt("https://t.other.svc/{tenant}")}, []string{endpoint + " /spec/http/url"}},
		"an allowed host":              {[]change{backendAt("https://ok.example.org/{tenant}")}, nil},
		"an allowed host by http":      {[]change{backendAt("http://ok.example.org/{tenant}")}, []string{endpoint + " /spec/http/url"}},
		"another host":                 {[]change{backendAt("https://example.org/{tenant}")}, []string{endpoint + " /spec/http/url"}},
		"a metadata service":           {[]change{backendAt("https://169.254.169.254/{tenant}")}, []string{endpoint + " /spec/http/url"}},
		"a URL without tenant":         {[]change{backendAt("https://t.support.svc/{args.id}")}, []string{spec + " /spec/http/url"}},
		"without tenant, none needed":  {[]change{backendAt("https://t.support.svc/{args.id}"), noTenancy}, nil},
		"a variable host":              {[]change{backendAt("https://{tenant}.support.svc/{tenant}")}, []string{spec + " /spec/http/url"}},
		"a key beside it":              {[]change{backendAt(service), func(a *callgatev1alpha1.ToolAdapter) { a.Spec.Key = "tenant" }}, []string{spec + " /spec/key"}},
		"a method":                     {[]change{backendAt(service, func(h *callgatev1alpha1.AdapterHTTP) { h.Method = "PATCH" })}, []string{spec + " /spec/http/method"}},
		"a short timeout":              {[]change{backendAt(service, func(h *callgatev1alpha1.AdapterHTTP) { h.TimeoutMilliseconds = 99 })}, []string{spec + " /spec/http/timeoutMilliseconds"}},
		"a long timeout":               {[]change{backendAt(service, func(h *callgatev1alpha1.AdapterHTTP) { h.TimeoutMilliseconds = 30001 })}, []string{spec + " /spec/http/timeoutMilliseconds"}},
		"a negative size":              {[]change{backendAt(service, func(h *callgatev1alpha1.AdapterHTTP) { h.MaxResponseBytes = -1 })}, []string{spec + " /spec/http/maxResponseBytes"}},
		"a large size":                 {[]change{backendAt(service, func(h *callgatev1alpha1.AdapterHTTP) { h.MaxResponseBytes = 4<<20 + 1 })}, []string{spec + " /spec/http/maxResponseBytes"}},
		"a broken bundle":              {[]change{backendAt(service, func(h *callgatev1alpha1.AdapterHTTP) { h.CABundle = []byte("x") })}, []string{spec + " /spec/http/caBundle"}},
		"a bundle without TLS":         {[]change{backendAt("http://t.support.svc/{tenant}", func(h *callgatev1alpha1.AdapterHTTP) { h.CABundle = []byte("x") })}, []string{spec + " /spec/http/caBundle", spec + " /spec/http/caBundle"}},
		"the namespace's audience":     {[]change{backendAt(service, audience("callgate.dev/support"))}, nil},
		"a longer audience":            {[]change{backendAt(service, audience("callgate.dev/support/tickets"))}, nil},
		"another namespace's audience": {[]change{backendAt(service, audience("callgate.dev/other"))}, []string{spec + " /spec/http/serviceAccountTokenAudience"}},
		"a namespace that begins so":   {[]change{backendAt(service, audience("callgate.dev/support-2"))}, []string{spec + " /spec/http/serviceAccountTokenAudience"}},
		"Callgate's own audience":      {[]change{backendAt(service, audience("callgate.dev"))}, []string{spec + " /spec/http/serviceAccountTokenAudience"}},
		"the API server's audience":    {[]change{backendAt(service, audience("https://kubernetes.default.svc"))}, []string{spec + " /spec/http/serviceAccountTokenAudience"}},
		"a token without TLS":          {[]change{backendAt("http://t.support.svc/{tenant}", audience("callgate.dev/support"))}, []string{spec + " /spec/http/serviceAccountTokenAudience"}},
	} {
		a, problems, _ := Compile(adapterObject(tc.changes...), Options{Upstreams: upstreams})
		var got []string
		for _, p := range problems {
			got = append(got, p.Reason+" "+p.Path)
			if p.Message == "" || len([]rune(p.Message)) > maxMessage {
				t.Errorf("%s: the message is %q", name, p.Message)
			}
		}
		if !reflect.DeepEqual(got, tc.want) || (a == nil) != (tc.want != nil) {
			t.Errorf("%s: got %v, want %v", name, problems, tc.want)
		}
	}
	if a, problems, _ := Compile(nil, Options{}); a != nil || len(problems) != 1 {
		t.Errorf("nil gives %v %v", a, problems)
	}
}

func audience(text string) func(*callgatev1alpha1.AdapterHTTP) {
	return func(h *callgatev1alpha1.AdapterHTTP) { h.ServiceAccountTokenAudience = text }
}

func TestCompileWarnings(t *testing.T) {
	args := expr.ArgsTypeOf([]byte(`{"type":"object","properties":{"ticket_id":{"type":"string"},"n":{"type":"integer"}},"required":["ticket_id"]}`), expr.ClosedRoot)
	for name, tc := range map[string]struct {
		change func(*callgatev1alpha1.ToolAdapter)
		want   []string // path, and what the message has
	}{
		"none":                      {records(ticketKey), nil},
		"an unknown argument":       {records(`tenant + ":" + args.ticket`), []string{"/spec/key", "ticket"}},
		"nothing between":           {records(`tenant + args.ticket_id`), []string{"/spec/key", "another tenant's record"}},
		"nothing between, reversed": {records(`args.ticket_id + tenant`), []string{"/spec/key", "another tenant's record"}},
		"a number":                  {backendAt("https://t.support.svc/{tenant}/{args.n}"), nil},
		"unknown in a URL":          {backendAt("https://t.support.svc/{tenant}/{args.ticket}"), []string{"/spec/http/url", "{args.ticket}"}},
		"no identifier in a URL":    {backendAt("https://t.support.svc/{tenant}/{args.a-b}"), nil},
	} {
		a, problems, warnings := Compile(adapterObject(tc.change), Options{Args: args})
		if a == nil {
			t.Errorf("%s: %v", name, problems)
		}
		if (len(warnings) == 0) != (tc.want == nil) || tc.want != nil && (warnings[0].Path != tc.want[0] || !strings.Contains(warnings[0].Message, tc.want[1])) {
			t.Errorf("%s: got %v, want %v", name, warnings, tc.want)
		}
	}
}

func TestCompiledDefaults(t *testing.T) {
	a, problems, _ := Compile(adapterObject(backendAt("https://t.support.svc/{tenant}")), Options{})
	if a == nil {
		t.Fatal(problems)
	}
	if a.Timeout() != defaultTimeout || a.http.limit != 1<<20 || a.http.method != "GET" || a.Source() != SourceHTTP ||
		a.ToolName() != "get_ticket" || a.Namespace() != "support" || a.Name() != "get-ticket" {
		t.Errorf("got %+v %+v", a, a.http)
	}
	if _, ok := a.ConfigMap(); ok {
		t.Error("a backend has a ConfigMap")
	}
}
