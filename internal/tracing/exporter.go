package tracing

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/callgate/callgate/internal/shown"
)

// newSender makes what posts spans to the endpoint, and nowhere else: no proxy of the
// environment is asked, and no redirect followed.
func newSender(ctx context.Context, opts *Options) (sdktrace.SpanExporter, error) {
	client := &http.Client{
		Timeout: opts.SendTimeout,
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: opts.SendTimeout / 2}).DialContext,
			TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: opts.Roots},
			TLSHandshakeTimeout: opts.SendTimeout / 2, ResponseHeaderTimeout: opts.SendTimeout,
			ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 1, MaxConnsPerHost: 2, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(opts.Endpoint),
		otlptracehttp.WithHTTPClient(client),
		otlptracehttp.WithTimeout(opts.SendTimeout),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: opts.SendTimeout / 10, MaxInterval: opts.SendTimeout / 2, MaxElapsedTime: opts.SendTimeout,
		}),
	)
}

// exporter counts what is sent, says in the log when that begins and ceases to fail, and
// can be cut off.
type exporter struct {
	next sdktrace.SpanExporter
	opts *Options

	// life ends with abandon, and with it every batch; ended is closed when no more will
	// come.
	life    context.Context
	abandon context.CancelFunc
	ended   chan struct{}
	endOnce sync.Once
	// failing is the sending goroutine's own.
	failing bool
}

var _ sdktrace.SpanExporter = &exporter{}

func newExporter(ctx context.Context, next sdktrace.SpanExporter, opts *Options) *exporter {
	e := &exporter{next: next, opts: opts, ended: make(chan struct{})}
	e.life, e.abandon = context.WithCancel(context.WithoutCancel(ctx))
	return e
}

// ExportSpans implements SpanExporter. Its errors end here: the SDK would hand them to a
// handler of the whole process.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)()
	err := e.next.ExportSpans(ctx, spans)
	e.opts.Observer.Sent(err == nil, len(spans))
	switch {
	case err != nil && !e.failing:
		// A receiver's answer may stand in the error.
		e.opts.Log.Info("Spans cannot be sent; they are lost until they can", "cause", shown.Path(err.Error()))
	case err == nil && e.failing:
		e.opts.Log.Info("Spans can be sent again")
	}
	e.failing = err != nil
	return nil
}

// Shutdown implements SpanExporter.
func (e *exporter) Shutdown(ctx context.Context) error {
	defer e.endOnce.Do(func() { close(e.ended) })
	return e.next.Shutdown(ctx)
}
