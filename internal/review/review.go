package review

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// Calls judges the calls of one review for one caller. The verdict is a function of the
// snapshot, the review and the answers: those to what Needs gives for the same three.
// One that is missing blocks. snap must not be nil: not ready is the server's answer to
// give, not a verdict.
func Calls(snap *snapshot.Snapshot, caller Caller, in toolcall.Review, answers Answers) Decision {
	d, _, _ := judge(snap, caller, in, answers, allWork())
	return d
}

// limits bound the work of one review.
type limits struct {
	budget *jsonschema.Budget
	cost   uint64
	// partial: give up where a limit is reached.
	partial bool
	// trace is nil where nobody wants to know how the verdict came about.
	trace *Trace
}

func allWork() limits {
	return limits{budget: jsonschema.NewBudget(), cost: expr.PerReviewLimit}
}

func littleWork() limits {
	return limits{budget: jsonschema.NewSmallBudget(), cost: smallCost, partial: true}
}

// Cheap judges as Calls does if that costs little, in time and memory. ok is false if
// it does not; then the decision says nothing, and Calls has to be asked.
func Cheap(snap *snapshot.Snapshot, caller Caller, in toolcall.Review, answers Answers) (d Decision, ok bool) {
	d, _, ok = judge(snap, caller, in, answers, littleWork())
	return d, ok
}

// judge judges call by call, and gives the last of them. ok is false where it gave up.
func judge(snap *snapshot.Snapshot, caller Caller, in toolcall.Review, answers Answers, l limits) (_ Decision, last *call, ok bool) {
	caller = Effective(caller, &in, answers)
	ns, policies := applying(snap, caller)
	eval := newEvaluation(caller, policies, &in, answers, l.cost)
	l.trace.begin(eval, ns, policies)
	texts := make([]string, len(in.Calls))
	var s suggester
	d := Decision{For: caller, Answers: answers, Grounds: groundsOf(eval, policies), Response: reviewv1alpha1.ToolCallReviewResponse{
		UID:      in.UID,
		Allowed:  len(in.Calls) > 0,
		Revision: snap.Revision,
		Results:  make([]reviewv1alpha1.ToolCallResult, 0, len(in.Calls)),
	}}
	for i := range in.Calls {
		c := &call{Call: &in.Calls[i], ns: ns, name: in.Calls[i].EffectiveName(), budget: l.budget, eval: eval, suggester: &s}
		for _, p := range policies {
			c.views = append(c.views, view{policy: p})
		}
		c.trace = l.trace.call(c)
		result := c.judge()
		c.trace.end(c, &result)
		if l.partial && (l.budget.Exhausted() || eval.exceeded) {
			return Decision{}, nil, false
		}
		d.add(c, result)
		last = c
		texts[i] = d.Response.Results[i].Feedback
		d.Audit = append(d.Audit, c.audit(i)...)
	}
	for _, label := range in.Executed {
		d.Response.Warnings = append(d.Response.Warnings, "provider_executed:"+label)
	}
	if !d.Response.Allowed {
		d.Response.Reply = toolcall.Reply(in, texts)
	}
	return d, last, true
}

// add adds the result of the next call, as much of it as the caller is told.
func (d *Decision) add(c *call, whole reviewv1alpha1.ToolCallResult) {
	told := whole
	if !whole.Allowed {
		whole.Feedback = c.feedbackOf(&whole)
		told.Feedback = whole.Feedback
		less := false
		if told, less = c.told(told); less && d.Whole == nil {
			d.Whole = slices.Clone(d.Response.Results)
		}
	}
	d.Response.Allowed = d.Response.Allowed && told.Allowed
	d.Response.Results = append(d.Response.Results, told)
	if d.Whole != nil {
		d.Whole = append(d.Whole, whole)
	}
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
	eval   *evaluation
	views  []view
	// suggester is shared by the calls of the review.
	suggester *suggester

	tool       *compile.Tool
	violations []jsonschema.Violation
	// canonical is the text of the tree that was judged, nil where there is none.
	canonical []byte
	args      *expr.Args
	digest    string
	// trace is nil where nobody wants to know.
	trace *TracedCall
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
	// messages are what the rules that said no have to say.
	messages []string
	// costly: one of them said no because it would have cost too much.
	costly bool
}

// judge goes through the stages of the design, each for all policies before the
// next: the lowest stage at which a policy with Deny fails gives the code.
func (c *call) judge() reviewv1alpha1.ToolCallResult {
	if c.Fault == toolcall.Malformed {
		c.trace.blocked(StageEnvelope, "the envelope of the call is ambiguous, or has no name", c)
		return c.blocked(reviewv1alpha1.CodeMalformedCall, []string{string(reviewv1alpha1.CodeMalformedCall)}, nil)
	}
	if len(c.views) == 0 {
		c.trace.blocked(StageEnvelope, "no policy selects the caller", c)
		return c.blocked(reviewv1alpha1.CodeNoPolicy, []string{string(reviewv1alpha1.CodeNoPolicy)}, nil)
	}
	c.tool = c.ns.Tools[c.name]
	if c.nameStage(); c.deniedIn(StageName) {
		return c.deniedResult()
	}
	if c.readyStage(); c.deniedIn(StageSchema) {
		return c.deniedResult()
	}
	if fault := c.argumentStage(); fault != jsonschema.NoFault {
		c.trace.blocked(StageArguments, "arguments:"+string(fault), c)
		return c.blocked(reviewv1alpha1.CodeInvalidArguments, []string{"arguments:" + string(fault)}, c.all())
	}
	if c.deniedIn(StageArguments) {
		return c.deniedResult()
	}
	if c.policyStage(); c.deniedIn(StageAuthorization) {
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
		c.canonical = canonical
		c.digest = "sha256:" + hex.EncodeToString(sum[:])
	}
	if result.OK() {
		c.ruleStage()
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

func (v *view) open() bool { return v.code == "" && !v.policy.Broken }

func (v *view) fail(code reviewv1alpha1.VerdictCode, errors ...string) {
	v.code, v.errors = code, errors
}

func (v *view) failed() bool { return v.code != "" }

// deniedIn says whether the stage that was just judged blocks the call.
func (c *call) deniedIn(stage Stage) bool {
	c.trace.after(stage, c)
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
