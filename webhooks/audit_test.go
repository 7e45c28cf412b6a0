package webhooks

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/review"
)

// auditor keeps what it is given.
type auditor struct {
	required bool
	fault    error
	records  []*audit.Record
	// during is called while a record is taken.
	during func()
}

func (a *auditor) Required() bool { return a.required }

func (a *auditor) Record(_ context.Context, v *audit.Verdict) error {
	if a.during != nil {
		a.during()
	}
	a.records = append(a.records, audit.NewRecord(v, audit.Key{}, time.Unix(0, 0)))
	return a.fault
}

const (
	anOffer     = `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolRequestReview","request":{"uid":"u-1","tools":["get_ticket"]}}`
	anExecution = `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallExecution","request":{"uid":"u-1","call":{"id":"c1","name":"get_ticket","arguments":{"ticket_id":"T-1"}}}}`
)

// auditedPaths are the reviews of each phase.
var auditedPaths = map[audit.Phase]struct{ path, body string }{
	audit.PhaseCall:      {ReviewPath, allowed},
	audit.PhaseOffer:     {OfferPath, anOffer},
	audit.PhaseExecution: {ExecutionPath, anExecution},
}

func auditedHandler(t *testing.T, a Auditor, change ...func(*ReviewOptions)) *ReviewHandler {
	t.Helper()
	return newTestHandler(t, append([]func(*ReviewOptions){func(o *ReviewOptions) {
		o.OfferIdentity, o.ExecutionIdentity, o.Auditor = passport{}, passport{}, a
	}}, change...)...)
}

func postAs(h http.Handler, path, caller, body string) *http.Response {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+caller)
	return serve(h, r)
}

func TestEachVerdictIsRecordedOnce(t *testing.T) {
	for phase, test := range auditedPaths {
		for caller, allowed := range map[string]bool{"assistant": true, "stranger": false} {
			a := &auditor{}
			clock := clocktesting.NewFakeClock(time.Unix(1000, 0))
			h := auditedHandler(t, a, func(o *ReviewOptions) { o.Clock = clock })
			if got := postAs(h, test.path, caller, test.body); got.StatusCode != http.StatusOK {
				t.Fatalf("%s: answered %d", phase, got.StatusCode)
			}
			if len(a.records) != 1 {
				t.Fatalf("%s: %d records", phase, len(a.records))
			}
			r := a.records[0]
			if r.Phase != phase || r.UID != "u-1" || r.Caller != (audit.Account{Namespace: "support", ServiceAccountName: caller, Via: "https"}) ||
				r.Allowed != allowed || !strings.HasPrefix(r.Revision, "sha256:") || r.OnBehalfOf != nil {
				t.Errorf("%s of %s: %+v", phase, caller, r)
			}
			checkIdle(t, h)
		}
	}
}

func TestWhatIsNoVerdictIsNotRecorded(t *testing.T) {
	a := &auditor{}
	h := auditedHandler(t, a)
	for _, r := range []*http.Response{
		postAs(h, ReviewPath, "", allowed), postAs(h, ReviewPath, "person", allowed),
		postAs(h, ReviewPath, "assistant", "{}"), postAs(h, OfferPath, "assistant", "{}"), postAs(h, "/", "assistant", allowed),
	} {
		if r.StatusCode == http.StatusOK {
			t.Errorf("answered %d", r.StatusCode)
		}
	}
	if len(a.records) > 0 {
		t.Errorf("%d records of no verdict", len(a.records))
	}
}

func TestNoVerdictIsGivenWithoutARequiredRecord(t *testing.T) {
	for phase, test := range auditedPaths {
		a := &auditor{required: true, fault: errors.New("the disk is full")}
		h := auditedHandler(t, a)
		a.during = func() {
			if h.judging.total != 0 || h.waiting.total != 1 {
				t.Errorf("%s: while its record is written it holds %d of the places to judge, and %d to wait", phase, h.judging.total, h.waiting.total)
			}
		}
		got := postAs(h, test.path, "assistant", test.body)
		if got.StatusCode != http.StatusServiceUnavailable || len(a.records) != 1 {
			t.Errorf("%s: answered %d after %d records", phase, got.StatusCode, len(a.records))
		}
		checkAnswer(t, got)
		checkIdle(t, h)
		if h.waiting.total != 0 {
			t.Errorf("%s: a place to wait is kept", phase)
		}
	}
}

func TestACallIsRecordedBeforeItIsRun(t *testing.T) {
	a := &auditor{}
	executor := &hand{outcome: review.Outcome{Code: reviewv1alpha1.CodeNotFound}}
	executor.before = func(*review.Run) {
		if len(a.records) != 1 || a.records[0].Execution == nil || !a.records[0].Execution.Runs || a.records[0].Execution.Adapter != "support/get-ticket" {
			t.Errorf("when the call is run the records are %+v", a.records)
		}
	}
	h := newTestHandler(t, executing(executor), func(o *ReviewOptions) { o.Auditor = a })
	executionAnswer(t, serve(h, executionRequest(goodArguments)))
	if executor.ran.Load() != 1 || len(a.records) != 1 {
		t.Errorf("ran %d times, with %d records", executor.ran.Load(), len(a.records))
	}
	a.required, a.fault = true, errors.New("the disk is full")
	if got := serve(h, executionRequest(goodArguments)); got.StatusCode != http.StatusServiceUnavailable || executor.ran.Load() != 1 {
		t.Errorf("without a record it is answered %d, and was run %d times", got.StatusCode, executor.ran.Load())
	}
	checkIdle(t, h)
}
