package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

// OfferPath is where reviews of offers are sent.
const OfferPath = "/apis/review.callgate.dev/v1alpha1/toolrequestreviews"

// AskOffer sends a review of an offer and fails where there is no answer.
func (m *Manager) AskOffer(ctx context.Context, tb TB, token string, body []byte) Answer {
	tb.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+m.Endpoint.String()+OfferPath, bytes.NewReader(body))
	if err != nil {
		tb.Fatalf("making a request: %v", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := m.Client.Do(request)
	if err != nil {
		tb.Fatalf("sending a review: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatalf("reading the answer: %v", err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: text}
}

// OfferVerdict reads a 200 and fails on anything else.
func (a Answer) OfferVerdict(tb TB) *reviewv1alpha1.ToolRequestReviewResponse {
	tb.Helper()
	if a.Status != http.StatusOK {
		tb.Fatalf("answered %d: %s", a.Status, a.Body)
	}
	var review reviewv1alpha1.ToolRequestReview
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(&review); err != nil {
		tb.Fatalf("reading %s: %v", a.Body, err)
	}
	if review.Kind != reviewv1alpha1.KindToolRequestReview || review.APIVersion != reviewv1alpha1.GroupVersion.String() || review.Response == nil {
		tb.Fatalf("the answer is no review of an offer: %s", a.Body)
	}
	return review.Response
}

// Offer is the body of a review of one chat request that offers one function.
func Offer(name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolRequestReview","request":{"uid":"u","message":{"format":"OpenAIChat","body":{"messages":[{"role":"user","content":"Search the documentation."}],"tools":[{"type":"function","function":{"name":%q}}]}}}}`, name)
}
