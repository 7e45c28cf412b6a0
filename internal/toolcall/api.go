// Package toolcall turns what a model's provider returned into calls of one
// shape. Each decoder is strict about what decides (names, arguments, ids,
// duplicate keys, case variants) and tolerant of what does not.
package toolcall

// Format is a wire shape. The zero value is no format.
type Format string

// The wire shapes understood.
const (
	Native          Format = "Native"
	OpenAIChat      Format = "OpenAIChat"
	OpenAIResponses Format = "OpenAIResponses"
	Anthropic       Format = "Anthropic"
	Gemini          Format = "Gemini"
	Bedrock         Format = "Bedrock"
	MCP             Format = "MCP"
	// Auto stands for the one provider's format that a message fits.
	Auto Format = "Auto"
)

// Fault says why a call's envelope or arguments cannot be judged further.
type Fault string

const (
	// NoFault: the arguments can be judged.
	NoFault Fault = ""
	// Malformed: the envelope is ambiguous (code malformed_call).
	Malformed Fault = "malformed_call"
	// NotAnObject: the arguments are missing where they may not be, or a custom call's
	// are no text. Others that are no object are the judge's to refuse.
	NotAnObject Fault = "not_an_object"
	// InvalidJSON: the arguments' text cannot be JSON (an unpaired surrogate
	// in the string that carries it).
	InvalidJSON Fault = "invalid_json"
	// Truncated: the message was cut short, so no call in it is whole.
	Truncated Fault = "truncated"
)

// Call is one tool call, normalised. Arguments are not decoded here.
type Call struct {
	// ID is the call's id, a numeric one as its decimal text; "" if it has none
	// or none that can be used.
	ID string
	// NumericID says that the id was a number, so that a reply can keep the literal.
	NumericID bool
	// Server and Name are as the message has them, Server "" if absent.
	Server, Name string
	// Fault is set when the call must block whatever the policies say.
	// Malformed precedes all stages; the others are stage 3 faults.
	Fault Fault
	// Arguments is the JSON text of the arguments, or for FreeText the text itself. It
	// may be no object, and no JSON.
	Arguments []byte
	// FreeText: a custom call, whose input is one string and no JSON.
	FreeText bool
	// IntegersByValue: the shape's numbers are doubles.
	IntegersByValue bool
	// Warnings about the message, such as "arguments:empty".
	Warnings []string

	answer answerKind
	// unsureID, unsureName: readers may take different ids or names, or none at all, so
	// that no reply can go by it.
	unsureID, unsureName bool
	// revision is the protocol revision that an MCP request says it speaks.
	revision string
}

// EffectiveName is the name by which policies and schemas match.
func (c Call) EffectiveName() string {
	if c.Server == "" {
		return c.Name
	}
	return c.Server + "/" + c.Name
}

// Review is a decoded ToolCallReview request, or a decoded message alone.
type Review struct {
	UID string
	// Format is never Auto: it is the format that was found to fit.
	Format Format
	Calls  []Call
	// Executed names what the provider has already run itself, as "kind" or
	// "kind:name", once each, in document order; names are cut and escaped.
	// Nobody can judge these any more.
	Executed []string
	// Context is what the application says of the session.
	Context Context
	// OnBehalfOf is nil where the caller asks for itself.
	OnBehalfOf *OnBehalfOf
}

// EnvelopeError says why a review cannot be judged at all: HTTP status 400, or
// 422 with reason NoCalls.
type EnvelopeError struct {
	Status  int
	Reason  string
	Message string
}

func (e *EnvelopeError) Error() string { return e.Message }

// Bounds of a review. MaxBodyBytes is the caller's to enforce, before decoding.
const (
	MaxBodyBytes = 1 << 20
	MaxCalls     = 128
	MaxDepth     = 160
	MaxUIDBytes  = 128
	// MaxIDBytes bounds a call's id, decoded. Providers' ids have at most 64; a
	// call with a longer one is Malformed, because its reply could not echo it.
	MaxIDBytes = 256
)
