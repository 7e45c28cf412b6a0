package app

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/callgate/callgate/internal/identity"
	"github.com/callgate/callgate/internal/outbound"
)

// Options are the manager's settings. Start from DefaultOptions.
type Options struct {
	// Kubeconfig is a file; "" means the in-cluster configuration, else the default
	// kubeconfig.
	Kubeconfig string

	// BindAddress is where verdicts are given, AdmissionBindAddress where the
	// admission webhook listens ("" turns it off), HealthBindAddress where health
	// does, over plain HTTP.
	BindAddress          string
	AdmissionBindAddress string
	HealthBindAddress    string
	// MetricsBindAddress is where metrics are served, over TLS, to those who may get the
	// URL /metrics ("" turns it off).
	MetricsBindAddress string
	// MetricsNativeHistograms adds native histograms to the classic ones.
	MetricsNativeHistograms bool

	// CertFile and KeyFile are PEM files, reloaded when they change.
	CertFile, KeyFile string

	// TokenAudience is the audience that callers' tokens must be made out to.
	TokenAudience string
	// IdentityTTL, IdentityMaxTTL and RefusalTTL are lives of cached identities.
	IdentityTTL, IdentityMaxTTL, RefusalTTL time.Duration

	// AuthorizationTTL, AuthorizationMaxTTL and AuthorizationRefusalTTL are lives of
	// cached answers to what callers may do.
	AuthorizationTTL, AuthorizationMaxTTL, AuthorizationRefusalTTL time.Duration

	// AllowedUpstreams and AllowedSpecial say where calls out may go, besides what
	// ClusterDomain has to do with; package outbound has their syntax. Default: nowhere.
	AllowedUpstreams, AllowedSpecial []string
	// ClusterDomain is the cluster's DNS domain.
	ClusterDomain string

	// LeaderElectionNamespace and LeaderElectionID name the Lease whose holder
	// writes status.
	LeaderElectionNamespace, LeaderElectionID string

	// DrainLame, DrainClosing and DrainShutdown are the lengths of a stop's phases.
	DrainLame, DrainClosing, DrainShutdown time.Duration

	// Audit says what is kept of verdicts.
	Audit AuditOptions
	// Tracing says where spans of reviews are sent.
	Tracing TracingOptions

	// Version is that of the build.
	Version string

	LogLevel, LogFormat string
	// Log is where logs are written. Default standard error.
	Log io.Writer

	// Signals, if set, starts the drain with its first value and cuts it short with
	// its second.
	Signals <-chan os.Signal
	// OnListen, if set, is told the addresses listened on, once all are.
	OnListen func(Addresses)
}

// Addresses are those that the manager listens on. Admission and Metrics are nil when
// they are off.
type Addresses struct {
	Endpoint, Admission, Metrics, Health net.Addr
}

// DefaultOptions are the documented defaults.
func DefaultOptions() Options {
	id, access := identity.DefaultOptions(), identity.DefaultAccessOptions()
	return Options{
		BindAddress:             ":8443",
		AdmissionBindAddress:    ":9443",
		HealthBindAddress:       ":8081",
		MetricsBindAddress:      ":8444",
		TokenAudience:           id.Audience,
		IdentityTTL:             id.SoftTTL,
		IdentityMaxTTL:          id.HardTTL,
		RefusalTTL:              id.RefusalTTL,
		AuthorizationTTL:        access.SoftTTL,
		AuthorizationMaxTTL:     access.HardTTL,
		AuthorizationRefusalTTL: access.RefusalTTL,
		ClusterDomain:           outbound.DefaultClusterDomain,
		LeaderElectionNamespace: ownNamespace(),
		LeaderElectionID:        "callgate",
		// A stop lasts 40 s at most, of the 60 s that a pod is given: endpoint
		// removal reaches slow proxies within 10 s, answers in flight end within 20.
		DrainLame:     15 * time.Second,
		DrainClosing:  5 * time.Second,
		DrainShutdown: 20 * time.Second,
		Audit:         DefaultAuditOptions(),
		Tracing:       DefaultTracingOptions(),
		LogLevel:      "info",
		LogFormat:     "json",
		Log:           os.Stderr,
	}
}

// ownNamespace is the namespace of the pod that the manager runs in, "" outside one.
func ownNamespace() string {
	if ns := os.Getenv("POD_NAMESPACE"); ns != "" {
		return ns
	}
	text, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// AddFlags binds the options to flags.
func (o *Options) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Kubeconfig, "kubeconfig", o.Kubeconfig, "kubeconfig `file`; empty: in-cluster configuration, else the default kubeconfig")
	fs.StringVar(&o.BindAddress, "bind-address", o.BindAddress, "`address` of the HTTPS endpoint that gives verdicts")
	fs.StringVar(&o.AdmissionBindAddress, "admission-bind-address", o.AdmissionBindAddress, "`address` of the admission webhook that warns on apply; empty: off")
	fs.StringVar(&o.HealthBindAddress, "health-bind-address", o.HealthBindAddress, "`address` of /livez and /readyz, over plain HTTP")
	fs.StringVar(&o.MetricsBindAddress, "metrics-bind-address", o.MetricsBindAddress, "`address` of /metrics, over TLS with the same certificate, for those whom RBAC lets get that URL; empty: off")
	fs.BoolVar(&o.MetricsNativeHistograms, "metrics-native-histograms", o.MetricsNativeHistograms, "add native histograms to the classic ones")
	fs.StringVar(&o.CertFile, "tls-cert-file", o.CertFile, "PEM `file` with the serving certificate and its chain; reloaded on change (required)")
	fs.StringVar(&o.KeyFile, "tls-private-key-file", o.KeyFile, "PEM `file` with the serving certificate's key; reloaded on change (required)")
	fs.StringVar(&o.TokenAudience, "token-audience", o.TokenAudience, "`audience` that a caller's token must be made out to")
	fs.DurationVar(&o.IdentityTTL, "identity-ttl", o.IdentityTTL, "how long an identity is used before it is checked again; a revoked caller is refused within it")
	fs.DurationVar(&o.IdentityMaxTTL, "identity-max-ttl", o.IdentityMaxTTL, "how long an identity is used while the API server gives no answer; never past the token's expiry")
	fs.DurationVar(&o.RefusalTTL, "identity-refusal-ttl", o.RefusalTTL, "how long a refused token is refused without asking again")
	fs.DurationVar(&o.AuthorizationTTL, "authorization-ttl", o.AuthorizationTTL, "how long what a caller may do is used before it is asked again; a permission taken away is enforced within it")
	fs.DurationVar(&o.AuthorizationMaxTTL, "authorization-max-ttl", o.AuthorizationMaxTTL, "how long it is used while the API server gives no answer")
	fs.DurationVar(&o.AuthorizationRefusalTTL, "authorization-refusal-ttl", o.AuthorizationRefusalTTL, "how long a permission that a caller does not have is not asked for again")
	fs.StringSliceVar(&o.AllowedUpstreams, "allowed-upstream", o.AllowedUpstreams, "`hosts` (judge.example.org, *.example.org) and networks that policies and adapters may have asked, each with :PORT or :* for other ports than 443; repeatable; default: none")
	fs.StringSliceVar(&o.AllowedSpecial, "allowed-upstream-special", o.AllowedSpecial, "`classes` of special addresses, such as loopback, that an allowed host may have; repeatable; default: none")
	fs.StringVar(&o.ClusterDomain, "cluster-domain", o.ClusterDomain, "the cluster's DNS `domain`")
	fs.StringVar(&o.LeaderElectionNamespace, "leader-election-namespace", o.LeaderElectionNamespace, "`namespace` of the Lease whose holder writes status; default: the pod's own")
	fs.StringVar(&o.LeaderElectionID, "leader-election-id", o.LeaderElectionID, "`name` of that Lease")
	fs.DurationVar(&o.DrainLame, "drain-lame", o.DrainLame, "on a stop, how long to be unready and go on serving; longer than endpoint removal takes to reach clients")
	fs.DurationVar(&o.DrainClosing, "drain-closing", o.DrainClosing, "after that, how long to close connections as they are answered")
	fs.DurationVar(&o.DrainShutdown, "drain-shutdown", o.DrainShutdown, "after that, how long to wait for answers in flight")
	o.Audit.AddFlags(fs)
	o.Tracing.AddFlags(fs)
	fs.StringVar(&o.LogLevel, "log-level", o.LogLevel, "info or debug")
	fs.StringVar(&o.LogFormat, "log-format", o.LogFormat, "json or console")
}

// Validate reports everything that is wrong with the options, each with the flag to
// mend.
func (o *Options) Validate() error {
	var errs []error
	bad := func(flag, format string, args ...any) {
		errs = append(errs, fmt.Errorf("--%s: %s", flag, fmt.Sprintf(format, args...)))
	}
	o.validateAddresses(bad)
	required := func(flag, value, why string) {
		if value == "" {
			bad(flag, "is required%s", why)
		}
	}
	required("tls-cert-file", o.CertFile, ": verdicts are only given over TLS")
	required("tls-private-key-file", o.KeyFile, ": verdicts are only given over TLS")
	required("leader-election-namespace", o.LeaderElectionNamespace, " outside a pod")
	required("leader-election-id", o.LeaderElectionID, "")
	oneOf := func(flag, value string, allowed ...string) {
		if !slices.Contains(allowed, value) {
			bad(flag, "%q is none of %s", value, strings.Join(allowed, ", "))
		}
	}
	oneOf("log-level", o.LogLevel, "info", "debug")
	oneOf("log-format", o.LogFormat, "json", "console")
	for _, phase := range []struct {
		flag   string
		length time.Duration
	}{{"drain-lame", o.DrainLame}, {"drain-closing", o.DrainClosing}, {"drain-shutdown", o.DrainShutdown}} {
		if phase.length <= 0 {
			bad(phase.flag, "%v is too short: a phase of a drain lasts longer than nothing", phase.length)
		}
	}
	if _, err := o.upstreams(); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, o.Audit.validate(), o.Tracing.validate())
	if err := o.identity().Validate(); err != nil {
		bad("identity-ttl", "%v", err)
	}
	if err := o.access().Validate(); err != nil {
		bad("authorization-ttl", "%v", err)
	}
	return errors.Join(errs...)
}

// validateAddresses holds the addresses to their form. Those of what can be turned off may
// be empty.
func (o *Options) validateAddresses(bad func(flag, format string, args ...any)) {
	for _, a := range []struct {
		flag, value string
		optional    bool
	}{
		{"bind-address", o.BindAddress, false}, {"health-bind-address", o.HealthBindAddress, false},
		{"admission-bind-address", o.AdmissionBindAddress, true}, {"metrics-bind-address", o.MetricsBindAddress, true},
	} {
		if a.value == "" && a.optional {
			continue
		}
		if _, _, err := net.SplitHostPort(a.value); err != nil {
			bad(a.flag, "%v; write HOST:PORT or :PORT", err)
		}
	}
}

func (o *Options) upstreams() (outbound.Policy, error) {
	return outbound.ParsePolicy(o.AllowedUpstreams, o.AllowedSpecial, o.ClusterDomain)
}

func (o *Options) access() identity.AccessOptions {
	access := identity.DefaultAccessOptions()
	access.SoftTTL, access.HardTTL, access.RefusalTTL = o.AuthorizationTTL, o.AuthorizationMaxTTL, o.AuthorizationRefusalTTL
	return access
}

func (o *Options) identity() identity.Options {
	id := identity.DefaultOptions()
	id.Audience = o.TokenAudience
	id.SoftTTL, id.HardTTL, id.RefusalTTL = o.IdentityTTL, o.IdentityMaxTTL, o.RefusalTTL
	return id
}
