package toolcall

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func withContext(extra string) []byte {
	return []byte(`{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":{"calls":[{"name":"a","arguments":{}}],` + extra + `}}`)
}

func TestContextAndOnBehalfOf(t *testing.T) {
	in, err := DecodeReview(withContext(`"context":{"attributes":{"a":[{"b":1}]},"tenant":"alpha"},"onBehalfOf":{"serviceAccountName":"an.agent","namespace":"team-1"}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Context{Tenant: "alpha", Attributes: []byte(`{"a":[{"b":1}]}`)}, in.Context); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&OnBehalfOf{Namespace: "team-1", ServiceAccountName: "an.agent"}, in.OnBehalfOf); diff != "" {
		t.Error(diff)
	}
	in, err = DecodeReview(withContext(`"context":{}`))
	if err != nil || in.Context.Tenant != "" || in.Context.Attributes != nil || in.OnBehalfOf != nil {
		t.Errorf("an empty context: %+v, %v", in, err)
	}
}

// What the application itself says wrong is the whole review's fault, never a call's.
func TestContextsThatAreRefused(t *testing.T) {
	for _, extra := range []string{
		`"context":null`, `"context":[]`, `"context":{"tenant":1}`, `"context":{"tenant":null}`, `"context":{"Tenant":"a"}`,
		`"context":{"tenant":"a","tenant":"b"}`, `"context":{"user":"a"}`, `"context":{"tenant":"` + strings.Repeat("a", MaxTenantBytes+1) + `"}`,
		`"context":{"tenant":"\ud800"}`, `"context":{"attributes":[]}`, `"context":{"attributes":null}`, `"context":{"attributes":{"a":1,"a":1}}`,
		`"context":{"attributes":{"x":[{"a":1,"\u0061":1}]}}`, `"context":{"attributes":{"a":"\udc00"}}`, `"context":{},"context":{}`,
		`"Context":{}`, `"on_behalf_of":{}`, `"onBehalfOf":null`, `"onBehalfOf":{}`, `"onBehalfOf":{"namespace":"a"}`,
		`"onBehalfOf":{"namespace":"a","serviceAccountName":""}`, `"onBehalfOf":{"namespace":"A","serviceAccountName":"b"}`,
		`"onBehalfOf":{"namespace":"a.b","serviceAccountName":"b"}`, `"onBehalfOf":{"namespace":"a","serviceAccountName":"b:c"}`,
		`"onBehalfOf":{"namespace":"a","serviceAccountName":"b..c"}`, `"onBehalfOf":{"namespace":"a-","serviceAccountName":"b"}`,
		`"onBehalfOf":{"namespace":"a","serviceAccountName":"b","uid":"c"}`,
		`"onBehalfOf":{"namespace":"` + strings.Repeat("a", 64) + `","serviceAccountName":"b"}`,
	} {
		if in, err := DecodeReview(withContext(extra)); err == nil {
			t.Errorf("%.60s: taken as %+v, %+v", extra, in.Context, in.OnBehalfOf)
		}
	}
}
