package adapter

import (
	"time"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

// Source says where an adapter's data is. The set is fixed: it is a metric's label.
type Source string

// The sources.
const (
	SourceNone    Source = "none"
	SourceRecords Source = "records"
	SourceHTTP    Source = "http"
)

// Share says whose execution answered. The set is fixed.
type Share string

const (
	// ShareOwn: this call began the execution.
	ShareOwn Share = "own"
	// ShareJoined: the same call with the same uid was being executed already.
	ShareJoined Share = "joined"
	// ShareRepeated: it was executed a short while ago.
	ShareRepeated Share = "repeated"
	// ShareRefused: nothing was executed.
	ShareRefused Share = "refused"
)

// Observer is told what happens, for metrics. Its methods must not block.
type Observer interface {
	// Answered is called once for each call of Execute.
	Answered(Source, Share, reviewv1alpha1.VerdictCode, Cause)
	// Executed is called once for each execution that was begun, when it ends.
	Executed(source Source, cause Cause, took time.Duration)
	// InFlight is called with 1 when an execution begins and with -1 when it ends.
	InFlight(source Source, delta int)
}

// NoopObserver ignores everything.
type NoopObserver struct{}

// Answered implements Observer.
func (NoopObserver) Answered(Source, Share, reviewv1alpha1.VerdictCode, Cause) {}

// Executed implements Observer.
func (NoopObserver) Executed(Source, Cause, time.Duration) {}

// InFlight implements Observer.
func (NoopObserver) InFlight(Source, int) {}
