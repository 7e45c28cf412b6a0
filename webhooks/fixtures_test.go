package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/identity"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
)

// passport is a fake Identifier: the token names the caller, or the fault.
type passport struct{}

func (passport) Identify(_ context.Context, token string) (review.Caller, error) {
	switch token {
	case "":
		return review.Caller{}, identity.ErrUnauthenticated
	case "person":
		return review.Caller{}, identity.ErrForbidden
	case "outage":
		return review.Caller{}, &identity.UnavailableError{Cause: identity.CauseOutage, RetryAfter: 2_500_000_000}
	}
	return review.Caller{Kind: review.ServiceAccount, Namespace: "support", Name: token, Via: "https"}, nil
}

// ready is a store with one policy: assistant may call get_ticket, which takes an
// object, and nothing else.
func ready() *snapshot.Store {
	store := &snapshot.Store{}
	store.Swap(snapshot.New(compile.Compile(compile.Input{Policies: []*callgatev1alpha1.ToolPolicy{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: "assistant"},
		Spec: callgatev1alpha1.ToolPolicySpec{
			Subjects:          callgatev1alpha1.PolicySubjects{ServiceAccountNames: []callgatev1alpha1.ServiceAccountName{"assistant"}},
			DeclaredTools:     []callgatev1alpha1.EffectiveToolName{"get_ticket"},
			UnvalidatedCalls:  callgatev1alpha1.PassAllow,
			ValidationActions: []callgatev1alpha1.ValidationAction{callgatev1alpha1.ActionDeny},
		},
	}}}, nil)))
	return store
}

func newTestHandler(t testing.TB, change ...func(*ReviewOptions)) *ReviewHandler {
	t.Helper()
	opts := ReviewOptions{Identity: passport{}, Snapshots: ready()}
	for _, f := range change {
		f(&opts)
	}
	h, err := NewReviewHandler(opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const allowed = `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":{"uid":"u-1","calls":[{"id":"c1","name":"get_ticket","arguments":{"ticket_id":"T-1"}}]}}`

// envelope wraps a request.
func envelope(request string) string {
	return `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":` + request + `}`
}

func newRequest(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, ReviewPath, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer assistant")
	return r
}

func serve(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// checkAnswer holds every answer to the contract and returns the review of a 200.
func checkAnswer(t testing.TB, resp *http.Response) *reviewv1alpha1.ToolCallReviewResponse {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Cache-Control") != "no-store" ||
		resp.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers are %v", resp.Header)
	}
	if resp.StatusCode == http.StatusOK {
		return checkReview(t, resp, body)
	}
	var s metav1.Status
	if err := json.Unmarshal(body, &s); err != nil {
		t.Fatalf("the answer %d is no Status: %v: %s", resp.StatusCode, err, body)
	}
	if s.Kind != "Status" || s.APIVersion != "v1" || s.Status != metav1.StatusFailure ||
		int(s.Code) != resp.StatusCode || s.Reason == "" || s.Message == "" {
		t.Errorf("the Status is %s", body)
	}
	wantRetry := resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable
	hasRetry := s.Details != nil && s.Details.RetryAfterSeconds > 0 && resp.Header.Get("Retry-After") != ""
	if wantRetry != hasRetry {
		t.Errorf("the answer %d has Retry-After %q, details %+v", resp.StatusCode, resp.Header.Get("Retry-After"), s.Details)
	}
	if resp.StatusCode == http.StatusInternalServerError {
		t.Error("the answer is a 500")
	}
	return nil
}

// checkIdle holds a handler without requests to having given back every place.
func checkIdle(t testing.TB, h *ReviewHandler) {
	t.Helper()
	for name, f := range map[string]*inFlight{
		"arriving": h.arriving, "slow": h.slow, "judging": h.judging, "values": h.values, "heavy": h.heavy,
	} {
		if f.total != 0 || len(f.by) != 0 {
			t.Errorf("%s: %d are kept, by %v", name, f.total, f.by)
		}
	}
	if n := h.large.Load(); n != 0 {
		t.Errorf("%d bytes of large bodies are kept", n)
	}
}

func checkReview(t testing.TB, resp *http.Response, body []byte) *reviewv1alpha1.ToolCallReviewResponse {
	t.Helper()
	if resp.Header.Get("Retry-After") != "" {
		t.Error("a verdict has a Retry-After")
	}
	var review reviewv1alpha1.ToolCallReview
	if err := json.Unmarshal(body, &review); err != nil {
		t.Fatalf("the verdict is no JSON: %v: %s", err, body)
	}
	if review.Kind != "ToolCallReview" || review.APIVersion != "review.callgate.dev/v1alpha1" ||
		review.Request != nil || review.Response == nil || review.Response.UID == "" {
		t.Fatalf("the verdict is %s", body)
	}
	if bytes.Contains(body, []byte("null")) && bytes.Contains(body, []byte(`:null`)) {
		t.Errorf("the verdict has a null list: %s", body)
	}
	return review.Response
}

// logLines keeps what is logged.
type logLines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logLines) logger() logr.Logger {
	return funcr.NewJSON(func(line string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.buf.WriteString(line + "\n")
	}, funcr.Options{})
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
