package replay

import (
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/toolcall"
)

// brokenSchema stands for a schema that does not compile: whether one does hangs on no
// policy, and so the record has only that.
const brokenSchema = `{"type":0}`

// offer judges a recorded offer again.
func (j *Judge) offer(r *audit.Record) ([]Verdict, Skip) {
	if r.Cut > 0 {
		return nil, SkipCut
	}
	snap, told := j.snapshot(account(r), r.Outside)
	if !told {
		return nil, SkipTenantLabel
	}
	in, skip := offerOf(r)
	if skip != "" {
		return nil, skip
	}
	who := caller(r)
	given, open := j.access(r, review.Needs(snap, who, in.Session()))
	if q, asked := review.Delegation(who, in.Session()); asked && given[q] != review.Granted {
		return refused(1), ""
	}
	if len(open) > 0 {
		return nil, SkipAccess
	}
	d := review.Offers(snap, who, in, nil, given)
	answers := make([]review.Answer, 0, len(d.Questions))
	for _, q := range d.Questions {
		answer, told := j.validation(r, q)
		if !told {
			return nil, SkipValidator
		}
		answers = append(answers, answer)
	}
	d = d.Answered(answers)
	whole := d.Whole()
	return []Verdict{{
		Allowed: whole.Allowed, WouldBlock: whole.WouldBlock, Code: string(whole.ReasonCode), Errors: audit.OfferErrors(&d),
	}}, ""
}

// offerOf is the offer that was recorded, or why it cannot be had.
func offerOf(r *audit.Record) (*toolcall.Offer, Skip) {
	session, skip := reviewOf(r)
	if skip != "" {
		return nil, skip
	}
	in := &toolcall.Offer{UID: r.UID, Format: toolcall.Native, Chosen: r.Offer.Chosen, Context: session.Context, OnBehalfOf: session.OnBehalfOf}
	for _, e := range r.Offer.Entries {
		entry := toolcall.OfferEntry{Index: e.Index, Names: e.Names, Fault: toolcall.EntryFault(e.Fault)}
		if e.InvalidSchema {
			entry.Schemas = []toolcall.OfferedSchema{{Text: []byte(brokenSchema)}}
		}
		in.Entries = append(in.Entries, entry)
	}
	return in, ""
}

// validation is what the validator of a policy said then, or is taken to say.
func (j *Judge) validation(r *audit.Record, q review.Question) (review.Answer, bool) {
	if r.Outside != nil {
		for _, v := range r.Outside.Validators {
			if v.Policy == q.Namespace+"/"+q.Policy {
				return review.Answer{Valid: v.Valid, Reason: v.Reason, Cause: v.Cause}, true
			}
		}
	}
	if j.proposal.Validator != nil {
		return review.Answer{Valid: *j.proposal.Validator}, true
	}
	return review.Answer{}, false
}
