package review

import (
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/toolcall"
)

// newOfferEvaluation is what the rules of one offer share: no arguments, no context, and
// so no tenant of a policy that takes it from there.
func newOfferEvaluation(caller Caller, policies []*compile.Policy, cost uint64) *evaluation {
	return newEvaluation(caller, policies, &toolcall.Review{}, nil, cost)
}

// rules are what the rules of one view have against a name, none if nothing (design
// section 5). A rule that does not compile blocks every call to the name, and so the
// offer of it.
func (o *offer) rules(i int, name string, tool *compile.Tool) (errors []string) {
	p := o.views[i].policy
	c := &call{ns: o.ns, name: name, tool: tool, eval: o.eval}
	for _, r := range p.Rules {
		switch {
		case !r.Covers(name):
			o.trace.check(i, func() TracedCheck { return skippedRule(r, whyTool) })
		case r.Program == nil:
			o.trace.check(i, func() TracedCheck { return brokenRule(r) })
			errors = append(errors, "policy_error:"+p.Name+"/"+r.Name+":"+shown.Name(name))
		case !judgesOffers(p, r):
			o.trace.check(i, func() TracedCheck { return skippedRule(r, whyCall) })
		case !o.holds(i, r, c):
			errors = append(errors, "forbidden:"+p.Name+"/"+r.Name+":"+shown.Name(name))
		}
	}
	return errors
}

// judgesOffers says whether a rule reads nothing that an offer lacks. One that does has
// its say when the call is reviewed: here it could only say no to everything.
func judgesOffers(p *compile.Policy, r *compile.Rule) bool {
	return r.JudgesOffers() && !r.Program.ReadsContext() && (!r.Program.ReadsTenant() || !fromContext(p))
}

func (o *offer) holds(i int, r *compile.Rule, c *call) bool {
	tenant := o.eval.tenancies[i].tenant
	if tenant == "" && r.Program.ReadsTenant() {
		o.trace.check(i, func() TracedCheck {
			return TracedCheck{Kind: "rule", Name: r.Name, Outcome: "false", Detail: whyNoTenant}
		})
		return false
	}
	outcome := o.eval.eval(r.Program, c.activation(tenant), o.budget(i))
	o.trace.check(i, func() TracedCheck { return ruleCheck(r, outcome) })
	return outcome.Allows()
}

func (o *offer) budget(i int) *expr.Budget {
	if o.views[i].policy.Deny {
		return o.eval.blocking
	}
	return o.eval.watching
}
