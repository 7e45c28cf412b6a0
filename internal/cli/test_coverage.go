package cli

import (
	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/casefile"
	"github.com/callgate/callgate/internal/review"
)

// codes are those that a case can bring about from files. denied stands for any other, and
// is not one of them.
var codes = []string{
	string(reviewv1alpha1.ReasonRequestOK), string(reviewv1alpha1.ReasonRequestInvalid),
	string(reviewv1alpha1.CodeOK), string(reviewv1alpha1.CodeMalformedCall), string(reviewv1alpha1.CodeNoPolicy),
	string(reviewv1alpha1.CodeUnknownTool), string(reviewv1alpha1.CodeSchemaNotReady), string(reviewv1alpha1.CodeInvalidArguments),
	string(reviewv1alpha1.CodeForbidden), string(reviewv1alpha1.CodePolicyError),
}

// executionCodes are those of executions besides.
var executionCodes = []string{
	string(reviewv1alpha1.CodeNotFound), string(reviewv1alpha1.CodeUpstreamError), string(reviewv1alpha1.CodeUpstreamTimeout),
}

// coverage is what the cases touched, of what the files have.
func (b *bench) coverage() casefile.Summary {
	var tools, rules []string
	for _, ns := range b.snap.Namespaces {
		for name := range ns.Tools {
			tools = append(tools, name)
		}
		for _, p := range ns.Policies {
			for _, r := range p.Rules {
				rules = append(rules, p.String()+"/"+r.Name)
			}
		}
	}
	for _, p := range b.set.Policies {
		for _, name := range p.Spec.DeclaredTools {
			if name != "*" {
				tools = append(tools, string(name))
			}
		}
	}
	whole := codes
	if len(b.set.Adapters) > 0 {
		whole = append(whole[:len(whole):len(whole)], executionCodes...)
	}
	return b.touched.Of(tools, whole, rules)
}

// touch notes a call. Rules are asked once the stages before theirs are passed.
func (b *bench) touch(caller review.Caller, tool string, code reviewv1alpha1.VerdictCode) {
	var asked []string
	switch code {
	case reviewv1alpha1.CodeMalformedCall, reviewv1alpha1.CodeNoPolicy, reviewv1alpha1.CodeUnknownTool,
		reviewv1alpha1.CodeSchemaNotReady, reviewv1alpha1.CodeInvalidArguments, reviewv1alpha1.CodeDenied:
	default:
		if ns := b.snap.Namespaces[caller.Namespace]; ns != nil {
			for _, p := range ns.Policies {
				for _, r := range p.Rules {
					if p.Selects(caller.Name) && r.Covers(tool) {
						asked = append(asked, p.String()+"/"+r.Name)
					}
				}
			}
		}
	}
	b.touched.Call(tool, string(code), asked)
}
