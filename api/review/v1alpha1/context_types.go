package v1alpha1

import "encoding/json"

// ReviewContext is what the application knows of the session, from its own
// authentication. Nothing that a model wrote belongs here.
type ReviewContext struct {
	// tenant is whose data the calls may touch: a label value. It may be set only where
	// every policy that applies takes the tenant from the context, and the caller must
	// be allowed the verb "use" on tenants.callgate.dev of that name.
	// +optional
	Tenant string `json:"tenant,omitempty"`

	// attributes are what rules may read as context.attributes: a JSON object.
	// +optional
	Attributes json.RawMessage `json:"attributes,omitempty"`
}

// OnBehalfOf names the ServiceAccount for which a caller asks. Policies, RBAC, tenant
// and rules are then those of that account. The caller must be allowed the verb
// "reviewas" on it (serviceaccounts, by name, in its namespace).
type OnBehalfOf struct {
	// namespace is the account's namespace.
	// +required
	Namespace string `json:"namespace"`

	// serviceAccountName is the account's name.
	// +required
	ServiceAccountName string `json:"serviceAccountName"`
}
