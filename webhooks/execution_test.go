package webhooks

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
)

// hand is an executor with one outcome.
type hand struct {
	outcome review.Outcome
	ran     atomic.Int32
	before  func(*review.Run)
	panics  bool
}

func (h *hand) Execute(_ context.Context, run *review.Run) review.Outcome {
	h.ran.Add(1)
	if h.panics {
		panic("S3CRET")
	}
	if h.before != nil {
		h.before(run)
	}
	return h.outcome
}

// executable is a store in which assistant may call get_ticket, which has an adapter.
func executable() *snapshot.Store {
	s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: "get-ticket"}}
	s.Spec.ToolName, s.Spec.Parameters = "get_ticket", &apiextensionsv1.JSON{Raw: []byte(`{"type":"object","properties":{"ticket_id":{"type":"string"}},"required":["ticket_id"]}`)}
	s.Spec.Result.Fields = []callgatev1alpha1.ResultField{"/id"}
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: "assistant"}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"assistant"}
	p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"get_ticket"}
	a := &callgatev1alpha1.ToolAdapter{ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: "get-ticket"}}
	a.Spec.ToolName, a.Spec.Key = "get_ticket", `tenant + ":" + args.ticket_id`
	a.Spec.Records.ConfigMapKeyRef = callgatev1alpha1.ConfigMapKeyRef{Name: "tickets", Key: "tickets.json"}
	store := &snapshot.Store{}
	store.Swap(snapshot.New(compile.Compile(compile.Input{
		Schemas: []*callgatev1alpha1.ToolSchema{s}, Policies: []*callgatev1alpha1.ToolPolicy{p},
		Adapters: []*callgatev1alpha1.ToolAdapter{a}, AdapterCompiler: &adapter.Compiler{},
	}, nil)))
	return store
}

func executing(executor review.Executor) func(*ReviewOptions) {
	return func(o *ReviewOptions) {
		o.ExecutionIdentity, o.Executor, o.Snapshots = passport{}, executor, executable()
	}
}

func executionRequest(arguments string) *http.Request {
	r := newRequest(`{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallExecution","request":{"uid":"u","call":{"id":"c","name":"get_ticket","arguments":` + arguments + `}}}`)
	r.URL.Path = ExecutionPath
	return r
}

const goodArguments = `{"ticket_id":"T-1"}`

func executionAnswer(t *testing.T, resp *http.Response) *reviewv1alpha1.ToolCallExecutionResponse {
	t.Helper()
	var got reviewv1alpha1.ToolCallExecution
	d := json.NewDecoder(resp.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil || resp.StatusCode != http.StatusOK || got.Kind != "ToolCallExecution" || got.Request != nil || got.Response == nil {
		t.Fatalf("%d, %v: %+v", resp.StatusCode, err, got)
	}
	return got.Response
}

func TestExecutions(t *testing.T) {
	var log logLines
	executor := &hand{outcome: review.Outcome{Code: reviewv1alpha1.CodeOK, Result: []byte(`{"id":"T-1"}`)}}
	executor.before = func(run *review.Run) {
		if text := log.String(); !strings.Contains(text, "Running a call") || !strings.Contains(text, run.Digest) {
			t.Error("the call is run before it is recorded")
		}
	}
	h := newTestHandler(t, executing(executor), func(o *ReviewOptions) { o.Log = log.logger() })
	r := executionAnswer(t, serve(h, executionRequest(goodArguments)))
	if !r.OK || string(r.Result) != `{"id":"T-1"}` || r.Code != reviewv1alpha1.CodeOK || r.UID != "u" || r.ID != "c" || executor.ran.Load() != 1 {
		t.Errorf("answered %+v", r)
	}
	r = executionAnswer(t, serve(h, executionRequest(`{}`)))
	if r.OK || r.Allowed || r.Code != reviewv1alpha1.CodeInvalidArguments || r.Errors[0] != "missing:ticket_id" || executor.ran.Load() != 1 {
		t.Errorf("a call that is blocked was answered %+v", r)
	}
	executor.outcome = review.Outcome{Code: reviewv1alpha1.CodeUpstreamTimeout, Cause: "timeout", Detail: "10.0.0.1"}
	r = executionAnswer(t, serve(h, executionRequest(goodArguments)))
	if r.OK || !r.Allowed || r.Result != nil || r.Code != reviewv1alpha1.CodeUpstreamTimeout || strings.Contains(r.Feedback, "10.0.0.1") {
		t.Errorf("a silent backend was answered %+v", r)
	}
	if text := log.String(); strings.Contains(text, "T-1") || !strings.Contains(text, `"cause":"timeout"`) {
		t.Errorf("logged %s", text)
	}
	checkIdle(t, h)
}

// Executions are a permission of their own, and a resource of their own.
func TestExecutionsAreRefused(t *testing.T) {
	executor := &hand{outcome: review.Outcome{Code: reviewv1alpha1.CodeOK, Result: []byte(`{}`)}}
	h := newTestHandler(t, executing(executor))
	change := func(f func(*http.Request)) *http.Request {
		r := executionRequest(goodArguments)
		f(r)
		return r
	}
	review := newRequest(allowed)
	review.URL.Path = ExecutionPath
	for about, test := range map[string]struct {
		request *http.Request
		want    int
	}{
		"no token":                     {change(func(r *http.Request) { r.Header.Del("Authorization") }), 401},
		"a stranger":                   {change(func(r *http.Request) { r.Header.Set("Authorization", "Bearer person") }), 403},
		"an outage":                    {change(func(r *http.Request) { r.Header.Set("Authorization", "Bearer outage") }), 503},
		"a GET":                        {change(func(r *http.Request) { r.Method = http.MethodGet }), 405},
		"a review":                     {review, 400},
		"an execution sent to reviews": {change(func(r *http.Request) { r.URL.Path = ReviewPath }), 400},
		"for another without a right to": {func() *http.Request {
			r := newRequest(`{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallExecution","request":{"call":{"name":"get_ticket","arguments":` + goodArguments + `},"onBehalfOf":{"namespace":"n","serviceAccountName":"a"}}}`)
			r.URL.Path = ExecutionPath
			return r
		}(), 503}, // nobody can be asked here
	} {
		resp := serve(h, test.request)
		if resp.StatusCode != test.want {
			t.Errorf("%s: %d, want %d", about, resp.StatusCode, test.want)
		}
		checkAnswer(t, resp)
	}
	if executor.ran.Load() != 0 {
		t.Error("something ran")
	}
	if resp := serve(newTestHandler(t), executionRequest(goodArguments)); resp.StatusCode != http.StatusNotFound {
		t.Errorf("without an identity for executions: %d, want 404", resp.StatusCode)
	}
	checkIdle(t, h)
}

// Without an executor, and with one that fails, nothing is told and nothing is kept.
func TestExecutionsFailClosed(t *testing.T) {
	h := newTestHandler(t, executing(nil))
	if r := executionAnswer(t, serve(h, executionRequest(goodArguments))); r.OK || r.Code != reviewv1alpha1.CodeUpstreamError {
		t.Errorf("without an executor: %+v", r)
	}
	var log logLines
	h = newTestHandler(t, executing(&hand{panics: true}), func(o *ReviewOptions) { o.Log = log.logger() })
	resp := serve(h, executionRequest(goodArguments))
	if resp.StatusCode != http.StatusServiceUnavailable || strings.Contains(log.String(), "S3CRET") {
		t.Errorf("an executor that panics: %d, %s", resp.StatusCode, log.String())
	}
	checkIdle(t, h)
}

// Once this replica is about to stop, it begins nothing that it could not see the end of.
func TestExecutionsThatADrainWouldCutOffAreNotBegun(t *testing.T) {
	for about, test := range map[string]struct {
		shutdown time.Duration
		draining bool
		want     int
	}{
		"serving":                    {time.Millisecond, false, http.StatusOK},
		"draining, with time enough": {time.Minute, true, http.StatusOK},
		"draining, with too little":  {time.Millisecond, true, http.StatusServiceUnavailable},
	} {
		t.Run(about, func(t *testing.T) {
			executor := &hand{outcome: review.Outcome{Code: reviewv1alpha1.CodeOK, Result: []byte(`{}`)}}
			drain := NewDrain(DrainOptions{Shutdown: test.shutdown})
			if test.draining {
				drain.enter(Lame)
			}
			h := newTestHandler(t, executing(executor), func(o *ReviewOptions) { o.Drain = drain })
			resp := serve(h, executionRequest(goodArguments))
			if resp.StatusCode != test.want || (executor.ran.Load() == 1) != (test.want == http.StatusOK) {
				t.Errorf("answered %d, and ran %d times", resp.StatusCode, executor.ran.Load())
			}
			if test.want != http.StatusOK && resp.Header.Get("Retry-After") == "" {
				t.Error("there is no Retry-After")
			}
			checkIdle(t, h)
		})
	}
}
