package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Identity counts how callers are identified, and what the API server is asked for it.
type Identity struct {
	identified *prometheus.CounterVec
	lookUps    *prometheus.HistogramVec
	outage     *prometheus.GaugeVec
}

func newIdentity(m *Metrics) *Identity {
	return &Identity{
		identified: m.counter("identity_requests_total", "Callers identified, by the review resource they asked for and by how: local_refusal, hit, stale, refusal_hit, asked, unavailable.", "resource", "result"),
		lookUps:    m.histogram("identity_lookup_duration_seconds", "Time of a TokenReview and the SubjectAccessReview after it, or of a question of what callers may do (resource access), by whether the API server answered.", slow, "resource", "answered"),
		outage:     m.gauge("identity_outage", "1 while the API server does not answer questions about identity, or of what callers may do (resource access).", "resource"),
	}
}

// Identified counts a request.
func (i *Identity) Identified(resource, result string) {
	i.identified.WithLabelValues(resource, result).Inc()
}

// LookedUp counts a look-up.
func (i *Identity) LookedUp(resource string, answered bool, took time.Duration) {
	i.lookUps.WithLabelValues(resource, strconv.FormatBool(answered)).Observe(took.Seconds())
}

// Outage tells whether the API server answers.
func (i *Identity) Outage(resource string, out bool) {
	i.outage.WithLabelValues(resource).Set(one(out))
}

// Validator counts what semantic validators are asked.
type Validator struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

func newValidator(m *Metrics) *Validator {
	return &Validator{
		requests: m.counter("validator_requests_total", "Questions to semantic validators, by where the answer came from (asked, shared, cache, refused) and what it was.", "source", "outcome"),
		duration: m.histogram("validator_duration_seconds", "Time of a question that was asked, waiting included.", slow, "outcome"),
		inFlight: m.gauge("validator_in_flight", "Questions that are being asked.").WithLabelValues(),
	}
}

// Validated counts a question.
func (v *Validator) Validated(source, outcome string) {
	v.requests.WithLabelValues(source, outcome).Inc()
}

// Asked counts a question that was sent.
func (v *Validator) Asked(outcome string, took time.Duration) {
	v.duration.WithLabelValues(outcome).Observe(took.Seconds())
}

// InFlight adds to those that are being asked.
func (v *Validator) InFlight(delta int) { v.inFlight.Add(float64(delta)) }

// Execution counts what adapters run.
type Execution struct {
	answered *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight *prometheus.GaugeVec
}

func newExecution(m *Metrics) *Execution {
	return &Execution{
		answered: m.counter("executions_total", "Executions answered: by source (records, http), whose execution it was (own, joined, repeated, refused), code and cause.", "source", "share", "code", "cause"),
		duration: m.histogram("execution_duration_seconds", "Time of an execution that was run, by source and cause; no cause is a success.", slow, "source", "cause"),
		inFlight: m.gauge("executions_in_flight", "Executions that are being run.", "source"),
	}
}

// Answered counts an execution that was asked for.
func (e *Execution) Answered(source, share, code, cause string) {
	e.answered.WithLabelValues(source, share, code, cause).Inc()
}

// Executed counts an execution that was run.
func (e *Execution) Executed(source, cause string, took time.Duration) {
	e.duration.WithLabelValues(source, cause).Observe(took.Seconds())
}

// InFlight adds to those that are being run.
func (e *Execution) InFlight(source string, delta int) {
	e.inFlight.WithLabelValues(source).Add(float64(delta))
}

// Audit counts the records of verdicts.
type Audit struct {
	written prometheus.Counter
	dropped *prometheus.CounterVec
	failed  prometheus.Counter
	records prometheus.Gauge
	bytes   prometheus.Gauge
}

func newAudit(m *Metrics) *Audit {
	return &Audit{
		written: m.counter("audit_records_total", "Records of verdicts that were handed to the operating system.").WithLabelValues(),
		dropped: m.counter("audit_dropped_total", "Records of verdicts that were lost, by why.", "reason"),
		failed:  m.counter("audit_write_errors_total", "Attempts to write records that failed.").WithLabelValues(),
		records: m.gauge("audit_queue_records", "Records that wait to be written.").WithLabelValues(),
		bytes:   m.gauge("audit_queue_bytes", "Bytes of the records that wait to be written.").WithLabelValues(),
	}
}

// Written counts records that were written.
func (a *Audit) Written(n int) { a.written.Add(float64(n)) }

// Dropped counts records that were lost.
func (a *Audit) Dropped(reason string, n int) { a.dropped.WithLabelValues(reason).Add(float64(n)) }

// Failed counts an attempt that failed.
func (a *Audit) Failed() { a.failed.Inc() }

// Queued tells what waits.
func (a *Audit) Queued(records, bytes int) {
	a.records.Set(float64(records))
	a.bytes.Set(float64(bytes))
}

func one(v bool) float64 {
	if v {
		return 1
	}
	return 0
}
