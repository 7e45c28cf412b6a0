package review

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// groundsPolicy lets assistant of the namespace team offer and call the tool f.
func groundsPolicy(name string, change func(*callgatev1alpha1.ToolPolicySpec)) *callgatev1alpha1.ToolPolicy {
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"assistant"}
	p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"f"}
	p.Spec.UnvalidatedCalls = callgatev1alpha1.PassAllow
	change(&p.Spec)
	return p
}

func full(s *callgatev1alpha1.ToolPolicySpec)   { s.Audit.Arguments = callgatev1alpha1.AuditFull }
func digest(*callgatev1alpha1.ToolPolicySpec)   {}
func opaque(s *callgatev1alpha1.ToolPolicySpec) { s.Disclosure = callgatev1alpha1.DisclosureOpaque }
func byLabel(s *callgatev1alpha1.ToolPolicySpec) {
	s.Tenant = callgatev1alpha1.PolicyTenant{From: callgatev1alpha1.TenantFromNamespaceLabel, Label: "team.example.org/tenant"}
}

func TestGroundsSayWhatAVerdictRestsOn(t *testing.T) {
	for _, test := range []struct {
		about    string
		policies map[string]func(*callgatev1alpha1.ToolPolicySpec)
		tenant   string
		labels   []TenantLabel
		keeps    bool
	}{
		{about: "no policy keeps nothing"},
		{"one that lets arguments be kept", map[string]func(*callgatev1alpha1.ToolPolicySpec){"a": full}, "team", nil, true},
		{"another forbids it for all", map[string]func(*callgatev1alpha1.ToolPolicySpec){"a": full, "b": digest}, "team", nil, false},
		{
			"a tenant of a label", map[string]func(*callgatev1alpha1.ToolPolicySpec){"a": byLabel, "b": byLabel},
			"blue", []TenantLabel{{"team.example.org/tenant", "blue"}}, false,
		},
		{
			"tenants that differ", map[string]func(*callgatev1alpha1.ToolPolicySpec){"a": byLabel, "b": digest},
			"", []TenantLabel{{"team.example.org/tenant", "blue"}}, false,
		},
	} {
		in := compile.Input{NamespaceLabels: map[string]map[string]string{"team": {"team.example.org/tenant": "blue"}}}
		var names []string
		for name, change := range test.policies {
			in.Policies = append(in.Policies, groundsPolicy(name, change))
			names = append(names, "team/"+name)
		}
		slices.Sort(names)
		snap := snapshot.New(compile.Compile(in, nil))
		who := Caller{Kind: ServiceAccount, Namespace: "team", Name: "assistant"}
		answers := Answers{Access{Verb: "call", Name: "x"}: Granted}
		d := Calls(snap, who, toolcall.Review{Calls: []toolcall.Call{{Name: "f", Arguments: []byte("{}")}}}, answers)
		g := d.Grounds
		if !slices.Equal(g.Policies, names) || g.Tenant != test.tenant || !slices.Equal(g.TenantLabels, test.labels) ||
			g.KeepArguments != test.keeps || g.For.Name != who.Name || len(g.Answers) != 1 {
			t.Errorf("%s: %+v", test.about, g)
		}
		o := Offers(snap, who, &toolcall.Offer{Entries: []toolcall.OfferEntry{{Names: []string{"f"}}}}, nil, nil)
		if g := o.Grounds(); !slices.Equal(g.Policies, names) || g.Tenant != test.tenant || g.KeepArguments != test.keeps {
			t.Errorf("%s: of an offer: %+v", test.about, g)
		}
	}
	if g := (&OfferDecision{}).Grounds(); g.KeepArguments || g.Policies != nil {
		t.Errorf("no verdict rests on %+v", g)
	}
}

func TestTheWholeOfAnOfferIsThereWhateverIsDisclosed(t *testing.T) {
	policies := []*callgatev1alpha1.ToolPolicy{groundsPolicy("a", opaque)}
	snap := snapshot.New(compile.Compile(compile.Input{Policies: policies}, nil))
	who := Caller{Kind: ServiceAccount, Namespace: "team", Name: "assistant"}
	d := Offers(snap, who, &toolcall.Offer{Entries: []toolcall.OfferEntry{{Names: []string{"f"}}, {Index: 1, Names: []string{"g"}}}}, nil, nil)
	whole := d.Whole()
	if len(d.Response.Details.RequestedTools) > 0 || len(d.Response.Policies) > 0 {
		t.Fatalf("the caller is told %+v", d.Response)
	}
	if !slices.Equal(whole.Details.UndeclaredTools, []string{"g"}) || !slices.Equal(whole.Policies, []string{"team/a"}) ||
		whole.Allowed || whole.ReasonCode != reviewv1alpha1.ReasonRequestInvalid {
		t.Errorf("the whole is %+v", whole)
	}
}
