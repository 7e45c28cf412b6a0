package identity

import "time"

// Outcome says how one request's caller was identified.
type Outcome string

const (
	// OutcomeShape: refused without a look-up, for shape, audience or exp.
	OutcomeShape Outcome = "local_refusal"
	// OutcomeHit: answered from the cache of callers.
	OutcomeHit Outcome = "hit"
	// OutcomeStale: answered from the cache past the soft TTL, because the API
	// server gave no answer.
	OutcomeStale Outcome = "stale"
	// OutcomeRefusalHit: answered from the cache of refusals.
	OutcomeRefusalHit Outcome = "refusal_hit"
	// OutcomeAsked: answered by a look-up.
	OutcomeAsked Outcome = "asked"
	// OutcomeUnavailable: not answered.
	OutcomeUnavailable Outcome = "unavailable"
)

// Observer is told what happens, for metrics. Its methods must not block.
type Observer interface {
	// Identified is called once a request.
	Identified(Outcome)
	// LookedUp is called once a look-up; answered is false if none came.
	LookedUp(answered bool, took time.Duration)
	// Outage is called when the API server stops and starts answering.
	Outage(bool)
}

// NoopObserver ignores everything.
type NoopObserver struct{}

// Identified implements Observer.
func (NoopObserver) Identified(Outcome) {}

// LookedUp implements Observer.
func (NoopObserver) LookedUp(bool, time.Duration) {}

// Outage implements Observer.
func (NoopObserver) Outage(bool) {}
