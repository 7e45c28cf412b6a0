package app

import (
	"crypto/tls"
	"net/http"
	"time"

	"github.com/callgate/callgate/webhooks"
)

// newAdmissionServer serves the admission webhook to the API server, under the same
// certificate. Its own mux and limits keep it apart from the decision endpoint.
func (p *parts) newAdmissionServer() *http.Server {
	mux := http.NewServeMux()
	previewer := webhooks.NewCompilePreviewer(p.manager.GetCache(), p.store, p.log.WithName("admission")).WithAdapters(p.execution.compiler)
	webhooks.RegisterAdmission(mux, previewer, p.log.WithName("admission"))
	return &http.Server{
		Handler: mux,
		TLSConfig: &tls.Config{
			MinVersion:     tls.VersionTLS12,
			GetCertificate: p.certificates.GetCertificate,
			NextProtos:     []string{"h2", "http/1.1"},
		},
		// The API server gives up after 3 s; the objects that it sends are within its
		// own limits of a few MiB.
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          quiet(p.log.WithName("admission")),
	}
}
