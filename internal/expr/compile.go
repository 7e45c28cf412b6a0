package expr

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiserver/pkg/cel/library"
)

// Compile turns the source of an expression into a program. Issues come sorted
// by position. Where one of them is a fault of the expression, the program is
// nil; where all are at odds with schemas only (Issue.Schema), it is not. The
// same source and options always give the same result. It never panics.
func Compile(source string, opts Options) (p *Program, issues []Issue) {
	c := &compiler{opts: opts}
	defer func() {
		if recover() != nil {
			p, issues = nil, []Issue{{1, 1, Syntax, "the expression cannot be compiled; simplify it", false}}
		}
	}()
	p = c.compile(source)
	slices.SortStableFunc(c.issues, func(a, b Issue) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return p, slices.Compact(c.issues)
}

type compiler struct {
	opts   Options
	issues []Issue
}

func (c *compiler) add(at common.Location, kind IssueKind, format string, args ...any) {
	line, column := 1, 1
	if at != nil && at.Line() > 0 {
		line, column = at.Line(), max(at.Column(), 0)+1
	}
	c.issues = append(c.issues, Issue{Line: line, Column: column, Kind: kind, Message: bounded(fmt.Sprintf(format, args...))})
}

// bounded cuts a message at a code point.
func bounded(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= maxMessage {
		return s
	}
	cut := maxMessage - len("…")
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func (c *compiler) compile(source string) *Program {
	envs, err := newEnvironments()
	if err != nil {
		c.add(nil, Syntax, "%v", err)
		return nil
	}
	parsed := c.parse(envs.dyn, source)
	if parsed == nil {
		return nil
	}
	p := &Program{result: c.opts.Result}
	known := c.inspect(parsed.NativeRep(), p)
	if len(c.issues) > 0 {
		return nil
	}
	p.confusesTenants = p.ReadsTenant() && confusesTenants(parsed.NativeRep().Expr())
	checked, found := envs.dyn.Check(parsed)
	if c.checked(envs.dyn, parsed.NativeRep(), found); len(c.issues) > 0 {
		return nil
	}
	if c.resultType(checked); len(c.issues) > 0 {
		return nil
	}
	if p.plan, err = plan(envs.dyn, checked.NativeRep(), known); err != nil {
		c.add(nil, Type, "the expression cannot be evaluated; simplify it")
		return nil
	}
	if c.estimate(envs.dyn, checked, p); len(c.issues) > 0 {
		return nil
	}
	if c.opts.Args != nil && p.ReadsArgs() {
		c.issues = c.opts.Args.check(parsed, checked)
	}
	return p
}

// parse bounds the source before the library sees it.
func (c *compiler) parse(env *cel.Env, source string) *cel.Ast {
	switch {
	case strings.TrimSpace(source) == "":
		c.add(nil, Syntax, "the expression is empty")
		return nil
	case len(source) > MaxSourceBytes:
		c.add(nil, Cost, "the expression is longer than %d bytes; split it into several", MaxSourceBytes)
		return nil
	case !utf8.ValidString(source):
		c.add(nil, Syntax, "the expression is not valid UTF-8")
		return nil
	case strings.Count(source, "optMap")+strings.Count(source, "optFlatMap") > maxOptMaps:
		c.add(nil, Cost, "optMap and optFlatMap are used more than %d times; use has() and ?: instead", maxOptMaps)
		return nil
	}
	parsed, found := env.Parse(source)
	for _, e := range found.Errors() {
		c.add(e.Location, Syntax, "%s", e.Message)
	}
	if len(c.issues) > 0 {
		return nil
	}
	return parsed
}

// inspect finds what the expression reads, whether it may, and its patterns.
func (c *compiler) inspect(parsed *ast.AST, p *Program) patterns {
	mentions(parsed.Expr(), func(e ast.Expr, name string, local bool) {
		at := parsed.SourceInfo().GetStartLocation(e.ID())
		switch bit := variableOf(name); {
		case local:
			c.add(at, NotAllowed, "the local variable %s hides the variable of the same name; rename it", name)
		case c.opts.Variables&bit == 0:
			c.add(at, NotAllowed, "%s may not be read here", name)
		default:
			p.reads |= bit
		}
	})
	known := patterns{}
	ast.PreOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.CallKind {
			c.pattern(parsed, e.AsCall(), known)
		}
	}))
	return known
}

// pattern compiles a constant pattern. The checker would compile it as well,
// whatever its size, so this comes first.
func (c *compiler) pattern(parsed *ast.AST, call ast.CallExpr, known patterns) {
	if !matchers[call.FunctionName()] || len(call.Args()) == 0 {
		return
	}
	arg := call.Args()[0]
	if !call.IsMemberFunction() && len(call.Args()) > 1 {
		arg = call.Args()[1]
	}
	if arg.Kind() != ast.LiteralKind {
		return
	}
	s, ok := arg.AsLiteral().(types.String)
	if !ok {
		return
	}
	at := parsed.SourceInfo().GetStartLocation(arg.ID())
	size, ok := patternSize(string(s))
	if !ok {
		c.add(at, Syntax, "the pattern is not valid RE2 syntax")
		return
	}
	if size > maxPatternSize {
		c.add(at, Cost, "the pattern is too large; repeat less than %d times in all", maxPatternSize)
		return
	}
	re, err := regexp.Compile(string(s))
	if err != nil {
		c.add(at, Syntax, "the pattern is not valid RE2 syntax")
		return
	}
	known[string(s)] = compiledPattern{re, size}
}

// checked takes over what the type checker found.
func (c *compiler) checked(env *cel.Env, parsed *ast.AST, found *cel.Issues) {
	for _, e := range found.Errors() {
		kind, at := Type, e.Location
		if expr, ok := byID(parsed, e.ExprID); ok {
			kind = kindOf(env, expr)
		}
		c.add(at, kind, "%s", e.Message)
	}
}

func byID(parsed *ast.AST, id int64) (found ast.Expr, ok bool) {
	ast.PreOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.ID() == id && !ok {
			found, ok = e, true
		}
	}))
	return found, ok
}

// kindOf tells a name that does not exist from types that do not fit: by what
// the checker stumbled over, not by the words that it found for it.
func kindOf(env *cel.Env, e ast.Expr) IssueKind {
	switch e.Kind() {
	case ast.IdentKind, ast.SelectKind, ast.StructKind:
		return UnknownName
	case ast.CallKind:
		if !env.HasFunction(e.AsCall().FunctionName()) {
			return UnknownName
		}
	}
	return Type
}

// resultType holds the expression to the type wanted. A dyn result is held to it
// when it is evaluated.
func (c *compiler) resultType(checked *cel.Ast) {
	want := types.BoolType
	if c.opts.Result == Text {
		want = types.StringType
	}
	got := checked.OutputType()
	if got.IsExactType(want) || got.Kind() == types.DynKind {
		return
	}
	c.add(nil, Type, "the expression must give a %s, and gives a %s", want, got)
}

// estimate finds the cost, and refuses what no evaluation can afford.
func (c *compiler) estimate(env *cel.Env, checked *cel.Ast, p *Program) {
	e, err := env.EstimateCost(checked, &library.CostEstimator{SizeEstimator: sizes{}}, checker.PresenceTestHasCost(false))
	if err != nil {
		return
	}
	if p.min, p.max = e.Min, e.Max; !p.fold() {
		c.add(nil, Cost, "the expression always costs more than the %d units that an evaluation may", PerEvaluationLimit)
	}
}

// sizes bounds variables for the estimate.
type sizes struct{}

// EstimateSize bounds the size of what a path names.
func (sizes) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	path := n.Path()
	if len(path) == 0 {
		return nil
	}
	most := uint64(maxTreeBytes)
	switch {
	case path[0] == "tenant":
		most = 63
	case path[0] == "caller", path[0] == "tool":
		most = 512
	case n.Type().Kind() == types.ListKind || n.Type().Kind() == types.MapKind:
		most = maxTreeValues
	}
	return &checker.SizeEstimate{Min: 0, Max: most}
}

// EstimateCallCost has nothing to add.
func (sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
