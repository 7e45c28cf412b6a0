package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ToolPolicy says which ServiceAccounts of its namespace may call which tools.
//
// A caller that no ToolPolicy selects may call nothing. Where several select it,
// every one of them must allow: one more policy can only take away.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=tpol,categories=callgate
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`,description="Whether this generation is in force"
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,description="Why it is or is not"
// +kubebuilder:printcolumn:name="Declared",type=integer,JSONPath=`.status.counts.declaredTools`,description="Tools on the allow list"
// +kubebuilder:printcolumn:name="Schemas",type=integer,JSONPath=`.status.counts.selectedSchemas`,description="ToolSchemas that the policy uses"
// +kubebuilder:printcolumn:name="Actions",type=string,JSONPath=`.spec.validationActions`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ToolPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the policy.
	// +required
	Spec ToolPolicySpec `json:"spec,omitzero"`

	// status tells what became of the policy.
	// +optional
	// +kubebuilder:default={conditions: {{type: "Accepted", status: "Unknown", reason: "Pending", message: "Waiting for the controller", lastTransitionTime: "1970-01-01T00:00:00Z"}, {type: "ResolvedRefs", status: "Unknown", reason: "Pending", message: "Waiting for the controller", lastTransitionTime: "1970-01-01T00:00:00Z"}, {type: "Ready", status: "Unknown", reason: "Pending", message: "Waiting for the controller", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
	Status ToolPolicyStatus `json:"status,omitzero"`
}

// ToolPolicySpec is one policy.
type ToolPolicySpec struct {
	// subjects says whom the policy governs.
	// +required
	Subjects PolicySubjects `json:"subjects,omitzero"`

	// declaredTools is the allow list: effective names, matched exactly. The single
	// entry * stands for every name.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=512
	// +kubebuilder:validation:XValidation:rule="!('*' in self) || size(self) == 1",message="* stands for every tool and must be the only entry"
	DeclaredTools []EffectiveToolName `json:"declaredTools,omitempty"`

	// undeclaredTools says what becomes of a name outside declaredTools. Block (the
	// default): unknown_tool. Allow: it passes this check, and that is recorded.
	// +optional
	// +kubebuilder:default=Block
	UndeclaredTools PassRule `json:"undeclaredTools,omitempty"`

	// schemaSelector selects by label the ToolSchemas of the namespace that this
	// policy uses. Absent or empty: all of them. A tool whose ToolSchema is not
	// selected is an unknown tool here; it is never called unvalidated.
	// +optional
	SchemaSelector *metav1.LabelSelector `json:"schemaSelector,omitempty"`

	// unvalidatedCalls says what becomes of a call to a declared tool that has no
	// ToolSchema. Block (the default): unknown_tool. Allow: its arguments must be
	// an object without duplicate keys and within the bounds, and that is all.
	// +optional
	// +kubebuilder:default=Block
	UnvalidatedCalls PassRule `json:"unvalidatedCalls,omitempty"`

	// validationActions says what a failed check does, in the words of
	// ValidatingAdmissionPolicy. Deny (the default): the call is blocked.
	// Warn: it is allowed and the errors are returned as warnings. Audit: it is
	// allowed and the errors are recorded. Deny and Warn exclude each other.
	//
	// A call whose envelope is ambiguous, or whose arguments cannot be decoded or
	// are over a bound, is blocked whatever this says.
	// +optional
	// +listType=set
	// +kubebuilder:default={Deny}
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:XValidation:rule="!('Deny' in self && 'Warn' in self)",message="Deny and Warn exclude each other: a blocked call needs no warning"
	ValidationActions []ValidationAction `json:"validationActions,omitempty"`

	// authorization says whether the caller must also be granted each tool by RBAC.
	// Absent: no.
	// +optional
	// +kubebuilder:default={}
	Authorization PolicyAuthorization `json:"authorization,omitzero"`

	// tenant says where the tenant of a call comes from: whose data it may touch. It
	// is never an argument. Absent: the caller's namespace.
	// +optional
	// +kubebuilder:default={}
	Tenant PolicyTenant `json:"tenant,omitzero"`

	// rules are CEL expressions that must be true of a call, every one of them. A rule
	// that fails on a call, or costs too much on it, is false. Absent: none.
	//
	// At most 64, which is as many match conditions as Kubernetes gives a webhook: all
	// of them may have to be evaluated on each call.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Rules []PolicyRule `json:"rules,omitempty"`

	// failurePolicy says what a rule means that cannot be evaluated on any call, because
	// its expression does not compile. Fail (the default): the calls that it is about
	// are blocked with policy_error. Ignore: it is skipped. Either way the policy is not
	// Accepted, and status.problems has the place. A rule that fails on a call, or costs
	// too much on it, is false under either: the model chose the arguments.
	// +optional
	// +kubebuilder:default=Fail
	FailurePolicy FailurePolicy `json:"failurePolicy,omitempty"`

	// semanticValidation asks an external model about the tools that a client offers,
	// once all other checks have passed. It can only block: without a clear yes the
	// offer is blocked. Absent: nobody is asked.
	// +optional
	SemanticValidation SemanticValidation `json:"semanticValidation,omitzero"`

	// disclosure says what a blocked caller is told. Full (the default): everything.
	// Code: the code alone. Opaque: only that the call was denied. Where several
	// policies apply, the one that tells least decides. Audit always has everything.
	// +optional
	// +kubebuilder:default=Full
	Disclosure Disclosure `json:"disclosure,omitempty"`

	// audit says what the audit records keep. Absent: the default of each of its
	// fields.
	// +optional
	// +kubebuilder:default={}
	Audit PolicyAudit `json:"audit,omitzero"`
}

// PolicySubjects says whom a policy governs.
type PolicySubjects struct {
	// serviceAccountNames are ServiceAccounts of the policy's namespace. The single
	// entry * stands for every one.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=512
	// +kubebuilder:validation:XValidation:rule="!('*' in self) || size(self) == 1",message="* stands for every ServiceAccount and must be the only entry"
	ServiceAccountNames []ServiceAccountName `json:"serviceAccountNames,omitempty"`
}

// PassRule says whether something that the policy does not know passes.
// +kubebuilder:validation:Enum=Block;Allow
type PassRule string

// The pass rules. The zero value is Block.
const (
	PassBlock PassRule = "Block"
	PassAllow PassRule = "Allow"
)

// ValidationAction says what a failed check does.
// +kubebuilder:validation:Enum=Deny;Warn;Audit
type ValidationAction string

// The validation actions.
const (
	ActionDeny  ValidationAction = "Deny"
	ActionWarn  ValidationAction = "Warn"
	ActionAudit ValidationAction = "Audit"
)

// ToolPolicyStatus tells what became of a policy.
// +kubebuilder:validation:MinProperties=0
type ToolPolicyStatus struct {
	// conditions are Accepted, ResolvedRefs, Ready, and Stalled while it is True.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation that this status describes.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration *int64 `json:"observedGeneration,omitempty"`

	// counts sums up the policy. A change of its own spec shows at once, a change of
	// the namespace's ToolSchemas within 30 seconds.
	// +optional
	Counts ToolPolicyCounts `json:"counts,omitzero"`

	// invalidSchemas are the effective names of selected ToolSchemas that are not
	// accepted, sorted, the first 64 of them. Calls to them are blocked with
	// schema_not_ready.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=64
	InvalidSchemas []EffectiveToolName `json:"invalidSchemas,omitempty"`

	// problems are the reasons for which the policy was not accepted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=32
	Problems []Problem `json:"problems,omitempty"`

	// warnings are what the author should know: declared tools without a ToolSchema,
	// entries that can never match, policies that together leave a caller no tool.
	// The first 32 of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=32
	Warnings []Problem `json:"warnings,omitempty"`
}

// ToolPolicyCounts sums a policy up.
// +kubebuilder:validation:MinProperties=0
type ToolPolicyCounts struct {
	// declaredTools is the number of entries of spec.declaredTools.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DeclaredTools *int32 `json:"declaredTools,omitempty"`

	// selectedSchemas is the number of ToolSchemas that spec.schemaSelector selects.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SelectedSchemas *int32 `json:"selectedSchemas,omitempty"`

	// invalidSchemas is the number of selected ToolSchemas that are not accepted.
	// +optional
	// +kubebuilder:validation:Minimum=0
	InvalidSchemas *int32 `json:"invalidSchemas,omitempty"`

	// toolsWithoutSchema is the number of declared tools that have no ToolSchema.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ToolsWithoutSchema *int32 `json:"toolsWithoutSchema,omitempty"`
}

// ToolPolicyList is a list of ToolPolicies.
// +kubebuilder:object:root=true
type ToolPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ToolPolicy `json:"items"`
}
