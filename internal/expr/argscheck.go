package expr

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// check finds what is at odds with the schemas in an expression that is sound
// with args as dyn. Only what cannot work on arguments that passed the schemas is
// reported: an unknown name, and a call for which there is no function.
func (t *ArgsType) check(parsed, checked *cel.Ast) []Issue {
	u := &usage{root: t.root, local: map[string]*shape{}, missing: map[int64]bool{}}
	if u.value(checked.NativeRep().Expr()); u.whole {
		return nil
	}
	env, err := t.env()
	if err != nil {
		return nil
	}
	_, found := env.Check(parsed)
	tolerated := tolerated(parsed.NativeRep())
	c := &compiler{}
	for _, e := range found.Errors() {
		expr, ok := byID(parsed.NativeRep(), e.ExprID)
		switch {
		case !ok:
		case u.missing[e.ExprID]:
			c.add(e.Location, UnknownName, "the schema declares no argument %s here", expr.AsSelect().FieldName())
		case !tolerated[e.ExprID] && (expr.Kind() == ast.CallKind || expr.Kind() == ast.SelectKind):
			c.add(e.Location, Type, "by the schema's types: %s", e.Message)
		}
	}
	for i := range c.issues {
		c.issues[i].Schema = true
	}
	return c.issues
}

// tolerated are the nodes whose types the checker is stricter about than an
// evaluation is: values of different types may be compared, chosen between, and
// stand in one list or map.
func tolerated(parsed *ast.AST) map[int64]bool {
	out := map[int64]bool{}
	ast.PreOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.CallKind:
			switch e.AsCall().FunctionName() {
			case operators.Equals, operators.NotEquals, operators.In, operators.Conditional, "includes":
				out[e.ID()] = true
			}
		case ast.ListKind:
			for _, element := range e.AsList().Elements() {
				out[element.ID()] = true
			}
		case ast.MapKind:
			for _, entry := range e.AsMap().Entries() {
				out[entry.AsMapEntry().Key().ID()] = true
				out[entry.AsMapEntry().Value().ID()] = true
			}
		}
	}))
	return out
}

// usage follows shapes through an expression.
type usage struct {
	root  *shape
	local map[string]*shape
	// missing are the selections of a field that its object does not declare.
	missing map[int64]bool
	// whole says that an object of the arguments is used otherwise than by selecting
	// a field: its keys are walked, it is indexed or compared. As a map that works;
	// the checker knows objects only by their fields, and would refuse it.
	whole bool
}

// value notes an object that is used as a whole.
func (u *usage) value(e ast.Expr) *shape {
	s := u.follow(e)
	if s.fields != nil {
		u.whole = true
	}
	return s
}

// follow is the shape of an expression.
func (u *usage) follow(e ast.Expr) *shape {
	switch e.Kind() {
	case ast.IdentKind:
		return u.ident(e.AsIdent())
	case ast.SelectKind:
		return u.selected(e)
	case ast.CallKind:
		return u.call(e.AsCall())
	case ast.ComprehensionKind:
		u.comprehension(e.AsComprehension())
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			u.value(element)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			u.value(entry.AsMapEntry().Key())
			u.value(entry.AsMapEntry().Value())
		}
	}
	return anything
}

func (u *usage) selected(e ast.Expr) *shape {
	s := u.follow(e.AsSelect().Operand())
	f, ok := s.fields[e.AsSelect().FieldName()]
	if !ok && s.fields != nil {
		u.missing[e.ID()] = true
	}
	if !ok || e.AsSelect().IsTestOnly() {
		return anything
	}
	return f
}

func (u *usage) ident(name string) *shape {
	if s, ok := u.local[name]; ok {
		return s
	}
	if name == "args" || name == ".args" {
		return u.root
	}
	return anything
}

func (u *usage) call(c ast.CallExpr) *shape {
	args := c.Args()
	switch name := c.FunctionName(); {
	case name == operators.Index && len(args) == 2:
		s := u.value(args[0])
		u.value(args[1])
		if s.element != nil {
			return s.element
		}
		return anything
	case name == operators.OptSelect && len(args) == 2:
		u.optional(args[0], args[1])
		return anything
	}
	if c.IsMemberFunction() {
		u.value(c.Target())
	}
	for _, arg := range args {
		u.value(arg)
	}
	return anything
}

// optional is args.?name. Where the name is not declared, asking for it is no
// fault.
func (u *usage) optional(operand, name ast.Expr) {
	s := u.follow(operand)
	if s.fields == nil || name.Kind() != ast.LiteralKind {
		return
	}
	field, ok := name.AsLiteral().(types.String)
	if !ok || s.fields[string(field)] == nil {
		u.whole = true
	}
}

func (u *usage) comprehension(c ast.ComprehensionExpr) {
	over := u.value(c.IterRange())
	element := anything
	if over.element != nil {
		element = over.element
	}
	u.value(c.AccuInit())
	defer u.bind(c.AccuVar(), anything)()
	if c.HasIterVar2() {
		defer u.bind(c.IterVar(), anything)()
		defer u.bind(c.IterVar2(), element)()
	} else {
		defer u.bind(c.IterVar(), element)()
	}
	u.value(c.LoopCondition())
	u.value(c.LoopStep())
	u.value(c.Result())
}

// bind gives a local variable a shape, and a function that takes it away.
func (u *usage) bind(name string, s *shape) func() {
	before, had := u.local[name]
	u.local[name] = s
	return func() {
		if had {
			u.local[name] = before
		} else {
			delete(u.local, name)
		}
	}
}
