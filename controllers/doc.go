// Package controllers keeps the policy set in force equal to the cluster's, on
// every replica, and has the leader report it in status.
//
// The snapshot controller compiles and swaps and never writes to the API server.
// The status controllers report what has already been swapped in and decide
// nothing. They meet in the snapshot store only.
package controllers

// The snapshot and status controllers. Server-side apply of a subresource needs
// patch alone.
// +kubebuilder:rbac:groups=callgate.dev,resources=toolschemas;toolpolicies,verbs=get;list;watch
// +kubebuilder:rbac:groups=callgate.dev,resources=toolschemas/status;toolpolicies/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Tenants may be told by a label of their namespace; only metadata is read.
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=list;watch

// Leader election, in the namespace that Callgate runs in. Create cannot be
// narrowed by name.
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=callgate-system,resources=leases,verbs=create;get;update

// Identity and authorization of callers, delegated to the API server.
// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create
