package harness

import (
	"context"
	"fmt"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

// OfferPath is where reviews of offers are sent.
const OfferPath = "/apis/review.callgate.dev/v1alpha1/toolrequestreviews"

// AskOffer sends a review of an offer and fails where there is no answer.
func (m *Manager) AskOffer(ctx context.Context, tb TB, token string, body []byte) Answer {
	tb.Helper()
	return m.ask(ctx, tb, OfferPath, token, body)
}

// OfferVerdict reads a 200 and fails on anything else.
func (a Answer) OfferVerdict(tb TB) *reviewv1alpha1.ToolRequestReviewResponse {
	tb.Helper()
	var review reviewv1alpha1.ToolRequestReview
	a.read(tb, &review)
	if review.Kind != reviewv1alpha1.KindToolRequestReview || review.APIVersion != reviewv1alpha1.GroupVersion.String() || review.Response == nil {
		tb.Fatalf("the answer is no review of an offer: %s", a.Body)
	}
	return review.Response
}

// Offer is the body of a review of one chat request that offers one function.
func Offer(name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolRequestReview","request":{"uid":"u","message":{"format":"OpenAIChat","body":{"messages":[{"role":"user","content":"Search the documentation."}],"tools":[{"type":"function","function":{"name":%q}}]}}}}`, name)
}
