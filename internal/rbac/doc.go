// Package rbac answers from Roles and their bindings what ServiceAccounts may do, as the
// API server's RBAC authorizer does from those of a cluster: what nothing grants is
// refused.
//
// Whether the rules of a role cover a request is decided by Kubernetes' own code. Which
// rules an account has, and what aggregation makes of ClusterRoles, is not to be had as
// a library; it is written out here, and held to a real API server by test/rbac.
package rbac
