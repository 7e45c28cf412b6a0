package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

const namespace = "callgate"

// fast are the buckets of what judges: a verdict takes 10 to 100 µs, and a review at the
// bound of its work two seconds.
var fast = []float64{.00001, .000025, .00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}

// slow are the buckets of what waits for others: an answer of the API server takes some
// milliseconds, an adapter 30 s at most.
var slow = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// Options are what may differ from one installation to the next.
type Options struct {
	// NativeHistograms adds native histograms to the classic ones.
	NativeHistograms bool
	// Version is that of the build.
	Version string
}

// Metrics are all metrics of a process, in a registry of their own. Its methods are safe
// for concurrent use, and do not block.
type Metrics struct {
	registry *prometheus.Registry
	opts     Options

	Reviews   *Reviews
	Identity  *Identity
	Validator *Validator
	Execution *Execution
	Audit     *Audit
	Tracing   *Tracing
	Policy    *Policy
	Process   *Process
}

// New makes the metrics. What can have a series from the start has it, so that a rate over
// it is right from the first event on.
func New(opts Options) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), opts: opts}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.Reviews = newReviews(m)
	m.Identity = newIdentity(m)
	m.Validator = newValidator(m)
	m.Execution = newExecution(m)
	m.Audit = newAudit(m)
	m.Tracing = newTracing(m)
	m.Policy = newPolicy(m)
	m.Process = newProcess(m)
	return m
}

// Gatherer is what a scrape reads.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(g)
	return g
}

func (m *Metrics) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	o := prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}
	if m.opts.NativeHistograms {
		// A tenth of a value is told apart, in 100 buckets at most: what Prometheus'
		// documents recommend.
		o.NativeHistogramBucketFactor, o.NativeHistogramMaxBucketNumber, o.NativeHistogramMinResetDuration = 1.1, 100, time.Hour
	}
	h := prometheus.NewHistogramVec(o, labels)
	m.registry.MustRegister(h)
	return h
}

// read is a gauge whose value is read when it is scraped.
func (m *Metrics) read(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value))
}
