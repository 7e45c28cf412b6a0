package replay

import (
	"bytes"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

var assistant = review.Caller{Kind: review.ServiceAccount, Namespace: "team", Name: "assistant", Via: "https"}

// policy lets assistant call get_ticket and keeps arguments.
func policy(change ...func(*callgatev1alpha1.ToolPolicySpec)) *callgatev1alpha1.ToolPolicy {
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "main"}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"assistant"}
	p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"get_ticket"}
	p.Spec.Audit.Arguments = callgatev1alpha1.AuditFull
	for _, f := range change {
		f(&p.Spec)
	}
	return p
}

func schema(tool, parameters string) *callgatev1alpha1.ToolSchema {
	s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "s-" + tool}}
	s.Spec.ToolName = tool
	s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(parameters)}
	return s
}

const ticketParameters = `{"type":"object","properties":{"ticket_id":{"type":"string"}},"required":["ticket_id"]}`

// input is a policy set.
func input(change ...func(*callgatev1alpha1.ToolPolicySpec)) compile.Input {
	return compile.Input{
		Policies: []*callgatev1alpha1.ToolPolicy{policy(change...)},
		Schemas:  []*callgatev1alpha1.ToolSchema{schema("get_ticket", ticketParameters)}, AdapterCompiler: &adapter.Compiler{},
	}
}

func calls(list ...toolcall.Call) toolcall.Review {
	return toolcall.Review{UID: "u-1", Format: toolcall.OpenAIChat, Calls: list}
}

func call(name, arguments string) toolcall.Call {
	return toolcall.Call{ID: "c", Name: name, Arguments: []byte(arguments)}
}

// recorded judges a review, records it, and reads the record back.
func recorded(t testing.TB, set compile.Input, phase audit.Phase, who review.Caller, in toolcall.Review, answers review.Answers) *audit.Record {
	t.Helper()
	snap := snapshot.New(compile.Compile(set, nil))
	v := &audit.Verdict{Phase: phase, Caller: who, Review: &in}
	if phase == audit.PhaseExecution {
		x := review.Executions(snap, who, in, answers)
		v.Decision, v.Execution = &x.Decision, &x
	} else {
		d := review.Calls(snap, who, in, answers)
		v.Decision = &d
	}
	return written(t, v)
}

func recordedOffer(t testing.TB, set compile.Input, in *toolcall.Offer, answers ...review.Answer) *audit.Record {
	t.Helper()
	return recordedOfferOf(t, set, assistant, in, answers...)
}

func recordedOfferOf(t testing.TB, set compile.Input, who review.Caller, in *toolcall.Offer, answers ...review.Answer) *audit.Record {
	t.Helper()
	d := review.Offers(snapshot.New(compile.Compile(set, nil)), who, in, nil, nil)
	v := &audit.Verdict{Phase: audit.PhaseOffer, Caller: who, Offer: in, Questions: d.Questions, Answers: answers}
	d = d.Answered(answers)
	v.OfferDecision = &d
	return written(t, v)
}

func written(t testing.TB, v *audit.Verdict) *audit.Record {
	t.Helper()
	key, err := audit.NewKey([]byte("a key of the right length"))
	if err != nil {
		t.Fatal(err)
	}
	line, err := audit.NewRecord(v, key, time.Unix(1000, 0)).Line()
	if err != nil {
		t.Fatal(err)
	}
	got, err := audit.NewReader(bytes.NewReader(line)).Next()
	if err != nil || got.Record == nil {
		t.Fatalf("%v, %q", err, got.Fault)
	}
	return got.Record
}
