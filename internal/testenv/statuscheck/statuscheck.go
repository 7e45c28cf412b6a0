// Package statuscheck holds any stored object's status to the invariants that
// people and tools rely on, whatever the test at hand is about.
package statuscheck

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// subject is what the checks read of an object of either kind.
type subject struct {
	object     runtime.Object
	kind       string
	generation int64
	observed   *int64
	conditions []metav1.Condition
	problems   []callgatev1alpha1.Problem
	warnings   []callgatev1alpha1.Problem
	types      []string
}

// ToolSchema returns the invariants that obj breaks.
func ToolSchema(obj *callgatev1alpha1.ToolSchema) []string {
	return check(subject{
		object: obj, kind: "ToolSchema", generation: obj.Generation,
		observed: obj.Status.ObservedGeneration, conditions: obj.Status.Conditions,
		problems: obj.Status.Problems, warnings: obj.Status.Warnings,
		types: []string{
			callgatev1alpha1.ConditionAccepted, callgatev1alpha1.ConditionReady, callgatev1alpha1.ConditionStalled,
		},
	})
}

// ToolPolicy returns the invariants that obj breaks.
func ToolPolicy(obj *callgatev1alpha1.ToolPolicy) []string {
	broken := check(subject{
		object: obj, kind: "ToolPolicy", generation: obj.Generation,
		observed: obj.Status.ObservedGeneration, conditions: obj.Status.Conditions,
		problems: obj.Status.Problems, warnings: obj.Status.Warnings,
		types: []string{
			callgatev1alpha1.ConditionAccepted, callgatev1alpha1.ConditionResolvedRefs,
			callgatev1alpha1.ConditionReady, callgatev1alpha1.ConditionStalled,
		},
	})
	if !slices.IsSorted(obj.Status.InvalidSchemas) {
		broken = append(broken, "invalidSchemas is not sorted")
	}
	if len(obj.Status.InvalidSchemas) > 64 {
		broken = append(broken, "invalidSchemas has more than 64 entries")
	}
	return broken
}

func check(s subject) []string {
	var broken []string
	fail := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	s.checkPresence(fail)
	s.checkGenerations(fail)
	s.checkEach(fail)
	s.checkSummary(fail)
	s.checkProblems(fail)
	s.checkKstatus(fail)
	return broken
}

type failer func(format string, args ...any)

func (s subject) checkPresence(fail failer) {
	var present []string
	for _, c := range s.conditions {
		if slices.Contains(present, c.Type) {
			fail("condition %s stands twice", c.Type)
		}
		if slices.Contains(s.types, c.Type) {
			present = append(present, c.Type)
		}
	}
	for _, want := range s.types {
		if want != callgatev1alpha1.ConditionStalled && !slices.Contains(present, want) {
			fail("condition %s is missing", want)
		}
	}
	order := func(a, b string) int { return slices.Index(s.types, a) - slices.Index(s.types, b) }
	if !slices.IsSortedFunc(present, order) {
		fail("conditions are out of order: %v", present)
	}
}

func (s subject) checkGenerations(fail failer) {
	if s.observed != nil && (*s.observed < 1 || *s.observed > s.generation) {
		fail("observedGeneration %d is no generation up to %d", *s.observed, s.generation)
	}
	for _, c := range s.own() {
		switch {
		case s.observed == nil && c.Status != metav1.ConditionUnknown:
			fail("%s is %s before anybody has looked", c.Type, c.Status)
		case s.observed != nil && c.ObservedGeneration != *s.observed:
			fail("%s observed generation %d, the object %d", c.Type, c.ObservedGeneration, *s.observed)
		}
	}
}

func (s subject) checkEach(fail failer) {
	for _, c := range s.own() {
		if c.Reason == "" {
			fail("%s has no reason", c.Type)
		}
		if c.Message == "" || len([]rune(c.Message)) > 32768 {
			fail("%s has a message of %d code points", c.Type, len([]rune(c.Message)))
		}
		if c.LastTransitionTime.IsZero() {
			fail("%s has no lastTransitionTime", c.Type)
		}
		if c.Type == callgatev1alpha1.ConditionStalled && c.Status != metav1.ConditionTrue {
			fail("Stalled is present and %s", c.Status)
		}
		if (c.Status == metav1.ConditionUnknown) != (c.Reason == callgatev1alpha1.ReasonPending) {
			fail("%s is %s because of %s", c.Type, c.Status, c.Reason)
		}
	}
}

func (s subject) checkSummary(fail failer) {
	ready, accepted := s.find(callgatev1alpha1.ConditionReady), s.find(callgatev1alpha1.ConditionAccepted)
	stalled := s.find(callgatev1alpha1.ConditionStalled)
	want := metav1.ConditionTrue
	for _, c := range s.own() {
		if c.Type == callgatev1alpha1.ConditionReady || c.Type == callgatev1alpha1.ConditionStalled {
			continue
		}
		if c.Status == metav1.ConditionFalse || (c.Status == metav1.ConditionUnknown && want == metav1.ConditionTrue) {
			want = c.Status
		}
	}
	if ready.Status != want {
		fail("Ready is %s where the others make it %s", ready.Status, want)
	}
	if ready.Status == metav1.ConditionTrue && ready.Reason != callgatev1alpha1.ReasonInForce {
		fail("Ready is True because of %s", ready.Reason)
	}
	if accepted.Status == metav1.ConditionFalse && (ready.Reason != accepted.Reason || stalled.Reason != accepted.Reason) {
		fail("reasons differ: Accepted %s, Ready %s, Stalled %s", accepted.Reason, ready.Reason, stalled.Reason)
	}
	if ready.Status == metav1.ConditionTrue && stalled.Type != "" {
		fail("Ready and Stalled are both True")
	}
}

func (s subject) checkProblems(fail failer) {
	if s.find(callgatev1alpha1.ConditionAccepted).Status == metav1.ConditionTrue && len(s.problems) > 0 {
		fail("accepted with %d problems", len(s.problems))
	}
	for name, list := range map[string][]callgatev1alpha1.Problem{"problems": s.problems, "warnings": s.warnings} {
		if len(list) > 32 {
			fail("%s has %d entries", name, len(list))
		}
		for i, p := range list {
			if p.Path == nil || p.Message == "" || len([]rune(p.Message)) > 512 || len([]rune(*p.Path)) > 512 {
				fail("%s[%d] is out of bounds", name, i)
			}
		}
	}
}

// checkKstatus has the library that kubectl, Flux and Argo CD's users wait with
// read the object.
func (s subject) checkKstatus(fail failer) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(s.object)
	if err != nil {
		fail("converting the object: %v", err)
		return
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(callgatev1alpha1.GroupVersion.WithKind(s.kind))
	got, err := status.Compute(u)
	if err != nil {
		fail("kstatus cannot read the object: %v", err)
		return
	}
	if want := s.wantKstatus(); got.Status != want {
		fail("kstatus reads %s (%s), want %s", got.Status, got.Message, want)
	}
}

func (s subject) wantKstatus() status.Status {
	switch {
	case s.observed == nil || *s.observed != s.generation:
		return status.InProgressStatus
	case s.find(callgatev1alpha1.ConditionStalled).Status == metav1.ConditionTrue:
		return status.FailedStatus
	case s.find(callgatev1alpha1.ConditionReady).Status == metav1.ConditionTrue:
		return status.CurrentStatus
	default:
		return status.InProgressStatus
	}
}

func (s subject) own() []metav1.Condition {
	var own []metav1.Condition
	for _, c := range s.conditions {
		if slices.Contains(s.types, c.Type) {
			own = append(own, c)
		}
	}
	return own
}

func (s subject) find(conditionType string) metav1.Condition {
	for _, c := range s.conditions {
		if c.Type == conditionType {
			return c
		}
	}
	return metav1.Condition{}
}
