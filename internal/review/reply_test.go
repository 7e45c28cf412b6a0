package review_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// The blocked calls of a message are answered in its provider's shape, and what the
// provider ran itself is told.
func TestReplyCarriesTheFeedback(t *testing.T) {
	in, err := toolcall.DecodeMessage(toolcall.Auto, []byte(`{"type":"message","role":"assistant","stop_reason":"tool_use","content":[
		{"type":"server_tool_use","id":"s","name":"web_search","input":{}},
		{"type":"tool_use","id":"a","name":"weather","input":{"city":"Oslo"}},
		{"type":"tool_use","id":"b","name":"weather","input":{"town":"Oslo","days":"SECRET"}},
		{"type":"tool_use","id":"c","name":"whether","input":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	out := compile.Compile(compile.Input{
		Schemas:  []*callgatev1alpha1.ToolSchema{schema("weather", weather, nil)},
		Policies: []*callgatev1alpha1.ToolPolicy{policy("p")},
	}, nil)
	response := review.Calls(snapshot.New(out), agent, in, nil).Response
	if diff := cmp.Diff([]string{"provider_executed:server_tool_use:web_search"}, response.Warnings); diff != "" {
		t.Error(diff)
	}
	if len(response.Reply) != 2 {
		t.Fatalf("%d replies, want 2", len(response.Reply))
	}
	for i, call := range []int{1, 2} {
		want, err := json.Marshal(map[string]any{
			"type": "tool_result", "tool_use_id": response.Results[call].ID, "is_error": true, "content": response.Results[call].Feedback,
		})
		if err != nil {
			t.Fatal(err)
		}
		if !equalJSON(t, response.Reply[i], want) {
			t.Errorf("reply %s, want %s", response.Reply[i], want)
		}
	}
	if text := response.Results[1].Feedback; strings.Contains(text, "SECRET") || strings.Contains(text, "Oslo") {
		t.Errorf("the feedback holds an argument value: %s", text)
	}
	if text := response.Results[2].Feedback; !strings.Contains(text, `Did you mean "weather"?`) {
		t.Errorf("the feedback does not help: %s", text)
	}
	if response.Results[0].Feedback != "" {
		t.Errorf("an allowed call has the feedback %q", response.Results[0].Feedback)
	}
}

func equalJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

// A caller is offered the names that would pass for it, and no others.
func TestSuggestionsAreTheCallersOwn(t *testing.T) {
	labels := map[string]string{"a": "b"}
	schemas := []*callgatev1alpha1.ToolSchema{
		schema("weather", weather, labels), schema("weather1", weather, nil), schema("weather2", weather, nil), schema("weather3", `{"type":"any"}`, nil),
	}
	for name, tc := range map[string]struct {
		policies []*callgatev1alpha1.ToolPolicy
		want     string
	}{
		"declared":                      {[]*callgatev1alpha1.ToolPolicy{policy("p")}, `Did you mean "weather"?`},
		"declared, with a bad schema":   {[]*callgatev1alpha1.ToolPolicy{policy("p", declares("weather3"))}, ""},
		"declared, without schema":      {[]*callgatev1alpha1.ToolPolicy{policy("p", declares("weather4"))}, ""},
		"every name":                    {[]*callgatev1alpha1.ToolPolicy{policy("p", declares("*"))}, `Did you mean "weather"?`},
		"several, equally close":        {[]*callgatev1alpha1.ToolPolicy{policy("p", declares("weather1", "weather2", "weather3"))}, `Did you mean "weather1" or "weather2"?`},
		"not selected":                  {[]*callgatev1alpha1.ToolPolicy{policy("p", declares("*"), selects(labels))}, `Did you mean "weather"?`},
		"of two policies, what both do": {[]*callgatev1alpha1.ToolPolicy{policy("p", declares("weather", "weather1")), policy("q", declares("weather1", "weather2"))}, `Did you mean "weather1"?`},
		"a policy that blocks nothing":  {[]*callgatev1alpha1.ToolPolicy{policy("p"), policy("q", declares("other"), acts("Audit"))}, `Did you mean "weather"?`},
		"a broken policy":               {[]*callgatev1alpha1.ToolPolicy{policy("p"), policy("q", broken)}, ""},
	} {
		text := judge(t, agent, schemas, tc.policies, call("wether", `{}`)).Response.Results[0].Feedback
		if tc.want == "" && strings.Contains(text, "Did you mean") || !strings.Contains(text, tc.want) {
			t.Errorf("%s: %q, want %q in it", name, text, tc.want)
		}
	}
}

// BenchmarkUnknownNames is the costliest review of unknown names: every call names
// one that resembles all the others.
func BenchmarkUnknownNames(b *testing.B) {
	var schemas []*callgatev1alpha1.ToolSchema
	prefix := strings.Repeat("a_long_common_prefix_", 5)
	for i := range 2048 {
		s := schema(fmt.Sprintf("t%d", i), weather, nil)
		s.Spec.ToolName = fmt.Sprintf("%s%04d", prefix, i)
		schemas = append(schemas, s)
	}
	out := compile.Compile(compile.Input{Schemas: schemas, Policies: []*callgatev1alpha1.ToolPolicy{policy("p", declares("*"))}}, nil)
	snap := snapshot.New(out)
	in := toolcall.Review{UID: "u"}
	for range toolcall.MaxCalls {
		in.Calls = append(in.Calls, call(prefix+"zzzz", `{}`))
	}
	b.ReportAllocs()
	for b.Loop() {
		review.Calls(snap, agent, in, nil)
	}
}
