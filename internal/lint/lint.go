package lint

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/shown"
)

// Input is what there is to look at.
type Input struct {
	// Set and Diagnostics are what reading the files gave.
	Set         *manifest.Set
	Diagnostics []manifest.Diagnostic
	// Output is what compiling the set gave.
	Output *compile.Output
	// Records are what is wrong with the ConfigMaps that adapters in force read, by
	// adapter. Nil: nobody looked.
	Records map[types.NamespacedName]Records
}

// Records is what is wrong with the ConfigMap of one adapter.
type Records struct {
	// Missing says that the files do not hold the ConfigMap.
	Missing  bool
	Problems []callgatev1alpha1.Problem
}

// Options say what to look for.
type Options struct {
	// Providers are those whose names, keys and subsets of JSON Schema the tools are held
	// to. None by default.
	Providers []Provider
	// Disabled are the IDs of rules that are not reported. An error cannot be disabled:
	// the cluster would refuse the object all the same.
	Disabled map[string]bool
	// Severities replace those of rules, by ID.
	Severities map[string]Severity
}

// Result is what was found.
type Result struct {
	// Findings are in the order of the files.
	Findings []Finding
	// Objects counts the ToolPolicies, ToolSchemas and ToolAdapters that were read.
	Objects int
}

// Worst reports whether any finding is as bad as s, or worse.
func (r Result) Worst(s Severity) bool {
	for _, f := range r.Findings {
		if f.Severity.AtLeast(s) {
			return true
		}
	}
	return false
}

// Unreadable reports whether a file was not read, so that nobody can tell what it holds.
func (r Result) Unreadable() bool {
	for _, f := range r.Findings {
		if manifest.Unreadable(f.Rule) {
			return true
		}
	}
	return false
}

// Run looks at everything.
func Run(in Input, opts Options) Result {
	l := &linter{in: in, opts: opts, rounded: sync.OnceValue(func() map[told]bool { return roundedNumbers(in.Set) })}
	objects := len(in.Set.Schemas) + len(in.Set.Policies) + len(in.Set.Adapters)
	l.files()
	if objects == 0 && len(in.Diagnostics) == 0 {
		l.list = append(l.list, Finding{Rule: ruleNoObjects, Message: "there is no ToolPolicy, ToolSchema or ToolAdapter in these files: check the paths"})
	}
	l.schemas()
	l.policies()
	l.adapters()
	l.names()
	l.subjects()
	l.unused()
	return Result{Findings: sorted(l.finish()), Objects: objects}
}

// linter is one run.
type linter struct {
	in   Input
	opts Options
	list []Finding
	// rounded gives the numbers of which reading the files has told.
	rounded func() map[told]bool
}

// add reports something about a place of an object. The message may quote the files.
func (l *linter) add(rule string, key manifest.Key, pointer, message string) {
	l.list = append(l.list, Finding{
		Rule: rule, Position: l.in.Set.Position(key, pointer), Object: key.String(), Pointer: pointer, Message: shown.Escape(message),
	})
}

// finish gives findings their severities, and leaves out those that nobody wants.
func (l *linter) finish() []Finding {
	kept := l.list[:0]
	for _, f := range l.list {
		rule, _ := Lookup(f.Rule) // the zero rule is an error
		f.Severity = rule.Severity
		if l.opts.Disabled[f.Rule] && f.Severity != Error {
			continue
		}
		if s, ok := l.opts.Severities[f.Rule]; ok && rule.Severity != Error {
			f.Severity = s
		}
		kept = append(kept, f)
	}
	return kept
}

// files takes over what reading the files said.
func (l *linter) files() {
	for _, list := range [][]manifest.Diagnostic{l.in.Diagnostics, l.in.Set.Warnings} {
		for _, d := range list {
			l.list = append(l.list, Finding{Rule: d.Rule, Position: d.Position, Object: d.Object, Pointer: d.Path, Message: d.Message})
		}
	}
	l.notes()
}
