package metrics

import "github.com/prometheus/client_golang/prometheus"

// Tracing counts the spans of traced reviews.
type Tracing struct {
	ended prometheus.Counter
	sent  *prometheus.CounterVec
}

func newTracing(m *Metrics) *Tracing {
	t := &Tracing{
		ended: m.counter("trace_spans_total", "Spans of traced reviews. Those that were never sent found no room in the queue.").WithLabelValues(),
		sent:  m.counter("trace_spans_sent_total", "Spans that were sent, by whether the receiver took them (taken, lost).", "result"),
	}
	t.Sent(true, 0)
	t.Sent(false, 0)
	return t
}

// Ended counts a span.
func (t *Tracing) Ended() { t.ended.Inc() }

// Sent counts spans that the receiver took, or did not.
func (t *Tracing) Sent(ok bool, spans int) {
	result := "lost"
	if ok {
		result = "taken"
	}
	t.sent.WithLabelValues(result).Add(float64(spans))
}
