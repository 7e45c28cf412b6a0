package review

import (
	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

// policyStage is stage 4: who may, for whom, and whether the rules say no. Of one policy
// everything that applies is reported.
func (c *call) policyStage() {
	for i := range c.views {
		v := &c.views[i]
		switch {
		case v.failed():
		case v.policy.Broken:
			v.fail(reviewv1alpha1.CodePolicyError, "policy_error:"+v.policy.Name)
		default:
			c.authorize(i)
		}
	}
}

// authorize is stage 4 for one policy. A no outweighs what could not be found out: it
// would still be one if that were known.
func (c *call) authorize(i int) {
	v := &c.views[i]
	var forbidden, unknown []string
	c.trace.check(i, func() TracedCheck { return c.rbacCheck(v) })
	if v.policy.RBAC {
		switch c.granted() {
		case Granted:
		case Refused:
			forbidden = append(forbidden, "forbidden:rbac")
		default:
			unknown = append(unknown, "policy_error:"+v.policy.Name)
		}
	}
	c.trace.check(i, func() TracedCheck { return c.eval.tenantCheck(i, v.policy) })
	switch t := c.eval.tenancies[i]; {
	case t.forbids():
		forbidden = append(forbidden, "forbidden:tenant")
	case t.unknown:
		unknown = append(unknown, "policy_error:"+v.policy.Name)
	}
	for _, rule := range c.rules(i, false) {
		forbidden = append(forbidden, "forbidden:"+v.policy.Name+"/"+rule)
	}
	for _, rule := range c.brokenRules(i) {
		unknown = append(unknown, "policy_error:"+v.policy.Name+"/"+rule)
	}
	switch {
	case len(forbidden) > 0:
		v.fail(reviewv1alpha1.CodeForbidden, append(forbidden, unknown...)...)
	case len(unknown) > 0:
		v.fail(reviewv1alpha1.CodePolicyError, unknown...)
	}
}

// granted is what RBAC says of the caller and the tool. A tool without a ToolSchema can
// be granted to nobody.
func (c *call) granted() AccessAnswer {
	q, ok := callQuestion(c.eval.caller, c.tool)
	if !ok {
		return Refused
	}
	return c.eval.answers[q]
}

// hidesDetails reports whether RBAC keeps from the caller what an earlier stage found: it
// is not known to be allowed the tool, and so has no business with its contract.
func (c *call) hidesDetails() bool {
	for i := range c.views {
		if p := c.views[i].policy; p.RBAC && p.Deny {
			return c.granted() != Granted
		}
	}
	return false
}
