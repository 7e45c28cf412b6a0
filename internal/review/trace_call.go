package review

import (
	"slices"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/shown"
)

// The details that say why something was skipped.
const (
	whyBroken  = "the policy cannot be evaluated: its schemaSelector is none"
	whyEarlier = "the policy failed in an earlier stage"
	whyBlocked = "the call was blocked before"
	whyTool    = "it is about other tools"
	whyCall    = "it reads what the offer lacks, and has its say on the call"

	whyNoTenant = "it reads the tenant, and there is none"
)

// call begins the trace of the next call. All methods of a nil trace do nothing.
func (t *Trace) call(c *call) *TracedCall {
	if t == nil {
		return nil
	}
	tc := &TracedCall{ID: shown.Name(c.ID), Name: shown.Name(c.name), Policies: []TracedView{}}
	for i := range c.views {
		tc.Policies = append(tc.Policies, TracedView{Policy: c.views[i].policy.String(), Stages: []TracedStage{}})
	}
	t.Calls = append(t.Calls, tc)
	return tc
}

// check notes what was looked at in the stage at hand.
func (t *TracedCall) check(view int, looked func() TracedCheck) {
	if t != nil {
		t.Policies[view].pending = append(t.Policies[view].pending, looked())
	}
}

// after notes what the policies said in a stage that was judged.
func (t *TracedCall) after(stage Stage, c *call) {
	if t == nil {
		return
	}
	for i := range c.views {
		s := t.Policies[i].said(stage, c, &c.views[i])
		t.Policies[i].add(s, c, &c.views[i], ruleWhy(&s, c))
	}
}

func (tv *TracedView) said(stage Stage, c *call, v *view) TracedStage {
	switch {
	case tv.failed:
		return TracedStage{Stage: stage, Outcome: OutcomeSkipped, Detail: whyEarlier}
	case v.policy.Broken && stage != StageAuthorization:
		return TracedStage{Stage: stage, Outcome: OutcomeSkipped, Detail: whyBroken}
	case v.failed():
		tv.failed = true
		return TracedStage{Stage: stage, Outcome: OutcomeFailed, Detail: c.found(stage, v), Errors: slices.Clone(v.errors)}
	}
	return TracedStage{Stage: stage, Outcome: OutcomePassed, Detail: c.found(stage, v)}
}

// add ends a stage of one view: with the rules that nothing was noted of, and why.
func (tv *TracedView) add(s TracedStage, c *call, v *view, why string) {
	s.Checks, tv.pending = tv.pending, nil
	for _, r := range v.policy.Rules {
		noted := slices.ContainsFunc(s.Checks, func(known TracedCheck) bool { return known.Kind == "rule" && known.Name == r.Name })
		if stageOf(r) == s.Stage && !noted {
			if !r.Covers(c.name) {
				s.Checks = append(s.Checks, skippedRule(r, whyTool))
			} else {
				s.Checks = append(s.Checks, skippedRule(r, why))
			}
		}
	}
	slices.SortStableFunc(s.Checks, func(a, b TracedCheck) int { return slices.Compare([]string{a.Kind, a.Name}, []string{b.Kind, b.Name}) })
	tv.Stages = append(tv.Stages, s)
}

// stageOf is the stage in which a rule has its say. One that does not compile says
// nothing of the arguments.
func stageOf(r *compile.Rule) Stage {
	if r.InvalidArguments && r.Program != nil {
		return StageArguments
	}
	return StageAuthorization
}

// ruleWhy says why rules were not asked in a stage that was judged.
func ruleWhy(s *TracedStage, c *call) string {
	switch {
	case s.Outcome == OutcomeSkipped:
		return s.Detail
	case s.Stage == StageArguments && len(c.violations) > 0:
		return "the arguments do not fit the schema"
	}
	return whyBroken
}

// blocked notes a stage that blocks whatever the policies say.
func (t *TracedCall) blocked(stage Stage, detail string, c *call) {
	if t == nil {
		return
	}
	t.Stage, t.Detail = stage, detail
	if stage == StageEnvelope {
		return
	}
	for i := range t.Policies {
		s := TracedStage{Stage: stage, Outcome: OutcomeFailed, Detail: detail}
		if t.Policies[i].failed {
			s.Outcome, s.Detail = OutcomeSkipped, whyEarlier
		}
		t.Policies[i].failed = true
		t.Policies[i].add(s, c, &c.views[i], "the arguments cannot be judged")
	}
}

// end notes the verdict, and the stages that were not reached.
func (t *TracedCall) end(c *call, r *reviewv1alpha1.ToolCallResult) {
	if t == nil {
		return
	}
	t.Allowed, t.Code, t.WouldBlock = r.Allowed, r.Code, r.WouldBlock
	for i := range t.Policies {
		tv := &t.Policies[i]
		if n := len(tv.Stages); !r.Allowed && n > 0 {
			t.Stage = tv.Stages[n-1].Stage
		}
		for _, stage := range policyStages[len(tv.Stages):] {
			tv.add(TracedStage{Stage: stage, Outcome: OutcomeSkipped, Detail: whyBlocked}, c, &c.views[i], whyBlocked)
		}
	}
}

// found says what a stage found of one view.
func (c *call) found(stage Stage, v *view) string {
	switch stage {
	case StageName:
		return c.foundName(v)
	case StageSchema:
		switch {
		case c.tool == nil:
			return "there is no ToolSchema to be ready"
		case c.tool.Ready():
			return "the ToolSchema " + c.tool.Object + " is accepted"
		}
		return "the ToolSchema " + c.tool.Object + " is not accepted"
	case StageArguments:
		switch {
		case len(c.violations) > 0 && v.failed():
			return "they do not fit the schema"
		case v.outcome == compile.NameUnvalidated && !c.tool.Ready():
			return "they are a JSON object within the bounds"
		}
		return "they fit the schema"
	}
	if v.policy.Broken {
		return whyBroken
	}
	return ""
}

// foundName says how a policy takes the name.
func (c *call) foundName(v *view) string {
	declared := "declared"
	if v.undeclared {
		declared = "not declared"
		if v.policy.AllowUndeclared {
			declared = "not declared, which undeclaredTools: Allow lets pass"
		}
	}
	switch {
	case c.tool != nil && !v.policy.SelectsTool(c.tool):
		return declared + "; schemaSelector does not select its ToolSchema " + c.tool.Object
	case c.tool != nil:
		return declared + "; its ToolSchema is " + c.tool.Object
	case v.policy.AllowUnvalidated:
		return declared + "; without a ToolSchema, which unvalidatedCalls: Allow lets pass"
	}
	return declared + "; without a ToolSchema"
}

// rbacCheck is what RBAC said, for a policy that asks it.
func (c *call) rbacCheck(v *view) TracedCheck {
	check := TracedCheck{Kind: "rbac", Outcome: c.granted().String()}
	switch {
	case !v.policy.RBAC:
		check.Outcome, check.Detail = OutcomeSkipped, "authorization.mode is None"
	case c.tool == nil:
		check.Detail = "the tool has no ToolSchema that could be granted"
	default:
		check.Detail = "verb call on the ToolSchema " + c.tool.Object
	}
	return check
}

// tenantCheck is what became of the tenant, by one policy.
func (e *evaluation) tenantCheck(i int, p *compile.Policy) TracedCheck {
	t, said := e.tenancies[i], e.context.Tenant
	check := TracedCheck{Kind: "tenant", Outcome: OutcomeFailed}
	switch {
	case t.unknown:
		check.Outcome, check.Detail = "unanswered", "whether the caller may use the tenant "+shown.Name(said)+" cannot be found out"
	case t.tenant != "" && t.apart:
		check.Detail = shown.Name(t.tenant) + ", and another policy has another one"
	case t.tenant != "":
		check.Outcome, check.Detail = OutcomePassed, shown.Name(t.tenant)
	case fromContext(p) && said == "":
		check.Detail = "the context names none"
	case fromContext(p):
		check.Detail = "the caller may not use the tenant " + shown.Name(said) + " that the context names"
	case said != "":
		check.Detail = "the context names one, and this policy takes none from there"
	case p.Tenant.From == callgatev1alpha1.TenantFromNamespaceLabel:
		check.Detail = "the namespace has no label " + p.TenantLabel() + " with a tenant"
	default:
		check.Detail = "there is none"
	}
	return check
}
