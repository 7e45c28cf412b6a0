package replay

import (
	"maps"
	"slices"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
)

// Proposal is the policy set by which records are judged again.
type Proposal struct {
	// Input are the objects. Where NamespaceLabels has no entry for a namespace, the
	// labels that a record tells of are taken.
	Input compile.Input
	// Access answers by the roles that are proposed. Nil where none are: then the answers
	// that a record tells of are taken.
	Access func([]review.Access) review.Answers
	// Validator is what to take for the answer of a validator that a record does not tell
	// of. Nil: then nobody can tell what would become of the offer.
	Validator *bool
}

// Judge judges records. It is not safe for concurrent use.
type Judge struct {
	proposal Proposal
	// labels are the labels of each namespace that tenants are read from, where they are
	// not known.
	labels map[string][]string

	out  *compile.Output
	snap *snapshot.Snapshot
}

// NewJudge compiles the proposal.
func NewJudge(p Proposal) *Judge {
	j := &Judge{proposal: p, labels: map[string][]string{}}
	j.proposal.Input.NamespaceLabels = maps.Clone(p.Input.NamespaceLabels)
	if j.proposal.Input.NamespaceLabels == nil {
		j.proposal.Input.NamespaceLabels = map[string]map[string]string{}
	}
	for _, policy := range p.Input.Policies {
		if _, known := p.Input.NamespaceLabels[policy.Namespace]; known || policy.Spec.Tenant.From != callgatev1alpha1.TenantFromNamespaceLabel {
			continue
		}
		if label := policy.Spec.Tenant.Label; !slices.Contains(j.labels[policy.Namespace], label) {
			j.labels[policy.Namespace] = append(j.labels[policy.Namespace], label)
		}
	}
	j.compile()
	return j
}

func (j *Judge) compile() {
	j.out = compile.Compile(j.proposal.Input, j.out)
	j.snap = snapshot.New(j.out)
}

// Output is what became of the proposal's objects.
func (j *Judge) Output() *compile.Output { return j.out }

// snapshot is the set that judges a record of a namespace: with the labels that the record
// tells of, where the proposal has none. ok is false where it does not tell of one that a
// policy for the account reads its tenant from.
func (j *Judge) snapshot(account audit.Account, outside *audit.Outside) (_ *snapshot.Snapshot, ok bool) {
	wanted := j.labels[account.Namespace]
	if len(wanted) == 0 {
		return j.snap, true
	}
	recorded := map[string]string{}
	if outside != nil {
		for _, l := range outside.TenantLabels {
			if slices.Contains(wanted, l.Label) {
				recorded[l.Label] = l.Value
			}
		}
	}
	if known, had := j.proposal.Input.NamespaceLabels[account.Namespace]; !had || !maps.Equal(known, recorded) {
		j.proposal.Input.NamespaceLabels[account.Namespace] = recorded
		j.compile()
	}
	ns := j.snap.Namespaces[account.Namespace]
	for _, p := range ns.Policies {
		if label := p.TenantLabel(); label != "" && p.Selects(account.ServiceAccountName) {
			if _, told := recorded[label]; !told {
				return nil, false
			}
		}
	}
	return j.snap, true
}

// access gives the answers to questions: those of the roles that are proposed, or those
// that the record tells of. What neither has is left out, and open is true.
func (j *Judge) access(r *audit.Record, questions []review.Access) (answers review.Answers, open []review.Access) {
	if j.proposal.Access != nil {
		return j.proposal.Access(questions), nil
	}
	recorded := recordedAnswers(r)
	answers = make(review.Answers, len(questions))
	for _, q := range questions {
		answer, told := recorded[q]
		switch {
		case told && answer != review.Unanswered:
			answers[q] = answer
		case isDelegation(q):
			// There is a verdict, and without this right there would be none.
			answers[q] = review.Granted
		default:
			open = append(open, q)
		}
	}
	return answers, open
}

func recordedAnswers(r *audit.Record) review.Answers {
	if r.Outside == nil {
		return nil
	}
	answers := make(review.Answers, len(r.Outside.Access))
	for _, a := range r.Outside.Access {
		q := review.Access{
			Namespace: a.Namespace, ServiceAccount: a.ServiceAccountName, Verb: a.Verb, Group: a.Group, Resource: a.Resource,
			In: a.ObjectNamespace, Name: a.ObjectName,
		}
		switch a.Answer {
		case audit.AnswerGranted:
			answers[q] = review.Granted
		case audit.AnswerRefused:
			answers[q] = review.Refused
		default:
			answers[q] = review.Unanswered
		}
	}
	return answers
}

func isDelegation(q review.Access) bool { return q.Verb == "reviewas" }

// with adds one answer to all questions that are open.
func with(answers review.Answers, open []review.Access, answer review.AccessAnswer) review.Answers {
	all := maps.Clone(answers)
	if all == nil {
		all = review.Answers{}
	}
	for _, q := range open {
		all[q] = answer
	}
	return all
}
