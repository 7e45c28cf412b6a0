package expr

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Program is a compiled expression. It is immutable and safe for concurrent use.
type Program struct {
	plan     interpreter.InterpretableV2
	result   Result
	reads    Variables
	constant ref.Val
	min, max uint64
	// confusesTenants: see ConfusesTenants.
	confusesTenants bool
}

// Reads reports whether the expression mentions the variable of that name in any
// way, be it in has() or in a branch that is never taken.
func (p *Program) Reads(name string) bool { return p.reads&variableOf(name) != 0 }

// ReadsArgs reports whether the expression depends on the call's arguments. One
// that does not also judges offers.
func (p *Program) ReadsArgs() bool { return p.reads&VarArgs != 0 }

// ReadsTenant reports whether the expression mentions the tenant that Callgate
// determined. context.tenant, which the application says, does not count.
func (p *Program) ReadsTenant() bool { return p.reads&VarTenant != 0 }

// ReadsContext reports whether the expression mentions the context.
func (p *Program) ReadsContext() bool { return p.reads&VarContext != 0 }

// Constant is the result that the expression has whatever the variables are: a
// bool or a string. known is false where there is none, or it is an error.
func (p *Program) Constant() (value any, known bool) {
	switch v := p.constant.(type) {
	case types.Bool:
		return bool(v), true
	case types.String:
		return string(v), true
	}
	return nil, false
}

// EstimatedCost is between what an evaluation costs, by the library's estimate
// and the bounds on a call. The upper end is far beyond any real cost, and may be
// beyond PerEvaluationLimit, for an expression that walks the arguments.
func (p *Program) EstimatedCost() (least, most uint64) { return p.min, p.max }

// fold finds the constant result. It reports false where the expression reads no
// variable and can never be afforded.
func (p *Program) fold() bool {
	out, _ := p.run(nil, PerEvaluationLimit)
	switch out.Kind {
	case True, False:
		p.constant = types.Bool(out.Kind == True)
	case Produced:
		p.constant = types.String(out.Text)
	case CostExceeded:
		return p.reads != 0
	}
	return true
}

// mentions calls f for each place at which an expression mentions one of the
// variables, or introduces a local one of the same name.
func mentions(e ast.Expr, f func(e ast.Expr, name string, local bool)) {
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.IdentKind:
			// A leading dot names the variable past any local one.
			name := e.AsIdent()
			if len(name) > 0 && name[0] == '.' {
				name = name[1:]
			}
			if variableOf(name) != 0 {
				f(e, name, false)
			}
		case ast.ComprehensionKind:
			c := e.AsComprehension()
			for _, name := range []string{c.IterVar(), c.IterVar2(), c.AccuVar()} {
				if variableOf(name) != 0 {
					f(e, name, true)
				}
			}
		}
	}))
}
