package review

import (
	"context"
	"slices"

	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/rawjson"
)

// Validator is the port to the external model that gives a second opinion on offers. It
// can only block: an answer that is not Valid does, whatever its cause.
type Validator interface {
	// Validate returns within the time that the policy gives. It must not panic.
	Validate(ctx context.Context, q Question) Answer
}

// Question is what one policy asks about one offer.
type Question struct {
	// Namespace, Policy, UID and Generation are the policy's.
	Namespace, Policy, UID string
	Generation             int64
	Semantic               *compile.Semantic
	// DeclaredTools is the JSON list of the declared names, Schemas the JSON object of
	// the schemas by tool name, RequestTools the JSON list of the offered entries.
	DeclaredTools, Schemas, RequestTools []byte

	view int
}

// Answer is what became of a question. The zero value blocks.
type Answer struct {
	// Valid is true only if the validator said so.
	Valid bool
	// Reason is the validator's own, cut and escaped.
	Reason string
	// Cause is one fixed word for why there is no answer; "" if there is one.
	Cause string
	// Detail says more about Cause, for those who run Callgate: never for callers.
	Detail string
}

// CauseNoValidator: nobody can be asked here, as on the command line.
const CauseNoValidator = "no_validator"

// NoValidator answers no question.
type NoValidator struct{}

// Validate implements Validator.
func (NoValidator) Validate(context.Context, Question) Answer {
	return Answer{Cause: CauseNoValidator, Detail: "no validator is asked here"}
}

// noArguments is the schema of a tool without parameters.
const noArguments = `{"type":"object","properties":{},"additionalProperties":false}`

// questions are those of the policies that pass the offer and have a validator.
func (o *offer) questions() []Question {
	var questions []Question
	for i := range o.views {
		v := &o.views[i]
		if v.policy.Semantic == nil || v.failed() {
			continue
		}
		p := v.policy
		declared := p.DeclaredTools()
		questions = append(questions, Question{
			Namespace: p.Namespace, Policy: p.Name, UID: string(p.UID), Generation: p.Generation, Semantic: p.Semantic,
			DeclaredTools: encodeNames(declared), Schemas: o.schemas(p, declared), RequestTools: o.in.RequestTools,
			view: i,
		})
	}
	return questions
}

// schemas are those of the tools that the policy declares, or lets be offered.
func (o *offer) schemas(p *compile.Policy, declared []string) []byte {
	out := []byte{'{'}
	for _, name := range sortedSet(slices.Concat(declared, o.names)) {
		tool := o.ns.Tools[name]
		if tool == nil || !tool.Ready() || !p.SelectsTool(tool) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendString(out, name), ':')
		if len(tool.Document) == 0 {
			out = append(out, noArguments...)
			continue
		}
		out = append(out, tool.Document...)
	}
	return append(out, '}')
}

func encodeNames(names []string) []byte {
	out := []byte{'['}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = rawjson.AppendString(out, name)
	}
	return append(out, ']')
}

// Answered is the decision after its questions were asked; answers are in their order.
// A question without an answer blocks.
func (d OfferDecision) Answered(answers []Answer) OfferDecision {
	if len(d.Questions) == 0 {
		return d
	}
	o := *d.offer
	o.views = slices.Clone(o.views)
	o.validated = true
	var reasons, failures []string
	for i, q := range d.Questions {
		a := Answer{Cause: "no_answer", Detail: "the question was not asked"}
		if i < len(answers) {
			a = answers[i]
		}
		v := &o.views[q.view]
		v.detail = a.Detail
		o.trace.answered(q.view, a)
		word := ""
		switch {
		case a.Cause != "":
			word, v.errors = a.Cause, []string{"semantic:" + a.Cause}
		case !a.Valid:
			word, v.errors = a.Reason, []string{"semantic:invalid"}
		default:
			reasons = append(reasons, a.Reason)
			continue
		}
		o.validated = false
		// What a policy with Audit alone finds is for the record only.
		if v.policy.Deny || v.policy.Warn {
			failures = append(failures, word)
		}
	}
	if !o.validated {
		reasons = failures
	}
	o.reason = joined(reasons)
	settled := OfferDecision{offer: &o}.settle()
	o.trace.end(&o, &settled)
	return settled
}

// joined gives the reasons of several policies, each once, in the order of the policies.
func joined(reasons []string) string {
	var text string
	for i, reason := range reasons {
		if reason == "" || slices.Contains(reasons[:i], reason) {
			continue
		}
		if text != "" {
			text += "; "
		}
		text += reason
	}
	return text
}
