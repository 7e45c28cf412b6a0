package review

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// offerPolicy declares tools for everybody of the namespace team.
func offerPolicy(name string, change func(*callgatev1alpha1.ToolPolicySpec), tools ...callgatev1alpha1.EffectiveToolName) *callgatev1alpha1.ToolPolicy {
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"*"}
	p.Spec.DeclaredTools = tools
	if change != nil {
		change(&p.Spec)
	}
	return p
}

func offerSchema(name, document string) *callgatev1alpha1.ToolSchema {
	s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: strings.ReplaceAll(name, "_", "-"), Labels: map[string]string{"name": name}}}
	s.Spec.ToolName = name
	s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(document)}
	return s
}

func actions(actions ...callgatev1alpha1.ValidationAction) func(*callgatev1alpha1.ToolPolicySpec) {
	return func(s *callgatev1alpha1.ToolPolicySpec) { s.ValidationActions = actions }
}

func judges(s *callgatev1alpha1.ToolPolicySpec) {
	s.SemanticValidation.Endpoint = "https://judge.example.org/v1/chat/completions"
}

func both(changes ...func(*callgatev1alpha1.ToolPolicySpec)) func(*callgatev1alpha1.ToolPolicySpec) {
	return func(s *callgatev1alpha1.ToolPolicySpec) {
		for _, change := range changes {
			change(s)
		}
	}
}

type objects struct {
	policies []*callgatev1alpha1.ToolPolicy
	schemas  []*callgatev1alpha1.ToolSchema
}

func (o objects) snapshot() *snapshot.Snapshot {
	return snapshot.New(compile.Compile(compile.Input{Policies: o.policies, Schemas: o.schemas}, nil))
}

var offerer = Caller{Kind: ServiceAccount, Namespace: "team", Name: "agent"}

func names(t testing.TB, list string) *toolcall.Offer {
	t.Helper()
	o, err := toolcall.DecodeNames([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	return &o
}

// brief writes what decides of a response.
func brief(r reviewv1alpha1.ToolRequestReviewResponse) string {
	d := r.Details
	parts := []string{string(r.Verdict)}
	add := func(word string, list []string) {
		if len(list) > 0 {
			parts = append(parts, word+"="+strings.Join(list, ","))
		}
	}
	add("undeclared", d.UndeclaredTools)
	add("invalid", d.InvalidSchemas)
	for _, m := range d.MalformedEntries {
		parts = append(parts, fmt.Sprintf("malformed=%d:%s", m.Index, m.Reason))
	}
	add("permitted", r.PermittedTools)
	add("policies", r.Policies)
	add("warnings", r.Warnings)
	if r.WouldBlock {
		parts = append(parts, "wouldBlock")
	}
	return strings.Join(parts, " ")
}

const (
	fine     = `{"type":"object","properties":{"q":{"type":"string"}}}`
	noSchema = `{"type":"objekt"}`
)

func TestOfferTable(t *testing.T) {
	allow := func(s *callgatev1alpha1.ToolPolicySpec) { s.UndeclaredTools = callgatev1alpha1.PassAllow }
	selecting := func(s *callgatev1alpha1.ToolPolicySpec) {
		s.SchemaSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"name": "other"}}
	}
	unusable := func(s *callgatev1alpha1.ToolPolicySpec) {
		s.SchemaSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Bogus"}}}
	}
	discloses := func(d callgatev1alpha1.Disclosure) func(*callgatev1alpha1.ToolPolicySpec) {
		return func(s *callgatev1alpha1.ToolPolicySpec) { s.Disclosure = d }
	}
	one := func(p ...*callgatev1alpha1.ToolPolicy) objects { return objects{policies: p} }
	for _, test := range []struct {
		about string
		set   objects
		offer string
		want  string
	}{
		{"declared, without a ToolSchema", one(offerPolicy("p", nil, "a")), `["a"]`, "allow permitted=a policies=team/p"},
		{"undeclared", one(offerPolicy("p", nil, "a")), `["b","a"]`, "block undeclared=b permitted=a policies=team/p"},
		{"case counts", one(offerPolicy("p", nil, "a")), `["A"]`, "block undeclared=A policies=team/p"},
		{"undeclared is allowed, and recorded", one(offerPolicy("p", allow, "a")), `["b"]`, "allow undeclared=b permitted=b policies=team/p"},
		{"any name", one(offerPolicy("p", nil, "*")), `["b","a"]`, "allow permitted=a,b policies=team/p"},
		{"* is no name of a tool", one(offerPolicy("p", nil, "a")), `["*"]`, "block undeclared=* policies=team/p"},
		{"nothing offered", one(offerPolicy("p", nil, "a")), `[]`, "allow policies=team/p"},
		{"no policy", objects{}, `["a"]`, "block undeclared=a"},
		{"nothing offered without a policy", objects{}, `[]`, "block"},
		{"a declared tool's ToolSchema does not compile, though it is not offered",
			objects{one(offerPolicy("p", nil, "a", "b")).policies, []*callgatev1alpha1.ToolSchema{offerSchema("b", noSchema)}}, `["a"]`,
			"block invalid=b policies=team/p"},
		{"with *, one that is not offered does not matter",
			objects{one(offerPolicy("p", nil, "*")).policies, []*callgatev1alpha1.ToolSchema{offerSchema("b", noSchema)}}, `["a"]`,
			"allow permitted=a policies=team/p"},
		{"with *, one that is offered does",
			objects{one(offerPolicy("p", nil, "*")).policies, []*callgatev1alpha1.ToolSchema{offerSchema("b", noSchema)}}, `["a","b"]`,
			"block invalid=b permitted=a policies=team/p"},
		{"a ToolSchema that is not selected makes the tool unknown",
			objects{one(offerPolicy("p", selecting, "a")).policies, []*callgatev1alpha1.ToolSchema{offerSchema("a", fine)}}, `["a"]`,
			"block undeclared=a policies=team/p"},
		{"even where undeclared names may pass",
			objects{one(offerPolicy("p", both(selecting, allow), "x")).policies, []*callgatev1alpha1.ToolSchema{offerSchema("a", fine)}}, `["a"]`,
			"block undeclared=a policies=team/p"},
		{"a policy that cannot be evaluated", one(offerPolicy("p", unusable, "a")), `["a"]`, "block policies=team/p"},

		{"every policy must allow", one(offerPolicy("p", nil, "a", "b"), offerPolicy("q", nil, "b", "c")), `["a","b","c"]`,
			"block undeclared=a,c permitted=b policies=team/p,team/q"},
		{"only those that blocked are named", one(offerPolicy("p", nil, "a", "b"), offerPolicy("q", nil, "b")), `["a"]`,
			"block undeclared=a policies=team/q"},
		{"Warn", one(offerPolicy("p", actions("Warn"), "a")), `["b"]`, "allow undeclared=b permitted=b policies=team/p warnings=unknown_tool:b wouldBlock"},
		{"Audit", one(offerPolicy("p", actions("Audit"), "a")), `["b"]`, "allow permitted=b policies=team/p wouldBlock"},
		{"Warn beside Deny", one(offerPolicy("p", actions("Warn"), "a"), offerPolicy("q", nil, "b")), `["b","c"]`,
			"block undeclared=b,c permitted=b policies=team/q warnings=unknown_tool:b,unknown_tool:c"},
		{"what is malformed blocks under every action", one(offerPolicy("p", actions("Audit"), "*")), `["a","a","b"]`,
			"block malformed=0:declared_twice malformed=1:declared_twice permitted=b"},
		{"an empty list of actions denies", one(offerPolicy("p", actions(), "a")), `["b"]`, "block undeclared=b policies=team/p"},

		{"disclosure Code", one(offerPolicy("p", discloses("Code"), "a")), `["a","b"]`, "block"},
		{"the least disclosure counts", one(offerPolicy("p", nil, "a"), offerPolicy("q", discloses("Opaque"), "a")), `["a","b"]`, "block"},
		{"a disclosure that is not known tells nothing", one(offerPolicy("p", discloses("Everything"), "a")), `["b"]`, "block"},
		{"an allow tells all the same", one(offerPolicy("p", discloses("Opaque"), "a")), `["a"]`, "allow permitted=a policies=team/p"},
	} {
		t.Run(test.about, func(t *testing.T) {
			snap := test.set.snapshot()
			d := Offers(snap, offerer, names(t, test.offer), nil, nil)
			if got := brief(d.Response); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			cheap, ok := CheapOffers(snap, offerer, names(t, test.offer), NewSchemaChecks(), nil)
			if diff := cmp.Diff(d.Response, cheap.Response); !ok || diff != "" {
				t.Errorf("the cheap judgement differs: %s", diff)
			}
			checkOffer(t, snap, d)
		})
	}
}

// checkOffer holds a response to what is true of all.
func checkOffer(t *testing.T, snap *snapshot.Snapshot, d OfferDecision) {
	t.Helper()
	r := d.Response
	if r.Allowed != (r.Verdict == reviewv1alpha1.VerdictAllow) || r.Allowed != (r.ReasonCode == reviewv1alpha1.ReasonRequestOK) ||
		r.Phase != "pre_request" || r.Revision != snap.Revision {
		t.Errorf("the response contradicts itself: %+v", r)
	}
	for _, list := range [][]string{r.Details.RequestedTools, r.Details.UndeclaredTools, r.Details.InvalidSchemas, r.PermittedTools, r.Warnings, r.Policies} {
		if list == nil || !slices.IsSorted(list) {
			t.Errorf("a list is nil or not sorted: %#v", list)
		}
	}
	// What is permitted may be offered alone, whatever becomes of the questions.
	if len(r.PermittedTools) > 0 {
		list, err := json.Marshal(r.PermittedTools)
		if err != nil {
			t.Fatal(err)
		}
		if again := Offers(snap, offerer, names(t, string(list)), nil, nil).Answered(nil); !again.Response.Allowed {
			t.Errorf("%s are permitted, but an offer of them gives %s", list, brief(again.Response))
		}
	}
}

// TestSeedOffer is the example of the configuration's description.
func TestSeedOffer(t *testing.T) {
	snap := objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", nil, "web_search", "database_query")}}.snapshot()
	for tool, want := range map[string]reviewv1alpha1.ToolRequestReviewResponse{
		"delete_database": {
			Verdict: "block", ReasonCode: "tool-validation.invalid", PermittedTools: []string{},
			Details: reviewv1alpha1.ToolRequestDetails{RequestedTools: []string{"delete_database"}, UndeclaredTools: []string{"delete_database"}},
		},
		"web_search": {
			Allowed: true, Verdict: "allow", ReasonCode: "tool-validation.ok", PermittedTools: []string{"web_search"},
			Details: reviewv1alpha1.ToolRequestDetails{RequestedTools: []string{"web_search"}, UndeclaredTools: []string{}},
		},
	} {
		in, err := toolcall.DecodeOffer(toolcall.OpenAIChat, []byte(`{"messages":[{"role":"user","content":"Search the documentation."}],"tools":[{"type":"function","function":{"name":"`+tool+`"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		want.Phase, want.Revision, want.Warnings, want.Policies = "pre_request", snap.Revision, []string{}, []string{"team/p"}
		want.Details.InvalidSchemas, want.Details.MalformedEntries = []string{}, []reviewv1alpha1.MalformedEntry{}
		if diff := cmp.Diff(want, Offers(snap, offerer, &in, nil, nil).Response); diff != "" {
			t.Errorf("%s: %s", tool, diff)
		}
	}
}

func TestOfferedSchemas(t *testing.T) {
	snap := objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", nil, "*")}}.snapshot()
	for _, test := range []struct {
		about, tool string
		want        string
	}{
		{"Draft 7", `{"type":"function","function":{"name":"a","parameters":` + fine + `}}`, "allow permitted=a"},
		{"a type that is none", `{"type":"function","function":{"name":"a","parameters":` + noSchema + `}}`, "block invalid=a warnings=offered_schema:a:/type"},
		{"a list where an object is meant", `{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":[]}}}`, "block invalid=a warnings=offered_schema:a:/properties"},
		{"a schema that is none", `{"type":"function","function":{"name":"a","parameters":"{}"}}`, "block invalid=a warnings=offered_schema:a:"},
		{"a reference to elsewhere", `{"name":"a","input_schema":{"$ref":"https://example.org/s.json"}}`, "block invalid=a warnings=offered_schema:a:/$ref"},
		{"upper case is no type of JSON Schema", `{"name":"a","input_schema":{"type":"OBJECT"}}`, "block invalid=a warnings=offered_schema:a:/type"},
		{"it is one of Gemini's", `{"functionDeclarations":[{"name":"a","parameters":{"type":"OBJECT","properties":{"q":{"type":"STRING","nullable":true}}}}]}`, "allow permitted=a"},
		{"but not in the other of its languages", `{"functionDeclarations":[{"name":"a","parametersJsonSchema":{"type":"OBJECT"}}]}`, "block invalid=a warnings=offered_schema:a:/type"},
		{"2020-12 where that is the default", `{"name":"a","input_schema":{"type":"array","prefixItems":[{"type":"string"}],"items":false}}`, "allow permitted=a"},
		{"a list of items is no schema of 2020-12", `{"name":"a","inputSchema":{"items":[{"type":"string"}]}}`, "block invalid=a warnings=offered_schema:a:/items"},
		{"unless the schema says so itself", `{"name":"a","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}}`, "allow permitted=a"},
		{"a dialect that nobody knows", `{"name":"a","inputSchema":{"$schema":"https://example.org/mine"}}`, "block invalid=a warnings=offered_schema:a:/$schema"},
		{"a branch that accepts everything only warns", `{"name":"a","input_schema":{"type":"object","properties":{"q":{"anyOf":[{"type":"string"},{"description":"anything"}]}}}}`,
			"allow permitted=a warnings=offered_schema:a:/properties/q/anyOf/1"},
		{"beside it a cycle is found all the same", `{"name":"a","input_schema":{"type":"object","properties":{"q":{"anyOf":[{"type":"string"},{}]},"r":{"$ref":"#/$defs/x"}},"$defs":{"x":{"$ref":"#/$defs/x"}}}}`,
			"block invalid=a warnings=offered_schema:a:/$defs/x,offered_schema:a:/properties/q/anyOf/1"},
		{"so does what the dialect ignores", `{"type":"function","function":{"name":"a","parameters":{"type":"object","prefixItems":[]}}}`, "allow permitted=a warnings=offered_schema:a:/prefixItems"},
		{"one of several does not compile", `{"name":"a","parameters":` + fine + `,"input_schema":` + noSchema + `}`, "block invalid=a warnings=offered_schema:a:/type"},
	} {
		t.Run(test.about, func(t *testing.T) {
			in, err := toolcall.DecodeOffer(toolcall.OpenAIChat, []byte(`{"tools":[`+test.tool+`]}`))
			if err != nil {
				t.Fatal(err)
			}
			checks := NewSchemaChecks()
			for range 2 {
				d := Offers(snap, offerer, &in, checks, nil)
				if got := strings.ReplaceAll(brief(d.Response), " policies=team/p", ""); got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
				checkOffer(t, snap, d)
			}
		})
	}
	in, err := toolcall.DecodeOffer(toolcall.OpenAIChat, []byte(`{"tools":[{"name":"a","parameters":`+noSchema+`}]}`))
	if err != nil {
		t.Fatal(err)
	}
	warns := objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", actions("Warn"), "*")}}.snapshot()
	if got, want := brief(Offers(warns, offerer, &in, nil, nil).Response), "allow invalid=a policies=team/p warnings=invalid_schema:a,offered_schema:a:/type wouldBlock"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A large offer is judged apart the first time, and is cheap from then on.
func TestKnownSchemasAreCheap(t *testing.T) {
	snap := objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", nil, "*")}}.snapshot()
	in := largeOffer(t)
	checks := NewSchemaChecks()
	if _, ok := CheapOffers(snap, offerer, &in, checks, nil); ok {
		t.Fatal("a first offer of many schemas was judged as a cheap one")
	}
	whole := Offers(snap, offerer, &in, checks, nil)
	again, ok := CheapOffers(snap, offerer, &in, checks, nil)
	if diff := cmp.Diff(whole.Response, again.Response); !ok || diff != "" {
		t.Errorf("the second time: cheap %v, %s", ok, diff)
	}
	for i := range maxKnownSchemas + 100 {
		checks.put(schemaKey{byte(i), byte(i >> 8), byte(i >> 16), 1}, schemaCheck{})
	}
	if n := len(checks.known); n != maxKnownSchemas || checks.order.Len() != n {
		t.Errorf("%d schemas are known, in an order of %d; the bound is %d", n, checks.order.Len(), maxKnownSchemas)
	}
}

func largeOffer(t testing.TB) toolcall.Offer {
	t.Helper()
	var tools []string
	for i := range 64 {
		tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","input_schema":{"type":"object","properties":{"a%d":{"type":"string","description":%q}}}}`, i, i, strings.Repeat("x", 2000)))
	}
	in, err := toolcall.DecodeOffer(toolcall.Anthropic, []byte(`{"tools":[`+strings.Join(tools, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestQuestionsToValidators(t *testing.T) {
	set := objects{
		policies: []*callgatev1alpha1.ToolPolicy{
			offerPolicy("p", judges, "a", "b"), offerPolicy("q", both(judges, actions("Warn")), "a"), offerPolicy("r", nil, "a", "c"),
		},
		schemas: []*callgatev1alpha1.ToolSchema{offerSchema("a", fine)},
	}
	snap := set.snapshot()
	d := Offers(snap, offerer, names(t, `["a"]`), nil, nil)
	if d.Response.Allowed || len(d.Questions) != 2 {
		t.Fatalf("without an answer: allowed %v, %d questions; want a block and two", d.Response.Allowed, len(d.Questions))
	}
	q := d.Questions[0]
	if q.Policy != "p" || string(q.DeclaredTools) != `["a","b"]` || string(q.Schemas) != `{"a":`+fine+`}` || string(q.RequestTools) != `["a"]` {
		t.Errorf("the question is %+v", q)
	}
	yes, no, failed := Answer{Valid: true, Reason: "fits"}, Answer{Reason: "odd"}, Answer{Cause: "timeout", Detail: "x"}
	for _, test := range []struct {
		about   string
		answers []Answer
		want    string
	}{
		{"all say valid", []Answer{yes, yes}, "allow true fits"},
		{"a policy with Deny hears no", []Answer{no, yes}, "block false odd"},
		{"one with Warn hears no", []Answer{yes, no}, "allow false odd wouldBlock"},
		{"no answer", []Answer{failed, yes}, "block false timeout"},
		{"valid with a cause is no answer", []Answer{{Valid: true, Cause: "busy"}, yes}, "block false busy"},
		{"answers are missing", nil, "block false no_answer"},
		{"both fail", []Answer{no, failed}, "block false odd; timeout"},
	} {
		a := d.Answered(test.answers)
		got := fmt.Sprintf("%s %v %s", a.Response.Verdict, a.Response.Details.SemanticValidated, a.Response.Details.SemanticReason)
		if a.Response.WouldBlock {
			got += " wouldBlock"
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.about, got, test.want)
		}
		if !a.Response.Allowed && len(a.Response.PermittedTools) > 0 {
			t.Errorf("%s: %v are permitted, though nobody has judged them", test.about, a.Response.PermittedTools)
		}
	}
	for _, offer := range []string{`["x"]`, `["a","a"]`, `["a",""]`} {
		if d := Offers(snap, offerer, names(t, offer), nil, nil); len(d.Questions) > 0 || d.Response.Allowed {
			t.Errorf("%s: %d questions, though the local checks fail", offer, len(d.Questions))
		}
	}
	// A policy whose own checks fail is not asked about, whatever its actions.
	if d := Offers(snap, offerer, names(t, `["a"]`), nil, nil); len(d.Questions) != 2 {
		t.Error("the questions depend on more than the offer")
	}
}

// A field that is set at all asks for a validator, and one that cannot be asked blocks.
func TestHalfASemanticValidationBlocks(t *testing.T) {
	snap := objects{policies: []*callgatev1alpha1.ToolPolicy{offerPolicy("p", func(s *callgatev1alpha1.ToolPolicySpec) { s.SemanticValidation.Model = "m" }, "a")}}.snapshot()
	d := Offers(snap, offerer, names(t, `["a"]`), nil, nil)
	if d.Response.Allowed || len(d.Questions) != 1 {
		t.Errorf("allowed %v, %d questions", d.Response.Allowed, len(d.Questions))
	}
}

func TestWhatIsRecordedOfOffers(t *testing.T) {
	set := objects{policies: []*callgatev1alpha1.ToolPolicy{
		offerPolicy("p", actions("Audit"), "a"),
		offerPolicy("q", func(s *callgatev1alpha1.ToolPolicySpec) {
			s.UndeclaredTools, s.Disclosure = callgatev1alpha1.PassAllow, callgatev1alpha1.DisclosureOpaque
		}, "x"),
	}}
	d := Offers(set.snapshot(), offerer, names(t, `["b","b\u0000","b"]`), nil, nil)
	var got []string
	for _, f := range d.Audit {
		got = append(got, fmt.Sprintf("%s %s %s", f.Policy, f.Code, strings.Join(f.Errors, " ")))
	}
	want := []string{
		`team/p tool-validation.invalid unknown_tool:b unknown_tool:b\u0000`,
		`team/q tool-validation.ok undeclared_tool:b undeclared_tool:b\u0000`,
		` tool-validation.invalid malformed_entry:0:declared_twice malformed_entry:2:declared_twice`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkCompilingOfferedSchemas(b *testing.B) {
	for name, unit := range map[string]func(i int) string{
		"objects": func(i int) string {
			return fmt.Sprintf(`"p%d":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, i)
		},
		"patterns": func(i int) string { return fmt.Sprintf(`"p%d":{"pattern":"^(?:[a-z%d]{1,9}|[^\\s]+)*x$"}`, i, i%10) },
		"unions": func(i int) string {
			return fmt.Sprintf(`"p%d":{"anyOf":[{"type":"null"},{"$ref":"#/properties/p%d"}]}`, i, i/2)
		},
		"empties": func(i int) string { return fmt.Sprintf(`"%d":{}`, i) },
		"classes": func(i int) string { return fmt.Sprintf(`"p%d":{"pattern":"[\\p{L}\\d]{%d}\\w{50}"}`, i, 50+i%9) },
	} {
		doc := `{"type":"object","properties":{`
		for i := 0; len(doc) < 60<<10; i++ {
			if i > 0 {
				doc += ","
			}
			doc += unit(i)
		}
		doc += "}}"
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				checkSchema(toolcall.OfferedSchema{Text: []byte(doc)})
			}
		})
	}
}
