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
	d := review.Offers(snap, caller(r), offerOf(r), nil)
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

func offerOf(r *audit.Record) *toolcall.Offer {
	in := &toolcall.Offer{UID: r.UID, Format: toolcall.Native, Chosen: r.Offer.Chosen}
	for _, e := range r.Offer.Entries {
		entry := toolcall.OfferEntry{Index: e.Index, Names: e.Names, Fault: toolcall.EntryFault(e.Fault)}
		if e.InvalidSchema {
			entry.Schemas = []toolcall.OfferedSchema{{Text: []byte(brokenSchema)}}
		}
		in.Entries = append(in.Entries, entry)
	}
	return in
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
