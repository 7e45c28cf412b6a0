package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

// Path is where reviews are sent.
const Path = "/apis/review.callgate.dev/v1alpha1/toolcallreviews"

// Answer is what the endpoint gave.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Try sends a body as a review of calls.
func (m *Manager) Try(ctx context.Context, token string, body []byte, contentType string) (Answer, error) {
	return m.post(ctx, Path, token, body, contentType)
}

func (m *Manager) post(ctx context.Context, path, token string, body []byte, contentType string) (Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+m.Endpoint.String()+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := m.Client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return Answer{Status: response.StatusCode, Header: response.Header, Body: text}, err
}

// Ask sends a review of calls as JSON and fails where there is no answer.
func (m *Manager) Ask(ctx context.Context, tb TB, token string, body []byte) Answer {
	tb.Helper()
	return m.ask(ctx, tb, Path, token, body)
}

func (m *Manager) ask(ctx context.Context, tb TB, path, token string, body []byte) Answer {
	tb.Helper()
	a, err := m.post(ctx, path, token, body, "application/json")
	if err != nil {
		tb.Fatalf("sending to %s: %v", path, err)
	}
	return a
}

// Verdict reads a 200 and fails on anything else.
func (a Answer) Verdict(tb TB) *reviewv1alpha1.ToolCallReviewResponse {
	tb.Helper()
	var review reviewv1alpha1.ToolCallReview
	a.read(tb, &review)
	if review.Kind != reviewv1alpha1.KindToolCallReview || review.APIVersion != reviewv1alpha1.GroupVersion.String() || review.Response == nil {
		tb.Fatalf("the answer is no review: %s", a.Body)
	}
	return review.Response
}

// read reads a 200 into an object that has to know every field.
func (a Answer) read(tb TB, into any) {
	tb.Helper()
	if a.Status != http.StatusOK {
		tb.Fatalf("answered %d: %s", a.Status, a.Body)
	}
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		tb.Fatalf("reading %s: %v", a.Body, err)
	}
}

// Refusal reads anything but a 200: a Status that agrees with the HTTP status and
// allows nothing.
func (a Answer) Refusal(tb TB) metav1.Status {
	tb.Helper()
	var status metav1.Status
	if err := json.Unmarshal(a.Body, &status); err != nil {
		tb.Fatalf("reading %s: %v", a.Body, err)
	}
	if a.Status == http.StatusOK || status.Kind != "Status" || status.Status != metav1.StatusFailure ||
		int(status.Code) != a.Status || status.Message == "" || bytes.Contains(a.Body, []byte(`"allowed"`)) {
		tb.Fatalf("HTTP %d with %s is no refusal", a.Status, a.Body)
	}
	return status
}

// Call is the body of a review of one native call.
func Call(name, arguments string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":{"uid":"u","calls":[{"id":"1","name":%q,"arguments":%s}]}}`,
		name, arguments)
}
