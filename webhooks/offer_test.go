package webhooks

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/identity"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
)

// port is a validator with one answer, which may wait.
type port struct {
	answer review.Answer
	calls  atomic.Int32
	wait   chan struct{}
	panics bool
}

func (p *port) Validate(ctx context.Context, _ review.Question) review.Answer {
	p.calls.Add(1)
	if p.panics {
		panic("t0ken")
	}
	if p.wait != nil {
		select {
		case <-p.wait:
		case <-ctx.Done():
			return review.Answer{Cause: "canceled"}
		}
	}
	return p.answer
}

// judging is a store with a policy that has a validator.
func judging() *snapshot.Store {
	store := &snapshot.Store{}
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: "assistant"}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"assistant"}
	p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"web_search"}
	p.Spec.SemanticValidation.Endpoint = "https://judge.example.org/"
	store.Swap(snapshot.New(compile.Compile(compile.Input{Policies: []*callgatev1alpha1.ToolPolicy{p}}, nil)))
	return store
}

func offering(validator review.Validator, store *snapshot.Store) func(*ReviewOptions) {
	return func(o *ReviewOptions) { o.OfferIdentity, o.Validator, o.Snapshots = passport{}, validator, store }
}

func offerRequest(request string) *http.Request {
	body := `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolRequestReview","request":` + request + `}`
	r := newRequest(body)
	r.URL.Path = OfferPath
	return r
}

func offerAnswer(t *testing.T, resp *http.Response) *reviewv1alpha1.ToolRequestReviewResponse {
	t.Helper()
	var got reviewv1alpha1.ToolRequestReview
	d := json.NewDecoder(resp.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil || resp.StatusCode != http.StatusOK || got.Kind != "ToolRequestReview" || got.Request != nil || got.Response == nil {
		t.Fatalf("%d, %v: %+v", resp.StatusCode, err, got)
	}
	return got.Response
}

func TestOffersAreJudged(t *testing.T) {
	h := newTestHandler(t, offering(nil, ready()))
	r := offerAnswer(t, serve(h, offerRequest(`{"uid":"u","tools":["delete_database"]}`)))
	if r.Allowed || r.Verdict != "block" || r.ReasonCode != "tool-validation.invalid" || r.UID != "u" || r.Phase != "pre_request" {
		t.Errorf("the block is %+v", r)
	}
	r = offerAnswer(t, serve(h, offerRequest(`{"tools":["get_ticket"]}`)))
	if !r.Allowed || r.Verdict != "allow" || r.ReasonCode != "tool-validation.ok" || r.UID == "" {
		t.Errorf("the allow is %+v", r)
	}
	for about, test := range map[string]struct {
		request func() *http.Request
		want    int
	}{
		"a call posted as an offer": {func() *http.Request {
			r := newRequest(allowed)
			r.URL.Path = OfferPath
			return r
		}, 400},
		"an offer posted as a call": {func() *http.Request {
			r := offerRequest(`{"tools":[]}`)
			r.URL.Path = ReviewPath
			return r
		}, 400},
		"no request": {func() *http.Request { return offerRequest(`{}`) }, 400},
		"a GET":      {func() *http.Request { r := offerRequest(`{}`); r.Method = "GET"; return r }, 405},
		"no token":   {func() *http.Request { r := offerRequest(`{}`); r.Header.Del("Authorization"); return r }, 401},
		"a stranger": {func() *http.Request {
			r := offerRequest(`{}`)
			r.Header.Set("Authorization", "Bearer person")
			return r
		}, 403},
		"other paths": {func() *http.Request { r := offerRequest(`{}`); r.URL.Path += "s"; return r }, 404},
	} {
		resp := serve(h, test.request())
		if checkAnswer(t, resp); resp.StatusCode != test.want {
			t.Errorf("%s: %d, want %d", about, resp.StatusCode, test.want)
		}
	}
	checkIdle(t, h)
}

// Whoever may ask about calls may not therefore ask about offers.
func TestOffersHaveAPermissionOfTheirOwn(t *testing.T) {
	h := newTestHandler(t, func(o *ReviewOptions) { o.OfferIdentity = refusing{} })
	w := httptest.NewRecorder()
	h.ServeHTTP(w, offerRequest(`{"tools":[]}`))
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "toolrequestreviews.review.callgate.dev") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := checkAnswer(t, serve(h, newRequest(allowed))); got == nil || !got.Allowed {
		t.Error("the call of the same caller is refused")
	}
	if resp := serve(newTestHandler(t), offerRequest(`{"tools":[]}`)); resp.StatusCode != http.StatusNotFound {
		t.Errorf("without an identity for offers: %d, want 404", resp.StatusCode)
	}
}

type refusing struct{}

func (refusing) Identify(context.Context, string) (review.Caller, error) {
	return review.Caller{}, identity.ErrForbidden
}

func TestValidatorHasTheLastWord(t *testing.T) {
	for about, test := range map[string]struct {
		port *port
		want string
	}{
		"yes":       {&port{answer: review.Answer{Valid: true, Reason: "fits"}}, "allow fits"},
		"no":        {&port{answer: review.Answer{Reason: "odd"}}, "block odd"},
		"no answer": {&port{answer: review.Answer{Cause: "timeout", Detail: "secret detail"}}, "block timeout"},
		"a panic":   {&port{panics: true}, "block no_answer"},
	} {
		lines := &logLines{}
		h := newTestHandler(t, offering(test.port, judging()), func(o *ReviewOptions) { o.Log = lines.logger() })
		r := offerAnswer(t, serve(h, offerRequest(`{"tools":["web_search"]}`)))
		if got := string(r.Verdict) + " " + r.Details.SemanticReason; got != test.want {
			t.Errorf("%s: %s, want %s", about, got, test.want)
		}
		if r.Details.SemanticValidated != r.Allowed {
			t.Errorf("%s: semanticValidated is %v", about, r.Details.SemanticValidated)
		}
		if strings.Contains(lines.String(), "t0ken") {
			t.Errorf("%s: the log has the value of a panic", about)
		}
		if _ = offerAnswer(t, serve(h, offerRequest(`{"tools":["delete_database"]}`))); test.port.calls.Load() != 1 {
			t.Errorf("%s: the validator was asked %d times; what the local checks block is no question", about, test.port.calls.Load())
		}
		checkIdle(t, h)
	}
	// Without a validator nothing passes that needs one.
	if r := offerAnswer(t, serve(newTestHandler(t, offering(nil, judging())), offerRequest(`{"tools":["web_search"]}`))); r.Allowed || r.Details.SemanticReason != review.CauseNoValidator {
		t.Errorf("without a validator: %+v", r)
	}
}

// Reviews that wait for a validator are bounded, and hold up no others.
func TestWaitingForAValidatorHoldsNoOtherPlace(t *testing.T) {
	p := &port{answer: review.Answer{Valid: true}, wait: make(chan struct{})}
	h := newTestHandler(t, offering(p, judging()), func(o *ReviewOptions) { o.MaxInFlight, o.MaxWaiting = 4, 4 })
	done := make(chan *http.Response)
	go func() { done <- serve(h, offerRequest(`{"tools":["web_search"]}`)) }()
	for p.calls.Load() == 0 {
		if len(done) > 0 {
			t.Fatal("the review was answered without its validator")
		}
	}
	if h.judging.total != 0 {
		t.Errorf("%d reviews hold a place among the judged while one waits", h.judging.total)
	}
	// One place of four is the caller's share.
	resp := serve(h, offerRequest(`{"tools":["web_search"]}`))
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("one more is answered %d, want 429", resp.StatusCode)
	}
	if got := offerAnswer(t, serve(h, offerRequest(`{"tools":["delete_database"]}`))); got.Allowed {
		t.Error("a review that asks nobody has to wait, or is allowed")
	}
	close(p.wait)
	if r := offerAnswer(t, <-done); !r.Allowed {
		t.Errorf("the answer is %+v", r)
	}
	checkIdle(t, h)
	if h.waiting.total != 0 {
		t.Errorf("%d are kept among the waiting", h.waiting.total)
	}
}

func TestAuditOfOffersIsWhole(t *testing.T) {
	lines := &logLines{}
	h := newTestHandler(t, offering(nil, ready()), func(o *ReviewOptions) { o.Log = lines.logger() })
	serve(h, offerRequest(`{"uid":"u","tools":["delete_database"]}`))
	for _, want := range []string{`"A policy recorded an offer"`, `"unknown_tool:delete_database"`, `"caller":"system:serviceaccount:support:assistant"`, `"verdict":"block"`} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("the log lacks %s: %s", want, lines)
		}
	}
}
