package toolcall

import (
	"errors"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/shown"
)

// messageFormats are the formats of a provider's message, in the order in which
// errors list them.
var messageFormats = []Format{OpenAIChat, OpenAIResponses, Anthropic, Gemini, Bedrock, MCP}

func formatList(formats ...Format) string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// DecodeMessage decodes what a provider returned, as it stands: the message,
// the whole response around it, or one bare call. It gives one Call per call in
// the message, in document order; a call that cannot be understood is in it with
// its Fault, never left out. With Auto, the Review says which format it was.
// Errors are *EnvelopeError, as for DecodeReview. The caller has bounded the
// body; calls refer to it.
func DecodeMessage(format Format, body []byte) (Review, error) {
	if err := check(body); err != nil {
		return Review{}, err
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
	fits := recognise(body)
	if len(fits) != 1 || !readable(fits[0].err) {
		return "", false
	}
	return fits[0].format, true
}

// attempt is a body read as one format.
type attempt struct {
	format Format
	list   callList
	err    error
}

// recognise gives the formats that the body fits. One that names its calls by a
// key or a type that only this format has outdoes those that merely do not
// contradict the body, so that text in a message of role assistant is no rival.
func recognise(body []byte) []attempt {
	var fits, plain []attempt
	for _, format := range messageFormats {
		list, err := read(format, body)
		a := attempt{format: format, list: list, err: err}
		switch {
		case list.own:
			fits = append(fits, a)
		case err == nil && len(list.calls) == 0 && !list.anyones:
			plain = append(plain, a)
		}
	}
	if len(fits) > 0 {
		return fits
	}
	return plain
}

// readable says whether a body was read, calls or none.
func readable(err error) bool {
	var envelope *EnvelopeError
	return err == nil || errors.As(err, &envelope) && envelope.Status == statusNoCalls
}

// read reads a checked body as one of the message formats.
func read(format Format, body []byte) (callList, error) {
	switch format {
	case OpenAIChat:
		return decodeChat(body)
	case OpenAIResponses:
		return decodeResponses(body)
	case Anthropic:
		return decodeAnthropic(body)
	case Gemini:
		return decodeGemini(body)
	case Bedrock:
		return decodeBedrock(body)
	case MCP:
		return decodeMCP(body)
	}
	return callList{}, badRequest("message format %s is not supported; supported are %s, %s",
		quoted(string(format)), formatList(messageFormats...), Auto)
}

func decodeChecked(format Format, body []byte) (Review, error) {
	if format != Auto {
		list, err := read(format, body)
		return attempt{format: format, list: list, err: err}.review()
	}
	fits := recognise(body)
	switch len(fits) {
	case 0:
		return Review{}, badRequest("the body fits none of the formats %s", formatList(messageFormats...))
	case 1:
		return fits[0].review()
	}
	names := make([]Format, len(fits))
	for i := range fits {
		names[i] = fits[i].format
	}
	return Review{}, badRequest("the body fits more than one format (%s): name the one that you run the calls by", formatList(names...))
}

func (a attempt) review() (Review, error) {
	if a.err != nil {
		return Review{}, a.err
	}
	if len(a.list.calls) == 0 {
		return Review{}, noCalls(a.format, a.list.executed)
	}
	return Review{Format: a.format, Calls: a.list.calls, Executed: a.list.executed}, nil
}

// callList collects the calls of one message and holds them to the bound.
type callList struct {
	calls    []Call
	executed []string
	// own: the message has a key or a type by which only this format names calls.
	own bool
	// anyones: the message could be of other formats just as well, and is of this one
	// only where that is said.
	anyones bool
}

func (l *callList) add(c Call) error {
	if len(l.calls) == MaxCalls {
		return tooManyCalls()
	}
	l.calls = append(l.calls, c)
	return nil
}

// addUnless adds a call, which is malformed where its place holds others besides.
func (l *callList) addUnless(others bool, c Call) error {
	if others {
		c.Fault = Malformed
	}
	return l.add(c)
}

// addMalformed stands for an entry that cannot be understood. what is the entry's
// own word for itself, so that the verdict can name it.
func (l *callList) addMalformed(what string) error {
	return l.add(Call{Name: what, Fault: Malformed, answer: answerNone})
}

// malform blocks every call found since start, because readers differ on where
// to find them, so that a reply could answer one that its reader has not; if none was found, it leaves one in their place.
func (l *callList) malform(start int) error {
	for i := start; i < len(l.calls); i++ {
		l.calls[i].Fault, l.calls[i].answer = Malformed, answerNone
	}
	if start == len(l.calls) {
		return l.addMalformed("")
	}
	return nil
}

// truncate blocks every call found since start: none of them is known to be
// whole. What is ambiguous stays so.
func (l *callList) truncate(start int) {
	for i := start; i < len(l.calls); i++ {
		l.calls[i].truncate()
	}
}

func (c *Call) truncate() {
	if c.Fault != Malformed {
		c.Fault = Truncated
	}
}

// ran records what the provider has run itself.
func (l *callList) ran(kind, server, name string) {
	label := kind
	if name == "" {
		server, name = "", server
	}
	if effective := (Call{Server: server, Name: name}).EffectiveName(); effective != "" {
		label += ":" + shown.Name(effective)
	}
	if !slices.Contains(l.executed, label) && len(l.executed) < maxExecuted {
		l.executed = append(l.executed, label)
	}
}

// maxExecuted bounds how many different things that the provider ran are named:
// they are for information, and no provider offers as many tools of its own.
const maxExecuted = 64

func notAMessage(format Format, shapes string) error {
	return badRequest("the body is no %s message: expected %s", format, shapes)
}
