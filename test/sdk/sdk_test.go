// Package sdk_test judges what the official SDKs themselves put on the wire. fixtures.mjs
// writes the fixtures.
package sdk_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

type fixture struct {
	Format toolcall.Format
	Kind   string
	Expect []string
	Body   json.RawMessage
}

func fixtures(t *testing.T, kind string) map[string]fixture {
	t.Helper()
	files, err := filepath.Glob("fixtures/*.json")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]fixture{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var f fixture
		if err := json.Unmarshal(text, &f); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if f.Kind == kind {
			found[filepath.Base(file)] = f
		}
	}
	if len(found) < 5 {
		t.Fatalf("%d fixtures of kind %s, want one of each SDK and API at least", len(found), kind)
	}
	return found
}

func TestOffersOfTheSDKs(t *testing.T) {
	for name, f := range fixtures(t, "offer") {
		for _, format := range []toolcall.Format{f.Format, toolcall.Auto} {
			in, err := toolcall.DecodeOffer(format, f.Body)
			if err != nil {
				t.Errorf("%s as %s: %v", name, format, err)
				continue
			}
			if in.Format != f.Format {
				t.Errorf("%s is taken for %s, want %s", name, in.Format, f.Format)
			}
			if bytes.Contains(in.RequestTools, []byte("s3cret")) {
				t.Errorf("%s: a validator would get the credentials of a server", name)
			}
			whole := judge(f.Expect, &in)
			if diff := cmp.Diff(f.Expect, whole.Response.Details.RequestedTools); diff != "" {
				t.Errorf("%s: names (-want +got):\n%s", name, diff)
			}
			if !whole.Response.Allowed || len(whole.Response.Warnings) > 0 {
				t.Errorf("%s: blocked, or warned of: %+v", name, whole.Response)
			}
			for i, left := range f.Expect {
				d := judge(slices.Delete(slices.Clone(f.Expect), i, i+1), &in)
				if d.Response.Allowed || !cmp.Equal(d.Response.Details.UndeclaredTools, []string{left}) {
					t.Errorf("%s without %s: %+v", name, left, d.Response)
				}
			}
		}
	}
}

func judge(declared []string, in *toolcall.Offer) review.OfferDecision {
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p"}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"*"}
	for _, name := range declared {
		p.Spec.DeclaredTools = append(p.Spec.DeclaredTools, callgatev1alpha1.EffectiveToolName(name))
	}
	snap := snapshot.New(compile.Compile(compile.Input{Policies: []*callgatev1alpha1.ToolPolicy{p}}, nil))
	return review.Offers(snap, review.Caller{Kind: review.ServiceAccount, Namespace: "team", Name: "agent"}, in, nil, nil)
}

func TestCallsOfTheSDKs(t *testing.T) {
	for name, f := range fixtures(t, "call") {
		for _, format := range []toolcall.Format{f.Format, toolcall.Auto} {
			in, err := toolcall.DecodeMessage(format, f.Body)
			if err != nil {
				t.Errorf("%s as %s: %v", name, format, err)
				continue
			}
			var names []string
			for _, c := range in.Calls {
				names = append(names, c.EffectiveName())
				if c.Fault != toolcall.NoFault || !cmp.Equal(compact(t, c.Arguments), `{"city":"Oslo"}`) {
					t.Errorf("%s: fault %q with arguments %s", name, c.Fault, c.Arguments)
				}
			}
			if diff := cmp.Diff(f.Expect, names); in.Format != f.Format || diff != "" {
				t.Errorf("%s as %s (-want +got):\n%s", name, in.Format, diff)
			}
		}
	}
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
