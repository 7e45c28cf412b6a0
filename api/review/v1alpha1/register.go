package v1alpha1

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupVersion is the group and version of the kinds in this package.
var GroupVersion = schema.GroupVersion{Group: "review.callgate.dev", Version: "v1alpha1"}

// KindToolCallReview and ResourceToolCallReviews name the review of tool calls:
// the kind in a body, the resource in a URL and in RBAC rules.
const (
	KindToolCallReview      = "ToolCallReview"
	ResourceToolCallReviews = "toolcallreviews"
)
