package webhooks

import (
	"bytes"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/toolcall"
)

// encode writes the review with its response and without its request.
func encode(response reviewv1alpha1.ToolCallReviewResponse) ([]byte, error) {
	response.Results = orEmpty(response.Results)
	for i := range response.Results {
		r := &response.Results[i]
		r.Errors, r.Violations = orEmpty(r.Errors), orEmpty(r.Violations)
		r.Warnings, r.Policies = orEmpty(r.Warnings), orEmpty(r.Policies)
	}
	return encodeLine(reviewv1alpha1.ToolCallReview{
		TypeMeta: metav1.TypeMeta{APIVersion: toolcall.APIVersion, Kind: toolcall.Kind},
		Response: &response,
	})
}

// encodeLine writes JSON in one line. Names that hold < or & are as they are everywhere
// else: the answer is no HTML, and says so.
func encodeLine(object any) ([]byte, error) {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	if err := e.Encode(object); err != nil {
		return nil, fmt.Errorf("encoding the response: %w", err)
	}
	return body.Bytes(), nil
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
