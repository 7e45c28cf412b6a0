package review

import (
	"cmp"
	"slices"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
)

// Grounds are what a verdict rests on besides the snapshot and the review: whoever keeps
// a record of the verdict can judge the review again by them.
type Grounds struct {
	// For is the account that was judged for.
	For Caller
	// Policies are all that apply to it, sorted.
	Policies []string
	// Tenant is the one that they agree on, "" where they do not, or there is none.
	Tenant string
	// TenantLabels are the labels of the namespace that they read tenants from, sorted by
	// label, each once.
	TenantLabels []TenantLabel
	// Answers are what the outside said.
	Answers Answers
	// KeepArguments: every one of them, and there is one, lets audit keep the arguments
	// themselves. One that does not forbids it for all.
	KeepArguments bool
}

// TenantLabel is a label of a namespace that a tenant is read from. Value is "" where it
// is absent or can be no tenant.
type TenantLabel struct{ Label, Value string }

// Grounds are those of the verdict on an offer, with Answers to no question but those of
// the authorizer: what validators said is for whoever asked them to tell.
func (d *OfferDecision) Grounds() Grounds {
	if d.offer == nil {
		return Grounds{}
	}
	policies := make([]*compile.Policy, 0, len(d.offer.views))
	for i := range d.offer.views {
		policies = append(policies, d.offer.views[i].policy)
	}
	return groundsOf(d.offer.eval, policies)
}

// Whole is the response as it is where nothing is kept from the caller. It is for the
// record alone.
func (d *OfferDecision) Whole() reviewv1alpha1.ToolRequestReviewResponse {
	if d.offer == nil {
		return d.Response
	}
	return d.offer.whole(d.offer.blocked() || len(d.Questions) > 0)
}

// InvalidOffered are the names of the offer's own entries whose schema does not compile,
// as the offer has them, sorted.
func (d *OfferDecision) InvalidOffered() []string {
	if d.offer == nil {
		return nil
	}
	return slices.Clone(d.offer.badSchemas)
}

func groundsOf(e *evaluation, policies []*compile.Policy) Grounds {
	g := Grounds{For: e.caller, Answers: e.answers, KeepArguments: len(policies) > 0}
	if tenant, agreed := e.tenant(); agreed {
		g.Tenant = tenant
	}
	for _, p := range policies {
		g.Policies = append(g.Policies, p.String())
		g.KeepArguments = g.KeepArguments && p.AuditArguments
		label := TenantLabel{Label: p.TenantLabel(), Value: p.Tenant.Value}
		if p.Tenant.From == callgatev1alpha1.TenantFromNamespaceLabel && !slices.Contains(g.TenantLabels, label) {
			g.TenantLabels = append(g.TenantLabels, label)
		}
	}
	slices.Sort(g.Policies)
	slices.SortFunc(g.TenantLabels, func(a, b TenantLabel) int { return cmp.Compare(a.Label, b.Label) })
	return g
}
