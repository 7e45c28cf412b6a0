package compile

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/shown"
)

// AdapterCompiler turns ToolAdapters into what runs calls. What it gives hangs on its
// arguments and on itself alone: it asks nobody anything.
type AdapterCompiler interface {
	// CompileAdapter compiles one object. args is what the tool's schema says of the
	// arguments, nil where nothing is known.
	CompileAdapter(object *callgatev1alpha1.ToolAdapter, args *expr.ArgsType) CompiledAdapter
	// CompileResult compiles spec.result.fields; nil where they cannot be used, which
	// lets nothing leave.
	CompileResult(fields []callgatev1alpha1.ResultField) any
}

// CompiledAdapter is what compiling a ToolAdapter gives.
type CompiledAdapter struct {
	// Program runs calls. It is nil where there is any problem.
	Program any
	// Problems are why the adapter runs nothing.
	Problems []AdapterProblem
	Warnings []callgatev1alpha1.Problem
}

// AdapterProblem is one of them. Reason is one of Accepted or of ResolvedRefs.
type AdapterProblem struct {
	Path, Reason, Message string
}

// Adapter is a ToolAdapter that is in force.
type Adapter struct {
	Namespace, Name string
	// Program is the AdapterCompiler's.
	Program any
}

// AdapterOutcome tells what became of one ToolAdapter.
type AdapterOutcome struct {
	UID        types.UID
	Generation int64
	// Reason is "" when the object is accepted, RefReason when what it names can be
	// used, so far as the policy set tells: ConfigMaps are none of it.
	Reason, Message       string
	RefReason, RefMessage string
	Problems, Warnings    []callgatev1alpha1.Problem
	// Adapter is nil where it is not in force. The ConfigMap may still be missing.
	Adapter *Adapter
}

// Accepted reports whether the object's own spec is good.
func (o *AdapterOutcome) Accepted() bool { return o.Reason == "" }

// adapterMemo is what compiling one object gave, and all that it hung on.
type adapterMemo struct {
	uid        types.UID
	generation int64
	spec       *callgatev1alpha1.ToolAdapterSpec
	arguments  string
	compiler   AdapterCompiler

	compiled CompiledAdapter
	adapter  *Adapter
}

// compileAdapters adds to the namespace what runs its tools, and what may leave of their
// results. Without a compiler there is neither.
func compileAdapters(g *group, ns *Namespace, prev, out *Output) {
	if g.adapterCompiler == nil {
		return
	}
	previous := prev.Namespaces[g.name]
	for _, s := range g.schemas {
		if tool := ns.Tools[string(s.EffectiveToolName())]; tool.Ready() && len(s.Spec.Result.Fields) > 0 {
			tool.Result, tool.fields = previous.result(g.adapterCompiler, tool.Name, s.Spec.Result.Fields), s.Spec.Result.Fields
		}
	}
	claims := map[string][]string{}
	for _, a := range g.adapters {
		claims[string(a.Spec.ToolName)] = append(claims[string(a.Spec.ToolName)], a.Name)
	}
	for _, a := range g.adapters {
		key := types.NamespacedName{Namespace: a.Namespace, Name: a.Name}
		memo := compileAdapter(a, ns, g.adapterCompiler, prev.adapters[key])
		out.adapters[key] = memo
		outcome := adapterOutcome(a, memo, ns, claims[string(a.Spec.ToolName)])
		out.Adapters[key] = reuse(prev.Adapters[key], outcome)
		if outcome.Adapter != nil {
			ns.Adapters[string(a.Spec.ToolName)] = outcome.Adapter
		}
	}
}

// result takes over what the same fields gave before.
func (n *Namespace) result(c AdapterCompiler, name string, fields []callgatev1alpha1.ResultField) any {
	if n != nil {
		if old := n.Tools[name]; old != nil && old.Result != nil && slices.Equal(old.fields, fields) {
			return old.Result
		}
	}
	return c.CompileResult(fields)
}

func compileAdapter(a *callgatev1alpha1.ToolAdapter, ns *Namespace, c AdapterCompiler, prev *adapterMemo) *adapterMemo {
	var args *expr.ArgsType
	arguments := ""
	if tool := ns.Tools[string(a.Spec.ToolName)]; tool.Ready() {
		schema := ns.memos[tool.Object]
		args, arguments = schema.arguments(), fmt.Sprintf("%s/%d", schema.hash, schema.options.Undeclared)
	}
	if prev != nil && prev.uid == a.UID && prev.generation == a.Generation && prev.arguments == arguments &&
		prev.compiler == c && reflect.DeepEqual(prev.spec, &a.Spec) {
		return prev
	}
	memo := &adapterMemo{uid: a.UID, generation: a.Generation, spec: &a.Spec, arguments: arguments, compiler: c}
	memo.compiled = c.CompileAdapter(a, args)
	if memo.compiled.Program != nil && len(memo.compiled.Problems) == 0 {
		memo.adapter = &Adapter{Namespace: a.Namespace, Name: a.Name, Program: memo.compiled.Program}
	}
	return memo
}

// adapterOutcome says what became of the object. Where several are for one tool, none of
// them is in force.
func adapterOutcome(a *callgatev1alpha1.ToolAdapter, memo *adapterMemo, ns *Namespace, claim []string) *AdapterOutcome {
	o := &AdapterOutcome{UID: a.UID, Generation: a.Generation, Message: "The adapter can be used", Warnings: memo.compiled.Warnings}
	for _, p := range memo.compiled.Problems {
		o.Problems = append(o.Problems, newProblem(p.Path, "", p.Message))
		text := "At " + p.Path + ": " + p.Message
		switch {
		case p.Reason == callgatev1alpha1.ReasonInvalidSpec && o.Reason == "":
			o.Reason, o.Message = p.Reason, text
		case p.Reason != callgatev1alpha1.ReasonInvalidSpec && o.RefReason == "":
			o.RefReason, o.RefMessage = p.Reason, text
		}
	}
	name := shown.Name(string(a.Spec.ToolName))
	o.tool(ns.Tools[string(a.Spec.ToolName)], name)
	if o.Reason == "" && len(claim) > 1 {
		o.Reason = callgatev1alpha1.ReasonDuplicateToolName
		o.Message = fmt.Sprintf("The tool %q has other adapters too, and so none runs it: %s", name, others(a.Name, claim))
		o.Problems = append(o.Problems, newProblem("/spec/toolName", "", o.Message))
	}
	if o.Reason == "" && o.RefReason == "" {
		o.Adapter = memo.adapter
	}
	return o
}

// tool says what the ToolSchema means for the adapter, if there is one.
func (o *AdapterOutcome) tool(tool *Tool, name string) {
	warn := func(format string) {
		o.Warnings = append(slices.Clone(o.Warnings), newProblem("/spec/toolName", "", fmt.Sprintf(format, name)))
	}
	switch {
	case tool == nil && o.RefReason == "":
		o.RefReason, o.RefMessage = callgatev1alpha1.ReasonRefNotFound,
			fmt.Sprintf("No ToolSchema of the namespace is for the tool %q: the adapter runs nothing without one", name)
	case tool != nil && !tool.Ready():
		warn("the ToolSchema of %q is not accepted: until it is, every call to it is blocked")
	case tool.Ready() && tool.Result == nil:
		warn("the ToolSchema of %q names no spec.result.fields: every result is empty")
	}
}

// maxOthers keeps the message short where many objects claim one tool.
const maxOthers = 8

func others(name string, claim []string) string {
	rest := slices.DeleteFunc(slices.Clone(claim), func(s string) bool { return s == name })
	if len(rest) > maxOthers {
		rest = append(rest[:maxOthers:maxOthers], fmt.Sprintf("and %d more", len(rest)-maxOthers))
	}
	return strings.Join(rest, ", ")
}

func byObjectName(a, b *callgatev1alpha1.ToolAdapter) int { return cmp.Compare(a.Name, b.Name) }
