package review

import (
	"slices"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// TracedOffer is how the verdict on an offer came about.
type TracedOffer struct {
	// Allowed and ReasonCode are those of the verdict. Until validators have answered it
	// is a block.
	Allowed    bool                             `json:"allowed"`
	ReasonCode reviewv1alpha1.RequestReasonCode `json:"reasonCode"`
	WouldBlock bool                             `json:"wouldBlock"`
	// Detail says more where no policy was asked, or nothing hangs on them.
	Detail string `json:"detail,omitempty"`
	// InvalidSchemas are the offered names whose own schema does not compile.
	InvalidSchemas []string `json:"invalidSchemas,omitempty"`
	// Policies are in the order of the trace's.
	Policies []TracedOfferView `json:"policies"`
}

// TracedOfferView is what one policy said.
type TracedOfferView struct {
	Policy string `json:"policy"`
	// Outcome is passed or failed.
	Outcome string `json:"outcome"`
	// Detail says why no name was looked at.
	Detail string   `json:"detail,omitempty"`
	Errors []string `json:"errors,omitempty"`
	// UnreadyTools are declared names whose ToolSchema is not accepted: each blocks every
	// offer.
	UnreadyTools []string `json:"unreadyTools,omitempty"`
	// Checks are what was looked at for all names: the tenant, where the application names
	// one.
	Checks []TracedCheck `json:"checks,omitempty"`
	Names  []TracedName  `json:"names,omitempty"`
	// Validator is the second opinion, nil where the policy wants none.
	Validator *TracedValidator `json:"validator,omitempty"`
}

// TracedName is what one policy said of one name.
type TracedName struct {
	Name string `json:"name"`
	// Outcome is passed or failed.
	Outcome string        `json:"outcome"`
	Detail  string        `json:"detail,omitempty"`
	Checks  []TracedCheck `json:"checks,omitempty"`
}

// TracedValidator is what became of the question to a validator.
type TracedValidator struct {
	// Outcome is valid, invalid, error or skipped.
	Outcome string `json:"outcome"`
	// Detail is the validator's reason, the cause of an error, or why it was not asked.
	Detail string `json:"detail,omitempty"`
}

// ExplainOffers judges as Offers does, and tells how. Answered adds what validators said.
func ExplainOffers(snap *snapshot.Snapshot, caller Caller, in *toolcall.Offer, schemas *SchemaChecks, answers Answers) (OfferDecision, *Trace) {
	trace := &Trace{}
	d, _ := judgeOffer(snap, caller, in, schemas.begin(allSchemaBytes), answers, expr.PerReviewLimit, trace)
	d.offer.trace.end(d.offer, &d)
	return d, trace
}

// offer begins the trace of an offer.
func (t *Trace) offer(o *offer) *TracedOffer {
	if t == nil {
		return nil
	}
	t.Offer = &TracedOffer{InvalidSchemas: shownSet(o.badSchemas), Policies: []TracedOfferView{}}
	for i := range o.views {
		p := o.views[i].policy
		v := TracedOfferView{Policy: p.String(), UnreadyTools: shownSet(p.UnreadyTools)}
		switch {
		case p.Broken:
			v.Detail = whyBroken
		case o.in.Context.Tenant != "":
			v.Checks = append(v.Checks, o.eval.tenantCheck(i, p))
		}
		t.Offer.Policies = append(t.Offer.Policies, v)
	}
	return t.Offer
}

// name begins what a policy says of one name.
func (t *TracedOffer) name(view int, name string, o *offer) {
	if t == nil {
		return
	}
	p, tool := o.views[view].policy, o.ns.Tools[name]
	passes, undeclared := p.TakesOffer(name, tool)
	n := TracedName{Name: shown.Name(name), Outcome: OutcomePassed, Detail: "declared"}
	switch {
	case tool != nil && !p.SelectsTool(tool):
		n.Outcome, n.Detail = OutcomeFailed, "schemaSelector does not select its ToolSchema "+tool.Object
	case !passes:
		n.Outcome, n.Detail = OutcomeFailed, "not declared"
	case undeclared:
		n.Detail = "not declared, which undeclaredTools: Allow lets pass"
	}
	if passes && tool != nil && !tool.Ready() {
		n.Outcome, n.Detail = OutcomeFailed, n.Detail+"; its ToolSchema "+tool.Object+" is not accepted"
	}
	t.Policies[view].Names = append(t.Policies[view].Names, n)
}

// check notes what was looked at for the name at hand.
func (t *TracedOffer) check(view int, looked func() TracedCheck) {
	if t == nil {
		return
	}
	names := t.Policies[view].Names
	last := &names[len(names)-1]
	c := looked()
	if c.Outcome != "true" && c.Outcome != OutcomeSkipped {
		last.Outcome = OutcomeFailed
	}
	last.Checks = append(last.Checks, c)
}

// answered notes what a validator said.
func (t *TracedOffer) answered(view int, a Answer) {
	if t == nil {
		return
	}
	v := &TracedValidator{Outcome: "invalid", Detail: a.Reason}
	switch {
	case a.Cause != "":
		v.Outcome, v.Detail = "error", a.Cause
		if a.Detail != "" {
			v.Detail += ": " + shown.Escape(a.Detail)
		}
	case a.Valid:
		v.Outcome = "valid"
	}
	t.Policies[view].Validator = v
}

// end notes the verdict.
func (t *TracedOffer) end(o *offer, d *OfferDecision) {
	if t == nil {
		return
	}
	r := o.whole(o.blocked() || len(d.Questions) > 0)
	t.Allowed, t.ReasonCode, t.WouldBlock = r.Allowed, r.ReasonCode, r.WouldBlock
	switch {
	case len(o.views) == 0:
		t.Detail = "no policy selects the caller"
	case len(o.malformed) > 0:
		t.Detail = "entries are malformed, which blocks whatever the policies say"
	}
	for i := range t.Policies {
		v, tv := &o.views[i], &t.Policies[i]
		tv.Outcome, tv.Errors = OutcomePassed, sortedSet(v.errors)
		if v.failed() {
			tv.Outcome = OutcomeFailed
		}
		if v.policy.Semantic != nil && tv.Validator == nil {
			asked := slices.ContainsFunc(d.Questions, func(q Question) bool { return q.view == i })
			tv.Validator = &TracedValidator{Outcome: OutcomeSkipped, Detail: "the offer is blocked without it"}
			switch {
			case asked:
				tv.Validator.Detail = "it was not asked yet"
			case v.failed():
				tv.Validator.Detail = "the policy says no without it"
			}
		}
	}
}
