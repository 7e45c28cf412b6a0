package audit

import (
	"fmt"
	"strings"
	"testing"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/toolcall"
)

// many repeats a text.
func many(n int, text string) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint(i, text))
	}
	return out
}

// Whatever a verdict holds, its record is one line within the bound, and says what it
// leaves out.
func TestRecordsAreBounded(t *testing.T) {
	hidden := strings.Repeat("\U000e0001", 200)
	large := strings.Repeat("x", 1<<20)
	for about, v := range map[string]*Verdict{
		"many errors":      manyCalls(256, "unexpected:"+hidden, "{}"),
		"many large calls": manyCalls(1, "", `{"a":"`+strings.Repeat("\u0007", 8<<10)+`"}`),
		"one large call": {
			Phase: PhaseCall, Review: &toolcall.Review{Calls: []toolcall.Call{{Name: "f", Arguments: []byte(large)}}},
			Decision: &review.Decision{Grounds: review.Grounds{KeepArguments: true}, Response: reviewv1alpha1.ToolCallReviewResponse{Results: make([]reviewv1alpha1.ToolCallResult, 1)}},
		},
		"long names": {
			Phase: PhaseCall, Review: &toolcall.Review{Calls: []toolcall.Call{{ID: large, Name: large, Arguments: []byte("{}")}}},
			Decision: &review.Decision{Response: reviewv1alpha1.ToolCallReviewResponse{Results: make([]reviewv1alpha1.ToolCallResult, 1)}},
		},
		"many policies and answers": {
			Phase: PhaseCall, Review: &toolcall.Review{Calls: make([]toolcall.Call, 1)},
			Decision: &review.Decision{
				Grounds:  review.Grounds{Policies: many(5000, hidden), Answers: manyAnswers(5000), TenantLabels: manyLabels(5000)},
				Response: reviewv1alpha1.ToolCallReviewResponse{Results: make([]reviewv1alpha1.ToolCallResult, 1)},
			},
		},
		"a large offer": offerVerdict(&toolcall.Offer{Entries: manyEntries(200, 20, hidden), Chosen: many(50, hidden)}, nil),
	} {
		v.Caller = assistant
		r := parse1(t, line1(t, v))
		if r.Cut == 0 {
			t.Errorf("%s: nothing is said to be left out", about)
		}
		if about == "one large call" && (!r.Calls[0].ArgumentsCut || len(*r.Calls[0].Arguments) < MaxBytes/2) {
			t.Errorf("%d bytes of the arguments are kept", len(*r.Calls[0].Arguments))
		}
	}
}

// Arguments as large as they may be are kept whole where errors do not drive them out.
func TestTheLargestOrdinaryArgumentsAreKept(t *testing.T) {
	text := `{"ticket_id":"` + strings.Repeat("y", 512<<10-20) + `"}`
	v := judged(policySet(keepFull), toolcall.Review{Calls: []toolcall.Call{{Name: "get_ticket", Arguments: []byte(text)}}}, nil)
	if r := parse1(t, line1(t, v)); r.Cut > 0 || *r.Calls[0].Arguments != text {
		t.Errorf("%d texts are left out", r.Cut)
	}
}

func manyCalls(errors int, text, arguments string) *Verdict {
	in := &toolcall.Review{Context: toolcall.Context{Attributes: []byte(`{"a":1}`)}}
	d := &review.Decision{Grounds: review.Grounds{KeepArguments: true}}
	texts := many(errors, text)
	for i := range toolcall.MaxCalls {
		in.Calls = append(in.Calls, toolcall.Call{ID: strings.Repeat("i", 256), Name: strings.Repeat("n", 200), Arguments: []byte(arguments), FreeText: true, IntegersByValue: true, Fault: "truncated"})
		d.Response.Results = append(d.Response.Results, reviewv1alpha1.ToolCallResult{
			Code: "invalid_arguments", Errors: texts, Warnings: texts, Policies: many(10, "team/policy"), ArgumentsDigest: "sha256:0",
		})
		for range 5 {
			d.Audit = append(d.Audit, review.AuditFinding{Index: i, Code: "invalid_arguments", Errors: texts, Policies: []string{"team/p"}})
		}
	}
	return &Verdict{Phase: PhaseCall, Review: in, Decision: d}
}

func manyAnswers(n int) review.Answers {
	answers := review.Answers{}
	for i := range n {
		answers[review.Access{
			Namespace: strings.Repeat("n", 63), ServiceAccount: strings.Repeat("s", 253), Verb: "reviewas", Group: "callgate.dev", Resource: "serviceaccounts",
			In: strings.Repeat("i", 63), Name: fmt.Sprintf("%0253d", i),
		}] = review.AccessAnswer(i % 3)
	}
	return answers
}

func manyLabels(n int) (labels []review.TenantLabel) {
	for i := range n {
		labels = append(labels, review.TenantLabel{Label: fmt.Sprintf("%0300d", i), Value: strings.Repeat("v", 63)})
	}
	return labels
}

func manyEntries(n, names int, text string) (entries []toolcall.OfferEntry) {
	for i := range n {
		entries = append(entries, toolcall.OfferEntry{Index: i, Names: many(names, fmt.Sprint(i, text))})
	}
	return entries
}

// What is counted for a text is at least what it takes.
func TestTextsAreCountedAsTheyAreWritten(t *testing.T) {
	for _, s := range []string{"", "plain", `"\`, "\n\t\x00\x7f", "é日本", "\u202e", "\U000e0001\U0001f600", "\ufffd", "a\xffb"} {
		text, err := line([]string{s, ""})
		if err != nil {
			t.Fatal(err)
		}
		if took := len(text) - len(`[,""]`) - 1; took > written(s) {
			t.Errorf("%q takes %d bytes, and is counted as %d", s, took, written(s))
		}
	}
}
