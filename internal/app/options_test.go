package app_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/internal/app"
)

func valid() app.Options {
	o := app.DefaultOptions()
	o.CertFile, o.KeyFile, o.LeaderElectionNamespace = "tls.crt", "tls.key", "callgate-system"
	return o
}

// Every fault is told with the flag that mends it.
func TestValidate(t *testing.T) {
	o := valid()
	if err := o.Validate(); err != nil {
		t.Fatalf("the defaults are refused: %v", err)
	}
	for flag, change := range map[string]func(*app.Options){
		"--bind-address":              func(o *app.Options) { o.BindAddress = "8443" },
		"--health-bind-address":       func(o *app.Options) { o.HealthBindAddress = "" },
		"--admission-bind-address":    func(o *app.Options) { o.AdmissionBindAddress = "nowhere" },
		"--tls-cert-file":             func(o *app.Options) { o.CertFile = "" },
		"--tls-private-key-file":      func(o *app.Options) { o.KeyFile = "" },
		"--leader-election-namespace": func(o *app.Options) { o.LeaderElectionNamespace = "" },
		"--leader-election-id":        func(o *app.Options) { o.LeaderElectionID = "" },
		"--log-level":                 func(o *app.Options) { o.LogLevel = "loud" },
		"--log-format":                func(o *app.Options) { o.LogFormat = "xml" },
		"--drain-lame":                func(o *app.Options) { o.DrainLame = 0 },
		"--drain-closing":             func(o *app.Options) { o.DrainClosing = -time.Second },
		"--drain-shutdown":            func(o *app.Options) { o.DrainShutdown = 0 },
		"--identity-ttl":              func(o *app.Options) { o.IdentityTTL = 0 },
		"--tracing-endpoint":          func(o *app.Options) { o.Tracing.Endpoint = "collector:4318" },
		"--tracing-sample-ratio":      func(o *app.Options) { o.Tracing.SampleRatio = math.NaN() },
		"--tracing-ca-file":           func(o *app.Options) { o.Tracing.CAFile = "ca.crt" },
	} {
		o := valid()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), flag+":") {
			t.Errorf("%s: the fault is told as %v", flag, err)
		}
	}
	for flag, change := range map[string]func(*app.Options){
		"--allowed-upstream=":         func(o *app.Options) { o.AllowedUpstreams = []string{"https://judge.example.org"} },
		"--allowed-upstream-special=": func(o *app.Options) { o.AllowedSpecial = []string{"everything"} },
		"--cluster-domain=":           func(o *app.Options) { o.ClusterDomain = "no domain" },
	} {
		o := valid()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s the fault is told as %v", flag, err)
		}
	}
	o = valid()
	o.AdmissionBindAddress = ""
	if err := o.Validate(); err != nil {
		t.Errorf("the admission webhook cannot be turned off: %v", err)
	}
}

// A cluster that is not there must not keep the process from coming up and saying
// that it is not ready, nor from stopping when it is told to.
func TestRunWithoutAnAPIServer(t *testing.T) {
	dir := t.TempDir()
	o := valid()
	o.Kubeconfig = filepath.Join(dir, "kubeconfig")
	text := `{"apiVersion":"v1","kind":"Config","current-context":"m","clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:1"}}],
"users":[{"name":"u","user":{"token":"t"}}],"contexts":[{"name":"m","context":{"cluster":"c","user":"u"}}]}`
	if err := os.WriteFile(o.Kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o.CertFile, o.KeyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	o.BindAddress, o.AdmissionBindAddress, o.HealthBindAddress = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	o.DrainLame, o.DrainClosing = time.Millisecond, time.Millisecond
	var log bytes.Buffer
	o.Log = &log
	signals := make(chan os.Signal, 1)
	o.Signals = signals
	o.OnListen = func(app.Addresses) { signals <- os.Interrupt }
	if err := app.Run(t.Context(), o); err != nil {
		t.Errorf("the manager ended with %v; its log:\n%s", err, &log)
	}
}

func TestRunTellsOfAnAddressInUse(t *testing.T) {
	dir := t.TempDir()
	o := valid()
	o.Kubeconfig = filepath.Join(dir, "kubeconfig")
	text := `{"apiVersion":"v1","kind":"Config","current-context":"m","clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:1"}}],
"users":[{"name":"u","user":{}}],"contexts":[{"name":"m","context":{"cluster":"c","user":"u"}}]}`
	if err := os.WriteFile(o.Kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o.HealthBindAddress = "127.0.0.1:0"
	o.BindAddress = "192.0.2.1:8443" // an address of documentation, never this machine's
	if err := app.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--bind-address") {
		t.Errorf("the fault is told as %v", err)
	}
}
