package review

import (
	"testing"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/toolcall"
)

// What the application says beside an offer is what it says beside a call.
func TestOffersInContext(t *testing.T) {
	one := func(changes ...func(*callgatev1alpha1.ToolPolicySpec)) objects {
		return objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", both(changes...), "a", "b")}}
	}
	fromContext := tenantFrom(callgatev1alpha1.TenantFromContext)
	alpha := toolcall.Context{Tenant: "alpha"}
	approved := toolcall.Context{Attributes: []byte(`{"approved":true}`)}
	every := func(a AccessAnswer) func(Access) AccessAnswer { return func(Access) AccessAnswer { return a } }
	for _, test := range []struct {
		about   string
		set     objects
		context toolcall.Context
		says    func(Access) AccessAnswer
		want    string
	}{
		{"a rule that reads attributes says yes", one(rule(`context.attributes.approved == true`)), approved, nil, "allow permitted=a policies=team/p"},
		{"and no", one(rule(`context.attributes.approved == false`)), approved, nil, "block policies=team/p"},
		{"an attribute that is not said", one(rule(`context.attributes.other == true`)), approved, nil, "block policies=team/p"},
		{"without a context it waits for the call", one(rule(`context.attributes.approved == true`)), toolcall.Context{}, nil, "allow permitted=a policies=team/p"},
		{"a tenant that may be used", one(rule(`tenant == 'alpha'`), fromContext), alpha, every(Granted), "allow permitted=a policies=team/p"},
		{"and is another", one(rule(`tenant == 'beta'`), fromContext), alpha, every(Granted), "block policies=team/p"},
		{"one that may not be used", one(fromContext), alpha, every(Refused), "block policies=team/p"},
		{"nobody can tell", one(fromContext), alpha, every(Unanswered), "block policies=team/p"},
		{"one that no policy takes", one(), alpha, every(Granted), "block policies=team/p"},
		{"and only warns", one(fromContext, actions("Warn")), alpha, every(Refused), "allow permitted=a policies=team/p warnings=forbidden:tenant wouldBlock"},
		{"no validator is asked then", one(fromContext, judges), alpha, every(Refused), "block policies=team/p"},
	} {
		t.Run(test.about, func(t *testing.T) {
			snap := test.set.snapshot()
			in := names(t, `["a"]`)
			in.Context = test.context
			answers := Answers{}
			for _, q := range Needs(snap, offerer, in.Session()) {
				answers[q] = test.says(q)
			}
			d := Offers(snap, offerer, in, nil, answers)
			if got := brief(d.Response); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if cheap, ok := CheapOffers(snap, offerer, in, nil, answers); !ok || brief(cheap.Response) != test.want {
				t.Errorf("the cheap judgement: %v, %s", ok, brief(cheap.Response))
			}
			checkOffer(t, snap, d)
		})
	}
}

// An offer for another account is judged by that account's policies, if the caller may.
func TestOffersOnBehalfOf(t *testing.T) {
	snap := objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", nil, "a")}}.snapshot()
	front := Caller{Kind: ServiceAccount, Namespace: "front", Name: "door"}
	in := names(t, `["a"]`)
	in.OnBehalfOf = &toolcall.OnBehalfOf{Namespace: offerer.Namespace, ServiceAccountName: offerer.Name}
	q, asked := Delegation(front, in.Session())
	if !asked {
		t.Fatal("nobody is asked whether the caller may")
	}
	for answer, want := range map[AccessAnswer]string{Granted: "allow permitted=a policies=team/p", Refused: "block undeclared=a", Unanswered: "block undeclared=a"} {
		if got := brief(Offers(snap, front, in, nil, Answers{q: answer}).Response); got != want {
			t.Errorf("answer %d: got %s, want %s", answer, got, want)
		}
	}
	if got := Offers(snap, front, in, nil, Answers{q: Granted}); got.Grounds().For.Namespace != offerer.Namespace {
		t.Errorf("judged for %+v", got.Grounds().For)
	}
}
