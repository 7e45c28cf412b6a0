package audit

import (
	"cmp"
	"slices"
	"time"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/toolcall"
)

// Verdict is one verdict, as those have it who give it.
type Verdict struct {
	Phase Phase
	// Caller is who asked.
	Caller review.Caller
	// Took is how long the review has taken up to now.
	Took time.Duration

	// Review and Decision are those of calls and executions, Execution of these alone.
	Review    *toolcall.Review
	Decision  *review.Decision
	Execution *review.Execution

	// Offer and OfferDecision are those of offers. Questions are what validators were
	// asked, Answers what they said, in the same order.
	Offer         *toolcall.Offer
	OfferDecision *review.OfferDecision
	Questions     []review.Question
	Answers       []review.Answer
}

// Allowed says whether the verdict is an allow.
func (v *Verdict) Allowed() bool {
	switch {
	case v.OfferDecision != nil:
		return v.OfferDecision.Response.Allowed
	case v.Decision != nil:
		return v.Decision.Response.Allowed
	}
	return false
}

// NewRecord makes the record of a verdict that was given now.
func NewRecord(v *Verdict, key Key, now time.Time) *Record {
	b := builder{verdict: v, key: key, room: room{left: listBytes}}
	b.record = &Record{
		APIVersion: APIVersion, Kind: KindVerdict, Time: now.UTC(), Phase: v.Phase,
		Caller:               Account{Namespace: v.Caller.Namespace, ServiceAccountName: v.Caller.Name, Via: v.Caller.Via},
		DurationMicroseconds: max(0, v.Took.Microseconds()),
		Arguments:            KeptDigest,
	}
	switch {
	case v.OfferDecision != nil && v.Offer != nil:
		b.offer()
	case v.Decision != nil && v.Review != nil:
		b.calls()
	}
	b.record.Cut = b.room.cut
	return b.record
}

type builder struct {
	verdict *Verdict
	key     Key
	room    room
	record  *Record
}

// grounds are the members that every phase has.
func (b *builder) grounds(g *review.Grounds) {
	r := b.record
	if who, caller := g.For, b.verdict.Caller; who.Name != "" && (who.Namespace != caller.Namespace || who.Name != caller.Name) {
		r.OnBehalfOf = &Account{Namespace: who.Namespace, ServiceAccountName: who.Name}
	}
	if g.KeepArguments {
		r.Arguments = KeptFull
	}
	r.Policies, r.Tenant = b.room.list(g.Policies), g.Tenant
	outside := Outside{Access: b.access(g.Answers)}
	for _, l := range g.TenantLabels {
		if b.room.take(elementBytes) {
			outside.TenantLabels = append(outside.TenantLabels, Label{Label: b.room.text(l.Label), Value: b.room.text(l.Value)})
		}
	}
	if outside.Access != nil || outside.TenantLabels != nil {
		r.Outside = &outside
	}
}

func (b *builder) access(answers review.Answers) []Access {
	if len(answers) == 0 {
		return nil
	}
	out := make([]Access, 0, len(answers))
	for q, answer := range answers {
		out = append(out, Access{
			Namespace: q.Namespace, ServiceAccountName: q.ServiceAccount, Verb: q.Verb, Group: q.Group, Resource: q.Resource,
			ObjectNamespace: q.In, ObjectName: q.Name, Answer: answerWord(answer),
		})
	}
	slices.SortFunc(out, func(x, y Access) int {
		return cmp.Or(cmp.Compare(x.Verb, y.Verb), cmp.Compare(x.ObjectName, y.ObjectName), cmp.Compare(x.ObjectNamespace, y.ObjectNamespace))
	})
	kept := out[:0]
	for i := range out {
		if b.room.take(accessBytes) {
			kept = append(kept, out[i])
		}
	}
	return kept
}

func answerWord(a review.AccessAnswer) string {
	switch a {
	case review.Granted:
		return AnswerGranted
	case review.Refused:
		return AnswerRefused
	}
	return AnswerUnanswered
}

// calls fills in what is of a review of calls, or of an execution.
func (b *builder) calls() {
	in, d := b.verdict.Review, b.verdict.Decision
	r := b.record
	r.UID, r.Allowed, r.Revision, r.Format = d.Response.UID, d.Response.Allowed, d.Response.Revision, string(in.Format)
	b.grounds(&d.Grounds)
	results := d.Whole
	if results == nil {
		results = d.Response.Results
	}
	r.Calls = make([]Call, 0, len(results))
	for i := range min(len(results), len(in.Calls)) {
		r.Calls = append(r.Calls, b.call(&in.Calls[i], &results[i], d.Audit, i))
		r.WouldBlock = r.WouldBlock || results[i].WouldBlock
	}
	r.Warnings = b.room.optional(d.Response.Warnings)
	if x := b.verdict.Execution; x != nil {
		r.Execution = b.execution(x)
	}
	// What lists left of their half goes to the arguments.
	b.room.left += textBytes - listBytes
	b.context(in.Context)
	if r.Arguments == KeptFull {
		b.arguments()
	}
}

func (b *builder) call(in *toolcall.Call, result *reviewv1alpha1.ToolCallResult, findings []review.AuditFinding, index int) Call {
	c := Call{
		ID: b.room.text(shown.Name(in.ID)), Tool: b.room.text(shown.Name(in.EffectiveName())),
		Allowed: result.Allowed, WouldBlock: result.WouldBlock, Code: string(result.Code),
		Policies: b.room.list(result.Policies), Errors: b.room.list(result.Errors), Warnings: b.room.optional(result.Warnings),
		Fault: string(in.Fault), FreeText: in.FreeText, IntegersByValue: in.IntegersByValue,
	}
	if name := in.EffectiveName(); name != c.Tool {
		if exact := b.room.text(name); exact != "" {
			c.ExactName = &exact
		}
	}
	for i := range findings {
		if f := &findings[i]; f.Index == index && b.room.take(elementBytes) {
			c.Audited = append(c.Audited, Finding{Code: string(f.Code), Errors: b.room.list(f.Errors), Policies: b.room.list(f.Policies)})
		}
	}
	switch {
	case result.ArgumentsDigest != "":
		c.ArgumentsDigest = b.key.judged(result.ArgumentsDigest)
	case len(in.Arguments) > 0:
		c.ArgumentsDigest = b.key.text(in.Arguments)
	}
	if c.ArgumentsDigest != "" {
		b.record.DigestKey = b.key.ID()
	}
	return c
}

func (b *builder) execution(x *review.Execution) *Execution {
	if x.Run != nil {
		return &Execution{Runs: true, Adapter: x.Run.AdapterName}
	}
	return &Execution{Cause: x.Refusal.Cause, Detail: b.room.text(shown.Escape(x.Refusal.Detail))}
}

// context keeps what the application said, its attributes as arguments are kept.
func (b *builder) context(c toolcall.Context) {
	if c.Tenant == "" && c.Attributes == nil {
		return
	}
	out := Context{Tenant: shown.Escape(c.Tenant)}
	if c.Attributes != nil {
		out.AttributesDigest = b.key.text(c.Attributes)
		b.record.DigestKey = b.key.ID()
		if b.record.Arguments == KeptFull {
			if text, cut := b.room.beginning(c.Attributes); !cut {
				out.Attributes = &text
			}
		}
	}
	b.record.Context = &out
}

// arguments keeps the texts of the calls, in their order, for as long as there is room.
func (b *builder) arguments() {
	for i := range b.record.Calls {
		c, in := &b.record.Calls[i], &b.verdict.Review.Calls[i]
		if in.Arguments == nil {
			continue
		}
		text, cut := b.room.beginning(in.Arguments)
		c.Arguments, c.ArgumentsCut = &text, cut
	}
}
