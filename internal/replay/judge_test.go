package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/toolcall"
)

const good = `{"ticket_id":"T-1"}`

func rbac(s *callgatev1alpha1.ToolPolicySpec) {
	s.Authorization.Mode = callgatev1alpha1.AuthorizationRBAC
}

func digest(s *callgatev1alpha1.ToolPolicySpec) { s.Audit.Arguments = "" }

func watch(s *callgatev1alpha1.ToolPolicySpec) {
	s.ValidationActions = []callgatev1alpha1.ValidationAction{callgatev1alpha1.ActionAudit}
}

func rule(expression string) func(*callgatev1alpha1.ToolPolicySpec) {
	return func(s *callgatev1alpha1.ToolPolicySpec) {
		s.Rules = append(s.Rules, callgatev1alpha1.PolicyRule{Name: fmt.Sprint("rule", len(s.Rules)), Expression: expression})
	}
}

func byLabel(label string) func(*callgatev1alpha1.ToolPolicySpec) {
	return func(s *callgatev1alpha1.ToolPolicySpec) {
		s.Tenant = callgatev1alpha1.PolicyTenant{From: callgatev1alpha1.TenantFromNamespaceLabel, Label: label}
	}
}

func fromContext(s *callgatev1alpha1.ToolPolicySpec) {
	s.Tenant.From = callgatev1alpha1.TenantFromContext
}

func declares(names ...callgatev1alpha1.EffectiveToolName) func(*callgatev1alpha1.ToolPolicySpec) {
	return func(s *callgatev1alpha1.ToolPolicySpec) { s.DeclaredTools = names }
}

func brief(outcomes []Outcome) string {
	var words []string
	for _, o := range outcomes {
		word := string(o.Change)
		if o.Change == Skipped {
			word += " " + string(o.Skip)
		} else if o.Change != Unchanged {
			word += " " + o.After.Code + " " + strings.Join(o.After.Errors, " ")
		}
		words = append(words, strings.TrimSpace(word))
	}
	return strings.Join(words, ", ")
}

func granting(q review.Access, ok bool) review.Answers {
	if ok {
		return review.Answers{q: review.Granted}
	}
	return review.Answers{q: review.Refused}
}

var (
	callTicket = review.Access{Namespace: "team", ServiceAccount: "assistant", Verb: "call", Group: "callgate.dev", Resource: "toolschemas", In: "team", Name: "s-get_ticket"}
	useBlue    = review.Access{Namespace: "team", ServiceAccount: "assistant", Verb: "use", Group: "callgate.dev", Resource: "tenants", In: "team", Name: "blue"}
)

func TestCallsAreJudgedAgain(t *testing.T) {
	labelled := input(byLabel("tenant"))
	labelled.NamespaceLabels = map[string]map[string]string{"team": {"tenant": "blue"}}
	inBlue := calls(call("get_ticket", good))
	inBlue.Context.Tenant = "blue"
	inMood := calls(call("get_ticket", good))
	inMood.Context.Attributes = []byte(`{"mood":"good"}`)
	none := func([]review.Access) review.Answers { return nil }

	for _, test := range []struct {
		about   string
		before  compile.Input
		in      toolcall.Review
		answers review.Answers
		after   Proposal
		want    string
	}{
		{"the same set", input(), calls(call("get_ticket", good), call("drop", "{}")), nil, Proposal{Input: input()}, "unchanged, unchanged"},
		{"a tool is not declared any more", input(), calls(call("get_ticket", good)), nil, Proposal{Input: input(declares("other"))}, "newly-blocked unknown_tool unknown_tool:get_ticket"},
		{"no policy", input(), calls(call("get_ticket", good)), nil, Proposal{}, "newly-blocked no_policy no_policy"},
		{"a tool is declared", input(declares("other")), calls(call("get_ticket", good)), nil, Proposal{Input: input()}, "newly-allowed ok"},
		{"another error", input(), calls(call("get_ticket", `{}`)), nil, Proposal{Input: input(declares("other"))}, "changed unknown_tool unknown_tool:get_ticket"},
		{"a rule that reads arguments", input(), calls(call("get_ticket", good), call("get_ticket", `{"ticket_id":"T-2"}`)), nil, Proposal{Input: input(rule(`args.ticket_id != "T-1"`))}, "newly-blocked forbidden forbidden:main/rule0, unchanged"},
		{"a rule that reads the context", input(), inMood, nil, Proposal{Input: input(rule(`context.attributes.mood == "bad"`))}, "newly-blocked forbidden forbidden:main/rule0"},
		{"a rule that reads the door", input(), calls(call("get_ticket", good)), nil, Proposal{Input: input(rule(`caller.via == "https"`))}, "unchanged"},
		{"a rule that only watches", input(), calls(call("get_ticket", good)), nil, Proposal{Input: input(watch, rule("false"))}, "changed ok"},
		{"digests", input(digest), calls(call("get_ticket", good)), nil, Proposal{Input: input()}, "skipped digest"},
		{"a digest of the attributes", input(digest), toolcall.Review{Calls: []toolcall.Call{{Fault: toolcall.Malformed}}, Context: inMood.Context}, nil, Proposal{Input: input()}, "skipped digest"},
		{"a malformed call needs no arguments", input(digest), calls(toolcall.Call{Fault: toolcall.Malformed, Name: "get_ticket", Arguments: []byte("{}")}), nil, Proposal{Input: input()}, "unchanged"},
		{"a truncated one neither", input(digest), calls(toolcall.Call{Fault: toolcall.Truncated, Name: "get_ticket", Arguments: []byte("{")}), nil, Proposal{Input: input(declares("other"))}, "changed unknown_tool unknown_tool:get_ticket"},
		{"no arguments at all", input(), calls(toolcall.Call{Name: "get_ticket"}), nil, Proposal{Input: input()}, "unchanged"},
		{"text that is no JSON", input(), calls(call("get_ticket", "{\"a\u202e")), nil, Proposal{Input: input()}, "unchanged"},
		{"a long name", input(), calls(call(strings.Repeat("n", 192), "{}")), nil, Proposal{Input: input(declares(callgatev1alpha1.EffectiveToolName(strings.Repeat("n", 192))), func(s *callgatev1alpha1.ToolPolicySpec) { s.UnvalidatedCalls = "Allow" })}, "newly-allowed ok"},

		{"RBAC as it was recorded", input(rbac), calls(call("get_ticket", good)), granting(callTicket, true), Proposal{Input: input(rbac)}, "unchanged"},
		{"and refused", input(rbac), calls(call("get_ticket", good)), granting(callTicket, false), Proposal{Input: input(rbac)}, "unchanged"},
		{"RBAC of the files", input(rbac), calls(call("get_ticket", good)), granting(callTicket, true), Proposal{Input: input(rbac), Access: none}, "newly-blocked policy_error policy_error:main"},
		{"RBAC that nobody asked then", input(), calls(call("get_ticket", good)), nil, Proposal{Input: input(rbac)}, "skipped access"},
		{"RBAC that decides nothing", input(), calls(call("get_ticket", good)), nil, Proposal{Input: input(rbac, declares("other"))}, "newly-blocked unknown_tool unknown_tool:get_ticket"},
		{"RBAC that was not answered then", input(rbac), calls(call("get_ticket", good)), nil, Proposal{Input: input(rbac)}, "skipped access"},
		{"RBAC that is not asked any more", input(rbac), calls(call("get_ticket", good)), granting(callTicket, false), Proposal{Input: input()}, "newly-allowed ok"},
		{"a tenant of the context", input(fromContext), inBlue, granting(useBlue, true), Proposal{Input: input(fromContext)}, "unchanged"},

		{"a label as it was recorded", labelled, calls(call("get_ticket", good)), nil, Proposal{Input: input(byLabel("tenant"), rule(`tenant == "blue"`))}, "unchanged"},
		{"a label of the files", labelled, calls(call("get_ticket", good)), nil, Proposal{Input: relabelled("red")}, "newly-blocked forbidden forbidden:main/rule0"},
		{"another label", labelled, calls(call("get_ticket", good)), nil, Proposal{Input: input(byLabel("customer"))}, "skipped tenant-label"},
		{"a label that was not read then", input(), calls(call("get_ticket", good)), nil, Proposal{Input: input(byLabel("tenant"))}, "skipped tenant-label"},
	} {
		r := recorded(t, test.before, audit.PhaseCall, assistant, test.in, test.answers)
		if got := brief(NewJudge(test.after).Judge(r)); got != test.want {
			t.Errorf("%s: %s; want %s", test.about, got, test.want)
		}
	}
}

func relabelled(value string) compile.Input {
	in := input(byLabel("tenant"), rule(`tenant == "blue"`))
	in.NamespaceLabels = map[string]map[string]string{"team": {"tenant": value}}
	return in
}

// Labels may change from record to record; each is judged by its own.
func TestEachRecordIsJudgedByItsOwnLabels(t *testing.T) {
	j := NewJudge(Proposal{Input: input(byLabel("tenant"), rule(`tenant == "blue"`))})
	for i, label := range []string{"blue", "red", "red", "blue", ""} {
		set := relabelled(label)
		set.Policies = input(byLabel("tenant")).Policies
		r := recorded(t, set, audit.PhaseCall, assistant, calls(call("get_ticket", good)), nil)
		want := map[string]string{"blue": "unchanged", "red": "newly-blocked forbidden forbidden:main/rule0", "": "unchanged"}[label]
		if got := brief(j.Judge(r)); got != want {
			t.Errorf("record %d with %q: %s, want %s", i, label, got, want)
		}
	}
}

func TestReviewsOnBehalfOfAnotherAreJudgedForIt(t *testing.T) {
	platform := review.Caller{Kind: review.ServiceAccount, Namespace: "platform", Name: "gateway", Via: "https"}
	in := calls(call("get_ticket", good))
	in.OnBehalfOf = &toolcall.OnBehalfOf{Namespace: "team", ServiceAccountName: "assistant"}
	q, _ := review.Delegation(platform, &in)
	r := recorded(t, input(), audit.PhaseCall, platform, in, granting(q, true))
	outcomes := NewJudge(Proposal{Input: input()}).Judge(r)
	if brief(outcomes) != "unchanged" || outcomes[0].Namespace != "team" || outcomes[0].ServiceAccountName != "assistant" {
		t.Errorf("%+v", outcomes)
	}
	if got := brief(NewJudge(Proposal{Input: input(declares("other"))}).Judge(r)); got != "newly-blocked unknown_tool unknown_tool:get_ticket" {
		t.Error(got)
	}
	roles := func(questions []review.Access) review.Answers {
		if !slices.Contains(questions, q) {
			t.Errorf("asked %v", questions)
		}
		return nil
	}
	if got := brief(NewJudge(Proposal{Input: input(), Access: roles}).Judge(r)); got != "newly-blocked forbidden forbidden:reviewas" {
		t.Error(got)
	}
	r.Outside = nil
	if got := brief(NewJudge(Proposal{Input: input()}).Judge(r)); got != "unchanged" {
		t.Errorf("a record that does not tell of the right without which there is none: %s", got)
	}
}

func TestExecutionsAreJudgedAgain(t *testing.T) {
	withAdapter := input()
	a := &callgatev1alpha1.ToolAdapter{}
	a.Namespace, a.Name = "team", "get-ticket"
	a.Spec.ToolName, a.Spec.Key = "get_ticket", `tenant + ":" + args.ticket_id`
	a.Spec.Records.ConfigMapKeyRef = callgatev1alpha1.ConfigMapKeyRef{Name: "tickets", Key: "tickets.json"}
	withAdapter.Adapters = []*callgatev1alpha1.ToolAdapter{a}
	watched := withAdapter
	watched.Policies = append(slices.Clone(watched.Policies), policy(watch, rule("false")))
	watched.Policies[1].Name = "watching"
	for _, test := range []struct {
		about         string
		before, after compile.Input
		want          string
	}{
		{"it runs as before", withAdapter, withAdapter, "unchanged"},
		{"it runs no more", withAdapter, input(), "newly-blocked upstream_error upstream_error:no_adapter"},
		{"it runs now", input(), withAdapter, "newly-allowed ok"},
		{"it does not run, as before", input(), input(), "unchanged"},
		{"it is blocked", withAdapter, input(declares("other")), "newly-blocked unknown_tool unknown_tool:get_ticket"},
		{"one that watches keeps it from running", withAdapter, watched, "newly-blocked upstream_error upstream_error:would_block"},
	} {
		r := recorded(t, test.before, audit.PhaseExecution, assistant, calls(call("get_ticket", good)), nil)
		if got := brief(NewJudge(Proposal{Input: test.after}).Judge(r)); got != test.want {
			t.Errorf("%s: %s; want %s", test.about, got, test.want)
		}
	}
}

func asks(s *callgatev1alpha1.ToolPolicySpec) {
	s.SemanticValidation = callgatev1alpha1.SemanticValidation{Endpoint: "https://judge.example.org/v1", Model: "judge"}
}

func TestOffersAreJudgedAgain(t *testing.T) {
	offer := &toolcall.Offer{UID: "u", Format: toolcall.OpenAIChat, Entries: []toolcall.OfferEntry{{Names: []string{"get_ticket"}}}}
	broken := &toolcall.Offer{Entries: []toolcall.OfferEntry{
		{Names: []string{"get_ticket"}, Schemas: []toolcall.OfferedSchema{{Text: []byte(`{"type":"nothing"}`), Language: toolcall.LanguageOpenAPI}}},
	}}
	malformed := &toolcall.Offer{Entries: []toolcall.OfferEntry{{Fault: toolcall.EntryNoName}}}
	chosen := &toolcall.Offer{Chosen: []string{"get_ticket"}}
	yes := true
	for _, test := range []struct {
		about   string
		before  compile.Input
		in      *toolcall.Offer
		answers []review.Answer
		after   Proposal
		want    string
	}{
		{"the same set", input(digest), offer, nil, Proposal{Input: input(digest)}, "unchanged"},
		{"an undeclared tool", input(), offer, nil, Proposal{Input: input(declares("other"))}, "newly-blocked tool-validation.invalid unknown_tool:get_ticket"},
		{"a tool that is declared", input(declares("other")), offer, nil, Proposal{Input: input()}, "newly-allowed tool-validation.ok"},
		{"a name that is referred to", input(), chosen, nil, Proposal{Input: input(declares("other"))}, "newly-blocked tool-validation.invalid unknown_tool:get_ticket"},
		{"a schema that does not compile", input(), broken, nil, Proposal{Input: input()}, "unchanged"},
		{"an entry without a name", input(), malformed, nil, Proposal{Input: input()}, "unchanged"},
		{"a rule", input(), offer, nil, Proposal{Input: input(rule(`tool.name != "get_ticket"`))}, "newly-blocked tool-validation.invalid forbidden:main/rule0:get_ticket"},
		{"no policy", input(), offer, nil, Proposal{}, "newly-blocked tool-validation.invalid no_policy"},
		{"a validator that said yes", input(asks), offer, []review.Answer{{Valid: true}}, Proposal{Input: input(asks)}, "unchanged"},
		{"one that said no", input(asks), offer, []review.Answer{{}}, Proposal{Input: input(asks)}, "unchanged"},
		{"one that gave no answer", input(asks), offer, []review.Answer{{Cause: "timeout"}}, Proposal{Input: input(asks)}, "unchanged"},
		{"one that is not asked any more", input(asks), offer, []review.Answer{{}}, Proposal{Input: input()}, "newly-allowed tool-validation.ok"},
		{"one that was not asked then", input(), offer, nil, Proposal{Input: input(asks)}, "skipped validator"},
		{"one that is taken to say yes", input(), offer, nil, Proposal{Input: input(asks), Validator: &yes}, "unchanged"},
	} {
		r := recordedOffer(t, test.before, test.in, test.answers...)
		if got := brief(NewJudge(test.after).Judge(r)); got != test.want {
			t.Errorf("%s: %s; want %s", test.about, got, test.want)
		}
	}
}

func TestWhatWasCutIsSkippedAndNotGuessed(t *testing.T) {
	long := recorded(t, input(), audit.PhaseCall, assistant, calls(call("get_ticket", `{"ticket_id":"`+strings.Repeat("x", audit.MaxBytes)+`"}`)), nil)
	name := recorded(t, input(), audit.PhaseCall, assistant, calls(call(strings.Repeat("n", audit.MaxBytes), "{}")), nil)
	entries := &toolcall.Offer{}
	for i := range 2048 {
		entries.Entries = append(entries.Entries, toolcall.OfferEntry{Index: i, Names: []string{fmt.Sprint(i, strings.Repeat("n", 1000))}})
	}
	for about, r := range map[string]*audit.Record{"arguments": long, "a name": name, "an offer": recordedOffer(t, input(), entries)} {
		if got := brief(NewJudge(Proposal{Input: input()}).Judge(r)); r.Cut == 0 || got != "skipped cut" {
			t.Errorf("%s: %s", about, got)
		}
	}
	// Errors that are left out are not taken for errors that are gone.
	r := recorded(t, input(), audit.PhaseCall, assistant, calls(call("get_ticket", `{"a":1,"b":2}`)), nil)
	r.Calls[0].Errors, r.Cut = r.Calls[0].Errors[:1], 2
	if got := brief(NewJudge(Proposal{Input: input()}).Judge(r)); got != "unchanged" {
		t.Error(got)
	}
}
