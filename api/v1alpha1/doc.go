// Package v1alpha1 holds the stored kinds of the group callgate.dev: ToolSchema,
// one tool's contract, ToolPolicy, who may call what, and ToolAdapter, where the
// data of a tool is that Callgate runs itself.
//
// +kubebuilder:object:generate=true
// +kubebuilder:ac:generate=true
// +groupName=callgate.dev
package v1alpha1
