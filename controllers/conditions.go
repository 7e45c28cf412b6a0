package controllers

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	callgatev1alpha1ac "github.com/callgate/callgate/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/callgate/callgate/internal/shown"
)

// The bounds that the CRDs put on status. A status over one of them would be
// refused as a whole, and the object would look pending for ever.
const (
	maxConditionMessage = 32768
	maxProblems         = 32
	maxProblemPath      = 512
	maxProblemKeyword   = 128
	maxProblemMessage   = 512
	maxInvalidSchemas   = 64
)

// conditionOrder is the order in which conditions read: first whether the object is
// good, last whether it is in force. Types outside it belong to somebody else.
func conditionOrder(conditionType string) int {
	return slices.Index([]string{
		callgatev1alpha1.ConditionAccepted,
		callgatev1alpha1.ConditionResolvedRefs,
		callgatev1alpha1.ConditionReady,
		callgatev1alpha1.ConditionStalled,
	}, conditionType)
}

// finding is what a compile says of one object, whatever its kind.
type finding struct {
	// reason is "" when the object is accepted.
	reason  string
	message string
}

// acceptance gives Accepted, Ready and, where waiting will not help, Stalled.
// Nothing that Callgate refuses mends itself, so Stalled is the negative of Ready.
func (f finding) acceptance() (accepted, ready metav1.Condition, stalled []metav1.Condition) {
	if f.reason == "" {
		accepted = condition(callgatev1alpha1.ConditionAccepted, metav1.ConditionTrue, callgatev1alpha1.ReasonAccepted, f.message)
		ready = condition(callgatev1alpha1.ConditionReady, metav1.ConditionTrue, callgatev1alpha1.ReasonInForce,
			"Verdicts are given by this generation")
		return accepted, ready, nil
	}
	accepted = condition(callgatev1alpha1.ConditionAccepted, metav1.ConditionFalse, f.reason, f.message)
	ready = condition(callgatev1alpha1.ConditionReady, metav1.ConditionFalse, f.reason, f.message)
	return accepted, ready, []metav1.Condition{
		condition(callgatev1alpha1.ConditionStalled, metav1.ConditionTrue, f.reason, f.message),
	}
}

func condition(conditionType string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: status, Reason: reason, Message: fit(message, maxConditionMessage)}
}

// settle dates conditions: one whose status has not changed keeps its time.
func settle(want, previous []metav1.Condition, generation int64, now time.Time) []metav1.Condition {
	// Status keeps whole seconds, so a finer time would never equal what is read back.
	stamp := metav1.NewTime(now.UTC().Truncate(time.Second))
	for i := range want {
		want[i].ObservedGeneration = generation
		want[i].LastTransitionTime = stamp
		old := meta.FindStatusCondition(previous, want[i].Type)
		if old != nil && old.Status == want[i].Status && !old.LastTransitionTime.IsZero() {
			want[i].LastTransitionTime = old.LastTransitionTime
		}
	}
	return want
}

// ours are the conditions that this project sets, in their order.
func ours(conditions []metav1.Condition) []metav1.Condition {
	owned := make([]metav1.Condition, 0, len(conditions))
	for _, c := range conditions {
		if conditionOrder(c.Type) >= 0 {
			owned = append(owned, c)
		}
	}
	slices.SortStableFunc(owned, func(a, b metav1.Condition) int {
		return cmp.Compare(conditionOrder(a.Type), conditionOrder(b.Type))
	})
	return owned
}

// foreign are the conditions that somebody else sets.
func foreign(conditions []metav1.Condition) []metav1.Condition {
	var others []metav1.Condition
	for _, c := range conditions {
		if conditionOrder(c.Type) < 0 {
			others = append(others, c)
		}
	}
	return others
}

// readiness are what an event is about: an event is due when they change.
func readiness(conditions []metav1.Condition) (status metav1.ConditionStatus, reason, message string) {
	ready := meta.FindStatusCondition(conditions, callgatev1alpha1.ConditionReady)
	if ready == nil {
		return metav1.ConditionUnknown, callgatev1alpha1.ReasonPending, ""
	}
	return ready.Status, ready.Reason, ready.Message
}

// fitProblems keeps problems within the CRD's bounds and says how many it left out.
func fitProblems(problems []callgatev1alpha1.Problem) []callgatev1alpha1.Problem {
	if len(problems) == 0 {
		return nil
	}
	kept, left := problems, 0
	if len(problems) > maxProblems {
		kept, left = problems[:maxProblems-1], len(problems)-maxProblems+1
	}
	fitted := make([]callgatev1alpha1.Problem, 0, len(kept)+1)
	for _, p := range kept {
		fitted = append(fitted, fitProblem(p))
	}
	if left > 0 {
		fitted = append(fitted, callgatev1alpha1.Problem{Path: new(""), Message: fmt.Sprintf("%d more were left out", left)})
	}
	return fitted
}

func fitProblem(p callgatev1alpha1.Problem) callgatev1alpha1.Problem {
	path := ""
	if p.Path != nil {
		path = fit(*p.Path, maxProblemPath)
	}
	return callgatev1alpha1.Problem{
		Path:    &path,
		Keyword: fit(p.Keyword, maxProblemKeyword),
		Message: fit(cmp.Or(p.Message, "No detail is known"), maxProblemMessage),
	}
}

// fit cuts text to a number of code points, which is what the API server counts,
// and makes it valid UTF-8, which is what the wire takes.
func fit(text string, limit int) string {
	text = toValidUTF8(text)
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	return shown.Cut(text, limit-1)
}

func toValidUTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

func conditionConfigs(conditions []metav1.Condition) []*metav1ac.ConditionApplyConfiguration {
	configs := make([]*metav1ac.ConditionApplyConfiguration, 0, len(conditions))
	for _, c := range conditions {
		configs = append(configs, metav1ac.Condition().
			WithType(c.Type).
			WithStatus(c.Status).
			WithObservedGeneration(c.ObservedGeneration).
			WithLastTransitionTime(c.LastTransitionTime).
			WithReason(c.Reason).
			WithMessage(c.Message))
	}
	return configs
}

func problemConfigs(problems []callgatev1alpha1.Problem) []*callgatev1alpha1ac.ProblemApplyConfiguration {
	configs := make([]*callgatev1alpha1ac.ProblemApplyConfiguration, 0, len(problems))
	for _, p := range problems {
		config := callgatev1alpha1ac.Problem().WithPath(*p.Path).WithMessage(p.Message)
		if p.Keyword != "" {
			config.WithKeyword(p.Keyword)
		}
		configs = append(configs, config)
	}
	return configs
}
