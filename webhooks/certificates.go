package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
)

// defaultCertificateInterval keeps a new leaf well within the 10 s in which it must be
// served. Reading two small files costs microseconds.
const defaultCertificateInterval = 2 * time.Second

// CertificateOptions say where the serving certificate is.
type CertificateOptions struct {
	// CertFile and KeyFile are PEM files. They may be missing at first.
	CertFile, KeyFile string
	// Source gives the pair as PEM instead of the files, if it is set.
	Source func() (cert, key []byte, err error)
	// Interval is the pause between looks at the files. Default 2 s.
	Interval time.Duration
	Clock    clock.WithTicker
	Log      logr.Logger
}

// Certificates holds the serving certificate and reloads it when its files change. A
// pair that cannot be read, does not match, or is not valid now replaces nothing: the
// last good one is served on.
//
// It looks at the files' bytes rather than at file system events, which a Secret's
// symlink swap sends for neither file, and which end when a watched file is replaced.
// controller-runtime's certwatcher was not taken because it puts an expired pair in a
// good one's place, fails while the files do not exist yet, and logs globally.
type Certificates struct {
	opts    CertificateOptions
	log     logr.Logger
	current atomic.Pointer[loaded]
	// lastFault keeps one fault from being logged at every look; only Run writes it.
	lastFault string
}

// loaded is one certificate with the bytes that it came from.
type loaded struct {
	cert      *tls.Certificate
	pem       []byte
	notBefore time.Time
	notAfter  time.Time
	at        time.Time
}

// NewCertificates makes a Certificates and looks at the files once. Files that are
// missing or bad are no error: the certificate may be on its way, and readiness says
// so.
func NewCertificates(opts CertificateOptions) *Certificates {
	opts.Interval = orDefault(opts.Interval, defaultCertificateInterval)
	if opts.Clock == nil {
		opts.Clock = clock.RealClock{}
	}
	c := &Certificates{opts: opts, log: orDiscard(opts.Log)}
	c.look()
	return c
}

// Run looks at the files until ctx ends, and returns nil.
func (c *Certificates) Run(ctx context.Context) error {
	ticker := c.opts.Clock.NewTicker(c.opts.Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
			c.look()
		}
	}
}

func (c *Certificates) look() {
	err := c.Reload()
	fault := ""
	if err != nil {
		fault = err.Error()
	}
	if fault != c.lastFault && err != nil {
		c.log.Error(err, "The serving certificate was not loaded; the last good one stays")
	}
	c.lastFault = fault
}

// Reload reads the files now. An error leaves the certificate that was there.
func (c *Certificates) Reload() error {
	certPEM, keyPEM, err := c.read()
	if err != nil {
		return err
	}
	pem := bytes.Join([][]byte{certPEM, keyPEM}, []byte{0})
	before := c.current.Load()
	if before != nil && bytes.Equal(before.pem, pem) {
		return nil
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return fmt.Errorf("pairing certificate and key: %w", err)
	}
	next := &loaded{
		cert: &pair, pem: pem, at: c.opts.Clock.Now(),
		notBefore: pair.Leaf.NotBefore, notAfter: pair.Leaf.NotAfter,
	}
	if err := next.validAt(next.at); err != nil {
		return fmt.Errorf("checking the new certificate: %w", err)
	}
	c.current.Store(next)
	c.log.Info("Serving certificate loaded", "notAfter", next.notAfter)
	return nil
}

func (c *Certificates) read() (certPEM, keyPEM []byte, err error) {
	if c.opts.Source != nil {
		if certPEM, keyPEM, err = c.opts.Source(); err != nil {
			return nil, nil, fmt.Errorf("making the certificate: %w", err)
		}
		return certPEM, keyPEM, nil
	}
	if certPEM, err = os.ReadFile(c.opts.CertFile); err != nil {
		return nil, nil, fmt.Errorf("reading the certificate: %w", err)
	}
	if keyPEM, err = os.ReadFile(c.opts.KeyFile); err != nil {
		return nil, nil, fmt.Errorf("reading the key: %w", err)
	}
	return certPEM, keyPEM, nil
}

// GetCertificate is for tls.Config. It fails while there is no certificate.
func (c *Certificates) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if l := c.current.Load(); l != nil {
		return l.cert, nil
	}
	return nil, errNoCertificate
}

var errNoCertificate = errors.New("no certificate loaded")

// Valid is nil while there is a certificate and it is valid now.
func (c *Certificates) Valid() error {
	l := c.current.Load()
	if l == nil {
		return errNoCertificate
	}
	return l.validAt(c.opts.Clock.Now())
}

// NotAfter is when the certificate ends and LoadedAt when it was loaded, both zero
// without one.
func (c *Certificates) NotAfter() time.Time {
	if l := c.current.Load(); l != nil {
		return l.notAfter
	}
	return time.Time{}
}

// LoadedAt is when the certificate was loaded, zero without one.
func (c *Certificates) LoadedAt() time.Time {
	if l := c.current.Load(); l != nil {
		return l.at
	}
	return time.Time{}
}

func (l *loaded) validAt(now time.Time) error {
	if now.Before(l.notBefore) {
		return errors.New("not valid yet")
	}
	if now.After(l.notAfter) {
		return errors.New("expired")
	}
	return nil
}
