package cases

import (
	"fmt"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

// CheckOffer compares the verdict on an offer with what the case expects and describes
// the first difference, or gives "".
func (c *Case) CheckOffer(got *reviewv1alpha1.ToolRequestReviewResponse) string {
	if got == nil {
		return "no response"
	}
	if got.UID != c.ID || got.Phase != reviewv1alpha1.PhasePreRequest {
		return fmt.Sprintf("uid %q in phase %q, want %q in phase %q", got.UID, got.Phase, c.ID, reviewv1alpha1.PhasePreRequest)
	}
	reason := reviewv1alpha1.ReasonRequestInvalid
	if c.Expect.Verdict == string(reviewv1alpha1.VerdictAllow) {
		reason = reviewv1alpha1.ReasonRequestOK
	}
	if string(got.Verdict) != c.Expect.Verdict || got.ReasonCode != reason || got.Allowed != (reason == reviewv1alpha1.ReasonRequestOK) {
		return fmt.Sprintf("%s, %s, allowed %v; want %s, %s (details %+v)", got.Verdict, got.ReasonCode, got.Allowed, c.Expect.Verdict, reason, got.Details)
	}
	if c.Expect.UndeclaredTools == nil {
		return ""
	}
	if fmt.Sprintf("%q", got.Details.UndeclaredTools) != fmt.Sprintf("%q", c.Expect.UndeclaredTools) {
		return fmt.Sprintf("undeclared %q, want %q", got.Details.UndeclaredTools, c.Expect.UndeclaredTools)
	}
	return ""
}
