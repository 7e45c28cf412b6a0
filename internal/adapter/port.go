package adapter

import (
	"context"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/review"
)

// Compiler compiles adapters for a policy set. Two of them are equal only if they are the
// same one.
type Compiler struct {
	// Upstreams, Resolver and Dial are as in Options.
	Upstreams outbound.Policy
	Resolver  outbound.Resolver
	Dial      outbound.DialFunc
}

var _ compile.AdapterCompiler = &Compiler{}

// CompileAdapter implements compile.AdapterCompiler.
func (c *Compiler) CompileAdapter(object *callgatev1alpha1.ToolAdapter, args *expr.ArgsType) (out compile.CompiledAdapter) {
	a, problems, warnings := Compile(object, Options{Upstreams: c.Upstreams, Args: args, Resolver: c.Resolver, Dial: c.Dial})
	for _, p := range problems {
		out.Problems = append(out.Problems, compile.AdapterProblem{Path: p.Path, Reason: p.Reason, Message: p.Message})
	}
	for _, w := range warnings {
		out.Warnings = append(out.Warnings, callgatev1alpha1.Problem{Path: &w.Path, Message: w.Message})
	}
	if a != nil {
		// A nil pointer in an interface would count as a program.
		out.Program = a
	}
	return out
}

// CompileResult implements compile.AdapterCompiler.
func (c *Compiler) CompileResult(fields []callgatev1alpha1.ResultField) any {
	p, problems := NewProjection(fields)
	if p == nil || len(problems) > 0 {
		return nil
	}
	return p
}

// Port runs the calls of a policy set that a Compiler had a part in.
type Port struct{ Executor *Executor }

var _ review.Executor = Port{}

// Execute implements review.Executor. What another compiler made is not run.
func (p Port) Execute(ctx context.Context, run *review.Run) review.Outcome {
	a, _ := run.Adapter.(*Adapter)
	projection, _ := run.Result.(*Projection)
	o := p.Executor.Execute(ctx, Call{
		UID: run.UID, Caller: Caller{Namespace: run.Caller.Namespace, Username: run.Caller.Username()},
		Adapter: a, Projection: projection, Arguments: run.Arguments, Activation: run.Activation,
	})
	return review.Outcome{Code: o.Code, Result: o.Result, Cause: string(o.Cause), Detail: o.Detail}
}
