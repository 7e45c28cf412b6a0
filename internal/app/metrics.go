package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"

	"github.com/callgate/callgate/internal/metrics"
)

// Limits of the listener of metrics: Prometheus asks it every 15 s or so.
const (
	metricsReadTimeout  = 5 * time.Second
	metricsWriteTimeout = 30 * time.Second
	metricsIdleTimeout  = 2 * time.Minute
	metricsHeaderBytes  = 16 << 10
	// metricsScrapes is how many scrapes run at once; more are refused.
	metricsScrapes = 4
)

// buildMetrics makes the metrics and, if they are to be served, their server: over TLS
// with the endpoint's certificate, for those who may get the URL /metrics.
func (p *parts) buildMetrics(restConfig *rest.Config) error {
	p.metrics = metrics.New(metrics.Options{NativeHistograms: p.opts.MetricsNativeHistograms, Version: p.opts.Version})
	p.metrics.Process.Certificate(p.certificates.NotAfter, p.certificates.LoadedAt)
	if p.opts.MetricsBindAddress == "" {
		return nil
	}
	config := rest.CopyConfig(restConfig)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("making the client of the metrics' server: %w", err)
	}
	protect, err := filters.WithAuthenticationAndAuthorization(config, client)
	if err != nil {
		return fmt.Errorf("setting up who may read metrics: %w", err)
	}
	log := p.log.WithName("metrics")
	handler, err := protect(log, promhttp.HandlerFor(p.metrics.Gatherer(), promhttp.HandlerOpts{
		MaxRequestsInFlight: metricsScrapes, Timeout: metricsWriteTimeout / 2, EnableOpenMetrics: true,
	}))
	if err != nil {
		return fmt.Errorf("setting up who may read metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", handler)
	p.metricsServer = &http.Server{
		Handler:           mux,
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: p.certificates.GetCertificate},
		ReadHeaderTimeout: metricsReadTimeout, ReadTimeout: metricsReadTimeout, WriteTimeout: metricsWriteTimeout,
		IdleTimeout: metricsIdleTimeout, MaxHeaderBytes: metricsHeaderBytes,
		ErrorLog: quiet(log),
	}
	return nil
}

// serveMetrics serves until ctx ends.
func serveMetrics(ctx context.Context, server *http.Server, l net.Listener) error {
	ended := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer ended()
	if err := server.ServeTLS(l, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
