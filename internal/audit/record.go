package audit

import (
	"time"
)

// APIVersion is what every line says of its format.
const APIVersion = "audit.callgate.dev/v1alpha1"

// Kind says what a line is about.
type Kind string

// The kinds of lines.
const (
	// KindVerdict: the line is a Record.
	KindVerdict Kind = "Verdict"
	// KindGap: the line is a Gap.
	KindGap Kind = "Gap"
)

// Phase says what was reviewed.
type Phase string

// The phases.
const (
	PhaseCall      Phase = "call"
	PhaseOffer     Phase = "offer"
	PhaseExecution Phase = "execution"
)

// Kept says how much of the arguments a record has.
type Kept string

// What is kept of arguments. Anything else means Digest.
const (
	// KeptDigest: keyed digests and no value.
	KeptDigest Kept = "Digest"
	// KeptFull: the arguments as the model wrote them. Every policy that applied said so.
	KeptFull Kept = "Full"
)

// Record is what is kept of one review: one line, whatever the number of its calls.
type Record struct {
	APIVersion string    `json:"apiVersion"`
	Kind       Kind      `json:"kind"`
	Time       time.Time `json:"time"`
	UID        string    `json:"uid"`
	Phase      Phase     `json:"phase"`
	Caller     Account   `json:"caller"`
	// OnBehalfOf is the account that was judged for, absent where it is the caller.
	OnBehalfOf *Account `json:"onBehalfOf,omitempty"`
	Allowed    bool     `json:"allowed"`
	WouldBlock bool     `json:"wouldBlock"`
	Revision   string   `json:"revision"`
	// DurationMicroseconds is from the headers of the request to the verdict.
	DurationMicroseconds int64  `json:"durationMicroseconds"`
	Format               string `json:"format"`
	// Policies are all that apply, Tenant the one that they agree on.
	Policies []string `json:"policies"`
	Tenant   string   `json:"tenant,omitempty"`
	Context  *Context `json:"context,omitempty"`
	// Arguments says how much of them there is; DigestKey tells keys of digests apart.
	Arguments Kept   `json:"arguments"`
	DigestKey string `json:"digestKey,omitempty"`

	Calls     []Call     `json:"calls,omitempty"`
	Offer     *Offer     `json:"offer,omitempty"`
	Execution *Execution `json:"execution,omitempty"`
	// Warnings are those about the message as a whole.
	Warnings []string `json:"warnings,omitempty"`
	Outside  *Outside `json:"outside,omitempty"`
	// Cut counts the texts that were left out or shortened to keep to MaxBytes.
	Cut int `json:"cut,omitempty"`
}

// Account is a ServiceAccount. Via is set of callers only.
type Account struct {
	Namespace          string `json:"namespace"`
	ServiceAccountName string `json:"serviceAccountName"`
	Via                string `json:"via,omitempty"`
}

// Context is what the application said of the session.
type Context struct {
	Tenant string `json:"tenant,omitempty"`
	// Attributes is the JSON text of the object, kept as arguments are; without it there
	// is its digest.
	Attributes       *string `json:"attributes,omitempty"`
	AttributesDigest string  `json:"attributesDigest,omitempty"`
}

// Call is one call and its verdict.
type Call struct {
	ID string `json:"id,omitempty"`
	// Tool is the effective name, cut and escaped for display; ExactName is set where
	// that is not the name itself.
	Tool      string  `json:"tool"`
	ExactName *string `json:"exactName,omitempty"`

	Allowed    bool      `json:"allowed"`
	WouldBlock bool      `json:"wouldBlock"`
	Code       string    `json:"code"`
	Errors     []string  `json:"errors"`
	Warnings   []string  `json:"warnings,omitempty"`
	Policies   []string  `json:"policies"`
	Audited    []Finding `json:"audited,omitempty"`

	// ArgumentsDigest is keyed, and so not the one of the answer.
	ArgumentsDigest string `json:"argumentsDigest,omitempty"`
	// Arguments is the text as the model wrote it, which may be no JSON. ArgumentsCut: it
	// is only the beginning.
	Arguments    *string `json:"arguments,omitempty"`
	ArgumentsCut bool    `json:"argumentsCut,omitempty"`

	// Fault is why the arguments could not be judged, whatever the policies say. FreeText
	// and IntegersByValue tell how they were read.
	Fault           string `json:"fault,omitempty"`
	FreeText        bool   `json:"freeText,omitempty"`
	IntegersByValue bool   `json:"integersByValue,omitempty"`
}

// Finding is what policies found that did not decide: those with Audit, and those that
// let a name pass which they do not declare (code ok).
type Finding struct {
	Code     string   `json:"code"`
	Errors   []string `json:"errors"`
	Policies []string `json:"policies,omitempty"`
	// Detail says why a validator gave no answer.
	Detail string `json:"detail,omitempty"`
}

// Offer is what was offered to a model, and the verdict.
type Offer struct {
	Code string `json:"code"`
	// Errors are those of the policies that blocked.
	Errors         []string  `json:"errors"`
	Warnings       []string  `json:"warnings,omitempty"`
	Policies       []string  `json:"policies"`
	PermittedTools []string  `json:"permittedTools"`
	SemanticReason string    `json:"semanticReason,omitempty"`
	Audited        []Finding `json:"audited,omitempty"`

	// Entries are the entries of the offer, Chosen the names that it refers to without
	// declaring them. Names are exact.
	Entries []OfferEntry `json:"entries"`
	Chosen  []string     `json:"chosen,omitempty"`
}

// OfferEntry is one entry of an offer.
type OfferEntry struct {
	Index int      `json:"index"`
	Names []string `json:"names"`
	Fault string   `json:"fault,omitempty"`
	// InvalidSchema: a schema that the entry has does not compile.
	InvalidSchema bool `json:"invalidSchema,omitempty"`
}

// Execution says whether an allowed call was going to be run. The record is made before
// that: what became of it is in the log.
type Execution struct {
	Runs    bool   `json:"runs"`
	Adapter string `json:"adapter,omitempty"`
	// Cause and Detail say why an allowed call is not run.
	Cause  string `json:"cause,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// Outside is what others said that the verdict hangs on.
type Outside struct {
	Access       []Access     `json:"access,omitempty"`
	TenantLabels []Label      `json:"tenantLabels,omitempty"`
	Validators   []Validation `json:"validators,omitempty"`
}

// The answers to a question of access.
const (
	AnswerGranted    = "granted"
	AnswerRefused    = "refused"
	AnswerUnanswered = "unanswered"
)

// Access is a question to the authorizer and its answer.
type Access struct {
	Namespace          string `json:"namespace"`
	ServiceAccountName string `json:"serviceAccountName"`
	Verb               string `json:"verb"`
	Group              string `json:"group,omitempty"`
	Resource           string `json:"resource"`
	ObjectNamespace    string `json:"objectNamespace,omitempty"`
	ObjectName         string `json:"objectName"`
	Answer             string `json:"answer"`
}

// Label is a label of the namespace that tenants are read from.
type Label struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// Validation is what the validator of one policy said of an offer.
type Validation struct {
	Policy string `json:"policy"`
	Valid  bool   `json:"valid"`
	Reason string `json:"reason,omitempty"`
	Cause  string `json:"cause,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// Gap says that records were lost, and how many.
type Gap struct {
	APIVersion string `json:"apiVersion"`
	Kind       Kind   `json:"kind"`
	// Time is when the line was made, From and To when the first and the last of the
	// records was lost.
	Time time.Time `json:"time"`
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Dropped is DroppedAllowed and DroppedBlocked together.
	Dropped        int64 `json:"dropped"`
	DroppedAllowed int64 `json:"droppedAllowed"`
	DroppedBlocked int64 `json:"droppedBlocked"`
}
