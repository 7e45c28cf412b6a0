package cli

import "github.com/callgate/callgate/internal/rbac"

// groupsOf are the groups of every ServiceAccount of a namespace.
func groupsOf(namespace string) []string { return rbac.Groups(namespace) }
