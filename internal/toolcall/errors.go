package toolcall

import (
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/shown"
)

// Reasons of an EnvelopeError.
const (
	ReasonBadRequest = "BadRequest"
	ReasonNoCalls    = "NoCalls"
)

// HTTP statuses of an EnvelopeError. This package knows no HTTP but these.
const (
	statusBadRequest = 400
	statusNoCalls    = 422
)

func badRequest(format string, args ...any) *EnvelopeError {
	return &EnvelopeError{Status: statusBadRequest, Reason: ReasonBadRequest, Message: fmt.Sprintf(format, args...)}
}

// maxListed bounds the list in an error of what the provider ran, in bytes: a
// status message of two kilobytes can still be read.
const maxListed = 1500

func noCalls(format Format, executed []string) *EnvelopeError {
	e := &EnvelopeError{
		Status:  statusNoCalls,
		Reason:  ReasonNoCalls,
		Message: fmt.Sprintf("the %s message holds no tool call", format),
	}
	if len(executed) > 0 {
		e.Message += " to judge; the provider has already run " + listed(executed)
	}
	return e
}

func listed(labels []string) string {
	var b strings.Builder
	for i, label := range labels {
		if b.Len()+len(label) > maxListed {
			fmt.Fprintf(&b, " and %d more", len(labels)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(label)
	}
	return b.String()
}

func tooManyCalls() *EnvelopeError {
	return badRequest("more than %d calls in one review", MaxCalls)
}

// check answers for a whole text: no other function of this package looks at
// syntax again.
func check(body []byte) error {
	_, err := rawjson.Check(body, MaxDepth)
	switch {
	case err == nil:
		return nil
	case len(body) == 0:
		return badRequest("the body is empty")
	case errors.Is(err, rawjson.ErrTooDeep):
		return badRequest("the body is nested deeper than %d levels", MaxDepth)
	}
	return badRequest("the body is %v", err)
}

// quoted shows a key that the sender chose.
func quoted(name string) string { return `"` + shown.Name(name) + `"` }
