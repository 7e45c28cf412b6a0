package replay

import (
	"slices"
	"strings"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// Judge judges a record again: one outcome for each of its verdicts.
func (j *Judge) Judge(r *audit.Record) []Outcome {
	outcomes := before(r)
	after, skip := j.after(r)
	for i := range outcomes {
		o := &outcomes[i]
		if skip != "" || i >= len(after) {
			o.Change, o.Skip = Skipped, skip
			continue
		}
		o.After = after[i]
		o.compare(r.Cut > 0)
	}
	return outcomes
}

// account is whom the record was judged for.
func account(r *audit.Record) audit.Account {
	if r.OnBehalfOf != nil {
		return *r.OnBehalfOf
	}
	return r.Caller
}

func caller(r *audit.Record) review.Caller {
	return review.Caller{Kind: review.ServiceAccount, Namespace: r.Caller.Namespace, Name: r.Caller.ServiceAccountName, Via: r.Caller.Via}
}

// before are the verdicts that were given.
func before(r *audit.Record) []Outcome {
	who := account(r)
	subject := Subject{Phase: r.Phase, Namespace: who.Namespace, ServiceAccountName: who.ServiceAccountName}
	if r.Phase == audit.PhaseOffer {
		return []Outcome{{Subject: subject, Before: Verdict{
			Allowed: r.Allowed, WouldBlock: r.WouldBlock, Code: r.Offer.Code, Errors: r.Offer.Errors,
		}}}
	}
	outcomes := make([]Outcome, 0, len(r.Calls))
	for i := range r.Calls {
		c := &r.Calls[i]
		subject.Tool = c.Tool
		v := Verdict{Allowed: c.Allowed, WouldBlock: c.WouldBlock, Code: c.Code, Errors: c.Errors}
		if r.Phase == audit.PhaseExecution && v.Allowed && !r.Execution.Runs {
			v = notRun(v, r.Execution.Cause)
		}
		outcomes = append(outcomes, Outcome{Subject: subject, Before: v})
	}
	return outcomes
}

// notRun is the verdict on an execution that was allowed and does not run: what its caller
// gets is no result.
func notRun(v Verdict, cause string) Verdict {
	v.Allowed, v.Code = false, string(reviewv1alpha1.CodeUpstreamError)
	v.Errors = []string{v.Code + ":" + cause}
	return v
}

// after are the verdicts that would be given, or why that cannot be told.
func (j *Judge) after(r *audit.Record) ([]Verdict, Skip) {
	if r.Phase == audit.PhaseOffer {
		return j.offer(r)
	}
	in, skip := reviewOf(r)
	if skip != "" {
		return nil, skip
	}
	snap, told := j.snapshot(account(r), r.Outside)
	if !told {
		return nil, SkipTenantLabel
	}
	who := caller(r)
	answers, open := j.access(r, review.Needs(snap, who, &in))
	if q, asked := review.Delegation(who, &in); asked && answers[q] != review.Granted {
		return refused(len(in.Calls)), ""
	}
	verdicts := judge(r.Phase, snap, who, in, with(answers, open, review.Refused))
	// What nobody answered matters only if the verdict hangs on it.
	if len(open) > 0 && !equal(verdicts, judge(r.Phase, snap, who, in, with(answers, open, review.Granted))) {
		return nil, SkipAccess
	}
	return verdicts, ""
}

// refused are the verdicts on a review that its caller may not ask for.
func refused(n int) []Verdict {
	return slices.Repeat([]Verdict{{Code: string(reviewv1alpha1.CodeForbidden), Errors: []string{"forbidden:reviewas"}}}, n)
}

func judge(phase audit.Phase, snap *snapshot.Snapshot, who review.Caller, in toolcall.Review, answers review.Answers) []Verdict {
	if phase == audit.PhaseExecution {
		x := review.Executions(snap, who, in, answers)
		verdicts := verdictsOf(&x.Decision)
		if len(verdicts) == 1 && verdicts[0].Allowed && x.Run == nil {
			verdicts[0] = notRun(verdicts[0], x.Refusal.Cause)
		}
		return verdicts
	}
	d := review.Calls(snap, who, in, answers)
	return verdictsOf(&d)
}

// verdictsOf are the verdicts as they are where nothing is kept from the caller.
func verdictsOf(d *review.Decision) []Verdict {
	results := d.Whole
	if results == nil {
		results = d.Response.Results
	}
	verdicts := make([]Verdict, 0, len(results))
	for i := range results {
		c := &results[i]
		verdicts = append(verdicts, Verdict{Allowed: c.Allowed, WouldBlock: c.WouldBlock, Code: string(c.Code), Errors: c.Errors})
	}
	return verdicts
}

// reviewOf is the review that was recorded, or why it cannot be had.
func reviewOf(r *audit.Record) (in toolcall.Review, skip Skip) {
	in = toolcall.Review{UID: r.UID, Format: toolcall.Native}
	if r.OnBehalfOf != nil {
		in.OnBehalfOf = &toolcall.OnBehalfOf{Namespace: r.OnBehalfOf.Namespace, ServiceAccountName: r.OnBehalfOf.ServiceAccountName}
	}
	if c := r.Context; c != nil {
		in.Context.Tenant = c.Tenant
		switch {
		case c.Attributes != nil:
			in.Context.Attributes = []byte(*c.Attributes)
		case c.AttributesDigest != "":
			return in, lacking(r)
		}
	}
	for i := range r.Calls {
		c, skip := callOf(r, &r.Calls[i])
		if skip != "" {
			return in, skip
		}
		in.Calls = append(in.Calls, c)
	}
	return in, ""
}

// lacking says why a value is not there.
func lacking(r *audit.Record) Skip {
	if r.Arguments == audit.KeptFull {
		return SkipCut
	}
	return SkipDigest
}

func callOf(r *audit.Record, c *audit.Call) (toolcall.Call, Skip) {
	call := toolcall.Call{
		ID: c.ID, Name: c.Tool, Fault: toolcall.Fault(c.Fault), FreeText: c.FreeText, IntegersByValue: c.IntegersByValue,
	}
	switch {
	case c.ExactName != nil:
		call.Name = *c.ExactName
	case r.Cut > 0 && (c.Tool == "" || strings.HasSuffix(c.Tool, "…") || strings.Contains(c.Tool, `\u`)):
		return call, SkipCut
	}
	if call.Fault != toolcall.NoFault {
		return call, "" // it is judged without its arguments
	}
	switch {
	case c.ArgumentsCut:
		return call, SkipCut
	case c.Arguments != nil:
		call.Arguments = []byte(*c.Arguments)
	case c.ArgumentsDigest != "" || r.Arguments != audit.KeptFull:
		return call, lacking(r)
	}
	return call, ""
}
