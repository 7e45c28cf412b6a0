package review

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// Calls judges the calls of one review for one caller. snap must not be nil: not
// ready is the server's answer to give, not a verdict.
func Calls(snap *snapshot.Snapshot, caller Caller, in toolcall.Review) Decision {
	return judge(snap, caller, in, jsonschema.NewBudget(), false)
}

// Cheap judges as Calls does if that costs little, in time and memory. ok is false if
// it does not; then the decision says nothing, and Calls has to be asked.
func Cheap(snap *snapshot.Snapshot, caller Caller, in toolcall.Review) (d Decision, ok bool) {
	budget := jsonschema.NewSmallBudget()
	d = judge(snap, caller, in, budget, true)
	if budget.Exhausted() {
		return Decision{}, false
	}
	return d, true
}

// judge judges call by call. With partial it gives up where the budget is exhausted.
func judge(snap *snapshot.Snapshot, caller Caller, in toolcall.Review, budget *jsonschema.Budget, partial bool) Decision {
	ns, policies := applying(snap, caller)
	texts := make([]string, len(in.Calls))
	var s suggester
	d := Decision{Response: reviewv1alpha1.ToolCallReviewResponse{
		UID:      in.UID,
		Allowed:  len(in.Calls) > 0,
		Revision: snap.Revision,
		Results:  make([]reviewv1alpha1.ToolCallResult, 0, len(in.Calls)),
	}}
	for i := range in.Calls {
		c := &call{Call: &in.Calls[i], ns: ns, name: in.Calls[i].EffectiveName(), budget: budget, suggester: &s}
		for _, p := range policies {
			c.views = append(c.views, view{policy: p})
		}
		result := c.judge()
		if partial && budget.Exhausted() {
			return Decision{}
		}
		if !result.Allowed {
			result.Feedback = c.feedbackOf(&result)
			texts[i] = result.Feedback
		}
		d.Response.Allowed = d.Response.Allowed && result.Allowed
		d.Response.Results = append(d.Response.Results, result)
		d.Audit = append(d.Audit, c.audit(i)...)
	}
	for _, label := range in.Executed {
		d.Response.Warnings = append(d.Response.Warnings, "provider_executed:"+label)
	}
	if !d.Response.Allowed {
		d.Response.Reply = toolcall.Reply(in, texts)
	}
	return d
}

// applying gives the caller's namespace and the policies of it that select the
// caller, sorted by name.
func applying(snap *snapshot.Snapshot, caller Caller) (*compile.Namespace, []*compile.Policy) {
	if caller.Kind != ServiceAccount || caller.Namespace == "" || caller.Name == "" {
		return nil, nil
	}
	ns := snap.Namespaces[caller.Namespace]
	if ns == nil {
		return nil, nil
	}
	var policies []*compile.Policy
	for _, p := range ns.Policies {
		if p.Selects(caller.Name) {
			policies = append(policies, p)
		}
	}
	return ns, policies
}

// call is one call under judgement.
type call struct {
	*toolcall.Call
	ns     *compile.Namespace
	name   string
	budget *jsonschema.Budget
	views  []view
	// suggester is shared by the calls of the review.
	suggester *suggester

	tool       *compile.Tool
	violations []jsonschema.Violation
	digest     string
}

// view is how one policy sees the call.
type view struct {
	policy     *compile.Policy
	outcome    compile.NameOutcome
	undeclared bool
	// code is "" while the policy has found nothing wrong. Once it is set, later
	// stages do not ask the policy again.
	code   reviewv1alpha1.VerdictCode
	errors []string
}

// judge goes through the stages of the design, each for all policies before the
// next: the lowest stage at which a policy with Deny fails gives the code.
func (c *call) judge() reviewv1alpha1.ToolCallResult {
	if c.Fault == toolcall.Malformed {
		return c.blocked(reviewv1alpha1.CodeMalformedCall, []string{string(reviewv1alpha1.CodeMalformedCall)}, nil)
	}
	if len(c.views) == 0 {
		return c.blocked(reviewv1alpha1.CodeNoPolicy, []string{string(reviewv1alpha1.CodeNoPolicy)}, nil)
	}
	c.tool = c.ns.Tools[c.name]
	for _, stage := range []func(){c.nameStage, c.readyStage} {
		stage()
		if c.denied() {
			return c.deniedResult()
		}
	}
	if fault := c.argumentStage(); fault != jsonschema.NoFault {
		return c.blocked(reviewv1alpha1.CodeInvalidArguments, []string{"arguments:" + string(fault)}, c.all())
	}
	if c.denied() {
		return c.deniedResult()
	}
	c.policyStage()
	if c.denied() {
		return c.deniedResult()
	}
	return c.allowedResult()
}

// nameStage is stage 1. A policy that cannot be evaluated has no opinion on names;
// it fails in stage 4.
func (c *call) nameStage() {
	for i := range c.views {
		v := &c.views[i]
		if v.policy.Broken {
			continue
		}
		v.outcome, v.undeclared = v.policy.Takes(c.name, c.tool)
		if v.outcome == compile.NameUnknown {
			v.fail(reviewv1alpha1.CodeUnknownTool, "unknown_tool:"+shown.Name(c.name))
		}
	}
}

// readyStage is stage 2.
func (c *call) readyStage() {
	for i := range c.views {
		v := &c.views[i]
		if v.open() && v.outcome == compile.NameJudged && !c.tool.Ready() {
			v.fail(reviewv1alpha1.CodeSchemaNotReady, "schema_not_ready:"+shown.Name(c.name))
		}
	}
}

// argumentStage is stage 3. Arguments that cannot be decoded or are over a bound
// are a fault, which blocks whatever the policies' actions say.
func (c *call) argumentStage() jsonschema.Fault {
	if c.Fault != toolcall.NoFault {
		return jsonschema.Fault(c.Fault)
	}
	judge := c.argumentJudge()
	in := jsonschema.Input{Raw: c.Arguments, FreeText: c.FreeText, IntegersByValue: c.IntegersByValue, Budget: c.budget}
	result := judge.Judge(in)
	if result.Fault != jsonschema.NoFault {
		return result.Fault
	}
	if !result.Judged {
		return jsonschema.TooCostly
	}
	if canonical, ok := judge.Canonical(nil, in); ok {
		sum := sha256.Sum256(canonical)
		c.digest = "sha256:" + hex.EncodeToString(sum[:])
	}
	if result.OK() {
		return jsonschema.NoFault
	}
	errors := make([]string, 0, len(result.Violations))
	for _, violation := range result.Violations {
		errors = append(errors, violation.Error())
	}
	for i := range c.views {
		v := &c.views[i]
		if v.open() && v.outcome != compile.NameUnknown {
			v.fail(reviewv1alpha1.CodeInvalidArguments, errors...)
		}
	}
	c.violations = result.Violations
	return jsonschema.NoFault
}

// argumentJudge is the tool's schema where a policy judges the call by it, else the
// rules that hold for any arguments.
func (c *call) argumentJudge() jsonschema.Judge {
	for i := range c.views {
		if v := &c.views[i]; v.open() && v.outcome == compile.NameJudged && c.tool.Ready() {
			return c.tool.Judge
		}
	}
	return jsonschema.EnvelopeOnly()
}

// policyStage is stage 4.
func (c *call) policyStage() {
	for i := range c.views {
		if v := &c.views[i]; v.policy.Broken {
			v.fail(reviewv1alpha1.CodePolicyError, "policy_error:"+v.policy.Name)
		}
	}
}

func (v *view) open() bool { return v.code == "" && !v.policy.Broken }

func (v *view) fail(code reviewv1alpha1.VerdictCode, errors ...string) {
	v.code, v.errors = code, errors
}

func (v *view) failed() bool { return v.code != "" }

func (c *call) denied() bool {
	return slices.ContainsFunc(c.views, func(v view) bool { return v.policy.Deny && v.failed() })
}

// all are the names of all policies that apply.
func (c *call) all() []string {
	names := make([]string, 0, len(c.views))
	for i := range c.views {
		names = append(names, c.views[i].policy.String())
	}
	return names
}
