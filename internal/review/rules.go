package review

import (
	"slices"
	"strings"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/toolcall"
)

// smallCost is what the rules of a review may cost for the review to be a cheap one: a
// hundredth of what they may at all, some 10 ms.
const smallCost = expr.PerReviewLimit / 100

// evaluation is what the calls of one review share.
type evaluation struct {
	caller  Caller
	context expr.Context
	answers Answers
	// tenancies are in the order of the policies that apply.
	tenancies []tenancy
	// Rules of policies that can block draw on a budget of their own: whatever those do
	// that cannot, and whatever messages cost, changes no verdict.
	blocking, watching, messages *expr.Budget
	// exceeded: some evaluation ended for its cost.
	exceeded bool
}

func newEvaluation(caller Caller, policies []*compile.Policy, in *toolcall.Review, answers Answers, cost uint64) *evaluation {
	e := &evaluation{
		caller: caller, answers: answers,
		context:   expr.Context{Tenant: in.Context.Tenant},
		tenancies: tenancies(caller, policies, in.Context.Tenant, answers),
		blocking:  expr.NewBudget(cost), watching: expr.NewBudget(cost), messages: expr.NewBudget(cost),
	}
	if in.Context.Attributes != nil {
		e.context.Attributes = expr.NewArgs(in.Context.Attributes)
	}
	return e
}

func (e *evaluation) eval(p *expr.Program, a *expr.Activation, b *expr.Budget) expr.Outcome {
	out := p.Eval(a, b)
	e.exceeded = e.exceeded || out.Kind == expr.CostExceeded
	return out
}

// rules gives the names of the rules of one view that say no to the call, of those that
// can be evaluated, and notes what they have to say. What errs or costs too much says no:
// the model chose the arguments.
func (c *call) rules(i int, invalidArguments bool) (failed []string) {
	v := &c.views[i]
	t := c.eval.tenancies[i]
	for _, r := range v.policy.Rules {
		if r.InvalidArguments != invalidArguments || r.Program == nil || !r.Covers(c.name) {
			continue
		}
		// Without a tenant the policy forbids the call in any case.
		if t.tenant == "" && r.Program.ReadsTenant() {
			c.trace.check(i, func() TracedCheck { return skippedRule(r, whyNoTenant) })
			continue
		}
		a := c.activation(t.tenant)
		a.Args = c.judgedArgs()
		budget := c.eval.watching
		if v.policy.Deny {
			budget = c.eval.blocking
		}
		outcome := c.eval.eval(r.Program, a, budget)
		c.trace.check(i, func() TracedCheck { return ruleCheck(r, outcome) })
		if outcome.Allows() {
			continue
		}
		failed = append(failed, r.Name)
		if v.policy.Deny {
			c.note(v, r, outcome, t.tenant)
		}
	}
	return failed
}

// note keeps what is to be said of a rule that said no.
func (c *call) note(v *view, r *compile.Rule, o expr.Outcome, tenant string) {
	if o.Kind == expr.CostExceeded {
		v.costly = true
		v.messages = append(v.messages, costMessage(r, o))
		return
	}
	v.messages = append(v.messages, c.message(r, tenant))
}

// brokenRules are the names of the rules about the call that do not compile.
func (c *call) brokenRules(i int) (names []string) {
	for _, r := range c.views[i].policy.Rules {
		if r.Program == nil && r.Covers(c.name) {
			c.trace.check(i, func() TracedCheck { return brokenRule(r) })
			names = append(names, r.Name)
		}
	}
	return names
}

func (c *call) activation(tenant string) *expr.Activation {
	who := c.eval.caller
	return &expr.Activation{
		Tool: c.exprTool(), Tenant: tenant, Context: c.eval.context,
		Caller: expr.Caller{Namespace: who.Namespace, ServiceAccountName: who.Name, Username: who.Username(), Via: who.Via},
	}
}

// exprTool is the tool as its ToolSchema has it. Without one it is told by the effective
// name alone, so that the two ways to write a server cannot pass different rules.
func (c *call) exprTool() expr.Tool {
	if t := c.tool; t != nil {
		tool := expr.Tool{Name: t.ToolName, Server: t.Server}
		if len(t.Labels) > 0 {
			tool.Labels = t.Labels[0]
		}
		return tool
	}
	server, name, found := strings.Cut(c.name, "/")
	if !found || !isServer(server) {
		return expr.Tool{Name: c.name}
	}
	return expr.Tool{Name: name, Server: server}
}

// maxServer is the length of the longest server's name in the API.
const maxServer = 63

func isServer(s string) bool {
	return s != "" && len(s) <= maxServer && !strings.ContainsFunc(s, func(r rune) bool {
		alphanumeric := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !alphanumeric && !strings.ContainsRune("._-", r)
	})
}

// judgedArgs is the tree that was judged, read once for all rules.
func (c *call) judgedArgs() *expr.Args {
	if c.args == nil && c.canonical != nil {
		c.args = expr.NewArgs(c.canonical)
	}
	return c.args
}

// maxMessage bounds what one rule has to say, in code points, as the API bounds a fixed
// message.
const maxMessage = 1024

// message is what the rule's author has to say, in one line, without its full stop.
func (c *call) message(r *compile.Rule, tenant string) string {
	text := r.Message
	if r.MessageProgram != nil && (tenant != "" || !r.MessageProgram.ReadsTenant()) {
		text = c.eval.eval(r.MessageProgram, c.activation(tenant), c.eval.messages).Text
	}
	text = strings.TrimRight(strings.TrimSpace(text), ". ")
	if text == "" {
		return `the rule "` + r.Name + `" says no`
	}
	return shown.Escape(shown.Cut(text, maxMessage))
}

// costMessage takes the place of what the author has to say of arguments that the rule
// could not be asked about to the end. It tells the limit of one evaluation from that
// which the calls of a review share.
func costMessage(r *compile.Rule, o expr.Outcome) string {
	if o.Cost < expr.PerEvaluationLimit {
		return "the calls of this review together take more work to check than they may, and nothing was left for the rule " + quoted(r.Name) + ": send fewer calls at once"
	}
	return "the rule " + quoted(r.Name) + " takes more work on these arguments than it may: send fewer or shorter values"
}

// ruleStage is the end of stage 3: the arguments fit the schema, and rules about them
// have their say.
func (c *call) ruleStage() {
	for i := range c.views {
		v := &c.views[i]
		if !v.open() {
			continue
		}
		var errors []string
		for _, rule := range c.rules(i, true) {
			errors = append(errors, "rule:"+v.policy.Name+"/"+rule)
		}
		if len(errors) > 0 {
			v.fail(reviewv1alpha1.CodeInvalidArguments, errors...)
		}
	}
}

// messages are what the rules of the policies that block have to say, each once.
func (c *call) messages() (messages []string) {
	for i := range c.views {
		v := &c.views[i]
		if !v.policy.Deny || !v.failed() {
			continue
		}
		for _, m := range v.messages {
			if !slices.Contains(messages, m) {
				messages = append(messages, m)
			}
		}
	}
	return messages
}
