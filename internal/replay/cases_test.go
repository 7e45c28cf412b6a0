package replay

import (
	"testing"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/toolcall"
	"github.com/callgate/callgate/test/cases"
)

// Every case of the project is the same when its record is judged by the same set: the
// record has all that the verdict hangs on, to the byte.
func TestTheSameSetChangesNoCase(t *testing.T) {
	table, err := cases.Load()
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for i := range table {
		c := &table[i]
		schemas, p := c.Objects("team")
		p.Spec.Audit.Arguments = callgatev1alpha1.AuditFull
		set := compile.Input{Schemas: schemas, Policies: []*callgatev1alpha1.ToolPolicy{p}}
		body, err := c.Body()
		if err != nil {
			t.Fatal(err)
		}
		who := review.Caller{Kind: review.ServiceAccount, Namespace: "team", Name: cases.ServiceAccount, Via: "https"}
		r := recordedBody(t, set, who, body, c.Callable())
		if r == nil {
			continue
		}
		for _, o := range NewJudge(Proposal{Input: set}).Judge(r) {
			judged++
			if o.Change != Unchanged {
				t.Errorf("%s: %s %s: %+v, was %+v", c.ID, o.Change, o.Skip, o.After, o.Before)
			}
		}
	}
	if judged < 190 {
		t.Errorf("judged %d verdicts: the table shrank", judged)
	}
}

// recordedBody is the record of the review in a body, nil where that is no review.
func recordedBody(t *testing.T, set compile.Input, who review.Caller, body []byte, callable bool) *audit.Record {
	t.Helper()
	if callable {
		in, err := toolcall.DecodeReview(body)
		if err != nil {
			return nil
		}
		return recorded(t, set, audit.PhaseCall, who, in, nil)
	}
	in, err := toolcall.DecodeRequestReview(body)
	if err != nil {
		return nil
	}
	return recordedOfferOf(t, set, who, &in)
}
