package v1alpha1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KindToolCallExecution and ResourceToolCallExecutions name the execution of a tool
// call: the kind in a body, the resource in a URL and in RBAC rules.
const (
	KindToolCallExecution      = "ToolCallExecution"
	ResourceToolCallExecutions = "toolcallexecutions"
)

// ToolCallExecution asks Callgate to judge one tool call and, if it is allowed, to run
// it through the tool's ToolAdapter, and carries the answer.
//
// Unknown, duplicate and differently spelt keys are refused with 400.
//
// +kubebuilder:object:root=true
type ToolCallExecution struct {
	metav1.TypeMeta `json:",inline"`

	// request is what the client asks.
	// +optional
	Request *ToolCallExecutionRequest `json:"request,omitempty"`

	// response is the answer. Only the server sets it.
	// +optional
	Response *ToolCallExecutionResponse `json:"response,omitempty"`
}

// ToolCallExecutionRequest is what a client asks. Exactly one of call and message is
// set, and a message must hold exactly one call.
type ToolCallExecutionRequest struct {
	// uid is echoed in the response: at most 128 characters of [A-Za-z0-9._:-]. A uid
	// that was executed a short while ago is answered again and not executed again.
	// Absent: the server generates one.
	// +optional
	UID string `json:"uid,omitempty"`

	// call is a tool call in Callgate's own shape.
	// +optional
	Call *ToolCall `json:"call,omitempty"`

	// message is what the model's provider returned, verbatim.
	// +optional
	Message *ProviderMessage `json:"message,omitempty"`

	// context is what the application knows of the session. Absent: nothing.
	// +optional
	Context *ReviewContext `json:"context,omitempty"`

	// onBehalfOf names the ServiceAccount for which the caller asks. Absent: for itself.
	// +optional
	OnBehalfOf *OnBehalfOf `json:"onBehalfOf,omitempty"`
}

// The codes of a call that was allowed and could not be executed.
const (
	// CodeNotFound: there is no such record.
	CodeNotFound VerdictCode = "not_found"
	// CodeUpstreamError: the adapter is not ready, or its backend gave no usable answer.
	CodeUpstreamError VerdictCode = "upstream_error"
	// CodeUpstreamTimeout: the backend gave no answer in time.
	CodeUpstreamTimeout VerdictCode = "upstream_timeout"
)

// ToolCallExecutionResponse is the answer to an execution: the verdict on the call,
// and its result. The verdict's code is "ok" only if there is a result; a call that was
// allowed and could not be executed has allowed true and a code of stage 5.
type ToolCallExecutionResponse struct {
	// uid is that of the request, or the generated one.
	// +required
	UID string `json:"uid"`

	// ok says whether the call was allowed and executed.
	// +required
	OK bool `json:"ok"`

	// result has the fields of the record that the tool's ToolSchema names in
	// spec.result.fields, and no other: a JSON object. Absent unless ok.
	// +optional
	Result json.RawMessage `json:"result,omitempty"`

	// revision identifies the policy set that judged: "sha256:" and 64 hexadecimal
	// digits.
	// +required
	Revision string `json:"revision"`

	ToolCallResult `json:",inline"`

	// reply has, for a provider's message, the tool result in that provider's own
	// shape, ready to append to the conversation: the result, or the feedback of a
	// blocked call. Absent for a call in Callgate's own shape.
	// +optional
	Reply []json.RawMessage `json:"reply,omitempty"`
}
