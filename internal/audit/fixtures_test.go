package audit

import (
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

var assistant = review.Caller{Kind: review.ServiceAccount, Namespace: "team", Name: "assistant", Via: "https"}

// noon is when everything happens.
var noon = time.Date(2026, 12, 1, 12, 0, 0, 123_456_789, time.UTC)

func testKey(t testing.TB) Key {
	t.Helper()
	key, err := NewKey([]byte("0123456789abcdef0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// policySet compiles a policy for assistant that declares get_ticket and search, the
// second without a ToolSchema, and others.
func policySet(change func(*callgatev1alpha1.ToolPolicySpec), more ...*callgatev1alpha1.ToolPolicy) *snapshot.Snapshot {
	p := testPolicy("main", "get_ticket", "search")
	if change != nil {
		change(&p.Spec)
	}
	s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "ticket"}}
	s.Spec.ToolName = "get_ticket"
	s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(`{"type":"object","properties":{"ticket_id":{"type":"string"}},"required":["ticket_id"]}`)}
	return snapshot.New(compile.Compile(compile.Input{
		Schemas: []*callgatev1alpha1.ToolSchema{s}, Policies: append(more, p),
		NamespaceLabels: map[string]map[string]string{"team": {"tenant": "alpha"}},
	}, nil))
}

func testPolicy(name string, tools ...callgatev1alpha1.EffectiveToolName) *callgatev1alpha1.ToolPolicy {
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"assistant"}
	p.Spec.DeclaredTools = tools
	return p
}

func keepFull(s *callgatev1alpha1.ToolPolicySpec) { s.Audit.Arguments = callgatev1alpha1.AuditFull }

// judged is the verdict on a review.
func judged(snap *snapshot.Snapshot, in toolcall.Review, answers review.Answers) *Verdict {
	d := review.Calls(snap, assistant, in, answers)
	return &Verdict{Phase: PhaseCall, Caller: assistant, Took: 1500 * time.Microsecond, Review: &in, Decision: &d}
}

// ticket is a review of one good call and one bad one, both with a value that must not
// leak.
func ticket() toolcall.Review {
	return toolcall.Review{
		UID: "u-1", Format: toolcall.OpenAIChat,
		Calls: []toolcall.Call{
			{ID: "call_1", Name: "get_ticket", Arguments: []byte(`{"ticket_id": "s3cret-TKT-104"}`)},
			{ID: "call_2", Name: "get_ticket", Arguments: []byte(`{"ticket": "s3cret-TKT-105"}`)},
			{ID: "call_3", Name: "drop_table", Arguments: []byte(`{"name": "s3cret-users"}`)},
		},
		Context: toolcall.Context{Attributes: []byte(`{"mood": "s3cret"}`)},
	}
}
