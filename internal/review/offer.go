package review

import (
	"slices"
	"strconv"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// OfferDecision is the outcome of one review of an offer. Until every question has its
// answer it is a block.
type OfferDecision struct {
	Response reviewv1alpha1.ToolRequestReviewResponse
	// Audit is what to record besides the verdict. Unlike the response it is whole,
	// whatever the policies disclose.
	Audit []OfferFinding
	// Questions are to be asked before the verdict is known, one for each policy that has
	// a validator. There are none unless everything else passes. Answered takes the
	// answers.
	Questions []Question

	offer *offer
}

// OfferFinding is what one policy found.
type OfferFinding struct {
	Policy string
	// Code is ok for a policy that lets the offer pass, and records what it has no entry
	// for.
	Code reviewv1alpha1.RequestReasonCode
	// Errors are sorted.
	Errors []string
	// Detail says why a validator gave no answer, for people who run Callgate.
	Detail string
}

// Offers judges one offer for one caller (design section 6). snap must not be nil.
// schemas remembers what became of offered schemas; nil remembers nothing. answers are
// those to what Needs gives for the offer's Session.
func Offers(snap *snapshot.Snapshot, caller Caller, in *toolcall.Offer, schemas *SchemaChecks, answers Answers) OfferDecision {
	d, _ := judgeOffer(snap, caller, in, schemas.begin(allSchemaBytes), answers, expr.PerReviewLimit, nil)
	return d
}

// CheapOffers judges as Offers does if few of the offered schemas have to be compiled
// for it, and the rules cost little. ok is false if that is not enough; then Offers has to
// be asked.
func CheapOffers(snap *snapshot.Snapshot, caller Caller, in *toolcall.Offer, schemas *SchemaChecks, answers Answers) (d OfferDecision, ok bool) {
	if d, ok = judgeOffer(snap, caller, in, schemas.begin(cheapSchemaBytes), answers, smallCost, nil); !ok {
		return OfferDecision{}, false
	}
	return d, true
}

// judgeOffer judges at the cost that checks and the rules may have. ok is false where
// that was not enough for some of them, which then block.
func judgeOffer(snap *snapshot.Snapshot, caller Caller, in *toolcall.Offer, checks *schemaRun, answers Answers, cost uint64, trace *Trace) (_ OfferDecision, ok bool) {
	session := in.Session()
	caller = Effective(caller, session, answers)
	ns, policies := applying(snap, caller)
	o := &offer{in: in, ns: ns, revision: snap.Revision, eval: newEvaluation(caller, policies, session, answers, cost)}
	o.collect(checks)
	if checks.exhausted {
		return OfferDecision{}, false
	}
	for _, p := range policies {
		o.views = append(o.views, offerView{policy: p})
	}
	trace.begin(o.eval, ns, policies)
	o.trace = trace.offer(o)
	for i := range o.views {
		o.judge(i)
	}
	d := OfferDecision{offer: o}
	if !o.blocked() {
		d.Questions = o.questions()
	}
	return d.settle(), !o.eval.exceeded
}

// offer is one offer under judgement.
type offer struct {
	in       *toolcall.Offer
	ns       *compile.Namespace
	revision string
	// names are all names of the offer, as it has them, sorted; offered those that an
	// entry without a fault has.
	names, offered []string
	malformed      []reviewv1alpha1.MalformedEntry
	// badSchemas are the names whose offered schema does not compile, sorted, and notes
	// what else is to be said of offered schemas.
	badSchemas, notes []string
	views             []offerView
	eval              *evaluation

	// Of the validators' answers.
	validated bool
	reason    string

	// trace is nil where nobody wants to know how the verdict came about.
	trace *TracedOffer
}

// offerView is how one policy sees the offer.
type offerView struct {
	policy     *compile.Policy
	undeclared []string
	invalid    []string
	// refused are the names that rules say no to.
	refused map[string]bool
	errors  []string
	detail  string
}

func (v *offerView) failed() bool { return len(v.errors) > 0 }

// collect takes stock of the offer itself, which is the same for every policy.
func (o *offer) collect(checks *schemaRun) {
	o.names = slices.Clone(o.in.Chosen)
	for i := range o.in.Entries {
		e := &o.in.Entries[i]
		o.names = append(o.names, e.Names...)
		if e.Fault != toolcall.EntryOK {
			bad := reviewv1alpha1.MalformedEntry{Index: int32(min(e.Index, toolcall.MaxOffered)), Reason: string(e.Fault)} //nolint:gosec // bounded on the line
			if !slices.Contains(o.malformed, bad) {
				o.malformed = append(o.malformed, bad)
			}
			continue
		}
		o.offered = append(o.offered, e.Names...)
		for _, s := range e.Schemas {
			check := checks.check(s)
			if !check.compiles {
				o.badSchemas = append(o.badSchemas, e.Names...)
			}
			for _, note := range check.notes {
				o.notes = append(o.notes, "offered_schema:"+shown.Name(e.Names[0])+":"+note)
			}
		}
	}
	slices.SortStableFunc(o.malformed, func(a, b reviewv1alpha1.MalformedEntry) int { return int(a.Index) - int(b.Index) })
	o.names, o.offered, o.badSchemas = sortedSet(o.names), sortedSet(o.offered), sortedSet(o.badSchemas)
	o.notes = sortedSet(o.notes)
	o.notes = o.notes[:min(len(o.notes), maxNotes)]
}

// maxNotes bounds what is said of offered schemas that compile: whoever has more to
// mend begins with these.
const maxNotes = 32

// judge asks one policy about the names. A policy that cannot be evaluated blocks.
func (o *offer) judge(i int) {
	v := &o.views[i]
	p := v.policy
	if p.Broken {
		v.errors = []string{"policy_error:" + p.Name}
		return
	}
	v.errors = o.tenant(i)
	v.invalid, v.refused = slices.Clone(p.UnreadyTools), map[string]bool{}
	for _, name := range o.names {
		tool := o.ns.Tools[name]
		passes, undeclared := p.TakesOffer(name, tool)
		o.trace.name(i, name, o)
		if undeclared {
			v.undeclared = append(v.undeclared, name)
		}
		if !passes {
			v.errors = append(v.errors, "unknown_tool:"+shown.Name(name))
			continue
		}
		if tool != nil && !tool.Ready() {
			v.invalid = append(v.invalid, name)
		}
		if errors := o.rules(i, name, tool); len(errors) > 0 {
			v.refused[name] = true
			v.errors = append(v.errors, errors...)
		}
	}
	v.invalid = sortedSet(v.invalid)
	for _, name := range v.invalid {
		v.errors = append(v.errors, "schema_not_ready:"+shown.Name(name))
	}
	for _, name := range o.badSchemas {
		v.errors = append(v.errors, "invalid_schema:"+shown.Name(name))
	}
}

// blocked says whether the offer must not be made, by what is known so far.
func (o *offer) blocked() bool {
	return len(o.malformed) > 0 || len(o.views) == 0 ||
		slices.ContainsFunc(o.views, func(v offerView) bool { return v.policy.Deny && v.failed() })
}

// permitted are the names that could be offered alone and would pass. Where a validator
// can block there are none in a blocked offer: it has said yes to no part of it. A name
// that is not shown as it is cannot be told to the client.
func (o *offer) permitted(blocked bool) []string {
	names := []string{}
	if len(o.views) == 0 || blocked && slices.ContainsFunc(o.views, func(v offerView) bool { return v.policy.Deny && v.policy.Semantic != nil }) {
		return names
	}
	for _, name := range o.offered {
		if _, bad := slices.BinarySearch(o.badSchemas, name); !bad && shown.Name(name) == name && o.passes(name) {
			names = append(names, name)
		}
	}
	return names
}

func (o *offer) passes(name string) bool {
	tool := o.ns.Tools[name]
	for i := range o.views {
		v := &o.views[i]
		p := v.policy
		if !p.Deny {
			continue
		}
		passes, _ := p.TakesOffer(name, tool)
		if p.Broken || len(o.tenant(i)) > 0 || len(p.UnreadyTools) > 0 || !passes || v.refused[name] || tool != nil && !tool.Ready() {
			return false
		}
	}
	return true
}

// settle writes the response and the record from what is known.
func (d OfferDecision) settle() OfferDecision {
	o := d.offer
	blocked := o.blocked() || len(d.Questions) > 0
	r := o.whole(blocked)
	if blocked && o.discloses() != callgatev1alpha1.DisclosureFull {
		r.Details, r.PermittedTools, r.Warnings, r.Policies = noDetails(), []string{}, []string{}, []string{}
	}
	d.Response, d.Audit = r, o.audit(blocked)
	return d
}

// whole is the response before anything of it is kept from the caller.
func (o *offer) whole(blocked bool) reviewv1alpha1.ToolRequestReviewResponse {
	r := reviewv1alpha1.ToolRequestReviewResponse{
		UID: o.in.UID, Phase: reviewv1alpha1.PhasePreRequest, Revision: o.revision,
		Verdict: reviewv1alpha1.VerdictBlock, ReasonCode: reviewv1alpha1.ReasonRequestInvalid,
		Details: o.details(), PermittedTools: o.permitted(blocked), Warnings: o.warnings(), Policies: o.policies(blocked),
	}
	if !blocked {
		r.Allowed, r.Verdict, r.ReasonCode = true, reviewv1alpha1.VerdictAllow, reviewv1alpha1.ReasonRequestOK
		r.WouldBlock = slices.ContainsFunc(o.views, func(v offerView) bool { return v.failed() })
	}
	return r
}

func noDetails() reviewv1alpha1.ToolRequestDetails {
	return reviewv1alpha1.ToolRequestDetails{
		RequestedTools: []string{}, UndeclaredTools: []string{}, InvalidSchemas: []string{},
		MalformedEntries: []reviewv1alpha1.MalformedEntry{},
	}
}

// details are the findings of the policies that tell the caller any: those with Audit
// alone tell the record only.
func (o *offer) details() reviewv1alpha1.ToolRequestDetails {
	d := noDetails()
	d.RequestedTools = shownSet(o.names)
	var invalid, undeclared []string
	if o.tells() {
		invalid = slices.Clone(o.badSchemas)
	}
	for i := range o.views {
		if v := &o.views[i]; v.policy.Deny || v.policy.Warn {
			undeclared = append(undeclared, v.undeclared...)
			invalid = append(invalid, v.invalid...)
		}
	}
	if len(o.views) == 0 {
		undeclared = o.names // nobody declares anything to a caller without a policy
	}
	d.UndeclaredTools, d.InvalidSchemas = shownSet(undeclared), shownSet(invalid)
	d.MalformedEntries = append(d.MalformedEntries, o.malformed...)
	d.SemanticReason, d.SemanticValidated = o.reason, o.validated
	return d
}

// tells says whether the caller is told what is wrong with the offer itself: not where
// all policies are for the record only.
func (o *offer) tells() bool {
	return len(o.views) == 0 || slices.ContainsFunc(o.views, func(v offerView) bool { return v.policy.Deny || v.policy.Warn })
}

func (o *offer) warnings() []string {
	var warnings []string
	if o.tells() {
		warnings = slices.Clone(o.notes)
	}
	for i := range o.views {
		if v := &o.views[i]; v.policy.Warn && !v.policy.Deny {
			warnings = append(warnings, v.errors...)
		}
	}
	return sortedSet(warnings)
}

func (o *offer) policies(blocked bool) []string {
	var names []string
	for i := range o.views {
		if v := &o.views[i]; !blocked || v.policy.Deny && v.failed() {
			names = append(names, v.policy.String())
		}
	}
	return sortedSet(names)
}

// discloses is the least that any of the policies tells.
func (o *offer) discloses() callgatev1alpha1.Disclosure {
	least := callgatev1alpha1.DisclosureFull
	for i := range o.views {
		least = lesser(least, o.views[i].policy.Disclosure)
	}
	return least
}

// audit has a finding for each policy that found something wrong, and for each that let
// a name pass which it does not declare; and one without a policy for what blocks
// whatever the policies say.
func (o *offer) audit(blocked bool) []OfferFinding {
	var findings []OfferFinding
	for i := range o.views {
		v := &o.views[i]
		f := OfferFinding{Policy: v.policy.String(), Code: reviewv1alpha1.ReasonRequestInvalid, Errors: sortedSet(v.errors), Detail: v.detail}
		if !v.failed() {
			f.Code = reviewv1alpha1.ReasonRequestOK
			for _, name := range shownSet(v.undeclared) {
				f.Errors = append(f.Errors, "undeclared_tool:"+name)
			}
		}
		if len(f.Errors) > 0 {
			findings = append(findings, f)
		}
	}
	own := OfferFinding{Code: reviewv1alpha1.ReasonRequestInvalid}
	for _, m := range o.malformed {
		own.Errors = append(own.Errors, "malformed_entry:"+strconv.Itoa(int(m.Index))+":"+m.Reason)
	}
	if blocked && len(o.views) == 0 {
		own.Errors = append(own.Errors, string(reviewv1alpha1.CodeNoPolicy))
	}
	if len(own.Errors) > 0 {
		findings = append(findings, own)
	}
	return findings
}

// shownSet is a set of names as they are shown, sorted last.
func shownSet(names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		out = append(out, shown.Name(name))
	}
	return sortedSet(out)
}
