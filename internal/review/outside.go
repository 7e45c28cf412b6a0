package review

import (
	"cmp"
	"maps"
	"slices"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// Access is one question to the authorizer: may this ServiceAccount do that? Equal
// questions have equal answers for as long as an answer lives.
type Access struct {
	// Namespace and ServiceAccount are who would do it.
	Namespace, ServiceAccount string
	// Verb, Group and Resource say what, In and Name on which object.
	Verb, Group, Resource string
	In, Name              string
}

// What is asked for.
const (
	verbCall     = "call"
	verbUse      = "use"
	verbReviewAs = "reviewas"

	resourceSchemas  = "toolschemas"
	resourceTenants  = "tenants"
	resourceAccounts = "serviceaccounts"
)

// AccessAnswer is what the authorizer says. The zero value is no answer, and blocks.
type AccessAnswer uint8

// The answers.
const (
	// Unanswered: the authorizer cannot be reached, and nothing is remembered.
	Unanswered AccessAnswer = iota
	// Refused is a no.
	Refused
	// Granted is a yes.
	Granted
)

// Answers are what the outside said when a review was judged. Together with the snapshot
// and the review itself they decide the verdict. What is not in there is unanswered.
type Answers map[Access]AccessAnswer

// Delegation is what a caller that asks for another account has to be allowed first.
// asked is false where it asks for itself. Whoever serves asks it before anything that
// Needs gives, so that nobody has questions asked about others without a right to.
func Delegation(caller Caller, in *toolcall.Review) (q Access, asked bool) {
	o := in.OnBehalfOf
	if o == nil || (o.Namespace == caller.Namespace && o.ServiceAccountName == caller.Name) {
		return Access{}, false
	}
	return Access{
		Namespace: caller.Namespace, ServiceAccount: caller.Name,
		Verb: verbReviewAs, Resource: resourceAccounts, In: o.Namespace, Name: o.ServiceAccountName,
	}, true
}

// Effective is the account that the review is judged for. Without the right to ask for
// it that is nobody, whom no policy selects.
func Effective(caller Caller, in *toolcall.Review, answers Answers) Caller {
	q, asked := Delegation(caller, in)
	switch {
	case !asked:
		return caller
	case caller.Kind != ServiceAccount || answers[q] != Granted:
		return Caller{}
	}
	return Caller{Kind: ServiceAccount, Namespace: q.In, Name: q.Name, Via: caller.Via}
}

// Needs gives every question whose answer the verdict hangs on, each once. There are at
// most two more of them than calls.
func Needs(snap *snapshot.Snapshot, caller Caller, in *toolcall.Review) []Access {
	set := map[Access]struct{}{}
	if q, asked := Delegation(caller, in); asked {
		set[q] = struct{}{}
		caller = Effective(caller, in, Answers{q: Granted})
	}
	ns, policies := applying(snap, caller)
	if q, ok := useQuestion(caller, policies, in.Context.Tenant); ok {
		set[q] = struct{}{}
	}
	if anyPolicy(policies, func(p *compile.Policy) bool { return p.RBAC }) {
		for i := range in.Calls {
			if in.Calls[i].Fault == toolcall.Malformed {
				continue
			}
			if q, ok := callQuestion(caller, ns.Tools[in.Calls[i].EffectiveName()]); ok {
				set[q] = struct{}{}
			}
		}
	}
	return slices.SortedFunc(maps.Keys(set), compareQuestions)
}

func compareQuestions(a, b Access) int {
	return cmp.Or(cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Name, b.Name))
}

// callQuestion is whether the caller is granted a tool. There is none about a tool
// without a ToolSchema, which nobody can be granted.
func callQuestion(caller Caller, tool *compile.Tool) (Access, bool) {
	if tool == nil {
		return Access{}, false
	}
	return Access{
		Namespace: caller.Namespace, ServiceAccount: caller.Name,
		Verb: verbCall, Group: callgatev1alpha1.GroupVersion.Group, Resource: resourceSchemas, In: caller.Namespace, Name: tool.Object,
	}, true
}

// useQuestion is whether the caller may act for the tenant that the context names.
func useQuestion(caller Caller, policies []*compile.Policy, tenant string) (Access, bool) {
	if !compile.IsTenant(tenant) || !anyPolicy(policies, fromContext) {
		return Access{}, false
	}
	return Access{
		Namespace: caller.Namespace, ServiceAccount: caller.Name,
		Verb: verbUse, Group: callgatev1alpha1.GroupVersion.Group, Resource: resourceTenants, In: caller.Namespace, Name: tenant,
	}, true
}

func fromContext(p *compile.Policy) bool {
	return p.Tenant.From == callgatev1alpha1.TenantFromContext
}

func anyPolicy(policies []*compile.Policy, is func(*compile.Policy) bool) bool {
	for _, p := range policies {
		if is(p) {
			return true
		}
	}
	return false
}
