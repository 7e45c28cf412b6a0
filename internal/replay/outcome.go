package replay

import (
	"slices"

	"github.com/callgate/callgate/internal/audit"
)

// Change says what would become of a verdict.
type Change string

// The changes.
const (
	Unchanged    Change = "unchanged"
	NewlyBlocked Change = "newly-blocked"
	NewlyAllowed Change = "newly-allowed"
	// Changed: it is as before whether the call may be made, and another code, other
	// errors, or another opinion of the policies that do not deny.
	Changed Change = "changed"
	// Skipped: it cannot be told.
	Skipped Change = "skipped"
)

// Skip says why a verdict cannot be told.
type Skip string

// The reasons.
const (
	// SkipDigest: the record has the arguments, or the application's attributes, as digests
	// only.
	SkipDigest Skip = "digest"
	// SkipCut: the record was too large to have them whole.
	SkipCut Skip = "cut"
	// SkipAccess: the verdict hangs on what RBAC says, and neither the record nor the files
	// tell.
	SkipAccess Skip = "access"
	// SkipTenantLabel: it hangs on a label of the namespace that neither tells.
	SkipTenantLabel Skip = "tenant-label"
	// SkipValidator: it hangs on a validator that was not asked then.
	SkipValidator Skip = "validator"
)

// Verdict is a verdict as far as it is compared.
type Verdict struct {
	Allowed    bool     `json:"allowed"`
	WouldBlock bool     `json:"wouldBlock"`
	Code       string   `json:"code"`
	Errors     []string `json:"errors"`
}

// Subject is what a verdict is about.
type Subject struct {
	Phase audit.Phase `json:"phase"`
	// Namespace and ServiceAccountName are the account that was judged for.
	Namespace          string `json:"namespace"`
	ServiceAccountName string `json:"serviceAccountName"`
	// Tool is the effective name as it is shown, "" of an offer.
	Tool string `json:"tool"`
}

// Outcome is what became of one recorded verdict: one on each call of a review, one on an
// offer, one on an execution.
type Outcome struct {
	Subject
	Change Change
	// Skip is set where Change is Skipped; then After is not.
	Skip          Skip
	Before, After Verdict
}

// compare fills in the change. partial: the errors before may be only the first of them.
func (o *Outcome) compare(partial bool) {
	switch {
	case o.Before.Allowed && !o.After.Allowed:
		o.Change = NewlyBlocked
	case !o.Before.Allowed && o.After.Allowed:
		o.Change = NewlyAllowed
	case o.Before.same(&o.After, partial):
		o.Change = Unchanged
	default:
		o.Change = Changed
	}
}

func (v *Verdict) same(after *Verdict, partial bool) bool {
	if v.Code != after.Code || v.WouldBlock != after.WouldBlock {
		return false
	}
	if partial && len(after.Errors) > len(v.Errors) {
		return slices.Equal(v.Errors, after.Errors[:len(v.Errors)])
	}
	return slices.Equal(v.Errors, after.Errors)
}

// equal reports whether two runs came to the same.
func equal(a, b []Verdict) bool {
	return slices.EqualFunc(a, b, func(x, y Verdict) bool { return x.Allowed == y.Allowed && x.same(&y, false) })
}
