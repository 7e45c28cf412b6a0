// Package review judges calls against one snapshot. It is pure: what it needs from
// outside arrives as arguments.
package review

import (
	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

// CallerKind says what kind of identity a caller is. The zero value is none.
type CallerKind string

// ServiceAccount is the only kind of caller that policies can select.
const ServiceAccount CallerKind = "ServiceAccount"

// Caller is the authenticated identity behind a review, never anything that the
// model wrote. The zero value is selected by no policy.
type Caller struct {
	Kind            CallerKind
	Namespace, Name string
	Groups          []string
	// Via is the front door through which the caller came, such as "https" or "cli".
	Via string
}

// Username is the Kubernetes user name of the caller.
func (c Caller) Username() string {
	return "system:serviceaccount:" + c.Namespace + ":" + c.Name
}

// Decision is the outcome of one review.
type Decision struct {
	Response reviewv1alpha1.ToolCallReviewResponse
	// Whole are the results as they are where nothing is kept from the caller; nil where
	// nothing was. It is for the record alone.
	Whole []reviewv1alpha1.ToolCallResult
	// For is the account that was judged for: the caller, or the one on whose behalf it
	// asked.
	For Caller
	// Answers are those of the outside that the verdict hangs on.
	Answers Answers
	// Audit is what to record besides the verdicts: for each call what policies
	// with Audit found wrong, by code, and with code ok a name that passed
	// undeclared. It holds no argument value.
	Audit []AuditFinding
	// Grounds are what the verdict rests on.
	Grounds Grounds
}

// AuditFinding is one thing to record of one call.
type AuditFinding struct {
	// Index is the call's position in the review.
	Index int
	// ID and Name are the call's, cut and escaped for display.
	ID, Name string
	Code     reviewv1alpha1.VerdictCode
	Errors   []string
	// Policies are those that found it, sorted.
	Policies []string
}
