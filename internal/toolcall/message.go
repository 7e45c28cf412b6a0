package toolcall

import (
	"errors"
	"strings"
)

// messageFormats are the formats of a provider's message, in the order in which
// errors list them.
var messageFormats = []Format{OpenAIChat, MCP}

func formatList() string {
	names := make([]string, len(messageFormats))
	for i, f := range messageFormats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// DecodeMessage decodes what a provider returned, as it stands: the message,
// the whole response around it, or one bare call. It gives one Call per call in
// the message, in document order; a call that cannot be understood is in it with
// its Fault, never left out. Errors are *EnvelopeError, as for DecodeReview. The
// caller has bounded the body; calls refer to it.
func DecodeMessage(format Format, body []byte) ([]Call, error) {
	if err := check(body); err != nil {
		return nil, err
	}
	return decodeChecked(format, body)
}

// SniffMessage says which one of the message formats a bare message fits, with
// or without calls. It is false when none fits, or more than one: whoever runs
// the calls would have to guess, too.
func SniffMessage(body []byte) (Format, bool) {
	if check(body) != nil {
		return "", false
	}
	var fit Format
	for _, format := range messageFormats {
		if !fits(format, body) {
			continue
		}
		if fit != "" {
			return "", false
		}
		fit = format
	}
	return fit, fit != ""
}

func fits(format Format, body []byte) bool {
	_, err := decodeChecked(format, body)
	var envelope *EnvelopeError
	return err == nil || errors.As(err, &envelope) && envelope.Status == statusNoCalls
}

func decodeChecked(format Format, body []byte) ([]Call, error) {
	var calls []Call
	var err error
	switch format {
	case OpenAIChat:
		calls, err = decodeChat(body)
	case MCP:
		calls, err = decodeMCP(body)
	default:
		return nil, badRequest("message format %s is not supported; supported are %s", quoted(string(format)), formatList())
	}
	if err != nil {
		return nil, err
	}
	if len(calls) == 0 {
		return nil, noCalls(format)
	}
	return calls, nil
}

// callList collects the calls of one message and holds them to the bound.
type callList struct {
	calls []Call
}

func (l *callList) add(c Call) error {
	if len(l.calls) == MaxCalls {
		return tooManyCalls()
	}
	l.calls = append(l.calls, c)
	return nil
}

// malform blocks every call found since start, because readers differ on where
// to find them; if none was found, it leaves one in their place.
func (l *callList) malform(start int) error {
	for i := start; i < len(l.calls); i++ {
		l.calls[i].Fault = Malformed
	}
	if start == len(l.calls) {
		return l.add(Call{Fault: Malformed})
	}
	return nil
}

// truncate blocks every call found since start: none of them is known to be
// whole. What is ambiguous stays so.
func (l *callList) truncate(start int) {
	for i := start; i < len(l.calls); i++ {
		if l.calls[i].Fault != Malformed {
			l.calls[i].Fault = Truncated
		}
	}
}

func notAMessage(format Format, shapes string) error {
	return badRequest("the body is no %s message: expected %s", format, shapes)
}
