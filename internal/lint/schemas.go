package lint

import (
	"strings"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/shown"
)

// schemaLinter looks at one ToolSchema.
type schemaLinter struct {
	*linter
	object  *callgatev1alpha1.ToolSchema
	name    types.NamespacedName
	key     manifest.Key
	outcome *compile.SchemaOutcome
	// text is the document, nil where there is none; doc is what it holds where it
	// compiles.
	text []byte
	doc  *document
}

// schemas looks at every ToolSchema.
func (l *linter) schemas() {
	for _, s := range l.in.Set.Schemas {
		name := types.NamespacedName{Namespace: s.Namespace, Name: s.Name}
		o := l.in.Output.Schemas[name]
		if o == nil {
			continue
		}
		key := manifest.Key{Kind: manifest.KindToolSchema, Namespace: s.Namespace, Name: s.Name}
		sl := &schemaLinter{linter: l, object: s, name: name, key: key, outcome: o, text: documentOf(s)}
		if o.Dialect != "" && sl.text != nil {
			sl.doc = parseDocument(sl.text, jsonschema.Dialect(o.Dialect))
		}
		sl.compiled()
		if sl.doc != nil {
			sl.keywords()
			sl.arguments()
			sl.open()
		}
		sl.providers()
	}
}

func documentOf(s *callgatev1alpha1.ToolSchema) []byte {
	switch {
	case s.Spec.ParametersJSON != "":
		return []byte(s.Spec.ParametersJSON)
	case s.Spec.Parameters != nil:
		return s.Spec.Parameters.Raw
	}
	return nil
}

func (l *schemaLinter) formats() bool {
	return l.object.Spec.Arguments.Formats != callgatev1alpha1.FormatsAnnotate
}

// at reports something about a place of the document.
func (l *schemaLinter) at(rule, path, message string) {
	f := Finding{
		Rule: rule, Position: l.in.Set.SchemaPosition(l.name, path), Object: l.key.String(),
		Pointer: "/spec/parameters" + path, Message: shown.Escape(message),
	}
	if l.object.Spec.ParametersJSON != "" {
		f.Pointer, f.SchemaPointer = "/spec/parametersJSON", path
	}
	l.list = append(l.list, f)
}

// field reports something about a field of the object.
func (l *schemaLinter) field(rule, pointer, message string) { l.add(rule, l.key, pointer, message) }

// compiled takes over what compiling said.
func (l *schemaLinter) compiled() {
	c := l.classifier()
	for i, p := range l.outcome.Problems {
		l.at(c.problem(i, p), path(p), p.Message)
	}
	if l.outcome.Reason == callgatev1alpha1.ReasonDuplicateToolName {
		l.field(ruleDuplicateToolName, "/spec/toolName", l.outcome.Message)
	}
	for _, p := range l.outcome.Warnings {
		rule := c.warning(p)
		if rule == manifest.RuleRoundedNumber && l.rounded()[told{l.key.String(), "/spec/parameters" + path(p)}] {
			continue // the file has said what becomes of it
		}
		l.at(rule, path(p), p.Message)
	}
}

// told is a place of an object of which reading the files has told.
type told struct{ object, pointer string }

// roundedNumbers are the numbers of which reading the files has told.
func roundedNumbers(set *manifest.Set) map[told]bool {
	found := map[told]bool{}
	for _, w := range set.Warnings {
		if w.Rule == manifest.RuleRoundedNumber {
			found[told{w.Object, w.Path}] = true
		}
	}
	return found
}

func path(p callgatev1alpha1.Problem) string {
	if p.Path == nil || strings.HasSuffix(*p.Path, "…") {
		return ""
	}
	return *p.Path
}
