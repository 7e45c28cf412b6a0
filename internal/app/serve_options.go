package app

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/outbound"
)

// ServeOptions are the settings of an endpoint from files. Start from
// DefaultServeOptions.
type ServeOptions struct {
	// Files are files and directories of objects, Namespace is that of objects which name
	// none.
	Files     []string
	Namespace string
	// Strict: what a cluster would store and not put in force is taken for a broken file.
	Strict bool
	// ReloadInterval is the pause between looks at the files.
	ReloadInterval time.Duration

	// Identities is a file of tokens and whose they are. IssueTokens are
	// NAMESPACE/NAME=PATH: a new token of that account is written to that file.
	Identities  string
	IssueTokens []string
	// ValidatorTokens are NAMESPACE/SECRET/KEY=PATH: what a policy's secretKeyRef stands
	// for is in that file.
	ValidatorTokens []string

	BindAddress, HealthBindAddress string
	// CertFile and KeyFile are PEM files, reloaded when they change; SelfSigned makes a
	// certificate instead, for SelfSignedHosts too, and writes the CA to CAFile.
	CertFile, KeyFile string
	SelfSigned        bool
	SelfSignedHosts   []string
	CAFile            string
	// InsecureHTTP serves without TLS, on loopback only.
	InsecureHTTP bool

	AllowedUpstreams, AllowedSpecial []string
	ClusterDomain                    string

	DrainLame, DrainClosing, DrainShutdown time.Duration

	Audit               AuditOptions
	LogLevel, LogFormat string
	// Log is where logs are written. Default standard error.
	Log io.Writer

	// Signals and OnListen are as in Options.
	Signals  <-chan os.Signal
	OnListen func(Addresses)
}

// DefaultServeOptions are the documented defaults: those of the manager, but that nothing
// is reached from other machines.
func DefaultServeOptions() ServeOptions {
	manager := DefaultOptions()
	return ServeOptions{
		Namespace:         "default",
		ReloadInterval:    time.Second,
		BindAddress:       "127.0.0.1:8443",
		HealthBindAddress: "127.0.0.1:8081",
		ClusterDomain:     manager.ClusterDomain,
		DrainLame:         manager.DrainLame, DrainClosing: manager.DrainClosing, DrainShutdown: manager.DrainShutdown,
		Audit:    manager.Audit,
		LogLevel: manager.LogLevel, LogFormat: "console",
		Log: os.Stderr,
	}
}

// AddFlags binds the options to flags.
func (o *ServeOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringArrayVarP(&o.Files, "filename", "f", o.Files, "file or directory of ToolPolicies, ToolSchemas, ToolAdapters and what they need (repeatable)")
	fs.StringVarP(&o.Namespace, "namespace", "n", o.Namespace, "namespace of objects that name none")
	fs.BoolVar(&o.Strict, "strict", o.Strict, "take a ToolSchema, a rule or an adapter that does not compile for a broken file; otherwise it is not in force and blocks, as in a cluster")
	fs.DurationVar(&o.ReloadInterval, "reload-interval", o.ReloadInterval, "how often to look whether files hold something else")
	fs.StringVar(&o.Identities, "identities", o.Identities, "`file` with tokens, or their SHA-256, and the ServiceAccounts that they stand for; reloaded on change")
	fs.StringArrayVar(&o.IssueTokens, "issue-token", o.IssueTokens, "`NAMESPACE/NAME=FILE`: write a new token of that ServiceAccount to FILE; it ends with the process (repeatable)")
	fs.StringArrayVar(&o.ValidatorTokens, "validator-token-file", o.ValidatorTokens, "`NAMESPACE/SECRET/KEY=FILE`: the token for secretKeyRef of policies in that namespace is in FILE (repeatable)")
	fs.StringVar(&o.BindAddress, "bind-address", o.BindAddress, "`address` of the endpoint that gives verdicts")
	fs.StringVar(&o.HealthBindAddress, "health-bind-address", o.HealthBindAddress, "`address` of /livez and /readyz, over plain HTTP")
	fs.StringVar(&o.CertFile, "tls-cert-file", o.CertFile, "PEM `file` with the serving certificate and its chain; reloaded on change")
	fs.StringVar(&o.KeyFile, "tls-private-key-file", o.KeyFile, "PEM `file` with the serving certificate's key; reloaded on change")
	fs.BoolVar(&o.SelfSigned, "tls-self-signed", o.SelfSigned, "make a certificate and its CA in memory")
	fs.StringSliceVar(&o.SelfSignedHosts, "tls-self-signed-host", o.SelfSignedHosts, "`names` and addresses to make it for, besides localhost and --bind-address (repeatable)")
	fs.StringVar(&o.CAFile, "tls-ca-file", o.CAFile, "`file` to write the CA of --tls-self-signed to, for clients")
	fs.BoolVar(&o.InsecureHTTP, "insecure-http", o.InsecureHTTP, "serve without TLS; only on a loopback address")
	fs.StringSliceVar(&o.AllowedUpstreams, "allowed-upstream", o.AllowedUpstreams, "`hosts` (judge.example.org, *.example.org) and networks that policies and adapters may have asked, each with :PORT or :* for other ports than 443; repeatable; default: none")
	fs.StringSliceVar(&o.AllowedSpecial, "allowed-upstream-special", o.AllowedSpecial, "`classes` of special addresses, such as loopback, that an allowed host may have; repeatable; default: none")
	fs.StringVar(&o.ClusterDomain, "cluster-domain", o.ClusterDomain, "the DNS `domain` of Services that adapters name")
	fs.DurationVar(&o.DrainLame, "drain-lame", o.DrainLame, "on a stop, how long to be unready and go on serving")
	fs.DurationVar(&o.DrainClosing, "drain-closing", o.DrainClosing, "after that, how long to close connections as they are answered")
	fs.DurationVar(&o.DrainShutdown, "drain-shutdown", o.DrainShutdown, "after that, how long to wait for answers in flight")
	o.Audit.AddFlags(fs)
	fs.StringVar(&o.LogLevel, "log-level", o.LogLevel, "info or debug")
	fs.StringVar(&o.LogFormat, "log-format", o.LogFormat, "json or console")
}

// Validate reports everything that is wrong with the options, each with the flag to mend.
func (o *ServeOptions) Validate() error {
	errs := []error{
		o.validateFiles(), o.validateTLS(), o.Audit.validate(), o.validateRest(),
	}
	for _, given := range o.IssueTokens {
		if _, _, err := splitToken("issue-token", given, 2); err != nil {
			errs = append(errs, err)
		}
	}
	for _, given := range o.ValidatorTokens {
		if _, _, err := splitToken("validator-token-file", given, 3); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (o *ServeOptions) validateFiles() error {
	var errs []error
	if len(o.Files) == 0 {
		errs = append(errs, errors.New("-f is missing: say where the ToolPolicies and ToolSchemas are"))
	}
	for _, f := range append(slices.Clone(o.Files), o.Identities) {
		if f == "" {
			continue
		}
		info, err := os.Stat(f)
		switch {
		case f == manifest.Stdin:
			errs = append(errs, errors.New("-f -: standard input can be read once, and what is served is read again when it changes: name a file"))
		case err == nil && !info.Mode().IsRegular() && !info.IsDir():
			errs = append(errs, fmt.Errorf("%s is neither a file nor a directory, and cannot be read again when it changes", f))
		}
	}
	if o.Identities == "" && len(o.IssueTokens) == 0 {
		errs = append(errs, errors.New("--identities is missing: say who may ask, or have a token made with --issue-token NAMESPACE/NAME=FILE"))
	}
	for _, msg := range validation.IsDNS1123Label(o.Namespace) {
		errs = append(errs, fmt.Errorf("--namespace %q: %s", o.Namespace, msg))
	}
	return errors.Join(errs...)
}

// validateTLS: exactly one way to serve.
func (o *ServeOptions) validateTLS() error {
	ways := 0
	for _, chosen := range []bool{o.CertFile != "" || o.KeyFile != "", o.SelfSigned, o.InsecureHTTP} {
		if chosen {
			ways++
		}
	}
	switch {
	case ways != 1:
		return errors.New("choose one of --tls-cert-file with --tls-private-key-file, --tls-self-signed, and --insecure-http")
	case (o.CertFile == "") != (o.KeyFile == ""):
		return errors.New("--tls-cert-file and --tls-private-key-file belong together")
	case !o.SelfSigned && (o.CAFile != "" || len(o.SelfSignedHosts) > 0):
		return errors.New("--tls-ca-file and --tls-self-signed-host are for --tls-self-signed")
	case o.InsecureHTTP && !loopback(o.BindAddress):
		return fmt.Errorf("--insecure-http is for loopback only, and --bind-address is %q: write 127.0.0.1:PORT or [::1]:PORT", o.BindAddress)
	}
	return nil
}

// loopback takes addresses only: a name may lead elsewhere tomorrow.
func loopback(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

func (o *ServeOptions) validateRest() error {
	var errs []error
	for flag, address := range map[string]string{"bind-address": o.BindAddress, "health-bind-address": o.HealthBindAddress} {
		if _, _, err := net.SplitHostPort(address); err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w; write HOST:PORT or :PORT", flag, err))
		}
	}
	for flag, length := range map[string]time.Duration{
		"drain-lame": o.DrainLame, "drain-closing": o.DrainClosing, "drain-shutdown": o.DrainShutdown, "reload-interval": o.ReloadInterval,
	} {
		if length <= 0 {
			errs = append(errs, fmt.Errorf("--%s: %v is too short: it lasts longer than nothing", flag, length))
		}
	}
	for flag, given := range map[string][]string{"log-level": {o.LogLevel, "info", "debug"}, "log-format": {o.LogFormat, "json", "console"}} {
		if !slices.Contains(given[1:], given[0]) {
			errs = append(errs, fmt.Errorf("--%s: %q is none of %s", flag, given[0], strings.Join(given[1:], ", ")))
		}
	}
	if _, err := o.upstreams(); err != nil {
		errs = append(errs, err)
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

func (o *ServeOptions) upstreams() (outbound.Policy, error) {
	return outbound.ParsePolicy(o.AllowedUpstreams, o.AllowedSpecial, o.ClusterDomain)
}

// splitToken takes NAMESPACE/NAME[/KEY]=FILE apart.
func splitToken(flag, given string, parts int) (names []string, file string, err error) {
	form := []string{2: "NAMESPACE/NAME=FILE", 3: "NAMESPACE/SECRET/KEY=FILE"}[parts]
	whose, file, ok := strings.Cut(given, "=")
	names = strings.Split(whose, "/")
	if !ok || file == "" || len(names) != parts || slices.Contains(names, "") {
		return nil, "", fmt.Errorf("--%s %q: write %s", flag, given, form)
	}
	return names, file, nil
}

// rooted is a path that was typed, in a file system that begins at the root.
func rooted(typed string) (string, error) {
	whole, err := filepath.Abs(typed)
	if err != nil {
		return "", err
	}
	if p := strings.TrimPrefix(path.Clean(filepath.ToSlash(whole)), "/"); p != "" {
		return p, nil
	}
	return ".", nil
}
