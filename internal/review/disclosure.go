package review

import (
	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// disclosure is how much the caller is told of a blocked call.
func (c *call) disclosure(code reviewv1alpha1.VerdictCode) callgatev1alpha1.Disclosure {
	least := leastDisclosure(c.views)
	if least != callgatev1alpha1.DisclosureFull {
		return least
	}
	switch code {
	case reviewv1alpha1.CodeUnknownTool, reviewv1alpha1.CodeSchemaNotReady, reviewv1alpha1.CodeInvalidArguments:
		if c.hidesDetails() {
			return callgatev1alpha1.DisclosureCode
		}
	}
	return callgatev1alpha1.DisclosureFull
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
		switch d := views[i].policy.Disclosure; {
		case d == callgatev1alpha1.DisclosureFull:
		case d != callgatev1alpha1.DisclosureCode:
			return callgatev1alpha1.DisclosureOpaque
		default:
			least = d
		}
	}
	return least
}
