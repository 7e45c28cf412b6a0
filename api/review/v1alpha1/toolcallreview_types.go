package v1alpha1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ToolCallReview asks whether tool calls that a model emitted may run, and carries
// the answer. It has the shape of AdmissionReview: the client fills request, the
// server answers the same kind with response.
//
// Unknown, duplicate and differently spelt keys are refused with 400: whoever runs
// the call might read the other one.
//
// +kubebuilder:object:root=true
type ToolCallReview struct {
	metav1.TypeMeta `json:",inline"`

	// request is what the client asks.
	// +optional
	Request *ToolCallReviewRequest `json:"request,omitempty"`

	// response is the answer. Only the server sets it.
	// +optional
	Response *ToolCallReviewResponse `json:"response,omitempty"`
}

// ToolCallReviewRequest is what a client asks. Exactly one of calls and message
// is set.
type ToolCallReviewRequest struct {
	// uid is echoed in the response: at most 128 characters of [A-Za-z0-9._:-].
	// Absent: the server generates one.
	// +optional
	UID string `json:"uid,omitempty"`

	// calls are tool calls in Callgate's own shape, at most 128.
	// +optional
	Calls []ToolCall `json:"calls,omitempty"`

	// message is what the model's provider returned, verbatim.
	// +optional
	Message *ProviderMessage `json:"message,omitempty"`

	// context is what the application knows of the session. Nothing in it comes from
	// the model.
	// +optional
	Context *ReviewContext `json:"context,omitempty"`

	// onBehalfOf is the ServiceAccount to judge for, in place of the caller. Absent: the
	// caller itself.
	// +optional
	OnBehalfOf *OnBehalfOf `json:"onBehalfOf,omitempty"`
}

// ToolCall is one tool call in Callgate's own shape. Exactly one of arguments and
// argumentsText is set.
type ToolCall struct {
	// id is the caller's name for the call, echoed in its result, at most 256 bytes: a
	// longer one makes the call malformed. It may repeat: results stand in the order
	// of the calls.
	// +optional
	ID string `json:"id,omitempty"`

	// server is the MCP server or namespace that the call names. The call then
	// matches the tool server/name, and only that.
	// +optional
	Server string `json:"server,omitempty"`

	// name is the tool's name as the model gave it.
	// +required
	Name string `json:"name"`

	// arguments is a JSON object.
	// +optional
	Arguments json.RawMessage `json:"arguments,omitempty"`

	// argumentsText is the JSON text of an object, for clients that hold the
	// arguments as the model wrote them.
	// +optional
	ArgumentsText *string `json:"argumentsText,omitempty"`
}

// MessageFormat is the wire shape of a provider's message.
type MessageFormat string

// The formats.
const (
	// FormatOpenAIChat is the Chat Completions shape, and what is compatible with
	// it: a call, an assistant message, or a whole response.
	FormatOpenAIChat MessageFormat = "OpenAIChat"
	// FormatOpenAIResponses is the Responses shape: an item, a list of items, or a
	// whole response.
	FormatOpenAIResponses MessageFormat = "OpenAIResponses"
	// FormatAnthropic is the Messages shape: a content block, a content list, or a
	// message, which is also the whole response.
	FormatAnthropic MessageFormat = "Anthropic"
	// FormatGemini is the generateContent shape: a part, a content, or a whole
	// response. Its numbers are doubles, so 3.0 is an integer there.
	FormatGemini MessageFormat = "Gemini"
	// FormatBedrock is the Converse shape: a toolUse, a content block, a message, or a
	// whole response.
	FormatBedrock MessageFormat = "Bedrock"
	// FormatMCP is a JSON-RPC request tools/call, or a batch.
	FormatMCP MessageFormat = "MCP"
	// FormatAuto stands for the one of the others that the message fits. If it fits
	// none or several, the review is refused with 400.
	FormatAuto MessageFormat = "Auto"
)

// ProviderMessage is what a model's provider returned.
type ProviderMessage struct {
	// format is the wire shape of body.
	// +required
	Format MessageFormat `json:"format"`

	// body is the message, verbatim. Do not re-encode it: what the gate reads must
	// be what the executor reads.
	// +required
	Body json.RawMessage `json:"body"`
}

// ToolCallReviewResponse is the answer to a review.
type ToolCallReviewResponse struct {
	// uid is that of the request, or the generated one.
	// +required
	UID string `json:"uid"`

	// allowed is true only if every call is allowed.
	// +required
	Allowed bool `json:"allowed"`

	// revision identifies the policy set that judged: "sha256:" and 64 hexadecimal
	// digits. One review is judged by one revision.
	// +required
	Revision string `json:"revision"`

	// results has one verdict a call, in the order of the calls.
	// +required
	Results []ToolCallResult `json:"results"`

	// warnings are about the message as a whole: "provider_executed:<kind>" or
	// "provider_executed:<kind>:<name>" for what the provider has already run itself,
	// which nobody can judge any more. Absent if there are none.
	// +optional
	Warnings []string `json:"warnings,omitempty"`

	// reply has the results of the blocked calls of a provider's message in that
	// provider's own shape, in the order of the calls, ready to append to the
	// conversation (for MCP: to send). Each carries the feedback of its call. What
	// cannot be answered has none: an MCP notification, or an entry that cannot be
	// understood. Absent if there are none, and for calls in Callgate's own shape.
	// +optional
	Reply []json.RawMessage `json:"reply,omitempty"`
}

// VerdictCode says in one word how a call was judged. The list is closed.
type VerdictCode string

// The verdict codes, in the order of the stages: the first stage that fails gives
// the code.
const (
	// CodeOK: the call is allowed.
	CodeOK VerdictCode = "ok"
	// CodeMalformedCall: the call's envelope is ambiguous: two names, duplicate or
	// differently spelt keys, or no name.
	CodeMalformedCall VerdictCode = "malformed_call"
	// CodeNoPolicy: no ToolPolicy selects the caller.
	CodeNoPolicy VerdictCode = "no_policy"
	// CodeUnknownTool: a policy does not know the tool.
	CodeUnknownTool VerdictCode = "unknown_tool"
	// CodeSchemaNotReady: the tool's ToolSchema is not accepted.
	CodeSchemaNotReady VerdictCode = "schema_not_ready"
	// CodeInvalidArguments: the arguments cannot be decoded, are over a bound, or
	// break the schema or a rule about them.
	CodeInvalidArguments VerdictCode = "invalid_arguments"
	// CodeForbidden: RBAC, the tenant, or a rule says no.
	CodeForbidden VerdictCode = "forbidden"
	// CodePolicyError: a policy that applies, or a rule of it, cannot be evaluated, or
	// nobody can tell now what RBAC says.
	CodePolicyError VerdictCode = "policy_error"
	// CodeDenied stands for each of the others where a policy discloses nothing.
	CodeDenied VerdictCode = "denied"
)

// ToolCallResult is the verdict on one call.
type ToolCallResult struct {
	// id is that of the call. Empty if it had none.
	// +required
	ID string `json:"id"`

	// name is the effective name under which the call was judged, cut at 128 code
	// points and escaped for display.
	// +required
	Name string `json:"name"`

	// allowed says whether the call may run.
	// +required
	Allowed bool `json:"allowed"`

	// code says in one word why.
	// +required
	Code VerdictCode `json:"code"`

	// errors says what is wrong, each as "<code>:<path>", sorted. Empty on an allow.
	// +required
	Errors []string `json:"errors"`

	// violations says the same of the arguments at length. Empty on an allow.
	// +required
	Violations []Violation `json:"violations"`

	// feedback is one short text, at most 1 KiB, that tells the model what to change.
	// It holds no argument value. Absent on an allow.
	// +optional
	Feedback string `json:"feedback,omitempty"`

	// wouldBlock is true when a policy without Deny would have blocked the call.
	// +required
	WouldBlock bool `json:"wouldBlock"`

	// warnings are the errors of policies with Warn, and notes about the message
	// such as "arguments:empty", sorted.
	// +required
	Warnings []string `json:"warnings"`

	// policies are the policies that blocked, or on an allow all that apply, each as
	// "namespace/name", sorted.
	// +required
	Policies []string `json:"policies"`

	// argumentsDigest identifies the arguments that were judged: "sha256:" and 64
	// hexadecimal digits over their canonical JSON (keys sorted by code point, no
	// white space, minimal escapes, number literals as given). What was judged is
	// what may run. Absent where the arguments were not judged.
	// +optional
	ArgumentsDigest string `json:"argumentsDigest,omitempty"`
}

// Violation is one thing wrong with one argument. It never holds a value.
type Violation struct {
	// path is the JSON Pointer of the argument; "" is the root.
	// +required
	Path string `json:"path"`

	// code is the first part of the error string.
	// +required
	Code string `json:"code"`

	// keyword is the JSON Schema keyword that was broken.
	// +optional
	Keyword string `json:"keyword,omitempty"`

	// expected is what the schema wants.
	// +optional
	Expected string `json:"expected,omitempty"`

	// actual is the kind of what was given: null, boolean, integer, number, string,
	// array, object, or absent.
	// +optional
	Actual string `json:"actual,omitempty"`

	// message is one sentence for people and models.
	// +required
	Message string `json:"message"`
}
