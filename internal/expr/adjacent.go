package expr

import (
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// JoinsTenant reports whether the expression makes a text in which nothing separates
// the tenant from what depends on the call's arguments: no constant between them holds
// a character that no tenant has. A model could then write the end of another tenant's
// name. Where the text is not made by +, any such constant counts.
func (p *Program) JoinsTenant() bool { return p.joinsTenant }

// joinsTenant looks through the choices at the outside of an expression.
func joinsTenant(e ast.Expr) bool {
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Conditional {
		args := e.AsCall().Args()
		return joinsTenant(args[1]) || joinsTenant(args[2])
	}
	var before partFacts
	for _, part := range summands(e, nil) {
		f := factsOf(part)
		if f.touches(before) {
			return true
		}
		before = f.after(before)
	}
	return false
}

// touches reports whether tenant and arguments meet in the part, or in it and what
// stands before it.
func (f partFacts) touches(before partFacts) bool {
	if f.tenant && f.args {
		return !f.separator || before.tenant || before.args
	}
	return f.tenant && before.args || f.args && before.tenant
}

// after is what the text ends with, once the part stands behind what was before.
func (f partFacts) after(before partFacts) partFacts {
	switch {
	case f.tenant || f.args:
		return partFacts{tenant: before.tenant || f.tenant, args: before.args || f.args}
	case f.separator && !f.other:
		return partFacts{}
	}
	return before
}

// summands are the parts of a sum, from left to right.
func summands(e ast.Expr, parts []ast.Expr) []ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Add || len(e.AsCall().Args()) != 2 {
		return append(parts, e)
	}
	args := e.AsCall().Args()
	return summands(args[1], summands(args[0], parts))
}

// partFacts is what a part of a text is made of: of constants with a separator, and of
// others.
type partFacts struct{ tenant, args, separator, other bool }

func factsOf(part ast.Expr) (f partFacts) {
	mentions(part, func(_ ast.Expr, name string, _ bool) {
		f.tenant = f.tenant || variableOf(name) == VarTenant
		f.args = f.args || variableOf(name) == VarArgs
	})
	ast.PreOrderVisit(part, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.LiteralKind {
			return
		}
		if s, ok := e.AsLiteral().(types.String); ok {
			separates := strings.ContainsFunc(string(s), outsideTenant)
			f.separator = f.separator || separates
			f.other = f.other || !separates
		}
	}))
	return f
}

// outsideTenant tells characters that no tenant has: it is a label's value.
func outsideTenant(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
}
