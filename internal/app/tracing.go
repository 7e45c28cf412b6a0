package app

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"
	"go.opentelemetry.io/otel/trace"

	"github.com/callgate/callgate/internal/metrics"
	"github.com/callgate/callgate/internal/tracing"
)

// TracingOptions say whether and where spans of reviews are sent. Start from
// DefaultTracingOptions.
type TracingOptions struct {
	// Endpoint is the URL of an OTLP receiver, "" for none.
	Endpoint string
	// CAFile has those who may vouch for its certificate, "" for the system's.
	CAFile string
	// SampleRatio is the share of reviews that are traced, from 0 to 1.
	SampleRatio float64
	// IgnoreParent: a caller's sampled flag decides nothing.
	IgnoreParent bool
}

// DefaultTracingOptions are the documented defaults: off, and one review in a hundred when
// on, some ten a second of a busy replica.
func DefaultTracingOptions() TracingOptions { return TracingOptions{SampleRatio: 0.01} }

// AddFlags binds the options to flags.
func (o *TracingOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Endpoint, "tracing-endpoint", o.Endpoint, "`URL` of an OTLP receiver that spans of reviews are posted to, such as https://collector.monitoring:4318/v1/traces; empty: off")
	fs.StringVar(&o.CAFile, "tracing-ca-file", o.CAFile, "PEM `file` with those who may vouch for the receiver's certificate; empty: the system's")
	fs.Float64Var(&o.SampleRatio, "tracing-sample-ratio", o.SampleRatio, "share of reviews that are traced, from 0 to 1, of those whose caller's traceparent does not decide")
	fs.BoolVar(&o.IgnoreParent, "tracing-ignore-parent", o.IgnoreParent, "do not let the sampled flag of a caller's traceparent decide whether a review is traced")
}

// validate reports everything that is wrong, each with the flag to mend.
func (o *TracingOptions) validate() error {
	var errs []error
	if o.Endpoint == "" {
		if o.CAFile != "" {
			errs = append(errs, errors.New("--tracing-ca-file: means nothing without --tracing-endpoint"))
		}
	} else if err := tracing.CheckEndpoint(o.Endpoint); err != nil {
		errs = append(errs, fmt.Errorf("--tracing-endpoint: %w", err))
	}
	// A number that is none is neither below nor above anything.
	if !(o.SampleRatio >= 0 && o.SampleRatio <= 1) {
		errs = append(errs, fmt.Errorf("--tracing-sample-ratio: %v is not between 0 and 1", o.SampleRatio))
	}
	return errors.Join(errs...)
}

func (o *TracingOptions) roots() (*x509.CertPool, error) {
	if o.CAFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(o.CAFile)
	if err != nil {
		return nil, fmt.Errorf("--tracing-ca-file: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, errors.New("--tracing-ca-file: has no certificate in PEM")
	}
	return roots, nil
}

type tracingObserver struct{ to *metrics.Tracing }

func (o tracingObserver) Ended()                  { o.to.Ended() }
func (o tracingObserver) Sent(ok bool, spans int) { o.to.Sent(ok, spans) }

// buildTracing makes what sends spans, if that is wanted.
func (p *parts) buildTracing() error {
	o := p.opts.Tracing
	if o.Endpoint == "" {
		return nil
	}
	roots, err := o.roots()
	if err != nil {
		return err
	}
	// The pod's name; a replica without one is told apart by nothing.
	instance, _ := os.Hostname()
	p.tracing, err = tracing.New(context.Background(), tracing.Options{
		Endpoint: o.Endpoint, Roots: roots, SampleRatio: o.SampleRatio, IgnoreParent: o.IgnoreParent,
		Version: p.opts.Version, Instance: instance,
		Observer: tracingObserver{p.metrics.Tracing}, Log: p.log.WithName("tracing"),
	})
	return orErr("--tracing-endpoint", err)
}

// tracer is nil where nothing is traced.
func (p *parts) tracer() trace.Tracer {
	if p.tracing == nil {
		return nil
	}
	return p.tracing.Tracer()
}

// runTracing sends spans until ctx ends, after the last review was answered.
func (p *parts) runTracing(ctx context.Context) error {
	if p.tracing == nil {
		<-ctx.Done()
		return nil
	}
	return p.tracing.Run(ctx)
}
