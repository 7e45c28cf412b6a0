package app

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/controllers"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/audit/sink"
	"github.com/callgate/callgate/internal/identity"
	"github.com/callgate/callgate/internal/metrics"
	"github.com/callgate/callgate/internal/semantic"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/tracing"
	"github.com/callgate/callgate/webhooks"
)

// gracefulShutdown bounds the end of the controllers, after the last request is
// answered: they are idle by then, or wait for an API server that does not answer.
const gracefulShutdown = 10 * time.Second

// parts are everything that runs.
type parts struct {
	opts Options
	log  logr.Logger

	store        *snapshot.Store
	certificates *webhooks.Certificates
	// identity identifies those who ask about calls, offerIdentity those who ask about
	// offers.
	identity, offerIdentity *identity.Authenticator
	authorizer              *identity.Authorizer

	semantic   *semantic.Client
	validator  *validator
	references *references
	execution  execution
	audit      *sink.Sink
	tracing    *tracing.Tracing
	metrics    *metrics.Metrics
	// metricsServer is nil where metrics are not served.
	metricsServer *http.Server

	manager    ctrl.Manager
	leader     *controllers.Leader
	heart      *controllers.Heartbeat
	acceptLoop *webhooks.Heartbeat
	drain      *webhooks.Drain
	server     *webhooks.DecisionServer
	admission  *http.Server
	health     *webhooks.HealthServer

	// term is the part that takes part in the election; it is set before the drain
	// can begin.
	term *part
}

// build makes the parts. It asks the API server nothing: a manager must come up, and
// say that it is not ready, while that is away.
func build(opts Options, log logr.Logger) (*parts, error) {
	restConfig, err := loadConfig(opts.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("loading the client configuration: %w", err)
	}
	p := &parts{
		opts: opts, log: log,
		store:      &snapshot.Store{},
		heart:      &controllers.Heartbeat{},
		acceptLoop: &webhooks.Heartbeat{},
		certificates: webhooks.NewCertificates(webhooks.CertificateOptions{
			CertFile: opts.CertFile, KeyFile: opts.KeyFile, Log: log.WithName("certificates"),
		}),
	}
	p.drain = webhooks.NewDrain(webhooks.DrainOptions{
		Lame: opts.DrainLame, Closing: opts.DrainClosing, Shutdown: opts.DrainShutdown,
		OnChange: p.onDrain, Log: log.WithName("drain"),
	})
	return p, errors.Join(
		p.buildMetrics(restConfig),
		p.buildAudit(),
		p.buildTracing(),
		p.buildOutbound(restConfig),
		p.buildIdentity(restConfig),
		p.buildControllers(restConfig),
		p.buildServers(),
	)
}

// loadConfig is the one given, else that of the pod, else the user's default.
func loadConfig(file string) (*rest.Config, error) {
	if file == "" {
		if config, err := rest.InClusterConfig(); err == nil {
			return config, nil
		}
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
}

func (p *parts) buildIdentity(restConfig *rest.Config) error {
	opts := p.opts.identity()
	opts.Log = p.log.WithName("identity")
	client, err := kubernetes.NewForConfig(identity.ClientConfig(restConfig, opts))
	if err != nil {
		return fmt.Errorf("making the identity client: %w", err)
	}
	opts.Observer = newIdentityObserver(p.metrics.Identity, reviewv1alpha1.ResourceToolCallReviews)
	if p.identity, err = identity.New(opts, client); err != nil {
		return orErr("setting up identity", err)
	}
	// Another permission, and so another set of answers to remember.
	opts.Resource = reviewv1alpha1.ResourceToolRequestReviews
	opts.Observer = newIdentityObserver(p.metrics.Identity, opts.Resource)
	p.offerIdentity, err = identity.New(opts, client)
	if err != nil {
		return orErr("setting up identity for offers", err)
	}
	opts.Resource = reviewv1alpha1.ResourceToolCallExecutions
	opts.Observer = newIdentityObserver(p.metrics.Identity, opts.Resource)
	if p.execution.identity, err = identity.New(opts, client); err != nil {
		return orErr("setting up identity for executions", err)
	}
	access := p.opts.access()
	access.Log, access.Observer = opts.Log, newIdentityObserver(p.metrics.Identity, accessLookUps)
	p.authorizer, err = identity.NewAuthorizer(access, client)
	return orErr("setting up authorization", err)
}

func (p *parts) buildControllers(restConfig *rest.Config) (err error) {
	if p.references == nil {
		return nil // what failed before is reported already
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), callgatev1alpha1.AddToScheme(scheme)); err != nil {
		return fmt.Errorf("building the scheme: %w", err)
	}
	restConfig = controllers.ClientConfig(restConfig)
	grace := gracefulShutdown
	p.manager, err = ctrl.NewManager(restConfig, ctrl.Options{
		Scheme:         scheme,
		Logger:         p.log.WithName("controllers"),
		Cache:          controllers.CacheOptions(),
		MapperProvider: controllers.MapperProvider,
		// Leadership, health and serving are no matters of this manager: it ends the
		// process where they go wrong.
		LeaderElection:          false,
		HealthProbeBindAddress:  "0",
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		GracefulShutdownTimeout: &grace,
		// Two managers may run in one process, in tests.
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		return fmt.Errorf("making the controller manager: %w", err)
	}
	p.leader, err = controllers.NewLeader(controllers.LeaderOptions{
		Config: restConfig, Namespace: p.opts.LeaderElectionNamespace, Name: p.opts.LeaderElectionID,
	})
	if err != nil {
		return err
	}
	p.metrics.Process.Leader(p.leader.Leading)
	return controllers.Setup(p.manager, controllers.Options{
		Store: p.store, Leadership: p.leader, Heartbeat: p.heart, References: p.references,
		Adapters: p.execution.adapters(), OnSwap: p.observeSwap,
	})
}

func (p *parts) buildServers() (err error) {
	if p.authorizer == nil || p.manager == nil {
		return nil // what failed before is reported already
	}
	handler, err := webhooks.NewReviewHandler(webhooks.ReviewOptions{
		Identity: p.identity, OfferIdentity: p.offerIdentity, Snapshots: p.store, Validator: p.validator, Authorizer: p.authorizer, Log: p.log.WithName("reviews"),
		ExecutionIdentity: p.execution.identity, Executor: adapter.Port{Executor: p.execution.executor}, Drain: p.drain,
		Auditor: p.auditor(), Tracer: p.tracer(), Observer: reviewObserver{p.metrics.Reviews},
	})
	if err != nil {
		return fmt.Errorf("making the review handler: %w", err)
	}
	p.server, err = webhooks.NewDecisionServer(webhooks.ServerOptions{
		Handler: handler, Certificates: p.certificates, Drain: p.drain,
		Limits: webhooks.DefaultServerLimits(), AcceptLoop: p.acceptLoop, Log: p.log.WithName("endpoint"),
		OnRefused: func() { p.metrics.Process.Refused("cap") },
	})
	if err != nil {
		return err
	}
	if p.opts.AdmissionBindAddress != "" {
		p.admission = p.newAdmissionServer()
	}
	checks := []webhooks.Check{
		webhooks.SnapshotCheck(p.store), webhooks.ListenerCheck(p.server),
		webhooks.CertificateCheck(p.certificates), webhooks.DrainCheck(p.drain),
	}
	live := webhooks.Livez(clock.RealClock{}, map[string]*webhooks.Heartbeat{"accept": p.acceptLoop})
	p.metrics.Process.Ready(func() bool { return webhooks.AllHold(checks) })
	p.health = webhooks.NewHealthServer(webhooks.Readyz(checks, p.details), p.livez(live))
	return nil
}

// maxUnseen is how long the compile worker may go unseen: its beats pass through its
// own queue every few seconds, and the largest compile takes a second or two.
const maxUnseen = 60 * time.Second

// livez adds the compile worker to the loops that next knows. A worker that has never
// been seen still waits for its caches, which is the API server's fault and no reason
// to restart.
func (p *parts) livez(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if last := p.heart.Last(); !last.IsZero() && time.Since(last) > maxUnseen {
			http.Error(w, "[-]compile: not seen for "+time.Since(last).Round(time.Second).String()+"\nnot ok", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// details tell a person at /readyz what decides nothing.
func (p *parts) details() []string {
	lines := []string{fmt.Sprintf("leading: %v", p.leader.Leading()), "drain: " + p.drain.State().String()}
	if snap := p.store.Load(); snap != nil {
		lines = append(lines, "revision: "+snap.Revision)
	}
	if end := p.certificates.NotAfter(); !end.IsZero() {
		lines = append(lines, "certificate until: "+end.UTC().Format(time.RFC3339))
	}
	return lines
}

// onDrain lets another replica write status as soon as this one is on its way out.
func (p *parts) onDrain(state webhooks.DrainState) {
	p.metrics.Process.Draining(int(state))
	if state == webhooks.Lame {
		p.term.cancel()
	}
}
