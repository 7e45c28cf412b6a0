package webhooks

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
)

// fakeAuthorizer is a fake Authorizer.
type fakeAuthorizer struct {
	answer review.AccessAnswer
	// known: nobody has to wait.
	known bool
	asked []string
	ask   func()
}

func (o *fakeAuthorizer) answers(questions []review.Access) review.Answers {
	answers := review.Answers{}
	for _, q := range questions {
		answers[q] = o.answer
		o.asked = append(o.asked, q.Verb)
	}
	return answers
}

func (o *fakeAuthorizer) Known(questions []review.Access) (review.Answers, bool) {
	if !o.known {
		return nil, false
	}
	return o.answers(questions), true
}

func (o *fakeAuthorizer) Ask(_ context.Context, questions []review.Access) review.Answers {
	if o.ask != nil {
		o.ask()
	}
	return o.answers(questions)
}

// granting is a store whose policy takes the tenant from the context.
func granting() *snapshot.Store {
	store := &snapshot.Store{}
	store.Swap(snapshot.New(compile.Compile(compile.Input{Policies: []*callgatev1alpha1.ToolPolicy{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: "assistant"},
		Spec: callgatev1alpha1.ToolPolicySpec{
			Subjects:         callgatev1alpha1.PolicySubjects{ServiceAccountNames: []callgatev1alpha1.ServiceAccountName{"assistant"}},
			DeclaredTools:    []callgatev1alpha1.EffectiveToolName{"get_ticket"},
			UnvalidatedCalls: callgatev1alpha1.PassAllow,
			Tenant:           callgatev1alpha1.PolicyTenant{From: callgatev1alpha1.TenantFromContext},
		},
	}}}, nil)))
	return store
}

const tenantCall = `{"calls":[{"name":"get_ticket","arguments":{}}],"context":{"tenant":"alpha"}}`

func TestAnswersOfTheAuthorizer(t *testing.T) {
	for name, tc := range map[string]struct {
		says *fakeAuthorizer
		want string
	}{
		"granted":         {&fakeAuthorizer{answer: review.Granted}, "ok"},
		"granted, known":  {&fakeAuthorizer{answer: review.Granted, known: true}, "ok"},
		"refused":         {&fakeAuthorizer{answer: review.Refused}, "forbidden"},
		"not to be known": {&fakeAuthorizer{}, "policy_error"},
	} {
		h := newTestHandler(t, func(o *ReviewOptions) { o.Snapshots, o.Authorizer = granting(), tc.says })
		tc.says.ask = func() {
			if h.judging.total != 0 || h.waiting.total != 1 {
				t.Errorf("%s: while it waits, %d are judged and %d wait", name, h.judging.total, h.waiting.total)
			}
		}
		got := checkAnswer(t, serve(h, newRequest(envelope(tenantCall))))
		if got == nil || string(got.Results[0].Code) != tc.want {
			t.Errorf("%s: %+v", name, got)
		}
		if !slices.Equal(tc.says.asked, []string{"use"}) {
			t.Errorf("%s: asked %v", name, tc.says.asked)
		}
		checkIdle(t, h)
	}
}

func TestOnBehalfOfIsAskedFirst(t *testing.T) {
	body := envelope(strings.TrimSuffix(tenantCall, "}") + `,"onBehalfOf":{"namespace":"support","serviceAccountName":"assistant"}}`)
	for name, tc := range map[string]struct {
		answer review.AccessAnswer
		want   int
		asked  []string
	}{
		"granted":         {review.Granted, http.StatusOK, []string{"reviewas", "reviewas", "use"}},
		"refused":         {review.Refused, http.StatusForbidden, []string{"reviewas"}},
		"not to be known": {review.Unanswered, http.StatusServiceUnavailable, []string{"reviewas"}},
	} {
		o := &fakeAuthorizer{answer: tc.answer, known: true}
		h := newTestHandler(t, func(opts *ReviewOptions) { opts.Snapshots, opts.Authorizer = granting(), o })
		r := newRequest(body)
		r.Header.Set("Authorization", "Bearer door")
		resp := serve(h, r)
		got := checkAnswer(t, resp)
		if resp.StatusCode != tc.want || (got != nil) != (tc.want == http.StatusOK) || got != nil && !got.Allowed {
			t.Errorf("%s: %d %+v", name, resp.StatusCode, got)
		}
		if !slices.Equal(o.asked, tc.asked) {
			t.Errorf("%s: asked %v", name, o.asked)
		}
		checkIdle(t, h)
	}
}

// An offer for another account, or for a tenant, is asked about like a call.
func TestOffersAskTheSame(t *testing.T) {
	const body = `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolRequestReview","request":{"tools":["get_ticket"],"context":{"tenant":"alpha"},"onBehalfOf":{"namespace":"support","serviceAccountName":"assistant"}}}`
	for name, tc := range map[string]struct {
		answer review.AccessAnswer
		want   int
		asked  []string
	}{
		"granted":         {review.Granted, http.StatusOK, []string{"reviewas", "reviewas", "use"}},
		"refused":         {review.Refused, http.StatusForbidden, []string{"reviewas"}},
		"not to be known": {review.Unanswered, http.StatusServiceUnavailable, []string{"reviewas"}},
	} {
		o := &fakeAuthorizer{answer: tc.answer, known: true}
		h := newTestHandler(t, func(opts *ReviewOptions) {
			opts.Snapshots, opts.Authorizer, opts.OfferIdentity = granting(), o, passport{}
		})
		r := newRequest(body)
		r.URL.Path = OfferPath
		r.Header.Set("Authorization", "Bearer door")
		resp := serve(h, r)
		var got reviewv1alpha1.ToolRequestReview
		if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || resp.StatusCode != tc.want {
			t.Errorf("%s: %d, %v", name, resp.StatusCode, err)
		}
		if passed := got.Response != nil && got.Response.Allowed; passed != (tc.want == http.StatusOK) {
			t.Errorf("%s: %+v", name, got.Response)
		}
		if !slices.Equal(o.asked, tc.asked) {
			t.Errorf("%s: asked %v", name, o.asked)
		}
		checkIdle(t, h)
	}
}

func TestWithoutAnAuthorizerItIsABlock(t *testing.T) {
	h := newTestHandler(t, func(o *ReviewOptions) { o.Snapshots = granting() })
	if got := checkAnswer(t, serve(h, newRequest(envelope(tenantCall)))); got == nil || got.Results[0].Code != "policy_error" {
		t.Errorf("%+v", got)
	}
}

// Whoever waits for an answer holds no place of those that are judged, and is refused
// where there are too many of them.
func TestWaitersAreBounded(t *testing.T) {
	block, waiting := make(chan struct{}), make(chan struct{}, 1)
	o := &fakeAuthorizer{answer: review.Granted, ask: func() { waiting <- struct{}{}; <-block }}
	h := newTestHandler(t, func(opts *ReviewOptions) {
		opts.Snapshots, opts.Authorizer, opts.MaxWaiting, opts.MaxInFlight = granting(), o, 1, 1
	})
	done := make(chan int, 1)
	go func() { done <- serve(h, newRequest(envelope(tenantCall))).StatusCode }()
	<-waiting
	resp := serve(h, newRequest(envelope(tenantCall)))
	if checkAnswer(t, resp); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a second waiter gets %d", resp.StatusCode)
	}
	if got := checkAnswer(t, serve(h, newRequest(envelope(`{"calls":[{"name":"none","arguments":{}}]}`)))); got == nil {
		t.Error("a review that asks nobody is not judged meanwhile")
	}
	close(block)
	if got := <-done; got != http.StatusOK {
		t.Errorf("the first waiter gets %d", got)
	}
	checkIdle(t, h)
}

func TestWhatIsNotToldIsRecorded(t *testing.T) {
	var lines logLines
	store := &snapshot.Store{}
	store.Swap(snapshot.New(compile.Compile(compile.Input{Policies: []*callgatev1alpha1.ToolPolicy{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "support", Name: "assistant"},
		Spec: callgatev1alpha1.ToolPolicySpec{
			Subjects:   callgatev1alpha1.PolicySubjects{ServiceAccountNames: []callgatev1alpha1.ServiceAccountName{"assistant"}},
			Disclosure: callgatev1alpha1.DisclosureOpaque,
		},
	}}}, nil)))
	h := newTestHandler(t, func(o *ReviewOptions) { o.Snapshots, o.Log = store, lines.logger() })
	got := checkAnswer(t, serve(h, newRequest(allowed)))
	if got == nil || got.Results[0].Code != "denied" {
		t.Errorf("%+v", got)
	}
	if s := lines.String(); !strings.Contains(s, "unknown_tool:get_ticket") || !strings.Contains(s, "support/assistant") || strings.Contains(s, "T-1") {
		t.Errorf("the log is %s", s)
	}
}
