package semantic

import "time"

// Source says where an answer came from. The set is fixed: it is a metric's label.
type Source string

const (
	// SourceAsked: this call began the question.
	SourceAsked Source = "asked"
	// SourceShared: an equal question was being asked already.
	SourceShared Source = "shared"
	// SourceCache: it was asked a short while ago.
	SourceCache Source = "cache"
	// SourceRefused: no question was asked (not_allowed, bad_question, busy, closed).
	SourceRefused Source = "refused"
)

// Outcome is "valid", "invalid", or the cause of a failure. The set is fixed.
type Outcome string

const (
	// OutcomeValid: the validator said valid.
	OutcomeValid Outcome = "valid"
	// OutcomeInvalid: the validator said not valid.
	OutcomeInvalid Outcome = "invalid"
)

// Outcome names the answer for metrics.
func (a Answer) Outcome() Outcome {
	switch {
	case a.Cause != "":
		return Outcome(a.Cause)
	case a.Valid:
		return OutcomeValid
	default:
		return OutcomeInvalid
	}
}

// Observer is told what happens, for metrics. Its methods must not block.
type Observer interface {
	// Validated is called once for each call of Validate.
	Validated(Source, Outcome)
	// Asked is called once for each question that was begun, when it ends; took has the
	// waiting in it.
	Asked(outcome Outcome, took time.Duration)
	// InFlight is called with 1 when a question is sent and with -1 when that ends.
	InFlight(delta int)
}

// NoopObserver ignores everything.
type NoopObserver struct{}

// Validated implements Observer.
func (NoopObserver) Validated(Source, Outcome) {}

// Asked implements Observer.
func (NoopObserver) Asked(Outcome, time.Duration) {}

// InFlight implements Observer.
func (NoopObserver) InFlight(int) {}
