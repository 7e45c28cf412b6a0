// Package jsonschema compiles a JSON Schema document into a validator that
// judges raw JSON bytes and says what is wrong, where, and in which words.
// It knows nothing of Kubernetes.
package jsonschema

// Dialect is a JSON Schema draft.
type Dialect string

// The dialects. The zero value means that the caller names none: Draft 7, and a
// document that uses what Draft 7 silently ignores does not compile.
const (
	Unspecified Dialect = ""
	Draft4      Dialect = "Draft4"
	Draft6      Dialect = "Draft6"
	Draft7      Dialect = "Draft7"
	Draft2019   Dialect = "Draft2019-09"
	Draft2020   Dialect = "Draft2020-12"
)

// Undeclared says what becomes of a property that nothing declares.
// The zero value is the strictest at the root.
type Undeclared uint8

const (
	// Reject refuses undeclared properties at the root.
	Reject Undeclared = iota
	// RejectNested refuses them wherever a schema lists properties.
	RejectNested
	// FollowSchema is plain JSON Schema.
	FollowSchema
)

// Options are the settings of spec.arguments, and the dialect to assume when the
// document has no $schema. The zero value is the strict default.
type Options struct {
	Dialect    Dialect
	Undeclared Undeclared
	// IntegersByValue lets 3.0 and 1e3 be integers.
	IntegersByValue bool
	// NullsAbsent lets a null that no schema wants count as an absent property.
	NullsAbsent bool
	// AnnotateFormats switches the format assertion off.
	AnnotateFormats bool
	// OpenBranches only warns of a branch of anyOf or oneOf that accepts everything, as
	// plain JSON Schema allows it; otherwise it is a problem.
	OpenBranches bool
	// AllowProto switches the __proto__ rule off; for conformance tests only.
	AllowProto bool
}

// Problem is one thing wrong with a schema document, or one thing to warn of.
type Problem struct {
	// Path is the JSON Pointer of the place in the schema document; "" is the root.
	Path string
	// Keyword is the JSON Schema keyword concerned, or "".
	Keyword string
	// Message is one sentence for the author of the schema, at most 512 bytes.
	Message string
}

// Fault is what makes arguments impossible to judge against a schema.
type Fault string

// The faults, as they stand behind "arguments:".
const (
	NoFault     Fault = ""
	InvalidJSON Fault = "invalid_json"
	NotAnObject Fault = "not_an_object"
	TooDeep     Fault = "too_deep"
	TooLarge    Fault = "too_large"
	TooCostly   Fault = "too_costly"
)

// Code says what kind of rule a value broke.
type Code string

// The codes, in the order in which one location reports them: the first wins.
const (
	CodeDuplicate  Code = "duplicate"
	CodeUnexpected Code = "unexpected"
	CodeType       Code = "type"
	CodeEnum       Code = "enum"
	CodePattern    Code = "pattern"
	CodeFormat     Code = "format"
	CodeLength     Code = "length"
	CodeRange      Code = "range"
	CodeItems      Code = "items"
	CodeProperties Code = "properties"
	CodeSchema     Code = "schema"
	CodeMissing    Code = "missing"
)

// Violation is one thing wrong with one location of the arguments. It holds no
// argument value: Actual is a kind.
type Violation struct {
	Code Code
	// Pointer is the exact JSON Pointer of the location; "" is the root.
	Pointer string
	// Location is the path as errors show it: "city", "address.zip",
	// "items[2].sku"; cut and escaped (package shown).
	Location string
	// Keyword is the keyword that failed ("type", "required", "additionalProperties", …).
	Keyword string
	// Expected is what the schema wants, from the schema's author: "integer",
	// "string or null", "at most 10", … At most 256 bytes.
	Expected string
	// Actual is the kind of what was given: null, boolean, integer, number,
	// string, array, object, or absent.
	Actual  string
	Message string
}

// Error gives the violation as the error list shows it: "<code>:<location>".
func (v Violation) Error() string { return string(v.Code) + ":" + v.Location }

// Input is one value to judge.
type Input struct {
	// Raw is the JSON text of the arguments. It is not kept and not changed.
	Raw []byte
	// IntegersByValue overrides the option of the same name, for wire formats
	// whose numbers are doubles.
	IntegersByValue bool
	// FreeText says that Raw is not JSON but one free text, judged as a string.
	FreeText bool
	// Budget is shared by the values that are judged for one answer. Nil: the value
	// has one of its own.
	Budget *Budget
}

// Result is the outcome of judging one value. The zero value is not an allow.
type Result struct {
	// Judged is true when the value was judged to the end, so that an empty
	// Violations means that it fits.
	Judged bool
	// Fault is set when the value could not be judged; then Violations is empty.
	Fault Fault
	// Violations are sorted by Error(), one per location.
	Violations []Violation
}

// OK reports whether the value fits the schema.
func (r Result) OK() bool { return r.Judged && r.Fault == NoFault && len(r.Violations) == 0 }

// Judge is a compiled schema: it judges raw bytes. Implementations are
// immutable and safe for concurrent use, and never panic.
type Judge interface {
	Judge(in Input) Result
	// Canonical appends the judged tree in canonical form to dst: absent-nulls
	// removed, keys sorted by code point, no white space, minimal escapes,
	// number literals as given. ok is false where there is no such tree
	// (undecodable, over a bound, duplicate keys).
	Canonical(dst []byte, in Input) (out []byte, ok bool)
}

// The bounds on arguments and schemas. Design section 4 has the arguments'
// bounds, section 3 the schemas'.
const (
	MaxArgumentBytes  = 512 << 10
	MaxArgumentValues = 100_000
	MaxArgumentDepth  = 128
	MaxSchemaBytes    = 192 << 10
	MaxSchemaDepth    = 64
)
