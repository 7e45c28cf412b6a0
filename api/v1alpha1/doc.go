// Package v1alpha1 holds the stored kinds of the group callgate.dev: ToolSchema,
// one tool's contract, and ToolPolicy, who may call what.
//
// +kubebuilder:object:generate=true
// +kubebuilder:ac:generate=true
// +groupName=callgate.dev
package v1alpha1
