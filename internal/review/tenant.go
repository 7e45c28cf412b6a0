package review

import (
	"github.com/callgate/callgate/internal/compile"
)

// tenancy is what one policy makes of the tenant. The zero value is none, and blocks.
type tenancy struct {
	// tenant is "" where the policy has none for the review.
	tenant string
	// unknown: nobody can tell now whether the caller may act for it.
	unknown bool
	// apart: another policy, whose word counts, has another one.
	apart bool
}

// tenancies judges the tenant of a review for each of the policies that apply. It is the
// same for all calls.
//
// A tenant in the context forbids by every policy that does not take it from there: that
// one would judge for another tenant than the application means. It must not hang on
// what other policies do, or one more of them could open what the first blocks.
func tenancies(caller Caller, policies []*compile.Policy, said string, answers Answers) []tenancy {
	out := make([]tenancy, len(policies))
	use := Refused
	if question, asked := useQuestion(caller, policies, said); asked {
		use = answers[question]
	}
	for i, p := range policies {
		out[i] = tenancyOf(p, said, use)
	}
	for i, p := range policies {
		for j, other := range policies {
			// A policy without Deny takes nothing away from others.
			if (other.Deny || !p.Deny) && !other.Broken && out[i].tenant != out[j].tenant {
				out[i].apart = true
			}
		}
	}
	return out
}

// tenancyOf is the tenant by one policy alone.
func tenancyOf(p *compile.Policy, said string, use AccessAnswer) tenancy {
	switch {
	case !fromContext(p) && said == "":
		return tenancy{tenant: p.Tenant.Value}
	case fromContext(p) && use == Granted:
		return tenancy{tenant: said}
	case fromContext(p) && use == Unanswered:
		return tenancy{unknown: true}
	}
	return tenancy{}
}

func (t tenancy) forbids() bool { return t.apart || t.tenant == "" && !t.unknown }
