package compile

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// A revision names everything that decides, so each of these is another one.
func TestRevisionCoversWhatDecidesOffers(t *testing.T) {
	seen := map[string]int{}
	for i, change := range []func(*callgatev1alpha1.ToolPolicySpec){
		func(*callgatev1alpha1.ToolPolicySpec) {},
		func(s *callgatev1alpha1.ToolPolicySpec) { s.Disclosure = callgatev1alpha1.DisclosureCode },
		func(s *callgatev1alpha1.ToolPolicySpec) { s.Disclosure = callgatev1alpha1.DisclosureOpaque },
		func(s *callgatev1alpha1.ToolPolicySpec) { s.SemanticValidation.Endpoint = "https://a.example.org" },
		func(s *callgatev1alpha1.ToolPolicySpec) { s.SemanticValidation.Endpoint = "https://b.example.org" },
		func(s *callgatev1alpha1.ToolPolicySpec) { s.SemanticValidation.Model = "m" },
		func(s *callgatev1alpha1.ToolPolicySpec) { s.SemanticValidation.SecretKeyRef.Name = "m" },
		func(s *callgatev1alpha1.ToolPolicySpec) { s.SemanticValidation.SecretKeyRef.Key = "m" },
		func(s *callgatev1alpha1.ToolPolicySpec) { s.SemanticValidation.CABundle = []byte("m") },
		func(s *callgatev1alpha1.ToolPolicySpec) { s.SemanticValidation.TimeoutMilliseconds = 7 },
	} {
		p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p"}}
		p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{"a"}
		change(&p.Spec)
		out := Compile(Input{Policies: []*callgatev1alpha1.ToolPolicy{p}}, nil)
		if other, ok := seen[out.Revision]; ok {
			t.Errorf("changes %d and %d have one revision", other, i)
		}
		seen[out.Revision] = i
		if got, want := out.Namespaces["team"].Policies[0].Semantic != nil, i > 2; got != want {
			t.Errorf("change %d: a validator is asked: %v, want %v", i, got, want)
		}
	}
}

func TestAbsentDisclosureIsFull(t *testing.T) {
	if disclosure("") != callgatev1alpha1.DisclosureFull {
		t.Error("the default is not Full")
	}
	known := []callgatev1alpha1.Disclosure{callgatev1alpha1.DisclosureFull, callgatev1alpha1.DisclosureCode, callgatev1alpha1.DisclosureOpaque}
	if !slices.Contains(known, disclosure("bogus")) || disclosure("bogus") == callgatev1alpha1.DisclosureFull {
		t.Error("a value that nobody knows tells more than the least")
	}
}
