package v1alpha1

// Problem is one thing wrong with an object, or one thing to know about it.
type Problem struct {
	// path is a JSON Pointer. For a ToolSchema it points into the JSON Schema
	// document ("" is its root), for the other kinds into the object.
	// +required
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=512
	Path *string `json:"path,omitempty"`

	// keyword is the JSON Schema keyword concerned. Absent where none is.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Keyword string `json:"keyword,omitempty"`

	// message says what is wrong and what to do.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

// EffectiveToolName is the name by which a tool is declared, called and matched:
// toolName, or server/toolName where a server is set. The comparison is exact,
// code point by code point.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=192
// +kubebuilder:validation:Pattern=`^[^\x00-\x1F\x7F-\x{9F}]+$`
type EffectiveToolName string

// AnyTool, as the single entry of declaredTools, stands for every name.
const AnyTool EffectiveToolName = "*"

// ServiceAccountName is the name of a ServiceAccount, or *.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:Pattern=`^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$`
type ServiceAccountName string

// AnyServiceAccount, as the single entry of serviceAccountNames, stands for every
// ServiceAccount of the namespace.
const AnyServiceAccount ServiceAccountName = "*"

// ConfigMapKeyRef names one key of a ConfigMap in the object's own namespace.
// +structType=atomic
type ConfigMapKeyRef struct {
	// name is the ConfigMap's.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name,omitempty"`

	// key is the key in the ConfigMap's data.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key,omitempty"`
}

// SecretKeyRef names one key of a Secret in the object's own namespace.
// +structType=atomic
type SecretKeyRef struct {
	// name is the Secret's.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name,omitempty"`

	// key is the key in the Secret's data.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key,omitempty"`
}
