package casefile

import (
	"encoding/json"

	"github.com/callgate/callgate/internal/toolcall"
)

// Kind says what a case asks. The zero value is nothing.
type Kind uint8

// The kinds.
const (
	_ Kind = iota
	// Offer: may these tools be offered to a model?
	Offer
	// Calls: may these calls be made?
	Calls
	// Execution: what comes of running this call?
	Execution
)

// reviewKinds are the kinds of the reviews that ask.
var reviewKinds = map[Kind]string{
	Offer: toolcall.KindRequestReview, Calls: toolcall.Kind, Execution: toolcall.KindExecution,
}

// Case is one case.
type Case struct {
	Name string
	Kind Kind
	// As is the ServiceAccount that asks, as system:serviceaccount:NAMESPACE:NAME; "":
	// whoever runs the case finds one.
	As string
	// Request is the review's request as a client would send it. Where Guessed is set, a
	// format had to be guessed that the body does not tell.
	Request json.RawMessage
	Guessed bool
	// Validator is what stands for the answer of every validator; nil: there is none,
	// which blocks.
	Validator *Validator

	expected expected
}

// Validator is what a semantic validator is taken to say.
type Validator struct {
	// Valid is its verdict, and Reason what it says to it.
	Valid  bool
	Reason string
	// Cause is "" if it answered, else a fixed word for why it did not.
	Cause string
}

// Problem is something wrong with a case file, at a JSON Pointer of it.
type Problem struct{ Pointer, Message string }

// Envelope is the whole review, as a client would send it.
func (c *Case) Envelope() []byte {
	text, err := json.Marshal(map[string]string{"apiVersion": toolcall.APIVersion, "kind": reviewKinds[c.Kind]})
	if err != nil {
		return nil
	}
	// The request goes in as it is: marshalling would mend what is wrong in it on purpose.
	return append(append(append(text[:len(text)-1], `,"request":`...), c.Request...), '}')
}
