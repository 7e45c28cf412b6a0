package expr

// Result is the type that an expression must have.
type Result uint8

const (
	// Bool is for rules: false blocks.
	Bool Result = iota
	// Text is for messages, keys and the variables of URL templates: a string.
	Text
)

// Variables is a set of the variables that an expression may read.
type Variables uint8

// The variables. The zero value of the set allows none of them.
const (
	// VarArgs is the judged tree of the call's arguments: dyn, an object.
	VarArgs Variables = 1 << iota
	// VarTool is the tool called: name, server, labels.
	VarTool
	// VarCaller is the caller: namespace, serviceAccountName, username, via.
	VarCaller
	// VarTenant is whose data the call may touch: a string.
	VarTenant
	// VarContext is what the application said: tenant, attributes.
	VarContext
)

// The sets that the API grants.
const (
	// RuleVariables are those of a rule's expression.
	RuleVariables = VarArgs | VarTool | VarCaller | VarTenant | VarContext
	// MessageVariables are those of a rule's messageExpression. A message reaches
	// logs and the model, where no argument's value may appear.
	MessageVariables = VarTool | VarCaller | VarTenant | VarContext
	// KeyVariables are those of an adapter's key and URL.
	KeyVariables = VarArgs | VarCaller | VarTenant | VarContext
)

// Options say what an expression is for.
type Options struct {
	// Result is the type wanted; Bool by default.
	Result Result
	// Variables are those that the expression may read; none by default.
	Variables Variables
	// Args is what is known of the arguments; nil: nothing.
	Args *ArgsType
}

// IssueKind says what kind of fault an Issue is.
type IssueKind string

// The kinds.
const (
	// Syntax: the source is no CEL.
	Syntax IssueKind = "Syntax"
	// UnknownName: a variable, function, field or argument that does not exist.
	UnknownName IssueKind = "UnknownName"
	// NotAllowed: a variable that this expression may not read, or a local one
	// that hides a variable.
	NotAllowed IssueKind = "NotAllowed"
	// Type: types that do not fit, or a result of the wrong type.
	Type IssueKind = "Type"
	// Cost: the expression is too large, or costs more than any evaluation may.
	Cost IssueKind = "Cost"
)

// Issue is one thing wrong with an expression.
type Issue struct {
	// Line and Column are where it is, from 1, the column in code points. They
	// are 1 and 1 where the whole expression is meant.
	Line, Column int
	Kind         IssueKind
	// Message is one sentence for the expression's author, at most 512 bytes. It
	// may quote the expression.
	Message string
	// Schema is set where the expression is sound by itself, but at odds with
	// what the tools' schemas declare. It can then be evaluated; Message says what comes
	// of it.
	Schema bool
}

// Kind says how an evaluation ended.
type Kind uint8

const (
	// Failed: the evaluation erred. It is the zero value, and counts as false.
	Failed Kind = iota
	// True lets a call pass.
	True
	// False blocks.
	False
	// Produced: an expression for a text gave one.
	Produced
	// CostExceeded: the bound on the work was reached. Counts as false.
	CostExceeded
	// Unsupported: the expression read a number that CEL cannot hold. Counts as
	// false.
	Unsupported
)

// Reason is a fixed word for why an evaluation gave no result. It never holds a
// value.
type Reason string

// The reasons.
const (
	NoReason          Reason = ""
	NoSuchKey         Reason = "no such key"
	IndexOutOfRange   Reason = "index out of range"
	DivisionByZero    Reason = "division by zero"
	TypeMismatch      Reason = "type mismatch"
	Overflow          Reason = "number overflow"
	BadPattern        Reason = "bad pattern"
	EvaluationFailed  Reason = "evaluation failed"
	ArgumentsUnread   Reason = "arguments cannot be read"
	CostLimit         Reason = "cost exceeded"
	UnsupportedNumber Reason = "number out of range"
	TextTooLong       Reason = "text too long"
)

// Outcome is the result of one evaluation. The zero value denies.
type Outcome struct {
	Kind Kind
	// Reason is set where Kind is Failed, CostExceeded or Unsupported.
	Reason Reason
	// Text is the result where Kind is Produced. It may hold argument values if
	// the expression reads args.
	Text string
	// Cost is what the evaluation cost, in Kubernetes' units. It is at most what
	// the evaluation was allowed.
	Cost uint64
}

// Allows reports whether a rule let the call pass.
func (o Outcome) Allows() bool { return o.Kind == True }

// Activation is what one evaluation may read.
type Activation struct {
	// Args is nil where there is no call, as for an offer: reading it fails.
	Args    *Args
	Tool    Tool
	Caller  Caller
	Tenant  string
	Context Context
}

// Tool is the tool called.
type Tool struct {
	Name, Server string
	Labels       map[string]string
}

// Caller is who calls.
type Caller struct {
	Namespace, ServiceAccountName, Username, Via string
}

// Context is what the application said of the call, not the model.
type Context struct {
	Tenant string
	// Attributes are a JSON object; nil is an empty one.
	Attributes *Args
}

// The bounds on an expression.
const (
	// MaxSourceBytes bounds the source. The longest rules of Kubernetes' own
	// policy libraries are near 2 KiB.
	MaxSourceBytes = 16 << 10
	// MaxTextBytes bounds a text that is produced. It is the API server's bound
	// on the result of a messageExpression.
	MaxTextBytes = 5 << 10
	// maxOptMaps bounds the uses of optMap and optFlatMap: each copies the
	// expression before it, so that a chain of n has 2^n nodes.
	maxOptMaps = 6
	// maxMessage bounds an issue's message, as it does a schema problem's.
	maxMessage = 512
)
