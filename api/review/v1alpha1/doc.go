// Package v1alpha1 holds the review kinds of the group review.callgate.dev. They
// are what agents send and receive; they are never stored and have no CRD.
//
// +kubebuilder:object:generate=true
// +groupName=review.callgate.dev
package v1alpha1
