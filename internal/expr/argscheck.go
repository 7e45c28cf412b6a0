package expr

import (
	"cmp"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// check finds what is at odds with the schemas in an expression that is sound
// with args as dyn. Only what cannot work, or cannot matter, on arguments that passed the
// schemas is reported: an unknown name, and a call for which there is no function.
func (t *ArgsType) check(parsed, checked *cel.Ast) []Issue {
	u := &usage{root: t.root, local: map[string]*shape{}, missing: map[int64]string{}}
	u.value(checked.NativeRep().Expr())
	c := &compiler{}
	for id, message := range u.missing {
		c.add(parsed.NativeRep().SourceInfo().GetStartLocation(id), UnknownName, "%s", message)
	}
	if !u.whole {
		t.checkTypes(parsed, u.missing, c)
	}
	for i := range c.issues {
		c.issues[i].Schema = true
	}
	return c.issues
}

// checkTypes has the library's checker look, to which objects have fields only. What it
// says of names that are missing is said already.
func (t *ArgsType) checkTypes(parsed *cel.Ast, missing map[int64]string, c *compiler) {
	env, err := t.env()
	if err != nil {
		return
	}
	_, found := env.Check(parsed)
	tolerated := tolerated(parsed.NativeRep())
	for _, e := range found.Errors() {
		expr, ok := byID(parsed.NativeRep(), e.ExprID)
		if ok && missing[e.ExprID] == "" && !tolerated[e.ExprID] && (expr.Kind() == ast.CallKind || expr.Kind() == ast.SelectKind) {
			c.add(e.Location, Type, "by the schema's types: %s; where it is evaluated, the expression fails", e.Message)
		}
	}
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
	// missing says what is wrong with the nodes that ask for a field which their object
	// does not declare.
	missing map[int64]string
	// whole says that an object of the arguments is used otherwise than by selecting
	// a field: its keys are walked, it is indexed or compared. As a map that works;
	// the checker knows objects only by their fields, and would refuse it.
	whole bool
}

// value notes an object that is used as a whole.
func (u *usage) value(e ast.Expr) *shape {
	s := u.follow(e)
	if s.fields != nil && !s.optional {
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
		return u.call(e)
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
	s, name := u.follow(e.AsSelect().Operand()), e.AsSelect().FieldName()
	switch {
	case e.AsSelect().IsTestOnly():
		u.declared(s, name, e.ID(), "has() of it is always false")
		return anything
	case s.optional:
		return u.declared(s, name, e.ID(), alwaysAbsent).maybe()
	}
	return u.declared(s, name, e.ID(), whereRead)
}

// whereRead is what comes of reading what is not there.
const whereRead = "where it is read, the expression fails"

// declared is the shape of a field. One that is missing is noted, with what comes of it.
func (u *usage) declared(s *shape, name string, id int64, outcome string) *shape {
	if s.fields == nil {
		return anything
	}
	if f, ok := s.fields[name]; ok {
		return f
	}
	u.missing[id] = fmt.Sprintf("the schema declares no argument %s here: %s", name, outcome)
	return anything
}

// named notes a field that is asked for by its name as a text.
func (u *usage) named(s *shape, name ast.Expr, id int64, outcome string) *shape {
	if name.Kind() != ast.LiteralKind {
		return anything
	}
	field, ok := name.AsLiteral().(types.String)
	if !ok {
		return anything
	}
	return u.declared(s, string(field), id, outcome)
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

func (u *usage) call(e ast.Expr) *shape {
	c := e.AsCall()
	if len(c.Args()) == 2 {
		if s, known := u.lookup(e.ID(), c.FunctionName(), c.Args()[0], c.Args()[1]); known {
			return s
		}
	}
	if c.IsMemberFunction() {
		u.value(c.Target())
	}
	for _, arg := range c.Args() {
		u.value(arg)
	}
	return anything
}

// lookup follows the operators that look something up in an object or a list.
func (u *usage) lookup(id int64, operator string, first, second ast.Expr) (_ *shape, known bool) {
	switch operator {
	case operators.OptSelect:
		return u.named(u.follow(first), second, id, alwaysAbsent).maybe(), true
	case operators.Index, operators.OptIndex:
		s := u.value(first)
		u.value(second)
		if operator == operators.OptIndex {
			u.named(s, second, id, alwaysAbsent)
			return anything, true
		}
		u.named(s, second, id, whereRead)
		return cmp.Or(s.element, anything), true
	case operators.In:
		u.value(first)
		u.named(u.value(second), first, id, "in is always false")
		return anything, true
	}
	return nil, false
}

// alwaysAbsent is what comes of asking whether there is what is not declared.
const alwaysAbsent = "it is always absent"

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
