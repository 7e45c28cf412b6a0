package tracing

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// scope names this instrumentation in every span.
const scope = "github.com/callgate/callgate"

// The limits of a span: what a review's has, and some room. Text is cut where it is made.
const (
	maxAttributes = 32
	maxTextBytes  = 1024
)

// Tracing makes spans and sends them while Run runs.
type Tracing struct {
	opts     Options
	provider *sdktrace.TracerProvider
	exporter *exporter
}

// New makes a Tracing. It connects to nothing: a receiver that is away is tried with each
// batch.
func New(ctx context.Context, opts Options) (*Tracing, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	next := opts.exporter
	if next == nil {
		var err error
		if next, err = newSender(ctx, &opts); err != nil {
			return nil, fmt.Errorf("setting up traces: %w", err)
		}
	}
	e := newExporter(ctx, next, &opts)
	ratio := sdktrace.TraceIDRatioBased(opts.SampleRatio)
	sampler := sdktrace.ParentBased(ratio)
	if opts.IgnoreParent {
		sampler = sdktrace.ParentBased(ratio, sdktrace.WithRemoteParentSampled(ratio), sdktrace.WithRemoteParentNotSampled(ratio))
	}
	limits := sdktrace.NewSpanLimits()
	limits.AttributeCountLimit, limits.AttributeValueLengthLimit = maxAttributes, maxTextBytes
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sampler),
		sdktrace.WithRawSpanLimits(limits),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "callgate"),
			attribute.String("service.version", opts.Version),
			attribute.String("service.instance.id", opts.Instance),
		)),
		sdktrace.WithSpanProcessor(counter{opts.Observer}),
		// A full queue drops, which is the SDK's default: nothing waits for room.
		sdktrace.WithBatcher(e,
			sdktrace.WithMaxQueueSize(opts.MaxQueue), sdktrace.WithMaxExportBatchSize(max(1, opts.MaxQueue/4)),
			sdktrace.WithBatchTimeout(opts.Interval), sdktrace.WithExportTimeout(opts.SendTimeout)),
	)
	return &Tracing{opts: opts, provider: provider, exporter: e}, nil
}

// Tracer makes the spans.
func (t *Tracing) Tracer() trace.Tracer { return t.provider.Tracer(scope) }

// Run sends spans until ctx ends, and then what is left, for a bounded time. When it has
// returned nothing is sent any more.
func (t *Tracing) Run(ctx context.Context) error {
	<-ctx.Done()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.opts.FlushTimeout)
	defer cancel()
	defer t.exporter.abandon()
	if err := t.provider.Shutdown(last); err != nil {
		// What is being sent is cut off, and what is left fails at once.
		t.exporter.abandon()
		t.opts.Log.Info("Spans were lost at the end: they could not be sent in time")
		timer := time.NewTimer(t.opts.FlushTimeout)
		defer timer.Stop()
		select {
		case <-t.exporter.ended:
		case <-timer.C:
		}
	}
	return nil
}

// counter counts the spans that are to be sent.
type counter struct{ to Observer }

var _ sdktrace.SpanProcessor = counter{}

// OnStart implements SpanProcessor.
func (counter) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd implements SpanProcessor.
func (c counter) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		c.to.Ended()
	}
}

// Shutdown implements SpanProcessor.
func (counter) Shutdown(context.Context) error { return nil }

// ForceFlush implements SpanProcessor.
func (counter) ForceFlush(context.Context) error { return nil }
