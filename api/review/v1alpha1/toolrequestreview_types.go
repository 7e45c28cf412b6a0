package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KindToolRequestReview and ResourceToolRequestReviews name the review of offers: the
// kind in a body, the resource in a URL and in RBAC rules.
const (
	KindToolRequestReview      = "ToolRequestReview"
	ResourceToolRequestReviews = "toolrequestreviews"
)

// ToolRequestReview asks whether a client may offer tools to a model, before the
// request is sent, and carries the answer.
//
// Unknown, duplicate and differently spelt keys are refused with 400.
//
// +kubebuilder:object:root=true
type ToolRequestReview struct {
	metav1.TypeMeta `json:",inline"`

	// request is what the client asks.
	// +optional
	Request *ToolRequestReviewRequest `json:"request,omitempty"`

	// response is the answer. Only the server sets it.
	// +optional
	Response *ToolRequestReviewResponse `json:"response,omitempty"`
}

// ToolRequestReviewRequest is what a client asks. Exactly one of message and tools is
// set.
type ToolRequestReviewRequest struct {
	// uid is echoed in the response: at most 128 characters of [A-Za-z0-9._:-].
	// Absent: the server generates one.
	// +optional
	UID string `json:"uid,omitempty"`

	// message is the request that is about to be sent to the model's provider,
	// verbatim.
	// +optional
	Message *ProviderMessage `json:"message,omitempty"`

	// tools are the effective names of the tools that are offered. An empty list is an
	// offer of no tool.
	// +optional
	Tools []string `json:"tools,omitempty"`

	// context is what the application knows of the session. Absent: nothing.
	// +optional
	Context *ReviewContext `json:"context,omitempty"`

	// onBehalfOf names the ServiceAccount for which the caller asks. Absent: for itself.
	// +optional
	OnBehalfOf *OnBehalfOf `json:"onBehalfOf,omitempty"`
}

// RequestVerdict says whether an offer may be made.
type RequestVerdict string

// The verdicts. The zero value is none, and clients take what is no allow as a block.
const (
	VerdictAllow RequestVerdict = "allow"
	VerdictBlock RequestVerdict = "block"
)

// RequestReasonCode says in one word why.
type RequestReasonCode string

// The reason codes of offers.
const (
	// ReasonRequestOK: the offer is allowed.
	ReasonRequestOK RequestReasonCode = "tool-validation.ok"
	// ReasonRequestInvalid: the offer is blocked.
	ReasonRequestInvalid RequestReasonCode = "tool-validation.invalid"
)

// PhasePreRequest is the phase of every review of an offer: before the request is
// sent.
const PhasePreRequest = "pre_request"

// ToolRequestReviewResponse is the answer to a review of an offer.
type ToolRequestReviewResponse struct {
	// uid is that of the request, or the generated one.
	// +required
	UID string `json:"uid"`

	// allowed says whether the offer may be made as it is.
	// +required
	Allowed bool `json:"allowed"`

	// verdict says the same as a word: allow or block.
	// +required
	Verdict RequestVerdict `json:"verdict"`

	// reasonCode is tool-validation.ok or tool-validation.invalid.
	// +required
	ReasonCode RequestReasonCode `json:"reasonCode"`

	// phase is pre_request.
	// +required
	Phase string `json:"phase"`

	// revision identifies the policy set that judged: "sha256:" and 64 hexadecimal
	// digits.
	// +required
	Revision string `json:"revision"`

	// details are what was found. Empty where a policy does not disclose them.
	// +required
	Details ToolRequestDetails `json:"details"`

	// permittedTools are the names of the offer that the client may keep if it drops the
	// rest, sorted. Empty in a blocked offer where a policy with Deny has a validator,
	// which has to see what is offered.
	// +required
	PermittedTools []string `json:"permittedTools"`

	// wouldBlock is true when a policy without Deny would have blocked the offer.
	// +required
	WouldBlock bool `json:"wouldBlock"`

	// warnings are the errors of policies with Warn, sorted.
	// +required
	Warnings []string `json:"warnings"`

	// policies are the policies that blocked, or on an allow all that apply, each as
	// "namespace/name", sorted.
	// +required
	Policies []string `json:"policies"`
}

// ToolRequestDetails are what was found in an offer.
type ToolRequestDetails struct {
	// requestedTools are the names that are offered, sorted.
	// +required
	RequestedTools []string `json:"requestedTools"`

	// undeclaredTools are those of them that a policy does not declare, sorted.
	// +required
	UndeclaredTools []string `json:"undeclaredTools"`

	// invalidSchemas are the names of tools whose schema does not compile, the
	// namespace's or the offer's own, sorted.
	// +required
	InvalidSchemas []string `json:"invalidSchemas"`

	// semanticValidated is true when validators were asked and all said yes.
	// +required
	SemanticValidated bool `json:"semanticValidated"`

	// semanticReason is the validator's reason, or the cause for which there is no
	// answer, in one word. Empty when it was not asked or gave none.
	// +required
	SemanticReason string `json:"semanticReason"`

	// malformedEntries are the entries of the offer that cannot be understood, in their
	// order. Each of them blocks.
	// +required
	MalformedEntries []MalformedEntry `json:"malformedEntries"`
}

// MalformedEntry is one entry of an offer that cannot be understood.
type MalformedEntry struct {
	// index is the entry's place in the list of tools, from 0.
	// +required
	Index int32 `json:"index"`

	// reason says what is wrong with it, in one word.
	// +required
	Reason string `json:"reason"`
}
