package compile

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// Tenant says where the tenant of a policy's calls comes from. The zero value resolves
// to none, and so forbids.
type Tenant struct {
	From callgatev1alpha1.TenantSource
	// Value is the tenant where it does not come with the review: the namespace, or the
	// value of its label; "" where there is none.
	Value string
}

// facts fills in what decides a call's last stage: who has to grant it, whose data it may
// touch, and what is kept of it. What is not known means the strictest of what is.
func facts(p *callgatev1alpha1.ToolPolicy, c *Policy, namespaceLabels map[string]string) {
	switch p.Spec.Authorization.Mode {
	case "", callgatev1alpha1.AuthorizationNone:
	default:
		c.RBAC = true
	}
	switch from := p.Spec.Tenant.From; from {
	case "", callgatev1alpha1.TenantFromNamespace:
		c.Tenant = Tenant{From: callgatev1alpha1.TenantFromNamespace, Value: p.Namespace}
	case callgatev1alpha1.TenantFromNamespaceLabel:
		c.Tenant = Tenant{From: from, Value: namespaceLabels[p.Spec.Tenant.Label]}
		c.tenantLabel = p.Spec.Tenant.Label
	case callgatev1alpha1.TenantFromContext:
		c.Tenant.From = from
	}
	if !IsTenant(c.Tenant.Value) {
		c.Tenant.Value = ""
	}
	c.AuditArguments = p.Spec.Audit.Arguments == callgatev1alpha1.AuditFull
}

// IsTenant reports whether a text can be a tenant, which is a label value whatever its
// source, and never empty.
func IsTenant(s string) bool { return s != "" && len(validation.IsValidLabelValue(s)) == 0 }

// factWarnings tells of what will forbid every call.
func factWarnings(c *Policy, ns *Namespace) []callgatev1alpha1.Problem {
	var warnings []callgatev1alpha1.Problem
	if c.Tenant.From == callgatev1alpha1.TenantFromNamespaceLabel && c.Tenant.Value == "" {
		warnings = append(warnings, newProblem("/spec/tenant/label", "",
			fmt.Sprintf("the namespace has no label %q, or an empty one: until it has, calls are blocked with forbidden:tenant", c.tenantLabel)))
	}
	if c.RBAC && c.AllowUnvalidated {
		for _, name := range sortedKeys(c.declared) {
			if ns.Tools[name] == nil && name != string(callgatev1alpha1.AnyTool) {
				warnings = append(warnings, newProblem("/spec/authorization/mode", "",
					fmt.Sprintf("%q has no ToolSchema on which RBAC could grant it: calls to it are blocked with forbidden:rbac", name)))
			}
		}
	}
	return warnings
}

// agree reports whether one call can satisfy the tenants of all these policies: they come
// from the review for all or for none, and are equal where they do not.
func agree(policies []*Policy) bool {
	return !slices.ContainsFunc(policies, func(p *Policy) bool { return p.Tenant != policies[0].Tenant && !p.Tenant.same(policies[0].Tenant) })
}

func (t Tenant) same(other Tenant) bool {
	const context = callgatev1alpha1.TenantFromContext
	return (t.From == context) == (other.From == context) && t.Value == other.Value
}
