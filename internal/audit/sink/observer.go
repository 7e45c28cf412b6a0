package sink

// Reason says why a record was not written. The set is fixed: it is a metric's label.
type Reason string

// The reasons.
const (
	// ReasonFull: the queue was full. Of records of allowed and of blocked reviews, those
	// of allowed ones go first.
	ReasonFull Reason = "queue_full"
	// ReasonRefused: records are required and this one could not be written in time, so
	// that the review was refused and not answered with a verdict.
	ReasonRefused Reason = "refused"
	// ReasonStopped: the process ended before it could be written.
	ReasonStopped Reason = "stopped"
	// ReasonUnencodable: it could not be put into a line.
	ReasonUnencodable Reason = "unencodable"
)

// Reasons are all reasons: a count of something that may never happen begins with 0.
func Reasons() []Reason {
	return []Reason{ReasonFull, ReasonRefused, ReasonStopped, ReasonUnencodable}
}

// Observer is told what happens, for metrics. Its methods must not block. Every record
// that the sink was given is told of once, as written or as dropped, by the time that the
// sink has stopped.
type Observer interface {
	// Written is called when records have been handed to the operating system.
	Written(records int)
	// Dropped is called when records are lost.
	Dropped(reason Reason, records int)
	// Queued tells how many records wait now, and how many bytes they have.
	Queued(records, bytes int)
	// Failed is called for each attempt to write that failed.
	Failed()
}

// NoopObserver ignores everything.
type NoopObserver struct{}

// Written implements Observer.
func (NoopObserver) Written(int) {}

// Dropped implements Observer.
func (NoopObserver) Dropped(Reason, int) {}

// Queued implements Observer.
func (NoopObserver) Queued(int, int) {}

// Failed implements Observer.
func (NoopObserver) Failed() {}
