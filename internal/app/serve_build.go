package app

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"

	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/audit/sink"
	"github.com/callgate/callgate/internal/bearer"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/semantic"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/webhooks"
)

// served are all parts of an endpoint from files. Those that also the manager has are the
// same.
type served struct {
	opts ServeOptions
	log  logr.Logger

	store      *snapshot.Store
	policies   *policyFiles
	identities *identities
	// watches are what is read from files and read again: first the identities, if there
	// is a file of them, then the policies.
	watches []*watched
	beats   map[string]*webhooks.Heartbeat

	semantic *semantic.Client
	executor *adapter.Executor
	audit    *sink.Sink
	// certificates is nil without TLS.
	certificates *webhooks.Certificates
	drain        *webhooks.Drain
	server       *webhooks.DecisionServer
	health       *webhooks.HealthServer
}

// buildServed makes the parts and reads the files.
func buildServed(ctx context.Context, opts ServeOptions, log logr.Logger) (*served, error) {
	s := &served{opts: opts, log: log, store: &snapshot.Store{}, beats: map[string]*webhooks.Heartbeat{"accept": {}}}
	upstreams, err := opts.upstreams()
	if err != nil {
		return nil, err
	}
	validator, references, err := s.buildValidator(upstreams)
	if err != nil {
		return nil, err
	}
	if err := s.buildPolicies(upstreams, references); err != nil {
		return nil, err
	}
	if err := s.buildIdentities(); err != nil {
		return nil, err
	}
	for _, w := range s.watches {
		if err := w.start(ctx); err != nil {
			return nil, fmt.Errorf("reading the %s:\n%w", w.name, err)
		}
	}
	if s.audit, err = opts.Audit.newSink(log.WithName("audit")); err != nil {
		return nil, err
	}
	if err := s.buildCertificates(); err != nil {
		return nil, err
	}
	if err := s.buildServers(validator); err != nil {
		return nil, err
	}
	return s, s.issueTokens()
}

// buildValidator makes what asks validators, with tokens out of files.
func (s *served) buildValidator(upstreams outbound.Policy) (*validator, *references, error) {
	secrets, err := newFileSecrets(s.opts.ValidatorTokens)
	if err != nil {
		return nil, nil, err
	}
	opts := semantic.DefaultOptions()
	opts.Upstreams = upstreams
	if s.semantic, err = semantic.New(opts); err != nil {
		return nil, nil, fmt.Errorf("setting up semantic validation: %w", err)
	}
	reader := bearer.NewReader(secrets.get, nil)
	return &validator{ask: s.semantic.Validate, tokens: reader, log: s.log.WithName("validator")},
		&references{upstreams: upstreams, tokens: reader}, nil
}

func (s *served) buildPolicies(upstreams outbound.Policy, references *references) error {
	loader, err := manifest.NewLoader()
	if err != nil {
		return fmt.Errorf("preparing the rules of the objects: %w", err)
	}
	s.policies = &policyFiles{
		namespace: s.opts.Namespace, strict: s.opts.Strict, loader: loader,
		compiler: &adapter.Compiler{Upstreams: upstreams}, references: references,
		store: s.store, log: s.log.WithName("policies"), now: time.Now,
	}
	for _, typed := range s.opts.Files {
		p, err := rooted(typed)
		if err != nil {
			return fmt.Errorf("-f %s: %w", typed, err)
		}
		s.policies.sources = append(s.policies.sources, manifest.Source{Path: p, Name: typed})
	}
	s.watch(&watched{name: "policy files", read: s.policies.read})
	settings := adapter.DefaultSettings()
	settings.ConfigMaps = s.policies
	if s.executor, err = adapter.NewExecutor(settings); err != nil {
		return fmt.Errorf("setting up executions: %w", err)
	}
	return nil
}

func (s *served) watch(w *watched) {
	w.files, w.interval, w.clock, w.log = os.DirFS("/"), s.opts.ReloadInterval, clock.RealClock{}, s.log.WithName("files")
	w.beat = &webhooks.Heartbeat{}
	s.beats[w.name] = w.beat
	s.watches = append(s.watches, w)
}

func (s *served) buildIdentities() (err error) {
	file := ""
	if s.opts.Identities != "" {
		if file, err = rooted(s.opts.Identities); err != nil {
			return fmt.Errorf("--identities: %w", err)
		}
	}
	if s.identities, err = newIdentities(file, s.log.WithName("identities")); err != nil {
		return err
	}
	if file != "" {
		s.watch(&watched{name: "identities", read: s.identities.read})
	}
	return nil
}

// issueTokens writes what clients need, once nothing else can go wrong with the files.
func (s *served) issueTokens() error {
	for _, given := range s.opts.IssueTokens {
		names, to, err := splitToken("issue-token", given, 2)
		if err == nil {
			err = s.identities.issue(names[0], names[1], to)
		}
		if err != nil {
			return fmt.Errorf("--issue-token: %w", err)
		}
	}
	return nil
}

// buildCertificates makes what is served under, nothing without TLS.
func (s *served) buildCertificates() error {
	opts := webhooks.CertificateOptions{CertFile: s.opts.CertFile, KeyFile: s.opts.KeyFile, Log: s.log.WithName("certificates")}
	switch {
	case s.opts.InsecureHTTP:
		return nil
	case s.opts.SelfSigned:
		ca, err := newOwnCA(selfSignedHosts(s.opts.BindAddress, s.opts.SelfSignedHosts), time.Now)
		if err != nil {
			return err
		}
		if s.opts.CAFile != "" {
			if err := os.WriteFile(s.opts.CAFile, ca.bundle(), 0o644); err != nil { //nolint:gosec // a certificate is for everybody
				return fmt.Errorf("--tls-ca-file: %w", err)
			}
		}
		opts.Source = ca.source
	}
	s.certificates = webhooks.NewCertificates(opts)
	// A pod's certificate may be on its way; a file that a person names is there, or
	// named wrongly.
	return orErr("loading the serving certificate", s.certificates.Valid())
}

func (s *served) buildServers(validator *validator) (err error) {
	s.drain = webhooks.NewDrain(webhooks.DrainOptions{
		Lame: s.opts.DrainLame, Closing: s.opts.DrainClosing, Shutdown: s.opts.DrainShutdown, Log: s.log.WithName("drain"),
	})
	opts := webhooks.ReviewOptions{
		Identity: s.identities, OfferIdentity: s.identities, ExecutionIdentity: s.identities, Snapshots: s.store,
		Authorizer: roles{s.policies}, Validator: validator, Executor: adapter.Port{Executor: s.executor},
		Drain: s.drain, Log: s.log.WithName("reviews"),
	}
	if s.audit != nil {
		opts.Auditor = s.audit
	}
	handler, err := webhooks.NewReviewHandler(opts)
	if err != nil {
		return fmt.Errorf("making the review handler: %w", err)
	}
	s.server, err = webhooks.NewDecisionServer(webhooks.ServerOptions{
		Handler: handler, Certificates: s.certificates, Plain: s.opts.InsecureHTTP, Drain: s.drain,
		Limits: webhooks.DefaultServerLimits(), AcceptLoop: s.beats["accept"], Log: s.log.WithName("endpoint"),
	})
	if err != nil {
		return err
	}
	checks := []webhooks.Check{webhooks.SnapshotCheck(s.store), webhooks.ListenerCheck(s.server), webhooks.DrainCheck(s.drain)}
	if s.certificates != nil {
		checks = append(checks, webhooks.CertificateCheck(s.certificates))
	}
	s.health = webhooks.NewHealthServer(webhooks.Readyz(checks, s.details), webhooks.Livez(clock.RealClock{}, s.beats))
	return nil
}

// details tell a person at /readyz what decides nothing.
func (s *served) details() []string {
	lines := []string{"drain: " + s.drain.State().String(), fmt.Sprintf("identities: %d", s.identities.count())}
	if g := s.policies.current.Load(); g != nil {
		lines = append(lines, "revision: "+g.snap.Revision, "in force since: "+g.at.UTC().Format(time.RFC3339))
	}
	for _, w := range s.watches {
		if text := w.detail(); text != "" {
			lines = append(lines, text)
		}
	}
	if s.certificates != nil {
		lines = append(lines, "certificate until: "+s.certificates.NotAfter().UTC().Format(time.RFC3339))
	}
	return lines
}
