package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Reviews count requests and verdicts.
type Reviews struct {
	requests   *prometheus.CounterVec
	duration   *prometheus.HistogramVec
	verdicts   *prometheus.CounterVec
	repaired   *prometheus.CounterVec
	namespaces *bounded
	reasons    *bounded
	pending    *pending
}

// What became of a call or an offer.
const (
	ActionAllow      = "allow"
	ActionDeny       = "deny"
	ActionWouldBlock = "would_block"
)

// policyNamespace is the label of the namespace that was judged for. It is not called
// namespace: scrapes of pods put their own under that name, and ours would be renamed.
const policyNamespace = "policy_namespace"

// maxReasons bounds the reasons of a refusal, of which there are some fifteen.
const maxReasons = 32

func newReviews(m *Metrics) *Reviews {
	r := &Reviews{
		requests:   m.counter("requests_total", "Requests answered, by what was posted, by HTTP status and by the reason of the refusal; a verdict has none.", "resource", "code", "reason"),
		duration:   m.histogram("request_duration_seconds", "Time from the headers of a request to its answer, by what was posted and by HTTP status.", fast, "resource", "code"),
		verdicts:   m.counter("verdicts_total", "Verdicts on calls, offers and executions: by phase, verdict code, what was done (allow, deny, would_block), and the namespace that was judged for.", "phase", "code", "action", policyNamespace),
		repaired:   m.counter("repairs_total", "Calls of a caller that had its last call to the same tool blocked for its arguments: whether this one passed.", "passed"),
		namespaces: newBounded(maxNamespaces),
		reasons:    newBounded(maxReasons),
		pending:    newPending(),
	}
	for _, passed := range []string{"true", "false"} {
		r.repaired.WithLabelValues(passed)
	}
	return r
}

// Answered counts a request. resource is what was posted, "" where that is nothing that
// there is, and reason is "" for a verdict.
func (r *Reviews) Answered(resource string, code int, reason string, took time.Duration) {
	status := strconv.Itoa(code)
	r.requests.WithLabelValues(resource, status, r.reasons.of(reason)).Inc()
	r.duration.WithLabelValues(resource, status).Observe(took.Seconds())
}

// Verdict counts a verdict. namespace is that of the account that was judged for.
func (r *Reviews) Verdict(phase, code, action, namespace string) {
	r.verdicts.WithLabelValues(phase, code, action, r.namespaces.of(namespace)).Inc()
}

// Judged notes whether a call of a caller to a tool passed, or was blocked for arguments
// that the model may mend. Neither is kept but as a keyed hash, and for a short time.
func (r *Reviews) Judged(caller, tool string, passed, mendable bool) {
	if r.pending.take(caller, tool) {
		r.repaired.WithLabelValues(strconv.FormatBool(passed)).Inc()
	}
	if !passed && mendable {
		r.pending.put(caller, tool)
	}
}
