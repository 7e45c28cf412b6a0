package tracing

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/go-logr/logr"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Options are what a Tracing needs. Zero numbers stand for the defaults.
type Options struct {
	// Endpoint is the URL that spans are posted to, such as
	// https://collector.monitoring:4318/v1/traces.
	Endpoint string
	// Roots are who may vouch for the receiver's certificate. Nil: the system's roots.
	Roots *x509.CertPool
	// SampleRatio is the share of reviews that are traced, from 0 to 1, of those whose
	// caller's own trace does not decide. It hangs on the trace's id: all services that
	// sample so take the same.
	SampleRatio float64
	// IgnoreParent: the caller's sampled flag decides nothing.
	IgnoreParent bool
	// Version is that of the build, Instance the replica's name.
	Version, Instance string

	// MaxQueue is how many spans wait to be sent. Default 2,048: some hundred traced
	// reviews a second, at 1 KiB a span 2 MiB. A quarter of it is sent at a time.
	MaxQueue int
	// Interval is how long a span waits for others. Default 5 s.
	Interval time.Duration
	// SendTimeout bounds sending one batch, with every retry. Default 10 s: what OTLP's
	// documents have.
	SendTimeout time.Duration
	// FlushTimeout bounds what is sent at the end. Default 2 s, as for audit records.
	FlushTimeout time.Duration

	Observer Observer
	Log      logr.Logger

	// exporter replaces the one that sends, in tests.
	exporter sdktrace.SpanExporter
}

// Observer is told what becomes of spans, for metrics. Its methods must not block.
type Observer interface {
	// Ended is called for each span of a traced review.
	Ended()
	// Sent is called for each batch: how many spans were taken by the receiver, or were
	// lost because it did not take them. Spans that ended and were never told of so found
	// no room in the queue.
	Sent(ok bool, spans int)
}

// NoopObserver ignores everything.
type NoopObserver struct{}

// Ended implements Observer.
func (NoopObserver) Ended() {}

// Sent implements Observer.
func (NoopObserver) Sent(bool, int) {}

// CheckEndpoint reports why spans cannot be sent to a URL.
func CheckEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		// The error has the whole text, and with it what may be a password.
		return errors.New("is no URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("begins with %q: write http:// or https://", u.Scheme)
	case u.Host == "":
		return errors.New("has no host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("must have neither a user, a query nor a fragment; credentials go into OTEL_EXPORTER_OTLP_HEADERS")
	}
	return nil
}

func (o *Options) complete() error {
	if err := CheckEndpoint(o.Endpoint); err != nil {
		return fmt.Errorf("the endpoint of traces %w", err)
	}
	if o.SampleRatio < 0 || o.SampleRatio > 1 {
		return errors.New("the share of reviews that are traced must be between 0 and 1")
	}
	if o.MaxQueue < 0 || min(o.Interval, o.SendTimeout, o.FlushTimeout) < 0 {
		return errors.New("no bound of traces may be less than zero")
	}
	o.MaxQueue = orDefault(o.MaxQueue, 2048)
	o.Interval = orDefault(o.Interval, 5*time.Second)
	o.SendTimeout = orDefault(o.SendTimeout, 10*time.Second)
	o.FlushTimeout = orDefault(o.FlushTimeout, 2*time.Second)
	if o.Observer == nil {
		o.Observer = NoopObserver{}
	}
	if o.Log.GetSink() == nil {
		o.Log = logr.Discard()
	}
	return nil
}

func orDefault[T int | time.Duration](value, otherwise T) T {
	if value == 0 {
		return otherwise
	}
	return value
}
