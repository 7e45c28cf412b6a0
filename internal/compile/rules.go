package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
)

// Rule is one compiled rule of a policy.
type Rule struct {
	Name string
	// Program is nil for a rule that does not compile: a call that it is about is then
	// blocked with policy_error.
	Program *expr.Program
	// Message is what the author has to say of a call that the rule blocks, "" where
	// MessageProgram says it, or nobody does.
	Message        string
	MessageProgram *expr.Program
	// InvalidArguments: the model may try other arguments. Otherwise nothing that it
	// changes will help.
	InvalidArguments bool

	// tools are the names that the rule is about, nil for all.
	tools map[string]struct{}
}

// Covers reports whether the rule is about the tool of that effective name.
func (r *Rule) Covers(name string) bool {
	if r.tools == nil {
		return true
	}
	_, ok := r.tools[name]
	return ok
}

// JudgesOffers reports whether the rule can be asked before there are arguments.
func (r *Rule) JudgesOffers() bool { return r.Program != nil && !r.Program.ReadsArgs() }

// programKey is all that a compiled expression depends on.
type programKey struct {
	source string
	result expr.Result
	// arguments identifies the schemas that the expression was checked against.
	arguments string
}

// programMemo is what compiling one expression gave. Equal expressions of the whole
// policy set share one, and so does the next compile.
type programMemo struct {
	program *expr.Program
	issues  []expr.Issue
}

// ruleCompiler compiles the rules of one policy.
type ruleCompiler struct {
	ns        *Namespace
	policy    *Policy
	prev, out *Output

	rules              []*Rule
	problems, warnings []callgatev1alpha1.Problem
}

// compileRules gives the rules sorted by name, and what is to be said of them. Under
// failurePolicy Ignore those that do not compile are left out.
func compileRules(p *callgatev1alpha1.ToolPolicy, c *Policy, ns *Namespace, prev, out *Output) {
	rc := &ruleCompiler{ns: ns, policy: c, prev: prev, out: out}
	ignore := p.Spec.FailurePolicy == callgatev1alpha1.FailurePolicyIgnore
	for i := range p.Spec.Rules {
		rule := rc.compile(&p.Spec.Rules[i], "/spec/rules/"+strconv.Itoa(i), ignore)
		if rule.Program != nil || !ignore {
			rc.rules = append(rc.rules, rule)
		}
	}
	slices.SortFunc(rc.rules, func(a, b *Rule) int { return cmp.Compare(a.Name, b.Name) })
	c.Rules, c.ruleProblems, c.ruleWarnings = rc.rules, rc.problems, rc.warnings
}

func (rc *ruleCompiler) compile(r *callgatev1alpha1.PolicyRule, path string, ignore bool) *Rule {
	rule := &Rule{Name: r.Name, Message: r.Message, InvalidArguments: r.Reason == callgatev1alpha1.RuleInvalidArguments}
	// Whatever is about no tool by name is about every tool: an emptied list must not
	// take a restriction away.
	if len(r.Tools) > 0 {
		rule.tools = make(map[string]struct{}, len(r.Tools))
		for _, name := range r.Tools {
			rule.tools[string(name)] = struct{}{}
		}
	}
	arguments, fingerprint := rc.arguments(rule)
	memo := rc.program(programKey{r.Expression, expr.Bool, fingerprint}, expr.RuleVariables, arguments)
	rule.Program = memo.program
	effect := "calls that the rule is about are blocked with policy_error"
	if ignore {
		effect = "the rule is skipped (failurePolicy: Ignore)"
	}
	rc.report(memo, path+"/expression", effect)
	if r.MessageExpression != "" {
		memo := rc.program(programKey{r.MessageExpression, expr.Text, ""}, expr.MessageVariables, nil)
		rule.MessageProgram = memo.program
		rc.report(memo, path+"/messageExpression", "the rule is enforced without its message")
	}
	rc.warnOf(rule, r, path)
	return rule
}

// program compiles an expression, or takes over what it gave before.
func (rc *ruleCompiler) program(key programKey, variables expr.Variables, arguments *expr.ArgsType) *programMemo {
	memo := rc.out.programs[key]
	if memo == nil {
		memo = rc.prev.programs[key]
	}
	if memo == nil {
		memo = &programMemo{}
		memo.program, memo.issues = expr.Compile(key.source, expr.Options{Result: key.result, Variables: variables, Args: arguments})
		rc.out.CompiledRules++
	}
	rc.out.programs[key] = memo
	return memo
}

// report turns the issues of an expression into problems, or into warnings where the
// expression can be evaluated all the same.
func (rc *ruleCompiler) report(memo *programMemo, path, effect string) {
	for _, issue := range memo.issues {
		at := fmt.Sprintf("line %d, column %d: ", issue.Line, issue.Column)
		if issue.Schema && memo.program != nil {
			rc.warnings = append(rc.warnings, newProblem(path, "", at+issue.Message))
			continue
		}
		rc.problems = append(rc.problems, newProblem(path, "", at+issue.Message+"; until it is mended, "+effect))
	}
}

// warnOf tells what can never matter.
func (rc *ruleCompiler) warnOf(rule *Rule, r *callgatev1alpha1.PolicyRule, path string) {
	warn := func(path, message string) { rc.warnings = append(rc.warnings, newProblem(path, "", message)) }
	if message := constantWarning(rule.Program); message != "" {
		warn(path+"/expression", message)
	}
	for i, name := range r.Tools {
		tool := rc.ns.Tools[string(name)]
		outcome, _ := rc.policy.Takes(string(name), tool)
		switch {
		case outcome == NameUnknown && tool == nil:
			warn(path+"/tools/"+strconv.Itoa(i), fmt.Sprintf("%q has no ToolSchema: the policy lets no call to it pass, and the rule never decides one", name))
		case outcome == NameUnknown:
			warn(path+"/tools/"+strconv.Itoa(i), fmt.Sprintf("the policy lets no call to %q pass, and the rule never decides one", name))
		}
	}
}

// constantWarning is what is to be said of an expression that always gives the same.
func constantWarning(p *expr.Program) string {
	if p == nil {
		return ""
	}
	value, known := p.Constant()
	holds, _ := value.(bool)
	switch {
	case !known:
		return ""
	case !holds:
		return "the expression is always false, so that the rule blocks every call that it is about"
	case p.ReadsArgs() || p.ReadsContext():
		return "the expression is true whatever it reads: the rule blocks only calls with a number that it reads and that CEL has no value for"
	}
	return "the expression is always true, so that the rule never blocks anything"
}

// maxKnownTools bounds the tools whose schemas one rule is checked against. A rule about
// more of them rarely reads arguments that all have, and each is read once a compile.
const maxKnownTools = 16

// arguments gives what is known of the arguments that the rule will read, and what that
// hangs on. Where nothing is known the expression is checked by itself alone.
func (rc *ruleCompiler) arguments(rule *Rule) (*expr.ArgsType, string) {
	names := rule.tools
	if names == nil && !rc.policy.anyTool && !rc.policy.AllowUndeclared {
		names = rc.policy.declared
	}
	if len(names) == 0 || len(names) > maxKnownTools {
		return nil, ""
	}
	var types []*expr.ArgsType
	var fingerprint strings.Builder
	for _, name := range sortedKeys(names) {
		tool := rc.ns.Tools[name]
		outcome, _ := rc.policy.Takes(name, tool)
		switch {
		case outcome == NameUnknown:
			continue // no call to it reaches a rule
		case !tool.Ready():
			return nil, ""
		}
		memo := rc.ns.memos[tool.Object]
		types = append(types, memo.arguments())
		fmt.Fprintf(&fingerprint, "%s/%d;", memo.hash, memo.options.Undeclared)
	}
	common := expr.CommonArgs(types...)
	if common == nil {
		return nil, ""
	}
	return common, fingerprint.String()
}
