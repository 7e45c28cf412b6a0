package compile

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"sync"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/jsonschema"
)

// schemaMemo is what compiling one document gave. It is reused while the document
// and its settings are the same bytes, whatever else of the object changed.
type schemaMemo struct {
	document []byte
	options  jsonschema.Options
	// text says that the document came as text, and so as its author wrote it.
	text bool

	judge         jsonschema.Judge
	dialect, hash string
	problems      []callgatev1alpha1.Problem
	warnings      []callgatev1alpha1.Problem
	// arguments gives what expressions can know of the arguments. It is only asked for
	// where a rule is about the tool.
	arguments func() *expr.ArgsType
}

func (n *Namespace) memo(name string) *schemaMemo {
	if n == nil {
		return nil
	}
	return n.memos[name]
}

// compileSchema compiles the document of s, or takes over what it gave before.
func compileSchema(s *callgatev1alpha1.ToolSchema, prev *schemaMemo) (memo *schemaMemo, fresh bool) {
	document, options := source(s)
	text := s.Spec.ParametersJSON != ""
	if prev != nil && prev.options == options && prev.text == text && bytes.Equal(prev.document, document) {
		return prev, false
	}
	memo = &schemaMemo{document: document, options: options, text: text}
	memo.arguments = sync.OnceValue(func() *expr.ArgsType { return expr.ArgsTypeOf(document, closed(options.Undeclared)) })
	defer func() {
		// One object that brings the compiler down must not take the policy set of
		// everybody else with it. It stays, not ready, and so blocks.
		if r := recover(); r != nil {
			memo.judge = nil
			memo.problems = []callgatev1alpha1.Problem{newProblem("", "", "the schema compiler failed on this document; simplify it, and please report it")}
			fresh = true
		}
	}()
	compiled, problems, warnings := jsonschema.Compile(document, options)
	memo.problems, memo.warnings = convert(problems), convert(warnings)
	if !text {
		memo.warnings = append(storageWarnings(document), memo.warnings...)
	}
	if compiled != nil && len(problems) == 0 {
		memo.judge = compiled
		memo.dialect, memo.hash = string(compiled.Dialect()), compiled.Hash()
	}
	if s.Spec.Parameters != nil && s.Spec.ParametersJSON != "" {
		memo.judge = nil
		memo.problems = append(memo.problems, newProblem("", "", "set parameters or parametersJSON, not both"))
	}
	return memo, true
}

// source gives the document of s, nil where it has none, and its settings. An
// unknown value of an enum means its strict zero value.
func source(s *callgatev1alpha1.ToolSchema) ([]byte, jsonschema.Options) {
	rules := s.Spec.Arguments
	options := jsonschema.Options{
		Dialect:         jsonschema.Dialect(s.Spec.Dialect),
		IntegersByValue: rules.Integers == callgatev1alpha1.IntegersValue,
		NullsAbsent:     rules.Nulls == callgatev1alpha1.NullsAbsent,
		AnnotateFormats: rules.Formats == callgatev1alpha1.FormatsAnnotate,
	}
	switch rules.Undeclared {
	case callgatev1alpha1.UndeclaredRejectNested:
		options.Undeclared = jsonschema.RejectNested
	case callgatev1alpha1.UndeclaredFollowSchema:
		options.Undeclared = jsonschema.FollowSchema
	default:
		options.Undeclared = jsonschema.Reject
	}
	switch {
	case s.Spec.ParametersJSON != "":
		return []byte(s.Spec.ParametersJSON), options
	case s.Spec.Parameters != nil:
		return s.Spec.Parameters.Raw, options
	default:
		return nil, options
	}
}

func closed(u jsonschema.Undeclared) expr.Closed {
	switch u {
	case jsonschema.Reject:
		return expr.ClosedRoot
	case jsonschema.RejectNested:
		return expr.ClosedNested
	default:
		return expr.FollowSchema
	}
}

// schemaOutcome tells what became of s. claim has the names of all ToolSchemas that
// claim the same tool.
func schemaOutcome(s *callgatev1alpha1.ToolSchema, memo *schemaMemo, claim []string) *SchemaOutcome {
	o := &SchemaOutcome{
		UID:        s.UID,
		Generation: s.Generation,
		ToolName:   s.EffectiveToolName(),
		Dialect:    memo.dialect,
		Hash:       memo.hash,
		Problems:   memo.problems,
		Warnings:   append(lostWarnings(s), memo.warnings...),
	}
	switch {
	case len(claim) > 1:
		o.Reason = callgatev1alpha1.ReasonDuplicateToolName
		o.Message = duplicateMessage(s, claim)
	case memo.judge == nil:
		o.Reason = callgatev1alpha1.ReasonInvalidSchema
		o.Message = problemSummary(memo.problems)
	default:
		o.Message = fmt.Sprintf("Calls to %q are judged against this schema", o.ToolName)
	}
	return o
}

// duplicateMessage names the other claimants; a namespace full of them is cut, since
// a condition's message is bounded.
func duplicateMessage(s *callgatev1alpha1.ToolSchema, claim []string) string {
	const most = 8
	others := make([]string, 0, most)
	for _, name := range claim {
		if name == s.Name {
			continue
		}
		if len(others) == most {
			others = append(others, fmt.Sprintf("and %d more", len(claim)-1-most))
			break
		}
		others = append(others, name)
	}
	return fmt.Sprintf("The tool name %q is also claimed by ToolSchema %s; none of them serves it until the names differ",
		s.EffectiveToolName(), strings.Join(others, ", "))
}

func problemSummary(problems []callgatev1alpha1.Problem) string {
	if len(problems) == 0 {
		return "The schema does not compile"
	}
	first := problems[0]
	where := "the root"
	if first.Path != nil && *first.Path != "" {
		where = *first.Path
	}
	summary := fmt.Sprintf("The schema does not compile: at %s: %s", where, first.Message)
	if len(problems) > 1 {
		summary += " (status.problems has the others too)"
	}
	return summary
}

func newProblem(path, keyword, message string) callgatev1alpha1.Problem {
	path, keyword, message = bound(path, 512), bound(keyword, 128), bound(message, 512)
	return callgatev1alpha1.Problem{Path: &path, Keyword: keyword, Message: message}
}

// bound cuts s to limit code points, the unit of the CRD's maxLength.
func bound(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	return string(runes[:limit-1]) + "…"
}

func convert(problems []jsonschema.Problem) []callgatev1alpha1.Problem {
	if len(problems) == 0 {
		return nil
	}
	out := make([]callgatev1alpha1.Problem, 0, len(problems))
	for _, p := range problems {
		out = append(out, newProblem(p.Path, p.Keyword, p.Message))
	}
	return out
}

// reuse keeps the previous outcome where nothing changed, so that whoever watches
// outcomes can compare pointers.
func reuse[T any](prev, next *T) *T {
	if prev != nil && reflect.DeepEqual(prev, next) {
		return prev
	}
	return next
}
