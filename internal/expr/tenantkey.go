package expr

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// ConfusesTenants reports whether, as far as can be seen, the text that the expression
// makes for one tenant may be one that it makes for another, once a model has chosen the
// arguments. It is false where the expression does not read tenant, and where each of the
// texts that it chooses between
//   - holds nothing of the arguments, or
//   - has the tenant, unchanged, before everything or behind everything of the arguments,
//     and right beside it, towards them, a constant with a character that no tenant has.
//
// Texts are followed through +, string, join and format; of what any other function makes
// nothing is known.
func (p *Program) ConfusesTenants() bool { return p.confusesTenants }

// confusesTenants looks through the choices at the outside of an expression that reads
// tenant.
func confusesTenants(e ast.Expr) bool {
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Conditional {
		args := e.AsCall().Args()
		return confusesTenants(args[1]) || confusesTenants(args[2])
	}
	parts := partsOf(e, nil)
	if slices.ContainsFunc(parts, func(p part) bool { return p.kind == partUnclear }) {
		return true
	}
	if !slices.ContainsFunc(parts, func(p part) bool { return p.kind == partArgs }) {
		return false
	}
	if separated(parts) {
		return false
	}
	slices.Reverse(parts)
	return !separated(parts)
}

// separated says that a tenant stands before all arguments, and a separator right behind
// it: a text that begins so begins with no other tenant.
func separated(parts []part) bool {
	for i, p := range parts {
		switch p.kind {
		case partArgs:
			return false
		case partTenant:
			for _, next := range parts[i+1:] {
				if next.kind != partConstant {
					break
				}
				if next.separates {
					return true
				}
			}
		}
	}
	return false
}

// partKind says what a part of a text is made of. The zero value is the worst.
type partKind uint8

const (
	// partUnclear has the tenant in it, changed or among other things.
	partUnclear partKind = iota
	partTenant
	partArgs
	partConstant
	// partOther is what the application or the cluster says.
	partOther
)

type part struct {
	kind partKind
	// separates: a constant with a character that no tenant has.
	separates bool
}

// partsOf are the parts of a text, from left to right.
func partsOf(e ast.Expr, parts []part) []part {
	switch e.Kind() {
	case ast.LiteralKind:
		if s, ok := e.AsLiteral().(types.String); ok {
			return append(parts, constantPart(string(s)))
		}
	case ast.IdentKind:
		if variableOf(strings.TrimPrefix(e.AsIdent(), ".")) == VarTenant {
			return append(parts, part{kind: partTenant})
		}
	case ast.CallKind:
		if more, known := callParts(e.AsCall(), parts); known {
			return more
		}
	}
	return append(parts, wholePart(e))
}

// callParts takes apart what the functions make that put texts together.
func callParts(c ast.CallExpr, parts []part) (more []part, known bool) {
	args := c.Args()
	switch name := c.FunctionName(); {
	case name == operators.Add && len(args) == 2:
		return partsOf(args[1], partsOf(args[0], parts)), true
	case name == overloads.TypeConvertString && len(args) == 1:
		return partsOf(args[0], parts), true
	case name == "join" && c.IsMemberFunction() && c.Target().Kind() == ast.ListKind:
		return joinParts(c.Target().AsList().Elements(), args, parts), true
	case name == "format" && c.IsMemberFunction():
		return formatParts(c.Target(), args, parts)
	}
	return nil, false
}

func joinParts(elements, separator []ast.Expr, parts []part) []part {
	for i, element := range elements {
		if i > 0 && len(separator) == 1 {
			parts = partsOf(separator[0], parts)
		}
		parts = partsOf(element, parts)
	}
	return parts
}

// formatParts knows the two plain verbs. Others change what they write.
func formatParts(format ast.Expr, args []ast.Expr, parts []part) (more []part, known bool) {
	if format.Kind() != ast.LiteralKind || len(args) != 1 || args[0].Kind() != ast.ListKind {
		return nil, false
	}
	values := args[0].AsList().Elements()
	text, ok := format.AsLiteral().(types.String)
	if !ok {
		return nil, false
	}
	constants := strings.Split(strings.ReplaceAll(string(text), "%d", "%s"), "%s")
	if len(constants) != len(values)+1 || slices.ContainsFunc(constants, func(s string) bool { return strings.Contains(s, "%") }) {
		return nil, false
	}
	parts = append(parts, constantPart(constants[0]))
	for i, value := range values {
		parts = append(partsOf(value, parts), constantPart(constants[i+1]))
	}
	return parts, true
}

func constantPart(s string) part {
	return part{kind: partConstant, separates: strings.ContainsFunc(s, outsideTenant)}
}

// wholePart is what can be said of an expression by the variables in it alone.
func wholePart(e ast.Expr) part {
	out := part{kind: partOther}
	mentions(e, func(_ ast.Expr, name string, _ bool) {
		switch variableOf(name) {
		case VarTenant:
			out.kind = partUnclear
		case VarArgs:
			if out.kind != partUnclear {
				out.kind = partArgs
			}
		}
	})
	return out
}

// outsideTenant tells characters that no tenant has: it is a label's value.
func outsideTenant(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
}
