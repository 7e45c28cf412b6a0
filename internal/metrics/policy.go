package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Policy tells of the policy set in force.
type Policy struct {
	compile  *prometheus.HistogramVec
	compiled prometheus.Counter
	swaps    prometheus.Counter
	objects  *prometheus.GaugeVec
	since    prometheus.Gauge
	info     *prometheus.GaugeVec

	mu       sync.Mutex
	revision string
}

func newPolicy(m *Metrics) *Policy {
	return &Policy{
		compile:  m.histogram("compile_duration_seconds", "Time to compile a policy set and put it in force.", slow),
		compiled: m.counter("compiled_objects_total", "Objects that were compiled because they had changed.").WithLabelValues(),
		swaps:    m.counter("policy_set_changes_total", "Policy sets that were put in force.").WithLabelValues(),
		objects:  m.gauge("policy_set_objects", "Objects of the policy set in force, by kind and whether they are accepted.", "kind", "accepted"),
		since:    m.gauge("policy_set_timestamp_seconds", "When the policy set in force was put there, in Unix time.").WithLabelValues(),
		info:     m.gauge("policy_set_info", "1, with the revision of the policy set in force.", "revision"),
	}
}

// Set is a policy set that was put in force.
type Set struct {
	Revision string
	At       time.Time
	Took     time.Duration
	// Compiled is how many objects were compiled for it.
	Compiled int
	// Objects counts by kind and whether they are accepted.
	Objects map[[2]string]int
}

// InForce tells of a new policy set.
func (p *Policy) InForce(s Set) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.compile.WithLabelValues().Observe(s.Took.Seconds())
	p.compiled.Add(float64(s.Compiled))
	p.since.Set(float64(s.At.UnixMilli()) / 1000)
	for labels, n := range s.Objects {
		p.objects.WithLabelValues(labels[0], labels[1]).Set(float64(n))
	}
	if s.Revision == p.revision {
		return
	}
	p.swaps.Inc()
	// One series at a time: each revision is a label's value once.
	p.info.Reset()
	p.info.WithLabelValues(s.Revision).Set(1)
	p.revision = s.Revision
}
