package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ToolAdapter says where the data of a tool is, so that Callgate can run the tool
// itself once a call to it is allowed.
//
// It grants nothing: ToolPolicies say who may call the tool, and its ToolSchema says
// what arguments it takes and which fields of a result may leave. It is a kind of its
// own, so that RBAC can tell who writes contracts from who points Callgate at data.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=tadp,categories=callgate
// +kubebuilder:printcolumn:name="Tool",type=string,JSONPath=`.spec.toolName`,description="Name by which the tool is called"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`,description="Whether this generation is in force"
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,description="Why it is or is not"
// +kubebuilder:printcolumn:name="Tenancy",type=string,JSONPath=`.spec.tenancy`,description="Whether the data is kept apart by tenant"
// +kubebuilder:printcolumn:name="ConfigMap",type=string,JSONPath=`.spec.records.configMapKeyRef.name`,priority=1,description="ConfigMap that holds the records"
// +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.spec.http.url`,priority=1,description="Backend that is asked"
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ToolAdapter struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the adapter.
	// +required
	Spec ToolAdapterSpec `json:"spec,omitzero"`

	// status tells what became of the adapter.
	// +optional
	// +kubebuilder:default={conditions: {{type: "Accepted", status: "Unknown", reason: "Pending", message: "Waiting for the controller", lastTransitionTime: "1970-01-01T00:00:00Z"}, {type: "ResolvedRefs", status: "Unknown", reason: "Pending", message: "Waiting for the controller", lastTransitionTime: "1970-01-01T00:00:00Z"}, {type: "Ready", status: "Unknown", reason: "Pending", message: "Waiting for the controller", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
	Status ToolAdapterStatus `json:"status,omitzero"`
}

// ToolAdapterSpec is one adapter. Exactly one of records and http is set.
// +kubebuilder:validation:XValidation:rule="has(self.records) != has(self.http)",message="set exactly one source: records or http"
// +kubebuilder:validation:XValidation:rule="!has(self.records) || has(self.key)",message="set key to the CEL expression that gives the record's key, such as tenant + ':' + args.ticket_id"
// +kubebuilder:validation:XValidation:rule="!has(self.http) || !has(self.key)",message="leave key out with http: its url says what is asked for"
// +kubebuilder:validation:XValidation:rule="!has(self.http) || (has(self.tenancy) && self.tenancy == 'None') || self.http.url.contains('{tenant}')",message="write {tenant} into http.url as a path segment or a query value, or set tenancy: None where every tenant may see the same data"
type ToolAdapterSpec struct {
	// toolName is the effective name of the tool that the adapter runs: toolName of its
	// ToolSchema, or server/toolName where that has a server. A tool has one adapter:
	// if two name it, neither runs it.
	// +required
	// +kubebuilder:validation:XValidation:rule="self != '*'",message="name the one tool that the adapter runs: * stands for none here"
	ToolName EffectiveToolName `json:"toolName,omitempty"`

	// key is a CEL expression that gives the key of the record, as text, such as
	// tenant + ":" + args.ticket_id. It may read tenant, args (what was judged),
	// caller {namespace, serviceAccountName, username, via} and context {tenant,
	// attributes}. Required with records, and not allowed with http.
	//
	// A key that does not read tenant is not accepted unless tenancy is None. At most
	// 4096 characters, as a rule of a ToolPolicy.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Key string `json:"key,omitempty"`

	// tenancy says whether the data is kept apart by tenant. Required (the default):
	// the key or the url must read the tenant. None: it need not, because every tenant
	// may see the same data.
	// +optional
	// +kubebuilder:default=Required
	Tenancy Tenancy `json:"tenancy,omitempty"`

	// records are data that the cluster holds, looked up by key.
	// +optional
	Records AdapterRecords `json:"records,omitzero"`

	// http is a backend that is asked.
	// +optional
	HTTP AdapterHTTP `json:"http,omitzero"`
}

// Tenancy says whether data is kept apart by tenant.
// +kubebuilder:validation:Enum=Required;None
type Tenancy string

// The tenancies. The zero value is Required.
const (
	TenancyRequired Tenancy = "Required"
	TenancyNone     Tenancy = "None"
)

// AdapterRecords are data that the cluster holds.
type AdapterRecords struct {
	// configMapKeyRef names a key of a ConfigMap in the adapter's namespace. Its text
	// is a JSON object from key to record. The ConfigMap must have the label
	// callgate.dev/records: "true", by which its owner consents.
	// +required
	ConfigMapKeyRef ConfigMapKeyRef `json:"configMapKeyRef,omitzero"`
}

// AdapterHTTP is a backend that is asked. It answers with a JSON object, or with 404
// where there is no such record. Redirects are not followed. Each request carries the
// headers Callgate-Tenant and Callgate-Caller, and an Idempotency-Key. Under server-side
// apply it has one owner.
// +structType=atomic
// +kubebuilder:validation:XValidation:rule="!has(self.caBundle) || self.url.startsWith('https://')",message="leave caBundle out, or write https:// in url: without TLS no certificate is checked"
// +kubebuilder:validation:XValidation:rule="!has(self.serviceAccountTokenAudience) || self.url.startsWith('https://')",message="leave serviceAccountTokenAudience out, or write https:// in url: a token is only sent over TLS"
type AdapterHTTP struct {
	// url is where the data is, with variables in braces: {tenant} is the tenant of the
	// call, {args.NAME} its argument NAME, {args.NAME.KEY} a value inside of it. A
	// variable is a whole path segment or the whole value of a query parameter, as in
	//
	//   https://tickets.support.svc/v1/{tenant}/tickets/{args.ticket_id}?view={args.view}
	//
	// Values are percent-encoded, so that none can reach another segment or parameter.
	// One that is absent, no text, number or boolean, empty, "." or "..", or longer
	// than 512 bytes is refused. A name is made of letters, digits, "_" and "-".
	//
	// The scheme is https, or http for a Service of the adapter's own namespace. Other
	// hosts must be allowed by the operator (--allowed-upstream). At most 2048
	// characters, which every server and proxy takes.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^https?://([A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?([/?].*)?$`
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[^/?]*(/([{](tenant|args([.][A-Za-z0-9_-]+)+)[}]|([A-Za-z0-9._~!$&\\'()*+,;=:@-]|%[0-9A-Fa-f][0-9A-Fa-f])*))*([?]([A-Za-z0-9._~!$\\'()*+,;:@/?-]|%[0-9A-Fa-f][0-9A-Fa-f])+=([{](tenant|args([.][A-Za-z0-9_-]+)+)[}]|([A-Za-z0-9._~!$\\'()*+,;=:@/?-]|%[0-9A-Fa-f][0-9A-Fa-f])*)(&([A-Za-z0-9._~!$\\'()*+,;:@/?-]|%[0-9A-Fa-f][0-9A-Fa-f])+=([{](tenant|args([.][A-Za-z0-9_-]+)+)[}]|([A-Za-z0-9._~!$\\'()*+,;=:@/?-]|%[0-9A-Fa-f][0-9A-Fa-f])*))*)?$')",message="write each variable, {tenant} or {args.NAME}, as a whole path segment or the whole value of a query parameter (name=value), and percent-encode every other character that a URL cannot hold"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[^?]*/([.]|%2[eE])([.]|%2[eE])?([/?]|$)')",message="leave out the path segments . and ..: write the path that is meant"
	URL string `json:"url,omitempty"`

	// method is the HTTP method. GET (the default) and DELETE send no body; POST and
	// PUT send the judged arguments as a JSON object. Only GET, PUT and DELETE are
	// ever repeated, after a connection that failed.
	// +optional
	// +kubebuilder:default=GET
	Method HTTPMethod `json:"method,omitempty"`

	// timeoutMilliseconds is the time for the whole answer. Absent: 3000. At least 100,
	// since a handshake may take that long, and at most 30000, since an agent is
	// waiting.
	// +optional
	// +kubebuilder:default=3000
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=30000
	TimeoutMilliseconds int32 `json:"timeoutMilliseconds,omitempty"`

	// maxResponseBytes bounds the answer's body; a longer one is an error. Absent:
	// 1048576, as much as a ConfigMap can hold, so that a tool may move from one source
	// to the other. At most 4194304.
	// +optional
	// +kubebuilder:default=1048576
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4194304
	MaxResponseBytes int32 `json:"maxResponseBytes,omitempty"`

	// caBundle has the certificates, PEM and then base64 as in a webhook's
	// configuration, that are trusted in place of the system's. Absent: the system's.
	//
	// At most 349528 characters, which is 256 KiB of PEM: all public authorities
	// together need less.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=349528
	CABundle []byte `json:"caBundle,omitempty"`

	// serviceAccountTokenAudience makes Callgate send a short-lived token of its own
	// ServiceAccount as bearer token, by which the backend knows Callgate. It is
	// callgate.dev/NAMESPACE, with the adapter's own namespace, or that and more behind
	// another slash, such as callgate.dev/support/tickets: such a token opens nothing
	// but what expects that audience. Absent: no token is sent.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^callgate[.]dev/[a-z0-9]([-a-z0-9]*[a-z0-9])?(/[A-Za-z0-9._-]+)*$')",message="write callgate.dev/NAMESPACE, or that and more behind a slash: a token for another audience could be used elsewhere in Callgate's name"
	ServiceAccountTokenAudience string `json:"serviceAccountTokenAudience,omitempty"`
}

// HTTPMethod is the method of a request to a backend.
// +kubebuilder:validation:Enum=GET;POST;PUT;DELETE
type HTTPMethod string

// The methods. The zero value is GET.
const (
	MethodGet    HTTPMethod = "GET"
	MethodPost   HTTPMethod = "POST"
	MethodPut    HTTPMethod = "PUT"
	MethodDelete HTTPMethod = "DELETE"
)

// ToolAdapterStatus tells what became of an adapter.
// +kubebuilder:validation:MinProperties=0
type ToolAdapterStatus struct {
	// conditions are Accepted, ResolvedRefs, Ready, and Stalled while it is True.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation that this status describes.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration *int64 `json:"observedGeneration,omitempty"`

	// problems are the reasons for which the adapter was not accepted, or what it names
	// cannot be used. The first 32 of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=32
	Problems []Problem `json:"problems,omitempty"`

	// warnings are what the author should know about an adapter that is in force. The
	// first 32 of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=32
	Warnings []Problem `json:"warnings,omitempty"`
}

// ToolAdapterList is a list of ToolAdapters.
// +kubebuilder:object:root=true
type ToolAdapterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ToolAdapter `json:"items"`
}
