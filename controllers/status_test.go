package controllers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/testenv/statuscheck"
)

var (
	then = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now  = time.Date(2026, 1, 2, 4, 0, 0, 123456789, time.UTC)
)

// summary is a status in one line a condition.
func summary(conditions []metav1.Condition) []string {
	lines := make([]string, 0, len(conditions))
	for _, c := range conditions {
		lines = append(lines, fmt.Sprintf("%s=%s %s @%d", c.Type, c.Status, c.Reason, c.ObservedGeneration))
	}
	return lines
}

func problems(n int) []callgatev1alpha1.Problem {
	list := make([]callgatev1alpha1.Problem, n)
	for i := range list {
		list[i] = callgatev1alpha1.Problem{Path: new(fmt.Sprintf("/properties/p%d", i)), Keyword: "type", Message: "no such type"}
	}
	return list
}

func TestToolSchemaStatus(t *testing.T) {
	cases := map[string]struct {
		reason  string
		outcome compile.SchemaOutcome
		want    []string
	}{
		"accepted": {
			reason:  "an accepted schema is in force and nothing is stalled",
			outcome: compile.SchemaOutcome{Dialect: "Draft7", Hash: "sha256:00", Message: "fine", Warnings: problems(1)},
			want:    []string{"Accepted=True Accepted @3", "Ready=True InForce @3"},
		},
		"invalid": {
			reason:  "waiting mends no schema",
			outcome: compile.SchemaOutcome{Reason: callgatev1alpha1.ReasonInvalidSchema, Message: "broken", Problems: problems(40)},
			want:    []string{"Accepted=False InvalidSchema @3", "Ready=False InvalidSchema @3", "Stalled=True InvalidSchema @3"},
		},
		"duplicate": {
			reason:  "a duplicate is a good document that serves nobody",
			outcome: compile.SchemaOutcome{Reason: callgatev1alpha1.ReasonDuplicateToolName, Message: "twice", Dialect: "Draft7"},
			want:    []string{"Accepted=False DuplicateToolName @3", "Ready=False DuplicateToolName @3", "Stalled=True DuplicateToolName @3"},
		},
		"no words": {
			reason:  "a compiler that has nothing to say still gives a status that the API server takes",
			outcome: compile.SchemaOutcome{Reason: callgatev1alpha1.ReasonInvalidSchema, Message: "x", Problems: []callgatev1alpha1.Problem{{}}},
			want:    []string{"Accepted=False InvalidSchema @3", "Ready=False InvalidSchema @3", "Stalled=True InvalidSchema @3"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			obj := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "n", Generation: 3}}
			outcome := tc.outcome
			outcome.Generation, outcome.ToolName = 3, "a"
			obj.Status = toolSchemaStatus(obj, &outcome, now)
			if diff := cmp.Diff(tc.want, summary(obj.Status.Conditions)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if broken := statuscheck.ToolSchema(obj); len(broken) > 0 {
				t.Errorf("broken invariants: %s", strings.Join(broken, "; "))
			}
			if again := toolSchemaStatus(obj, &outcome, now.Add(time.Hour)); !sameToolSchemaStatus(obj.Status, again) {
				t.Errorf("a second look an hour later changes the status: %s", cmp.Diff(obj.Status, again))
			}
			obj.Generation = 4
			if broken := statuscheck.ToolSchema(obj); len(broken) > 0 {
				t.Errorf("with a newer generation waiting: %s", strings.Join(broken, "; "))
			}
		})
	}
}

func TestToolPolicyStatus(t *testing.T) {
	cases := map[string]struct {
		outcome compile.PolicyOutcome
		want    []string
	}{
		"accepted": {
			outcome: compile.PolicyOutcome{Message: "fine", DeclaredTools: 3, SelectedSchemas: 2, ToolsWithoutSchema: 1, Warnings: problems(33)},
			want:    []string{"Accepted=True Accepted @3", "ResolvedRefs=True ResolvedRefs @3", "Ready=True InForce @3"},
		},
		"invalid": {
			outcome: compile.PolicyOutcome{Reason: callgatev1alpha1.ReasonInvalidSpec, Message: "broken", Problems: problems(1)},
			want: []string{
				"Accepted=False InvalidSpec @3", "ResolvedRefs=True ResolvedRefs @3",
				"Ready=False InvalidSpec @3", "Stalled=True InvalidSpec @3",
			},
		},
		"other objects' faults": {
			outcome: compile.PolicyOutcome{Message: "fine", InvalidSchemas: 100, InvalidNames: names(100)},
			want:    []string{"Accepted=True Accepted @3", "ResolvedRefs=True ResolvedRefs @3", "Ready=True InForce @3"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			obj := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "n", Generation: 3}}
			outcome := tc.outcome
			outcome.Generation = 3
			obj.Status = toolPolicyStatus(obj, &outcome, finding{}, now)
			if diff := cmp.Diff(tc.want, summary(obj.Status.Conditions)); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			if broken := statuscheck.ToolPolicy(obj); len(broken) > 0 {
				t.Errorf("broken invariants: %s", strings.Join(broken, "; "))
			}
			if len(outcome.InvalidNames) != len(tc.outcome.InvalidNames) {
				t.Error("the outcome, which others share, was cut")
			}
		})
	}
}

func names(n int) []callgatev1alpha1.EffectiveToolName {
	list := make([]callgatev1alpha1.EffectiveToolName, n)
	for i := range list {
		list[i] = callgatev1alpha1.EffectiveToolName(fmt.Sprintf("tool-%03d", i))
	}
	return list
}

func TestPendingStatusReadsAsInProgress(t *testing.T) {
	pending := func(types ...string) (conditions []metav1.Condition) {
		for _, conditionType := range types {
			conditions = append(conditions, metav1.Condition{
				Type: conditionType, Status: metav1.ConditionUnknown, Reason: callgatev1alpha1.ReasonPending,
				Message: "Waiting for the controller", LastTransitionTime: metav1.NewTime(time.Unix(0, 0)),
			})
		}
		return conditions
	}
	obj := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "n", Generation: 1}}
	obj.Status.Conditions = pending("Accepted", "ResolvedRefs", "Ready")
	if broken := statuscheck.ToolPolicy(obj); len(broken) > 0 {
		t.Error(strings.Join(broken, "; "))
	}
}

func TestCheckFindsBrokenStatus(t *testing.T) {
	good := func() *callgatev1alpha1.ToolSchema {
		obj := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "n", Generation: 3}}
		obj.Status = toolSchemaStatus(obj, &compile.SchemaOutcome{
			Generation: 3, ToolName: "a", Message: "m", Reason: callgatev1alpha1.ReasonInvalidSchema,
		}, now)
		return obj
	}
	breakages := map[string]func(*callgatev1alpha1.ToolSchema){
		"a condition of another generation": func(s *callgatev1alpha1.ToolSchema) { s.Status.Conditions[1].ObservedGeneration = 2 },
		"a generation from the future":      func(s *callgatev1alpha1.ToolSchema) { s.Generation = 2 },
		"Stalled that is False":             func(s *callgatev1alpha1.ToolSchema) { s.Status.Conditions[2].Status = metav1.ConditionFalse },
		"Ready against Accepted":            func(s *callgatev1alpha1.ToolSchema) { s.Status.Conditions[1].Status = metav1.ConditionTrue },
		"no Ready":                          func(s *callgatev1alpha1.ToolSchema) { s.Status.Conditions = s.Status.Conditions[:1] },
		"out of order":                      func(s *callgatev1alpha1.ToolSchema) { slices.Reverse(s.Status.Conditions) },
		"twice":                             func(s *callgatev1alpha1.ToolSchema) { s.Status.Conditions[1].Type = "Accepted" },
		"reasons that differ":               func(s *callgatev1alpha1.ToolSchema) { s.Status.Conditions[2].Reason = "Other" },
		"no message":                        func(s *callgatev1alpha1.ToolSchema) { s.Status.Conditions[0].Message = "" },
		"no time":                           func(s *callgatev1alpha1.ToolSchema) { s.Status.Conditions[0].LastTransitionTime = metav1.Time{} },
		"too many problems":                 func(s *callgatev1alpha1.ToolSchema) { s.Status.Problems = problems(33) },
	}
	if broken := statuscheck.ToolSchema(good()); len(broken) > 0 {
		t.Fatalf("the object to break is broken: %v", broken)
	}
	for name, breakIt := range breakages {
		t.Run(name, func(t *testing.T) {
			obj := good()
			breakIt(obj)
			if len(statuscheck.ToolSchema(obj)) == 0 {
				t.Error("the check found nothing")
			}
		})
	}
}

func TestSettleKeepsTimesOfUnchangedStatus(t *testing.T) {
	previous := []metav1.Condition{
		{Type: "Accepted", Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(then)},
		{Type: "Ready", Status: metav1.ConditionFalse, LastTransitionTime: metav1.NewTime(then)},
	}
	got := settle([]metav1.Condition{
		condition("Accepted", metav1.ConditionTrue, "Other", "other words"),
		condition("Ready", metav1.ConditionTrue, "InForce", ""),
		condition("Stalled", metav1.ConditionTrue, "New", ""),
	}, previous, 2, now)
	want := []time.Time{then, now.Truncate(time.Second), now.Truncate(time.Second)}
	for i, c := range got {
		if !c.LastTransitionTime.Time.Equal(want[i]) {
			t.Errorf("%s changed at %s, want %s", c.Type, c.LastTransitionTime, want[i])
		}
	}
}

func TestFitProblems(t *testing.T) {
	long := strings.Repeat("é", 2000)
	got := fitProblems(append([]callgatev1alpha1.Problem{{Path: &long, Keyword: long, Message: long}}, problems(99)...))
	if len(got) != maxProblems {
		t.Fatalf("%d problems, want %d", len(got), maxProblems)
	}
	if want := "69 more were left out"; got[maxProblems-1].Message != want {
		t.Errorf("last message %q, want %q", got[maxProblems-1].Message, want)
	}
	for text, limit := range map[string]int{*got[0].Path: 512, got[0].Keyword: 128, got[0].Message: 512} {
		if n := utf8.RuneCountInString(text); n != limit || !strings.HasSuffix(text, "…") {
			t.Errorf("%d code points, want %d and an ellipsis", n, limit)
		}
	}
	if *problems(1)[0].Path != "/properties/p0" {
		t.Error("the given problems were changed")
	}
	if got := fitProblems(problems(maxProblems)); len(got) != maxProblems || strings.Contains(got[maxProblems-1].Message, "left out") {
		t.Error("a list that fits was cut")
	}
	if got := fit("a\xffb", 10); got != "a\ufffdb" {
		t.Errorf("fit() = %q", got)
	}
}

func TestSameToolPolicyVerdict(t *testing.T) {
	obj := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
	base := compile.PolicyOutcome{Generation: 3, Message: "fine", SelectedSchemas: 1}
	have := toolPolicyStatus(obj, &base, finding{}, now)
	obj.Status = have
	cases := map[string]struct {
		change func(*compile.PolicyOutcome)
		want   bool
	}{
		"counts":     {func(o *compile.PolicyOutcome) { o.SelectedSchemas, o.InvalidSchemas, o.InvalidNames = 5, 1, names(1) }, true},
		"warnings":   {func(o *compile.PolicyOutcome) { o.Warnings = problems(2) }, true},
		"generation": {func(o *compile.PolicyOutcome) { o.Generation = 4 }, false},
		"verdict":    {func(o *compile.PolicyOutcome) { o.Reason = callgatev1alpha1.ReasonInvalidSpec }, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			outcome := base
			tc.change(&outcome)
			want := toolPolicyStatus(obj, &outcome, finding{}, now)
			if sameToolPolicyStatus(have, want) {
				t.Fatal("the statuses do not differ")
			}
			if got := sameToolPolicyVerdict(have, want); got != tc.want {
				t.Errorf("sameToolPolicyVerdict() = %t, want %t", got, tc.want)
			}
		})
	}
}

func TestCutBytes(t *testing.T) {
	for text, want := range map[string]string{"short": "short", "ééé": "éé", "abcdef": "abcde"} {
		if got := cutBytes(text, 5); got != want {
			t.Errorf("cutBytes(%q, 5) = %q, want %q", text, got, want)
		}
	}
}
