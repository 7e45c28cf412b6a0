package audit

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/toolcall"
)

var update = flag.Bool("update", false, "write the golden files")

func line1(t testing.TB, v *Verdict) string {
	t.Helper()
	text, err := NewRecord(v, testKey(t), noon).Line()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(text, []byte{'\n'}) != 1 || text[len(text)-1] != '\n' || len(text) > MaxBytes {
		t.Errorf("not one line of at most %d bytes: %d bytes, %d line breaks", MaxBytes, len(text), bytes.Count(text, []byte{'\n'}))
	}
	return string(text)
}

func parse1(t testing.TB, text string) *Record {
	t.Helper()
	l, err := NewReader(strings.NewReader(text)).Next()
	if err != nil || l.Record == nil {
		t.Fatalf("reading a record back: %v, %q\n%.2000s", err, l.Fault, text)
	}
	return l.Record
}

func offerVerdict(in *toolcall.Offer, change func(*callgatev1alpha1.ToolPolicySpec)) *Verdict {
	d := review.Offers(policySet(change), assistant, in, nil, nil)
	return &Verdict{Phase: PhaseOffer, Caller: assistant, Offer: in, OfferDecision: &d}
}

func withValidator(s *callgatev1alpha1.ToolPolicySpec) {
	s.SemanticValidation = callgatev1alpha1.SemanticValidation{Endpoint: "https://judge.example.org/v1", Model: "judge"}
}

// The golden files are what docs/audit.md describes: a change there is a change of the
// format.
func TestRecordsAreAsDocumented(t *testing.T) {
	delegated := assistant
	delegated.Name = "platform"
	in := ticket()
	in.OnBehalfOf = &toolcall.OnBehalfOf{Namespace: "team", ServiceAccountName: "assistant"}
	question, _ := review.Delegation(delegated, &in)
	rbac := policySet(func(s *callgatev1alpha1.ToolPolicySpec) {
		s.Authorization.Mode, s.Audit.Arguments = callgatev1alpha1.AuthorizationRBAC, callgatev1alpha1.AuditFull
		s.Tenant = callgatev1alpha1.PolicyTenant{From: callgatev1alpha1.TenantFromNamespaceLabel, Label: "tenant"}
		s.Disclosure = callgatev1alpha1.DisclosureOpaque
	})
	answers := review.Answers{question: review.Granted}
	for _, q := range review.Needs(rbac, delegated, &in) {
		answers[q] = review.Granted
	}
	onBehalf := review.Calls(rbac, delegated, in, answers)

	watching := testPolicy("watching", "search")
	watching.Spec.ValidationActions = []callgatev1alpha1.ValidationAction{callgatev1alpha1.ActionAudit}
	one := toolcall.Review{UID: "u-3", Format: toolcall.Native, Calls: ticket().Calls[:1]}
	execution := review.Executions(policySet(nil), assistant, one, nil)

	offer := toolcall.Offer{
		UID: "u-4", Format: toolcall.OpenAIChat, Chosen: []string{"get_ticket"},
		Entries: []toolcall.OfferEntry{
			{Names: []string{"get_ticket"}, Schemas: []toolcall.OfferedSchema{{Text: []byte(`{"type":"object"}`)}}},
			{Index: 1, Names: []string{"drop_table"}, Schemas: []toolcall.OfferedSchema{{Text: []byte(`{"type":0}`)}}},
			{Index: 2, Fault: toolcall.EntryNoName},
		},
	}
	validated := offerVerdict(&toolcall.Offer{UID: "u-5", Format: toolcall.MCP, Entries: []toolcall.OfferEntry{{Names: []string{"get_ticket"}}}}, withValidator)
	validated.Questions, validated.Answers = validated.OfferDecision.Questions, []review.Answer{{Reason: "does not fit the request"}}
	answered := validated.OfferDecision.Answered(validated.Answers)
	validated.OfferDecision = &answered

	for name, v := range map[string]*Verdict{
		"digest":       judged(policySet(nil), ticket(), nil),
		"full":         judged(policySet(keepFull), ticket(), nil),
		"on-behalf-of": {Phase: PhaseCall, Caller: delegated, Review: &in, Decision: &onBehalf},
		"watched":      judged(policySet(nil, watching), one, nil),
		"execution":    {Phase: PhaseExecution, Caller: assistant, Review: &one, Decision: &execution.Decision, Execution: &execution},
		"offer":        offerVerdict(&offer, nil),
		"validated":    validated,
	} {
		text := line1(t, v)
		var indented bytes.Buffer
		if err := json.Indent(&indented, []byte(text), "", "  "); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(file, indented.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), indented.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		again := parse1(t, text)
		back, err := again.Line()
		if err != nil || string(back) != text {
			t.Errorf("%s is another record when it is read and written: %v\n%s", name, err, back)
		}
	}
}

func TestNoValueIsKeptWithoutConsent(t *testing.T) {
	for about, test := range map[string]struct {
		changes []func(*callgatev1alpha1.ToolPolicySpec)
		kept    bool
	}{
		"the default":          {[]func(*callgatev1alpha1.ToolPolicySpec){nil}, false},
		"full":                 {[]func(*callgatev1alpha1.ToolPolicySpec){keepFull}, true},
		"one says Full":        {[]func(*callgatev1alpha1.ToolPolicySpec){nil, keepFull}, false},
		"all say Full":         {[]func(*callgatev1alpha1.ToolPolicySpec){keepFull, keepFull}, true},
		"the other says Full":  {[]func(*callgatev1alpha1.ToolPolicySpec){keepFull, nil}, false},
		"an Audit policy only": {[]func(*callgatev1alpha1.ToolPolicySpec){keepFull, auditOnly}, false},
	} {
		var more []*callgatev1alpha1.ToolPolicy
		for _, change := range test.changes[1:] {
			p := testPolicy("more", "get_ticket", "search")
			if change != nil {
				change(&p.Spec)
			}
			more = append(more, p)
		}
		text := line1(t, judged(policySet(test.changes[0], more...), ticket(), nil))
		if got := strings.Contains(text, "s3cret"); got != test.kept {
			t.Errorf("%s: values are kept: %v, want %v\n%s", about, got, test.kept, text)
		}
		if r := parse1(t, text); (r.Arguments == KeptFull) != test.kept || r.DigestKey == "" || r.Calls[0].ArgumentsDigest == "" {
			t.Errorf("%s: %+v", about, r)
		}
	}
	// No policy has said anything.
	stranger := policySet(keepFull)
	v := judged(stranger, ticket(), nil)
	v.Caller.Name = "stranger"
	d := review.Calls(stranger, v.Caller, *v.Review, nil)
	v.Decision = &d
	if text := line1(t, v); strings.Contains(text, "s3cret") {
		t.Errorf("a caller without a policy: %s", text)
	}
}

func auditOnly(s *callgatev1alpha1.ToolPolicySpec) {
	s.ValidationActions = []callgatev1alpha1.ValidationAction{callgatev1alpha1.ActionAudit}
}

func TestDigestsTellArgumentsApartOnlyToTheirHolder(t *testing.T) {
	in := ticket()
	r := parse1(t, line1(t, judged(policySet(nil), in, nil)))
	again := parse1(t, line1(t, judged(policySet(nil), in, nil)))
	other, err := NewKey([]byte("another key of enough bytes"))
	if err != nil {
		t.Fatal(err)
	}
	foreign := NewRecord(judged(policySet(nil), in, nil), other, noon)
	var digests []string
	for i := range r.Calls {
		d := r.Calls[i].ArgumentsDigest
		if d != again.Calls[i].ArgumentsDigest || d == foreign.Calls[i].ArgumentsDigest {
			t.Errorf("the digest of call %d hangs on something else than key and arguments", i)
		}
		digests = append(digests, d)
	}
	slices.Sort(digests)
	if len(slices.Compact(digests)) != 3 || r.DigestKey == foreign.DigestKey {
		t.Errorf("the digests are %v under the key %s", digests, r.DigestKey)
	}
	if unkeyed := review.Calls(policySet(nil), assistant, in, nil).Response.Results[0].ArgumentsDigest; strings.Contains(digests[0]+digests[1]+digests[2], strings.TrimPrefix(unkeyed, "sha256:")) {
		t.Error("the digest of the answer is kept")
	}
	if !strings.HasPrefix(r.Calls[0].ArgumentsDigest, prefixJudged) || !strings.HasPrefix(r.Calls[2].ArgumentsDigest, prefixText) {
		t.Errorf("judged: %s, not judged: %s", r.Calls[0].ArgumentsDigest, r.Calls[2].ArgumentsDigest)
	}
	if _, err := NewKey(make([]byte, MinKeyBytes-1)); err == nil {
		t.Error("a key that is too short is taken")
	}
	random, err := RandomKey()
	if err != nil || random.ID() == "" {
		t.Errorf("a random key: %v", err)
	}
}

func TestWhatAModelWroteCannotForgeOrHide(t *testing.T) {
	hidden := "a\n{\"apiVersion\":\u202e\u2028\x7f\U000e0001\\"
	in := toolcall.Review{UID: "u", Format: toolcall.Native, Calls: []toolcall.Call{
		{ID: hidden, Name: hidden, Arguments: []byte(`{"x":"` + "\u202e\u00ad" + `"}`)},
		{Name: strings.Repeat("long", 100), Arguments: []byte("no JSON \xff at all")},
	}}
	text := line1(t, judged(policySet(func(s *callgatev1alpha1.ToolPolicySpec) {
		keepFull(s)
		s.DeclaredTools, s.UnvalidatedCalls = []callgatev1alpha1.EffectiveToolName{"*"}, callgatev1alpha1.PassAllow
	}), in, nil))
	for _, r := range strings.TrimSuffix(text, "\n") {
		if r < 0x20 || r == 0x7f || r == 0x202e || r == 0x2028 || r == 0xad || r == 0xe0001 {
			t.Errorf("the line holds %U as it is", r)
		}
	}
	r := parse1(t, text)
	if r.Calls[0].ExactName == nil || *r.Calls[0].ExactName != hidden || strings.ContainsRune(r.Calls[0].Tool, 0x202e) {
		t.Errorf("the name is shown as %q and kept as %v", r.Calls[0].Tool, r.Calls[0].ExactName)
	}
	if *r.Calls[0].Arguments != string(in.Calls[0].Arguments) || r.Calls[0].ArgumentsCut {
		t.Errorf("the arguments are kept as %q", *r.Calls[0].Arguments)
	}
	if *r.Calls[1].ExactName != in.Calls[1].Name || *r.Calls[1].Arguments != "no JSON " || !r.Calls[1].ArgumentsCut {
		t.Errorf("the second call is %+v", r.Calls[1])
	}
}
