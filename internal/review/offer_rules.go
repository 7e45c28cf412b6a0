package review

import (
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/shown"
)

// tenant is what one view has against the tenant that the application names. An offer
// without one is judged without.
func (o *offer) tenant(i int) []string {
	if o.in.Context.Tenant == "" {
		return nil
	}
	switch t := o.eval.tenancies[i]; {
	case t.forbids():
		return []string{"forbidden:tenant"}
	case t.unknown:
		return []string{"policy_error:" + o.views[i].policy.Name}
	}
	return nil
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
		case !o.judges(p, r):
			o.trace.check(i, func() TracedCheck { return skippedRule(r, whyCall) })
		case !o.holds(i, r, c):
			errors = append(errors, "forbidden:"+p.Name+"/"+r.Name+":"+shown.Name(name))
		}
	}
	return errors
}

// judges says whether a rule reads nothing that the offer lacks. One that does has its say
// when the call is reviewed: here it could only say no to everything.
func (o *offer) judges(p *compile.Policy, r *compile.Rule) bool {
	if !r.JudgesOffers() {
		return false
	}
	c := &o.in.Context
	told := c.Tenant != "" || c.Attributes != nil
	return (told || !r.Program.ReadsContext()) && (c.Tenant != "" || !r.Program.ReadsTenant() || !fromContext(p))
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
