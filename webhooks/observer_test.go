package webhooks

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/callgate/callgate/internal/snapshot"
)

// answers notes what was answered.
type answers struct {
	NoopObserver
	lines []string
}

func (a *answers) Answered(resource string, code int, reason string, _ time.Duration) {
	a.lines = append(a.lines, fmt.Sprintf("%s %d %s", resource, code, reason))
}

func TestEachAnswerIsToldOfByWhatWasPosted(t *testing.T) {
	told := &answers{}
	h := auditedHandler(t, nil, func(o *ReviewOptions) { o.Observer, o.Auditor = told, nil })
	postAs(h, ReviewPath, "assistant", allowed)
	postAs(h, OfferPath, "assistant", anOffer)
	postAs(h, ExecutionPath, "assistant", anExecution)
	postAs(h, ReviewPath, "", allowed)
	postAs(h, OfferPath, "outage", anOffer)
	postAs(h, "/apis", "assistant", allowed)
	h.opts.Snapshots = &snapshot.Store{}
	postAs(h, ReviewPath, "assistant", allowed)
	want := []string{
		"toolcallreviews 200 ", "toolrequestreviews 200 ", "toolcallexecutions 200 ", "toolcallreviews 401 Unauthorized",
		"toolrequestreviews 503 ServiceUnavailable", " 404 NotFound", "toolcallreviews 503 NotReady",
	}
	if !slices.Equal(told.lines, want) {
		t.Errorf("told of %q, want %q", told.lines, want)
	}
}

func TestReadyIsWhatAllChecksHold(t *testing.T) {
	fault := ""
	checks := []Check{{"good", func() string { return "" }}, {"other", func() string { return fault }}}
	for _, f := range []string{"", "broken"} {
		fault = f
		if got := serve(Readyz(checks, nil), newRequest("")).StatusCode == http.StatusOK; got != AllHold(checks) || got != (f == "") {
			t.Errorf("with the fault %q the probe says %v, and the metric %v", f, got, AllHold(checks))
		}
	}
}
