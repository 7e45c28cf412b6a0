package expr

import (
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// The library's Program charges a call after it was made, and its cost tracker
// searches a stack of all values seen, so that a loop over 100,000 elements takes
// minutes. So expressions are planned with the library's interpreter directly, and
// every node of a plan is replaced by one that charges the meter before it works.

// newDispatcher binds every function of the environment, once.
var newDispatcher = sync.OnceValues(func() (interpreter.Dispatcher, error) {
	envs, err := newEnvironments()
	if err != nil {
		return nil, err
	}
	d := interpreter.NewDispatcher()
	for _, f := range envs.dyn.Functions() {
		bindings, err := f.Bindings()
		if err == nil {
			err = d.Add(bindings...)
		}
		if err != nil {
			return nil, fmt.Errorf("binding the functions of CEL: %w", err)
		}
	}
	return d, nil
})

// plan makes a checked expression evaluable.
func plan(env *cel.Env, checked *ast.AST, known patterns) (interpreter.InterpretableV2, error) {
	d, err := newDispatcher()
	if err != nil {
		return nil, err
	}
	p := &planner{dispatcher: d, patterns: known, units: map[int64]uint64{}, tests: map[int64]bool{}}
	p.measure(checked.Expr())
	factory := interpreter.NewAttributeFactory(env.Container, env.CELTypeAdapter(), env.CELTypeProvider())
	planned, err := interpreter.NewInterpreter(d, env.Container, env.CELTypeProvider(), env.CELTypeAdapter(), factory).
		NewInterpretable(checked, interpreter.CustomDecoratorV2(p.decorate))
	if err != nil {
		return nil, fmt.Errorf("planning: %w", err)
	}
	return planned, nil
}

type planner struct {
	dispatcher interpreter.Dispatcher
	patterns   patterns
	// units are what reading the attribute of an id costs.
	units map[int64]uint64
	// tests are the ids of has().
	tests map[int64]bool
}

// measure finds what attributes cost: a unit for the variable, each field, index
// and choice. One attribute may contain others, which are then not evaluated as
// nodes of their own.
func (p *planner) measure(e ast.Expr) {
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.IdentKind:
			p.units[e.ID()] = 1
		case ast.SelectKind:
			p.units[e.ID()] = 1 + p.units[e.AsSelect().Operand().ID()]
			p.tests[e.ID()] = e.AsSelect().IsTestOnly()
		case ast.CallKind:
			switch e.AsCall().FunctionName() {
			case operators.Index, operators.OptIndex, operators.OptSelect, operators.Conditional:
				sum := uint64(1)
				for _, arg := range e.AsCall().Args() {
					sum += p.units[arg.ID()]
				}
				p.units[e.ID()] = sum
			}
		}
	}))
}

// decorate replaces a node by one that charges.
func (p *planner) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch n := i.(type) {
	case interpreter.InterpretableConst:
		return i, nil
	case *attribute:
		// A field or index was added to it.
		n.units = p.units[n.ID()]
		return n, nil
	case interpreter.InterpretableAttribute:
		return &attribute{InterpretableAttribute: n, units: max(p.units[n.ID()], 1), test: p.tests[n.ID()]}, nil
	case interpreter.InterpretableConstructor:
		return constructor(n), nil
	case interpreter.InterpretableCall:
		return p.call(n), nil
	}
	return &charged{InterpretableV2: i, units: 1}, nil
}

// constructor charges what Kubernetes does for lists and maps. One of constants is
// made once.
func constructor(n interpreter.InterpretableConstructor) interpreter.InterpretableV2 {
	if n.Type() != types.ListType && n.Type() != types.MapType {
		return &charged{InterpretableV2: n, units: 40}
	}
	out := &constructed{InterpretableV2: n, units: 10 + uint64(len(n.InitVals()))}
	if n.Type() == types.MapType {
		out.units += 20
	}
	return foldConstant(out, n.InitVals())
}

// foldConstant evaluates a node once and for all where its parts are constants.
func foldConstant(n interpreter.InterpretableV2, parts []interpreter.InterpretableV2) interpreter.InterpretableV2 {
	for _, part := range parts {
		if _, ok := part.(interpreter.InterpretableConst); !ok {
			return n
		}
	}
	v := n.Eval(interpreter.EmptyActivation())
	if types.IsUnknownOrError(v) {
		return n
	}
	return interpreter.NewConstValue(n.ID(), v)
}

// call makes a call that charges.
func (p *planner) call(n interpreter.InterpretableCall) interpreter.InterpretableV2 {
	name, args := n.Function(), n.Args()
	if len(args) == 0 {
		return &charged{InterpretableV2: n, units: 1}
	}
	if len(args) == 2 && (name == "or" || name == "orValue") {
		return &alternative{id: n.ID(), first: args[0], second: args[1], value: name == "orValue"}
	}
	c := &call{id: n.ID(), args: args, cost: costs[name]}
	switch {
	case name == operators.Equals:
		c.strict, c.do = true, equal
	case name == operators.NotEquals:
		c.strict, c.do = true, unequal
	case p.patterns.plan(c, name):
	default:
		p.bind(c, n)
		exact(name, c)
	}
	if overloads.IsTypeConversionFunction(name) {
		return foldConstant(c, args)
	}
	return c
}

// equal and unequal are asked about values only: an operand that cannot be read is
// neither, and makes the rule fail.
func equal(v []ref.Val) ref.Val { return same(v[0], v[1]) }

func unequal(v []ref.Val) ref.Val {
	equal := same(v[0], v[1])
	if types.IsUnknownOrError(equal) {
		return equal
	}
	return types.Bool(equal != types.True)
}

// bind finds the function that a call means: by the overload that the checker
// found, or by name, where the operands' types decide.
func (p *planner) bind(c *call, n interpreter.InterpretableCall) {
	var o *functions.Overload
	if n.OverloadID() != "" {
		o, _ = p.dispatcher.FindOverload(n.OverloadID())
	}
	if o == nil {
		o, _ = p.dispatcher.FindOverload(n.Function())
	}
	c.strict = o == nil || !o.NonStrict
	c.do = invoke(o, n.Function(), n.OverloadID())
}
