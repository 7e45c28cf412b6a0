package review

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/toolcall"
)

// offerOutline is what the policies said of an offer, a line a policy.
func offerOutline(o *TracedOffer) string {
	var lines []string
	for _, v := range o.Policies {
		parts := []string{v.Policy, v.Outcome}
		for _, c := range v.Checks {
			parts = append(parts, c.Kind+":"+c.Outcome)
		}
		for _, n := range v.Names {
			parts = append(parts, n.Name+"="+n.Outcome)
			for _, c := range n.Checks {
				parts = append(parts, c.Name+":"+c.Outcome)
			}
		}
		if v.Validator != nil {
			parts = append(parts, "validator="+v.Validator.Outcome)
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	return strings.Join(lines, "\n")
}

func TestTraceOfAnOffer(t *testing.T) {
	ticket := offerSchema("ticket", `{"type":"object"}`)
	bad := offerSchema("bad", `{"type":"any"}`)
	set := func(policies ...*callgatev1alpha1.ToolPolicy) objects {
		return objects{policies: policies, schemas: []*callgatev1alpha1.ToolSchema{ticket, bad}}
	}
	for name, tc := range map[string]struct {
		set     objects
		offer   string
		answers []Answer
		want    string
	}{
		"declared":                    {set(offerPolicy("p", nil, "ticket", "other")), `["ticket","other"]`, nil, "team/p passed other=passed ticket=passed"},
		"not declared":                {set(offerPolicy("p", nil, "ticket")), `["ticket","other"]`, nil, "team/p failed other=failed ticket=passed"},
		"a schema that does not":      {set(offerPolicy("p", nil, "*")), `["ticket","bad"]`, nil, "team/p failed bad=failed ticket=passed"},
		"rules":                       {set(offerPolicy("p", rule(`tool.name == "other"`), "*")), `["ticket","other"]`, nil, "team/p failed other=passed r:true ticket=failed r:false"},
		"a rule about calls":          {set(offerPolicy("p", rule(`args.x == 1`), "*")), `["ticket"]`, nil, "team/p passed ticket=passed r:skipped"},
		"a rule about others":         {set(offerPolicy("p", rule(`false`, "other"), "*")), `["ticket"]`, nil, "team/p passed ticket=passed r:skipped"},
		"a rule that does not":        {set(offerPolicy("p", rule(`nonsense(`), "*")), `["ticket"]`, nil, "team/p failed ticket=failed r:error"},
		"a rule without its tenant":   {set(offerPolicy("p", both(rule(`tenant == "x"`), tenantFrom("NamespaceLabel")), "*")), `["ticket"]`, nil, "team/p failed ticket=failed r:false"},
		"two policies":                {set(offerPolicy("p", nil, "*"), offerPolicy("q", actions("Warn"), "other")), `["ticket"]`, nil, "team/p passed ticket=passed\nteam/q failed ticket=failed"},
		"nobody is asked":             {set(offerPolicy("p", judges, "other")), `["ticket"]`, nil, "team/p failed ticket=failed validator=skipped"},
		"the validator says yes":      {set(offerPolicy("p", judges, "*")), `["ticket"]`, []Answer{{Valid: true}}, "team/p passed ticket=passed validator=valid"},
		"the validator says no":       {set(offerPolicy("p", judges, "*")), `["ticket"]`, []Answer{{Reason: "no"}}, "team/p failed ticket=passed validator=invalid"},
		"the validator says nothing":  {set(offerPolicy("p", judges, "*")), `["ticket"]`, []Answer{{Cause: "timeout", Detail: "late"}}, "team/p failed ticket=passed validator=error"},
		"the validator is not asked":  {set(offerPolicy("p", judges, "*"), offerPolicy("q", nil, "other")), `["ticket"]`, nil, "team/p passed ticket=passed validator=skipped\nteam/q failed ticket=failed"},
		"a policy that is of no use":  {set(offerPolicy("p", func(s *callgatev1alpha1.ToolPolicySpec) { s.Rules = nil }, "*")), `[]`, nil, "team/p passed"},
		"nothing but what is on call": {set(), `["ticket"]`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			snap := tc.set.snapshot()
			d, trace := ExplainOffers(snap, offerer, names(t, tc.offer), nil, nil)
			plain := Offers(snap, offerer, names(t, tc.offer), nil, nil)
			if len(d.Questions) > 0 {
				d, plain = d.Answered(tc.answers), plain.Answered(tc.answers)
			}
			if diff := cmp.Diff(plain.Response, d.Response); diff != "" {
				t.Errorf("whoever asks how gets another verdict (-without +with):\n%s", diff)
			}
			if diff := cmp.Diff(tc.want, offerOutline(trace.Offer)); diff != "" {
				t.Errorf("outline (-want +got):\n%s", diff)
			}
			if trace.Offer.Allowed != d.Response.Allowed || trace.Offer.ReasonCode != d.Response.ReasonCode {
				t.Errorf("the trace says %v, %s", trace.Offer.Allowed, trace.Offer.ReasonCode)
			}
			if _, err := json.Marshal(trace); err != nil {
				t.Error(err)
			}
		})
	}
}

// A tenant that the application names is looked at once for each policy.
func TestTraceOfAnOfferInContext(t *testing.T) {
	for name, tc := range map[string]struct {
		source callgatev1alpha1.TenantSource
		says   AccessAnswer
		want   string
	}{
		"it may be used":     {callgatev1alpha1.TenantFromContext, Granted, "team/p passed tenant:passed a=passed"},
		"it may not":         {callgatev1alpha1.TenantFromContext, Refused, "team/p failed tenant:failed a=passed"},
		"nobody can tell":    {callgatev1alpha1.TenantFromContext, Unanswered, "team/p failed tenant:unanswered a=passed"},
		"the policy's other": {callgatev1alpha1.TenantFromNamespace, Granted, "team/p failed tenant:failed a=passed"},
	} {
		t.Run(name, func(t *testing.T) {
			snap := objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", tenantFrom(tc.source), "a")}}.snapshot()
			in := names(t, `["a"]`)
			in.Context = toolcall.Context{Tenant: "alpha"}
			answers := Answers{}
			for _, q := range Needs(snap, offerer, in.Session()) {
				answers[q] = tc.says
			}
			d, trace := ExplainOffers(snap, offerer, in, nil, answers)
			if diff := cmp.Diff(tc.want, offerOutline(trace.Offer)); diff != "" || trace.Offer.Allowed != d.Response.Allowed {
				t.Errorf("allowed %v and %v, outline (-want +got):\n%s", trace.Offer.Allowed, d.Response.Allowed, diff)
			}
		})
	}
}
