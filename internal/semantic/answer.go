package semantic

import (
	"strings"

	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/shown"
)

// Cause says in one fixed word why there is no answer. "" means that the validator
// answered.
type Cause string

// The causes of the guard, as it names them.
const (
	CauseNotAllowed = Cause(outbound.CauseNotAllowed)
	CauseTimeout    = Cause(outbound.CauseTimeout)
	CauseCanceled   = Cause(outbound.CauseCanceled)
	CauseResolve    = Cause(outbound.CauseResolve)
	CauseConnect    = Cause(outbound.CauseConnect)
	CauseTLS        = Cause(outbound.CauseTLS)
	CauseRedirect   = Cause(outbound.CauseRedirect)
	CauseTooLarge   = Cause(outbound.CauseTooLarge)
	CauseNoAnswer   = Cause(outbound.CauseNoAnswer)
)

const (
	// CauseBadStatus: the status is neither 2xx nor a redirect.
	CauseBadStatus Cause = "bad_status"
	// CauseBadJSON: the answer, or the object in its message, is no JSON object.
	CauseBadJSON Cause = "bad_json"
	// CauseNoValid: nothing in it says "valid" by true or false.
	CauseNoValid Cause = "no_valid"
	// CauseAmbiguous: it says so twice, in another case, in two places differently, or it
	// says yes beside what is no yes: a refusal, a message cut short, or other text.
	CauseAmbiguous Cause = "ambiguous"
	// CausePanicked: a fault of Callgate's own.
	CausePanicked Cause = "panicked"
	// CauseBusy: too many questions are asked or wait already.
	CauseBusy Cause = "busy"
	// CauseBadQuestion: the policy's settings or the offer make no request.
	CauseBadQuestion Cause = "bad_question"
	// CauseClosed: the client has been closed.
	CauseClosed Cause = "closed"
)

// Answer is what became of a question. The zero value blocks.
type Answer struct {
	// Valid is true only if the validator said so.
	Valid bool
	// Reason is the validator's own, cut at 512 code points and escaped; "" without one
	// or without an answer.
	Reason string
	// Cause is "" if the validator answered. Otherwise Valid is false.
	Cause Cause
	// Detail says more about Cause, for audit and status: no token, no body, no path.
	Detail string
}

const (
	// maxReason is what people read of a reason: a status message's problem has 512
	// code points too.
	maxReason = 512
	// maxAnswerBytes bounds the answer: a chat completion with one small object is 1 KiB,
	// one with a model's reasoning or log probabilities some tens.
	maxAnswerBytes = 64 << 10
)

// answerLimits bound the tree of an answer. Every value takes two bytes at least; a
// chat completion nests seven deep.
var answerLimits = rawjson.Limits{MaxDepth: 32, MaxValues: maxAnswerBytes / 2}

// failure is why there is no answer. A nil one is none.
type failure struct {
	cause  Cause
	detail string
}

func fail(cause Cause, detail string) *failure { return &failure{cause: cause, detail: detail} }

func (f *failure) answer() Answer { return Answer{Cause: f.cause, Detail: f.detail} }

// opinion is one place of an answer that decides.
type opinion struct {
	valid  bool
	reason string
}

// readAnswer reads the body of a 2xx answer: "valid" at the top, else in the object of
// choices[0].message.content. What decides must be there once, in its own case, and a
// yes must be a clear one: the message, if there is any, is whole and says yes too.
func readAnswer(body []byte, token string) Answer {
	o, f := readOpinion(body)
	if f != nil {
		return f.answer()
	}
	return Answer{Valid: o.valid, Reason: clean(o.reason, token)}
}

// clean prepares a reason for people. A validator that echoes its request must not give
// the token to callers.
func clean(reason, token string) string {
	if token != "" {
		reason = strings.ReplaceAll(reason, token, "[redacted]")
	}
	return shown.Escape(shown.Cut(reason, maxReason))
}

func readOpinion(body []byte) (*opinion, *failure) {
	root, f := readObject(body, "the answer")
	if f != nil {
		return nil, f
	}
	top, f := opinionIn(root, "the answer")
	if f != nil {
		return nil, f
	}
	said, f := choiceOf(root)
	if f != nil {
		return nil, f
	}
	inner, f := opinionOf(&said, top != nil)
	if f != nil {
		return nil, f
	}
	return agreed(top, inner, said.doubt)
}

// agreed is the opinion of both places. doubt is why a yes would not be a clear one.
func agreed(top, inner *opinion, doubt string) (*opinion, *failure) {
	o := top
	if o == nil {
		o = inner
	}
	switch {
	case o == nil:
		return nil, fail(CauseNoValid, `there is no "valid", neither at the top nor in choices[0].message.content`)
	case inner != nil && inner.valid != o.valid:
		return nil, fail(CauseAmbiguous, "the top of the answer and its message disagree")
	case o.valid && doubt != "":
		return nil, fail(CauseAmbiguous, "it says yes, but "+doubt)
	}
	return o, nil
}

// opinionOf reads the content of a message: JSON text of an object, or one. decided
// says that the top of the answer has an opinion. A message that says anything else beside
// it puts that in doubt.
func opinionOf(said *choice, decided bool) (*opinion, *failure) {
	const what = "the message"
	object := said.content
	switch {
	case saysNothing(object, decided):
		return nil, nil
	case object.Kind == rawjson.String && (!decided || rawjson.KindOf([]byte(object.Text)) == rawjson.Object):
		var f *failure
		if object, f = readObject([]byte(object.Text), what); f != nil {
			return nil, f
		}
	case object.Kind != rawjson.Object:
		said.doubt = "its message is no JSON object"
		return nil, nil
	}
	o, f := opinionIn(object, what)
	if o == nil && f == nil {
		said.doubt = "its message does not"
	}
	return o, f
}

func readObject(text []byte, what string) (*rawjson.Value, *failure) {
	v, err := rawjson.Parse(text, answerLimits)
	if err != nil {
		return nil, fail(CauseBadJSON, what+": "+err.Error())
	}
	if v.Kind != rawjson.Object {
		return nil, fail(CauseBadJSON, what+" is no JSON object")
	}
	return v, nil
}

// opinionIn reads valid and reason in one object; nil if it has no valid.
func opinionIn(object *rawjson.Value, what string) (*opinion, *failure) {
	valid, f := member(object, "valid", what)
	if f != nil {
		return nil, f
	}
	reason, f := member(object, "reason", what)
	if f != nil {
		return nil, f
	}
	if valid == nil {
		return nil, nil
	}
	if valid.Kind != rawjson.Bool {
		return nil, fail(CauseNoValid, `"valid" of `+what+" is neither true nor false")
	}
	o := &opinion{valid: string(valid.Raw) == "true"}
	if reason != nil {
		// Only strings have text; a reason of another kind decides nothing.
		o.reason = reason.Text
	}
	return o, nil
}

// choice is what choices[0] says.
type choice struct {
	// content is that of its message, nil if there is none.
	content *rawjson.Value
	// doubt is why a yes of this answer would not be a clear one, "" if it would.
	doubt string
}

// choiceOf reads choices[0]. An answer without choices says all it has to at the top.
func choiceOf(root *rawjson.Value) (choice, *failure) {
	choices, f := member(root, "choices", "the answer")
	switch {
	case f != nil || choices == nil || choices.Kind == rawjson.Null:
		return choice{}, f
	case choices.Kind != rawjson.Array:
		return choice{doubt: "its choices are no list"}, nil
	case len(choices.Items) == 0:
		return choice{}, nil
	case choices.Items[0].Kind != rawjson.Object:
		return choice{doubt: "its first choice is no object"}, nil
	}
	first := choices.Items[0]
	message, f := member(first, "message", "the choice")
	if f != nil {
		return choice{}, f
	}
	said, f := messageOf(message)
	if f != nil {
		return choice{}, f
	}
	whole, f := finished(first)
	if !whole {
		said.doubt = `its finish_reason is not "stop"`
	}
	return said, f
}

// finished says whether a choice is whole: what ended otherwise was cut short, filtered,
// or went on to call a tool.
func finished(first *rawjson.Value) (bool, *failure) {
	reason, f := member(first, "finish_reason", "the choice")
	return saysNothing(reason, true) || reason.Kind == rawjson.String && reason.Text == "stop", f
}

func messageOf(message *rawjson.Value) (choice, *failure) {
	switch {
	case message == nil || message.Kind == rawjson.Null:
		return choice{}, nil
	case message.Kind != rawjson.Object:
		return choice{doubt: "its message is no object"}, nil
	}
	var said choice
	refusal, f := member(message, "refusal", "the message")
	if f != nil {
		return said, f
	}
	if !saysNothing(refusal, true) {
		said.doubt = "its message has a refusal"
	}
	said.content, f = member(message, "content", "the message")
	return said, f
}

// saysNothing says that a member is absent or null or, where blank text says nothing
// either, that.
func saysNothing(v *rawjson.Value, blank bool) bool {
	return v == nil || v.Kind == rawjson.Null || blank && v.Kind == rawjson.String && strings.TrimSpace(v.Text) == ""
}

// member is the one member of that name, nil if there is none. Readers differ on which
// of two equal keys counts, and on case; so two of them are no answer.
func member(object *rawjson.Value, name, what string) (*rawjson.Value, *failure) {
	var found *rawjson.Value
	for _, field := range object.Fields {
		if !strings.EqualFold(field.Key, name) {
			continue
		}
		if found != nil || field.Key != name {
			return nil, fail(CauseAmbiguous, what+` has "`+name+`" twice or in another case`)
		}
		found = field.Value
	}
	return found, nil
}
