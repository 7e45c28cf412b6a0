package audit

import (
	"slices"

	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/shown"
)

// offer fills in what is of an offer. Of its schemas it keeps whether they compile: that
// hangs on no policy.
func (b *builder) offer() {
	in, d := b.verdict.Offer, b.verdict.OfferDecision
	whole := d.Whole()
	r := b.record
	r.UID, r.Allowed, r.WouldBlock, r.Revision, r.Format = whole.UID, whole.Allowed, whole.WouldBlock, whole.Revision, string(in.Format)
	g := d.Grounds()
	b.grounds(&g)
	b.context(in.Context)
	o := &Offer{
		Code: string(whole.ReasonCode), Policies: b.room.list(whole.Policies), Errors: b.room.list(OfferErrors(d)),
		Warnings: b.room.optional(whole.Warnings), SemanticReason: b.room.text(shown.Escape(whole.Details.SemanticReason)),
		PermittedTools: b.room.list(whole.PermittedTools), Entries: []OfferEntry{},
	}
	for i := range d.Audit {
		f := &d.Audit[i]
		if !b.room.take(elementBytes) {
			break
		}
		finding := Finding{Code: string(f.Code), Errors: b.room.list(f.Errors), Detail: b.room.text(shown.Escape(f.Detail))}
		if f.Policy != "" {
			finding.Policies = b.room.list([]string{f.Policy})
		}
		o.Audited = append(o.Audited, finding)
	}
	b.validators()
	b.room.left += textBytes - listBytes
	b.entries(o)
	r.Offer = o
}

// OfferErrors are the errors of the policies that blocked, and of the offer itself,
// sorted; none of an offer that is allowed.
func OfferErrors(d *review.OfferDecision) []string {
	whole := d.Whole()
	errors := []string{}
	if whole.Allowed {
		return errors
	}
	for i := range d.Audit {
		f := &d.Audit[i]
		if f.Policy == "" || slices.Contains(whole.Policies, f.Policy) {
			errors = append(errors, f.Errors...)
		}
	}
	slices.Sort(errors)
	return slices.Compact(errors)
}

func (b *builder) entries(o *Offer) {
	invalid := b.verdict.OfferDecision.InvalidOffered()
	for i := range b.verdict.Offer.Entries {
		in := &b.verdict.Offer.Entries[i]
		if !b.room.take(elementBytes) {
			return
		}
		e := OfferEntry{Index: in.Index, Names: b.room.list(in.Names), Fault: string(in.Fault)}
		e.InvalidSchema = len(in.Schemas) > 0 && slices.ContainsFunc(in.Names, func(name string) bool {
			_, bad := slices.BinarySearch(invalid, name)
			return bad
		})
		o.Entries = append(o.Entries, e)
	}
	o.Chosen = b.room.optional(b.verdict.Offer.Chosen)
}

// validators keeps what those said that were asked.
func (b *builder) validators() {
	for i, q := range b.verdict.Questions {
		if i >= len(b.verdict.Answers) || !b.room.take(elementBytes) {
			break
		}
		a := b.verdict.Answers[i]
		if b.record.Outside == nil {
			b.record.Outside = &Outside{}
		}
		b.record.Outside.Validators = append(b.record.Outside.Validators, Validation{
			Policy: b.room.text(q.Namespace + "/" + q.Policy), Valid: a.Valid, Cause: a.Cause,
			Reason: b.room.text(shown.Escape(a.Reason)), Detail: b.room.text(shown.Escape(a.Detail)),
		})
	}
}
