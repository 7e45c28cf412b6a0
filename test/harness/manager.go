package harness

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"

	"github.com/callgate/callgate/internal/app"
	"github.com/callgate/callgate/internal/testenv"
)

// stopTimeout is longer than any stop of a manager that is not stuck.
const stopTimeout = 60 * time.Second

// Manager is a manager that runs in this process.
type Manager struct {
	app.Addresses
	// CA is what its certificate is checked against: the certificate itself. Key is
	// the certificate's.
	CA, Key []byte
	// Client trusts CA and speaks HTTP/2.
	Client *http.Client

	cancel context.CancelFunc
	done   chan error
}

// StartManager runs the whole manager with the rights of its ServiceAccount, until
// the test ends or Stop is called. It returns when the manager is ready.
func StartManager(ctx context.Context, tb TB, env *testenv.Env, change func(*app.Options)) *Manager {
	tb.Helper()
	m := &Manager{done: make(chan error, 1)}
	opts := m.options(ctx, tb, env)
	if change != nil {
		change(&opts)
	}
	listening := make(chan app.Addresses, 1)
	opts.OnListen = func(a app.Addresses) { listening <- a }
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	m.cancel = cancel
	go func() {
		m.done <- app.Run(running, opts)
		close(m.done)
	}()
	tb.Cleanup(func() { m.Stop(tb) })
	select {
	case m.Addresses = <-listening:
	case err := <-m.done:
		tb.Fatalf("starting the manager: %v", err)
	case <-time.After(stopTimeout):
		tb.Fatalf("the manager does not listen")
	}
	m.Client = HTTPClient(m.CA, false)
	for deadline := time.Now().Add(stopTimeout); m.Readyz() != http.StatusOK; {
		if time.Now().After(deadline) {
			tb.Fatalf("the manager is not ready after %v", stopTimeout)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return m
}

func (m *Manager) options(ctx context.Context, tb TB, env *testenv.Env) app.Options {
	tb.Helper()
	dir := tb.TempDir()
	crt, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		tb.Fatalf("making a certificate: %v", err)
	}
	m.CA, m.Key = crt, key
	opts := app.DefaultOptions()
	// Standard output is the tests' own.
	opts.MetricsBindAddress = "127.0.0.1:0"
	opts.Audit.Path = filepath.Join(dir, "audit.jsonl")
	opts.CertFile, opts.KeyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	write(tb, opts.CertFile, crt)
	write(tb, opts.KeyFile, key)
	opts.Kubeconfig = Kubeconfig(ctx, tb, env, dir)
	opts.BindAddress, opts.AdmissionBindAddress, opts.HealthBindAddress = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	opts.LeaderElectionNamespace = SystemNamespace
	opts.DrainLame, opts.DrainClosing = 50*time.Millisecond, 50*time.Millisecond
	return opts
}

// Stop stops the manager as SIGTERM would and fails if it does not end cleanly.
func (m *Manager) Stop(tb TB) {
	tb.Helper()
	m.cancel()
	select {
	case err := <-m.done:
		if err != nil {
			tb.Fatalf("the manager ended with %v", err)
		}
	case <-time.After(stopTimeout):
		tb.Fatalf("the manager did not stop within %v", stopTimeout)
	}
}

// Readyz gives the status of /readyz, 0 where there is no answer.
func (m *Manager) Readyz() int {
	response, err := http.Get("http://" + m.Health.String() + "/readyz")
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// HTTPClient trusts ca. With h1 it speaks HTTP/1.1 only.
func HTTPClient(ca []byte, h1 bool) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: !h1}
	return &http.Client{Transport: transport, Timeout: 20 * time.Second}
}

// Kubeconfig writes one for the identity that the manager has in a cluster: a token of
// its ServiceAccount, with the rights that are shipped.
func Kubeconfig(ctx context.Context, tb TB, env *testenv.Env, dir string) string {
	tb.Helper()
	token := env.Token(ctx, tb, SystemNamespace, "callgate", "", 3600)
	ca := filepath.Join(dir, "apiserver.crt")
	write(tb, ca, env.Config.CAData)
	file := filepath.Join(dir, "kubeconfig")
	write(tb, file, fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Config","current-context":"m",
"clusters":[{"name":"c","cluster":{"server":%q,"certificate-authority":%q}}],
"users":[{"name":"u","user":{"token":%q}}],
"contexts":[{"name":"m","context":{"cluster":"c","user":"u"}}]}`, env.Config.Host, ca, token))
	return file
}

func write(tb TB, file string, data []byte) {
	tb.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		tb.Fatalf("writing %s: %v", file, err)
	}
}
