package cli

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/shown"
)

// compileLines say what the compiler thinks of the objects, in the order of the
// files. A problem leaves its object not in force; a warning does not.
func compileLines(set *manifest.Set, out *compile.Output) []string {
	var found []manifest.Diagnostic
	for _, s := range set.Schemas {
		name := types.NamespacedName{Namespace: s.Namespace, Name: s.Name}
		if o := out.Schemas[name]; o != nil {
			found = append(found, schemaProblems(set, name, o)...)
		}
	}
	for _, p := range set.Policies {
		key := manifest.Key{Kind: manifest.KindToolPolicy, Namespace: p.Namespace, Name: p.Name}
		if o := out.Policies[types.NamespacedName{Namespace: p.Namespace, Name: p.Name}]; o != nil {
			found = append(found, policyProblems(set, key, o)...)
		}
	}
	found = append(found, adapterProblems(set, out)...)
	slices.SortStableFunc(found, func(a, b manifest.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	lines := make([]string, 0, len(found))
	for _, d := range found {
		lines = append(lines, d.String())
	}
	return lines
}

func schemaProblems(set *manifest.Set, name types.NamespacedName, o *compile.SchemaOutcome) []manifest.Diagnostic {
	key := manifest.Key{Kind: manifest.KindToolSchema, Namespace: name.Namespace, Name: name.Name}
	place := func(ptr string) manifest.Position { return set.SchemaPosition(name, ptr) }
	found := diagnostics(key, "", o.Problems, place)
	if !o.Accepted() && (len(o.Problems) == 0 || o.Reason == callgatev1alpha1.ReasonDuplicateToolName) {
		found = append(found, manifest.Diagnostic{
			Position: set.Position(key, "/spec/toolName"), Object: key.String(), Message: shown.Escape(o.Message),
		})
	}
	return append(found, diagnostics(key, "warning: ", o.Warnings, place)...)
}

func policyProblems(set *manifest.Set, key manifest.Key, o *compile.PolicyOutcome) []manifest.Diagnostic {
	place := func(ptr string) manifest.Position { return set.Position(key, ptr) }
	found := diagnostics(key, "", o.Problems, place)
	if !o.Accepted() && len(o.Problems) == 0 {
		found = append(found, manifest.Diagnostic{Position: place("/spec"), Object: key.String(), Message: shown.Escape(o.Message)})
	}
	return append(found, diagnostics(key, "warning: ", o.Warnings, place)...)
}

func diagnostics(key manifest.Key, prefix string, problems []callgatev1alpha1.Problem, place func(string) manifest.Position) []manifest.Diagnostic {
	found := make([]manifest.Diagnostic, 0, len(problems))
	for _, p := range problems {
		ptr := ""
		if p.Path != nil {
			ptr = *p.Path
		}
		found = append(found, manifest.Diagnostic{
			Position: place(ptr), Object: key.String(), Path: ptr,
			Message: prefix + shown.Escape(p.Message),
		})
	}
	return found
}
