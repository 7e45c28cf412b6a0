package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Process tells how the replica itself does.
type Process struct {
	m       *Metrics
	drain   prometheus.Gauge
	refused *prometheus.CounterVec
}

func newProcess(m *Metrics) *Process {
	m.gauge("build_info", "1, with the version of the build.", "version").WithLabelValues(m.opts.Version).Set(1)
	return &Process{
		m:       m,
		drain:   m.gauge("drain_state", "How far this replica is on its way out: 0 serving, 1 unready but serving, 2 closing connections, 3 waiting for answers, 4 stopped.").WithLabelValues(),
		refused: m.counter("connections_refused_total", "Connections that were closed before a request was read, by why.", "reason"),
	}
}

// Draining tells how far the drain is.
func (p *Process) Draining(state int) { p.drain.Set(float64(state)) }

// Ready has it read, when it is scraped, whether this replica is ready to serve.
func (p *Process) Ready(ready func() bool) {
	p.m.read("ready", "1 while this replica is ready: a policy set is in force, the endpoint listens, the certificate is valid, and no stop is under way.", func() float64 { return one(ready()) })
}

// Leader has it read, when it is scraped, whether this replica writes status.
func (p *Process) Leader(leading func() bool) {
	p.m.read("leader", "1 while this replica holds the Lease, and so writes status.", func() float64 { return one(leading()) })
}

// Refused counts a connection that was closed unread.
func (p *Process) Refused(reason string) { p.refused.WithLabelValues(reason).Inc() }

// Certificate has the serving certificate's end read when it is scraped. A zero time is
// none.
func (p *Process) Certificate(notAfter, loaded func() time.Time) {
	p.m.read("certificate_not_after_timestamp_seconds", "When the serving certificate expires, in Unix time; 0 without one.", unix(notAfter))
	p.m.read("certificate_loaded_timestamp_seconds", "When the serving certificate was loaded, in Unix time; 0 without one.", unix(loaded))
}

func unix(at func() time.Time) func() float64 {
	return func() float64 {
		if t := at(); !t.IsZero() {
			return float64(t.Unix())
		}
		return 0
	}
}
