package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ToolSchema is one tool's contract: its name and the JSON Schema that its
// arguments must fit.
//
// A schema that does not compile is stored all the same, so that GitOps can apply
// in any order. Until it is mended, calls to the tool are blocked with
// schema_not_ready, Accepted is False and status.problems says what is wrong.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=tsch,categories=callgate
// +kubebuilder:printcolumn:name="Tool",type=string,JSONPath=`.status.toolName`,description="Name by which the tool is called"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`,description="Whether this generation is in force"
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,description="Why it is or is not"
// +kubebuilder:printcolumn:name="Dialect",type=string,JSONPath=`.status.dialect`,priority=1,description="JSON Schema draft in use"
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="has(self.spec.toolName) || size(self.metadata.name) <= 128",message="metadata.name is longer than 128 characters: set spec.toolName"
type ToolSchema struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object's metadata. Where spec.toolName is absent,
	// metadata.name is the tool's name and may have 128 characters at most.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the contract.
	// +required
	Spec ToolSchemaSpec `json:"spec,omitzero"`

	// status tells what became of the contract.
	// +optional
	// +kubebuilder:default={conditions: {{type: "Accepted", status: "Unknown", reason: "Pending", message: "Waiting for the controller", lastTransitionTime: "1970-01-01T00:00:00Z"}, {type: "Ready", status: "Unknown", reason: "Pending", message: "Waiting for the controller", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
	Status ToolSchemaStatus `json:"status,omitzero"`
}

// ToolSchemaSpec is the contract of one tool.
// +kubebuilder:validation:MinProperties=0
// +kubebuilder:validation:XValidation:rule="!(has(self.parameters) && has(self.parametersJSON))",message="set parameters or parametersJSON, not both"
type ToolSchemaSpec struct {
	// toolName is the exact name that the model uses. It is case-sensitive, and
	// nothing is trimmed, folded or stripped from it. Absent: metadata.name, which
	// cannot hold "_" or capitals, so most tools must set it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[^\x00-\x1F\x7F-\x{9F}]+$`
	ToolName string `json:"toolName,omitempty"`

	// server is the MCP server or namespace that the tool belongs to. The tool is
	// then declared and called as server/toolName, and only so. Absent: none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9._-]+$`
	Server string `json:"server,omitempty"`

	// description is for people. It decides nothing.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Description string `json:"description,omitempty"`

	// parameters is the JSON Schema of the arguments, as an object. Absent (and no
	// parametersJSON): the tool takes no arguments, and a call with any is blocked.
	//
	// The API server sorts its keys and re-encodes its numbers, and kubectl's
	// client-side apply drops nulls such as "const: null" from it: write
	// "type: null" instead, or use parametersJSON.
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +structType=atomic
	Parameters *apiextensionsv1.JSON `json:"parameters,omitempty"`

	// parametersJSON is the same as exact text, for schemas that need nulls, key
	// order, or numbers beyond 64 bits. At most 192 KiB. Not together with
	// parameters.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=196608
	ParametersJSON string `json:"parametersJSON,omitempty"`

	// dialect is the JSON Schema draft of a document that has no "$schema"; a
	// "$schema" wins. Absent: Draft 7, and a document that uses what Draft 7
	// silently ignores (such as prefixItems) is not accepted until the dialect
	// is named.
	// +optional
	Dialect SchemaDialect `json:"dialect,omitempty"`

	// arguments says how strictly a call's arguments are held to the schema. Absent:
	// the strict default of each of its fields.
	// +optional
	// +kubebuilder:default={}
	Arguments ArgumentRules `json:"arguments,omitzero"`

	// result says what of the tool's result may leave when Callgate runs the tool
	// itself. Absent: nothing of it.
	// +optional
	Result ToolResult `json:"result,omitzero"`
}

// ToolResult says what of a tool's result may leave.
type ToolResult struct {
	// fields are JSON Pointers (RFC 6901), such as /title or /customer/name: the only
	// fields of a result that are copied into the answer. Each must lead to a text, a
	// number, a boolean, a null, or a list of such; one that leads to anything else,
	// or nowhere, is left out. The whole result ("") cannot be named.
	//
	// At most 128 of at most 512 characters, which is as long as the path of a problem
	// in status.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=128
	Fields []ResultField `json:"fields,omitempty"`
}

// ResultField is a JSON Pointer into a result: / before each key, with ~1 for a slash
// and ~0 for a tilde in a key.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=512
// +kubebuilder:validation:Pattern=`^(/([^/~\x00-\x1F\x7F-\x{9F}]|~[01])*)+$`
type ResultField string

// SchemaDialect is a JSON Schema draft.
// +kubebuilder:validation:Enum=Draft7;Draft2020-12
type SchemaDialect string

// The dialects that a ToolSchema may name.
const (
	// DialectDraft7 is JSON Schema draft-07.
	DialectDraft7 SchemaDialect = "Draft7"
	// DialectDraft2020 is JSON Schema 2020-12.
	DialectDraft2020 SchemaDialect = "Draft2020-12"
)

// ArgumentRules says how strictly arguments are held to the schema.
// +kubebuilder:validation:MinProperties=0
type ArgumentRules struct {
	// undeclared says what becomes of an argument that nothing in the schema
	// declares. Reject (the default): it is unexpected, at the top level.
	// RejectNested: also wherever the schema lists properties below it.
	// FollowSchema: plain JSON Schema, where an object without
	// "additionalProperties: false" takes anything.
	// +optional
	// +kubebuilder:default=Reject
	Undeclared UndeclaredRule `json:"undeclared,omitempty"`

	// integers says which number is an integer. Lexical (the default): one written
	// without fraction and exponent, so 3.0 is none. Value: one without a
	// fractional part, as JSON Schema has it.
	// +optional
	// +kubebuilder:default=Lexical
	Integers IntegerRule `json:"integers,omitempty"`

	// nulls says what a null means for an optional argument that does not accept
	// null. Strict (the default): a wrong type. Absent: as if it were not there.
	// +optional
	// +kubebuilder:default=Strict
	Nulls NullRule `json:"nulls,omitempty"`

	// formats says whether "format" is checked. Assert (the default): yes.
	// Annotate: no. Formats that Callgate does not know are ignored and listed in
	// status.warnings.
	// +optional
	// +kubebuilder:default=Assert
	Formats FormatRule `json:"formats,omitempty"`
}

// UndeclaredRule says what becomes of an undeclared argument.
// +kubebuilder:validation:Enum=Reject;RejectNested;FollowSchema
type UndeclaredRule string

// The undeclared rules.
const (
	UndeclaredReject       UndeclaredRule = "Reject"
	UndeclaredRejectNested UndeclaredRule = "RejectNested"
	UndeclaredFollowSchema UndeclaredRule = "FollowSchema"
)

// IntegerRule says which number is an integer.
// +kubebuilder:validation:Enum=Lexical;Value
type IntegerRule string

// The integer rules.
const (
	IntegersLexical IntegerRule = "Lexical"
	IntegersValue   IntegerRule = "Value"
)

// NullRule says what an unwanted null means.
// +kubebuilder:validation:Enum=Strict;Absent
type NullRule string

// The null rules.
const (
	NullsStrict NullRule = "Strict"
	NullsAbsent NullRule = "Absent"
)

// FormatRule says whether format is checked.
// +kubebuilder:validation:Enum=Assert;Annotate
type FormatRule string

// The format rules.
const (
	FormatsAssert   FormatRule = "Assert"
	FormatsAnnotate FormatRule = "Annotate"
)

// ToolSchemaStatus tells what became of a contract.
// +kubebuilder:validation:MinProperties=0
type ToolSchemaStatus struct {
	// conditions are Accepted, Ready, and Stalled while it is True.
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

	// toolName is the effective name: what ToolPolicies declare and models call.
	// +optional
	ToolName EffectiveToolName `json:"toolName,omitempty"`

	// dialect is the JSON Schema draft in use: Draft4, Draft6, Draft7, Draft2019-09
	// or Draft2020-12.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	Dialect string `json:"dialect,omitempty"`

	// schemaHash identifies the compiled contract: "sha256:" and 64 hexadecimal
	// digits over the document and the settings that decide a verdict.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=71
	SchemaHash string `json:"schemaHash,omitempty"`

	// problems are the reasons for which the document was not accepted, the first
	// 32 of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=32
	Problems []Problem `json:"problems,omitempty"`

	// warnings are what the author should know about a document that is in force:
	// what is ignored, what is slow, what can never match. The first 32 of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=32
	Warnings []Problem `json:"warnings,omitempty"`
}

// ToolSchemaList is a list of ToolSchemas.
// +kubebuilder:object:root=true
type ToolSchemaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ToolSchema `json:"items"`
}

// EffectiveToolName is the name by which the tool is declared and called.
func (s *ToolSchema) EffectiveToolName() EffectiveToolName {
	name := s.Spec.ToolName
	if name == "" {
		name = s.Name
	}
	if s.Spec.Server == "" {
		return EffectiveToolName(name)
	}
	return EffectiveToolName(s.Spec.Server + "/" + name)
}
