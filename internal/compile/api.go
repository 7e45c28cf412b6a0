// Package compile turns the stored objects into a policy set that can be judged
// against, and says what is wrong with each object. It is a pure function: no
// client, clock, logger or map order has a say in it, and the same objects give
// the same bytes.
package compile

import (
	"crypto/sha256"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/jsonschema"
)

// Input is everything that one compile sees. Objects are read, never changed.
type Input struct {
	Schemas  []*callgatev1alpha1.ToolSchema
	Policies []*callgatev1alpha1.ToolPolicy
	// NamespaceLabels are the labels of namespaces, by name. Only those count that a
	// policy of the namespace takes its tenant from.
	NamespaceLabels map[string]map[string]string
	// Adapters are compiled by AdapterCompiler. Without it they run nothing.
	Adapters        []*callgatev1alpha1.ToolAdapter
	AdapterCompiler AdapterCompiler
}

// Output is the compiled policy set. It is immutable: everything reachable from it
// is shared by concurrent readers and by the next compile.
type Output struct {
	// Revision is "sha256:" and 64 hexadecimal digits over everything that decides
	// a verdict; equal sets have equal revisions whatever the order of the input.
	Revision string
	// Namespaces hold what was compiled, by namespace.
	Namespaces map[string]*Namespace
	// Schemas, Policies and Adapters tell what became of each object.
	Schemas  map[types.NamespacedName]*SchemaOutcome
	Policies map[types.NamespacedName]*PolicyOutcome
	Adapters map[types.NamespacedName]*AdapterOutcome
	// Compiled counts the schema documents that this compile compiled rather than
	// took over from the previous one.
	Compiled int
	// CompiledRules counts the expressions of rules likewise.
	CompiledRules int

	// programs are what each expression gave.
	programs map[programKey]*programMemo
	// adapters are what compiling each ToolAdapter gave.
	adapters map[types.NamespacedName]*adapterMemo
}

// Namespace is the compiled policy set of one namespace.
type Namespace struct {
	// Tools are the effective names that have a ToolSchema.
	Tools map[string]*Tool
	// Policies are sorted by name.
	Policies []*Policy
	// Adapters are those in force, by the effective name of their tool.
	Adapters map[string]*Adapter

	// memos are what each ToolSchema's document gave, by object name.
	memos  map[string]*schemaMemo
	digest [sha256.Size]byte
}

// Tool is one effective name's compiled contract.
type Tool struct {
	Name string
	// Object is the name of the ToolSchema that serves the tool; with Ready false,
	// the first of those that claim it.
	Object string
	// Labels are those of all claimants: a selector that selects any of them sees
	// the tool (and blocks it with schema_not_ready).
	Labels []labels.Set
	// Judge is nil when the tool is not ready.
	Judge jsonschema.Judge
	// ToolName and Server are the parts of the effective name, as that ToolSchema has
	// them.
	ToolName, Server string
	// Document is the schema as its ToolSchema has it: JSON, or nil without parameters
	// or when the tool is not ready. It is the object's own memory.
	Document []byte
	// Result is what an AdapterCompiler made of the fields of results that may leave, nil
	// where none may.
	Result any
	fields []callgatev1alpha1.ResultField
}

// Ready reports whether calls to the tool can be judged.
func (t *Tool) Ready() bool { return t != nil && t.Judge != nil }

// Policy is one compiled ToolPolicy.
type Policy struct {
	Namespace, Name string
	// Broken: the policy cannot be evaluated, and blocks with policy_error.
	Broken bool

	anyCaller bool
	callers   map[string]struct{}
	anyTool   bool
	declared  map[string]struct{}
	selector  labels.Selector

	AllowUndeclared  bool
	AllowUnvalidated bool
	Deny, Warn       bool
	Audit            bool

	UID        types.UID
	Generation int64
	// Disclosure is never empty, and what is not known tells nothing.
	Disclosure callgatev1alpha1.Disclosure
	// UnreadyTools are the declared names, other than *, whose selected ToolSchema is not
	// ready, sorted: each of them blocks every offer.
	UnreadyTools []string
	// Semantic is nil where nobody is asked about offers.
	Semantic *Semantic

	// RBAC: the caller must also be allowed to call the tool's ToolSchema.
	RBAC bool
	// Tenant says whose data the calls may touch.
	Tenant      Tenant
	tenantLabel string
	// Rules are sorted by name. Under failurePolicy Ignore all of them compile.
	Rules []*Rule
	// AuditArguments: audit keeps the arguments themselves.
	AuditArguments bool

	ruleProblems, ruleWarnings []callgatev1alpha1.Problem
}

// Semantic says whom a policy asks about offers.
type Semantic struct {
	Endpoint, Model string
	// SecretName and SecretKey are "" where no token is sent.
	SecretName, SecretKey string
	CABundle              []byte
	TimeoutMilliseconds   int32
}

// SchemaOutcome tells what became of one ToolSchema.
type SchemaOutcome struct {
	UID        types.UID
	Generation int64
	ToolName   callgatev1alpha1.EffectiveToolName
	// Dialect and Hash are "" when the document did not compile.
	Dialect, Hash string
	// Reason is "" when the object is accepted, else a reason constant of the API.
	Reason string
	// Message is for the conditions: one sentence, deterministic.
	Message  string
	Problems []callgatev1alpha1.Problem
	Warnings []callgatev1alpha1.Problem
}

// Accepted reports whether the object is in force.
func (o *SchemaOutcome) Accepted() bool { return o.Reason == "" }

// PolicyOutcome tells what became of one ToolPolicy.
type PolicyOutcome struct {
	UID        types.UID
	Generation int64
	Reason     string
	Message    string
	// DeclaredTools, SelectedSchemas, InvalidSchemas and ToolsWithoutSchema are counts.
	DeclaredTools      int
	SelectedSchemas    int
	InvalidSchemas     int
	ToolsWithoutSchema int
	// InvalidNames are the effective names of selected ToolSchemas that are not
	// accepted, sorted, all of them.
	InvalidNames []callgatev1alpha1.EffectiveToolName
	Problems     []callgatev1alpha1.Problem
	Warnings     []callgatev1alpha1.Problem
}

// Accepted reports whether the policy can be evaluated.
func (o *PolicyOutcome) Accepted() bool { return o.Reason == "" }
