package v1alpha1

// PolicyAuthorization says whether RBAC is asked as well.
// +kubebuilder:validation:MinProperties=0
type PolicyAuthorization struct {
	// mode is how a caller is authorised for a tool. None (the default): by
	// declaredTools alone. RBAC: the caller must also be allowed the verb "call" on the
	// tool's ToolSchema (toolschemas.callgate.dev, by its metadata.name, in its
	// namespace), so that a Role with resourceNames grants tools one by one; a tool
	// without a ToolSchema is refused.
	// +optional
	// +kubebuilder:default=None
	Mode AuthorizationMode `json:"mode,omitempty"`
}

// AuthorizationMode is how a caller is authorised for a tool.
// +kubebuilder:validation:Enum=None;RBAC
type AuthorizationMode string

// The authorization modes.
const (
	AuthorizationNone AuthorizationMode = "None"
	AuthorizationRBAC AuthorizationMode = "RBAC"
)

// PolicyTenant says where the tenant of a call comes from.
// +structType=atomic
// +kubebuilder:validation:MinProperties=0
// +kubebuilder:validation:XValidation:rule="has(self.label) == (has(self.from) && self.from == 'NamespaceLabel')",message="set label together with from: NamespaceLabel, and leave it out otherwise"
type PolicyTenant struct {
	// from is the source of the tenant. Namespace (the default): the name of the
	// caller's namespace. NamespaceLabel: the value of a label of that namespace; where
	// it is missing or empty, the call is forbidden. Context: context.tenant of the
	// review, which the application sets, and for which the caller needs the verb "use"
	// on tenants.callgate.dev of that name in its namespace.
	// +optional
	// +kubebuilder:default=Namespace
	From TenantSource `json:"from,omitempty"`

	// label is the key of the namespace's label that holds the tenant. Required with
	// from: NamespaceLabel, and not allowed otherwise.
	//
	// At most 317 characters, the length of the longest label key.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="!format.qualifiedName().validate(self).hasValue()",message="write a label's key: a name of at most 63 letters, digits, '-', '_' and '.', with a DNS name and '/' before it where it has a prefix, such as example.com/tenant"
	Label string `json:"label,omitempty"`
}

// TenantSource is where a tenant comes from.
// +kubebuilder:validation:Enum=Namespace;NamespaceLabel;Context
type TenantSource string

// The tenant sources.
const (
	TenantFromNamespace      TenantSource = "Namespace"
	TenantFromNamespaceLabel TenantSource = "NamespaceLabel"
	TenantFromContext        TenantSource = "Context"
)

// PolicyRule is one condition on calls. Under server-side apply it has one owner: nobody
// else can confine it.
// +structType=atomic
// +kubebuilder:validation:XValidation:rule="!(has(self.message) && has(self.messageExpression))",message="set message or messageExpression, not both"
type PolicyRule struct {
	// name identifies the rule in the policy, and in errors as
	// "forbidden:<policy>/<name>" or "rule:<policy>/<name>". It is a DNS label
	// (RFC 1123).
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`

	// tools are the effective names of the tools that the rule is about, matched
	// exactly. Absent: every tool.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=512
	// +kubebuilder:validation:XValidation:rule="!('*' in self)",message="leave tools out for a rule about every tool: * is matched as a name here, and the rule would hold for no call"
	Tools []EffectiveToolName `json:"tools,omitempty"`

	// expression is a CEL expression that is true where the call may run. It may read
	// args (what was judged), tool {name, server, labels}, caller {namespace,
	// serviceAccountName, username, via}, tenant and context {tenant, attributes}. A
	// rule that does not read args is also asked about offers.
	//
	// At most 4096 characters, a page of text: what needs more is several rules, each
	// with a message of its own.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Expression string `json:"expression,omitempty"`

	// message tells the model, in one line, what is not allowed. Absent (and no
	// messageExpression): that the rule of this name says no.
	//
	// At most 1024 characters, the length of the feedback that it becomes part of.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^[^\x00-\x1F\x7F-\x{9F}]+$`
	Message string `json:"message,omitempty"`

	// messageExpression is a CEL expression that gives the message. It reads what
	// expression reads, but for args: values never leave. Not together with message.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	MessageExpression string `json:"messageExpression,omitempty"`

	// reason is the code of a call that the rule blocks. Forbidden (the default):
	// forbidden, nothing that the model changes will help. InvalidArguments:
	// invalid_arguments, and the model may try other ones. Absent: Forbidden; it is not
	// filled in, so that kubectl and GitOps tools see no difference in the list.
	// +optional
	Reason RuleReason `json:"reason,omitempty"`
}

// RuleReason is the code of a call that a rule blocks.
// +kubebuilder:validation:Enum=Forbidden;InvalidArguments
type RuleReason string

// The rule reasons. The zero value is Forbidden.
const (
	RuleForbidden        RuleReason = "Forbidden"
	RuleInvalidArguments RuleReason = "InvalidArguments"
)

// FailurePolicy says what a rule means that does not compile.
// +kubebuilder:validation:Enum=Fail;Ignore
type FailurePolicy string

// The failure policies. The zero value is Fail.
const (
	FailurePolicyFail   FailurePolicy = "Fail"
	FailurePolicyIgnore FailurePolicy = "Ignore"
)

// SemanticValidation asks an external model about offered tools. Under server-side apply
// it has one owner.
// +structType=atomic
type SemanticValidation struct {
	// endpoint is the https URL of an OpenAI-compatible chat completions endpoint. The
	// operator must have allowed its host (--allowed-upstream).
	//
	// At most 2048 characters, which every server and proxy takes.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^https://([A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(\?([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$`
	Endpoint string `json:"endpoint,omitempty"`

	// model is the name of the model in the request. Absent: judge.
	// +optional
	// +kubebuilder:default=judge
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^[^\x00-\x1F\x7F-\x{9F}]+$`
	Model string `json:"model,omitempty"`

	// secretKeyRef names the bearer token. The Secret must have the type
	// callgate.dev/bearer-token, by which its owner consents. Absent: no token is sent.
	// +optional
	SecretKeyRef SecretKeyRef `json:"secretKeyRef,omitzero"`

	// timeoutMilliseconds is the time for an answer, after which the offer is blocked.
	// Absent: 3000. At least 100, since a handshake may take that long, and at most
	// 30000, since an agent is waiting.
	// +optional
	// +kubebuilder:default=3000
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=30000
	TimeoutMilliseconds int32 `json:"timeoutMilliseconds,omitempty"`

	// caBundle has the certificates, PEM and then base64 as in a webhook's
	// configuration, that are trusted in place of the system's. Absent: the system's.
	//
	// At most 349528 characters, which is 256 KiB of PEM: all public authorities
	// together need less.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=349528
	CABundle []byte `json:"caBundle,omitempty"`
}

// Disclosure says what a blocked caller is told.
// +kubebuilder:validation:Enum=Full;Code;Opaque
type Disclosure string

// The disclosures, from the one that tells most.
const (
	DisclosureFull   Disclosure = "Full"
	DisclosureCode   Disclosure = "Code"
	DisclosureOpaque Disclosure = "Opaque"
)

// PolicyAudit says what the audit records keep.
// +kubebuilder:validation:MinProperties=0
type PolicyAudit struct {
	// arguments says what is kept of a call's arguments. Digest (the default): a keyed
	// digest, by which equal arguments can be found but not guessed. Full: the
	// arguments themselves, personal data and secrets included.
	// +optional
	// +kubebuilder:default=Digest
	Arguments AuditArguments `json:"arguments,omitempty"`
}

// AuditArguments says what is kept of a call's arguments.
// +kubebuilder:validation:Enum=Digest;Full
type AuditArguments string

// What is kept of arguments. The zero value is Digest.
const (
	AuditDigest AuditArguments = "Digest"
	AuditFull   AuditArguments = "Full"
)
