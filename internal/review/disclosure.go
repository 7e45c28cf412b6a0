package review

import (
	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// told is what the caller is told of a blocked call. less says that something is kept
// from it.
func (c *call) told(whole reviewv1alpha1.ToolCallResult) (_ reviewv1alpha1.ToolCallResult, less bool) {
	if least := leastDisclosure(c.views); least != callgatev1alpha1.DisclosureFull {
		return disclosed(whole, least), true
	}
	if !c.hidesDetails() {
		return whole, false
	}
	switch whole.Code {
	case reviewv1alpha1.CodeUnknownTool, reviewv1alpha1.CodeSchemaNotReady, reviewv1alpha1.CodeInvalidArguments:
		return disclosed(whole, callgatev1alpha1.DisclosureCode), true
	}
	// The last stage tells who said no, and nothing of what policies that only warn
	// found in the stages before.
	kept := sortedSet(c.Warnings)
	less = len(kept) != len(whole.Warnings)
	whole.Warnings = kept
	return whole, less
}

// disclosed is what the caller is told of a blocked call. The digest goes too: that there
// is one tells how far the call came.
func disclosed(r reviewv1alpha1.ToolCallResult, d callgatev1alpha1.Disclosure) reviewv1alpha1.ToolCallResult {
	code := r.Code
	if d == callgatev1alpha1.DisclosureOpaque {
		code = reviewv1alpha1.CodeDenied
	}
	return reviewv1alpha1.ToolCallResult{
		ID: r.ID, Name: r.Name, Code: code, Feedback: feedback{Opaque: true}.String(),
		Errors: []string{}, Violations: []reviewv1alpha1.Violation{}, Warnings: []string{}, Policies: []string{},
	}
}

// leastDisclosure is the least that any of the policies tells.
func leastDisclosure(views []view) callgatev1alpha1.Disclosure {
	least := callgatev1alpha1.DisclosureFull
	for i := range views {
		least = lesser(least, views[i].policy.Disclosure)
	}
	return least
}

// lesser is the one of two disclosures that tells less. One that is not known tells
// nothing.
func lesser(a, b callgatev1alpha1.Disclosure) callgatev1alpha1.Disclosure {
	const full, code = callgatev1alpha1.DisclosureFull, callgatev1alpha1.DisclosureCode
	switch {
	case a == full && b == full:
		return full
	case (a == full || a == code) && (b == full || b == code):
		return code
	}
	return callgatev1alpha1.DisclosureOpaque
}
