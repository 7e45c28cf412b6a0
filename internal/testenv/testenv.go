package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

const assetsVariable = "KUBEBUILDER_ASSETS"

// ErrNoAssets tells that no control plane has been built or named.
var ErrNoAssets = errors.New(assetsVariable + " names no directory with kube-apiserver and etcd; run: make envtest")

// A control plane that shares two cores with a race-built test binary needs more
// than envtest's 20 seconds.
const startTimeout = 90 * time.Second

// TB is what Start needs of a test. *testing.T, *testing.B, *testing.F and
// GinkgoT() have it.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
	Cleanup(f func())
}

// Options vary the control plane. The zero value is good.
type Options struct {
	// APIServerArgs are further flags of kube-apiserver, without the dashes.
	APIServerArgs map[string][]string
	// WithoutCRDs leaves the cluster as bare as a cluster before the first install.
	WithoutCRDs bool
}

// Env is a running control plane.
type Env struct {
	// Config is that of a cluster administrator.
	Config *rest.Config
	// Client reads and writes as the administrator, without a cache.
	Client client.Client
	// Clientset is for what Client has not: TokenRequest, reviews, Leases.
	Clientset *kubernetes.Clientset
	// Scheme knows the built-in kinds, CRDs and the project's own.
	Scheme *runtime.Scheme

	env     *envtest.Environment
	certDir string
}

// Start starts a control plane that ends with the test, or with the suite where it
// is called from BeforeSuite.
func Start(tb TB) *Env {
	tb.Helper()
	return StartWith(tb, Options{})
}

// StartWith is Start with options.
func StartWith(tb TB, opts Options) *Env {
	tb.Helper()
	e, err := New(opts)
	if err != nil {
		tb.Fatalf("starting a control plane: %v", err)
	}
	tb.Cleanup(func() {
		if err := e.Stop(); err != nil {
			tb.Logf("stopping the control plane: %v", err)
		}
	})
	return e
}

// New starts a control plane that the caller stops, for TestMain.
func New(opts Options) (*Env, error) {
	if os.Getenv(assetsVariable) == "" {
		return nil, ErrNoAssets
	}
	root, err := ModuleRoot()
	if err != nil {
		return nil, err
	}
	// A directory of our own outlives the API server's process, so that it can be
	// started again with the certificates and keys that clients already trust.
	certDir, err := os.MkdirTemp("", "callgate-testenv-")
	if err != nil {
		return nil, fmt.Errorf("making a certificate directory: %w", err)
	}
	e := &Env{Scheme: NewScheme(), certDir: certDir}
	e.env = &envtest.Environment{
		Scheme:                   e.Scheme,
		ErrorIfCRDPathMissing:    true,
		ControlPlaneStartTimeout: startTimeout,
		ControlPlaneStopTimeout:  startTimeout,
	}
	if !opts.WithoutCRDs {
		e.env.CRDDirectoryPaths = []string{filepath.Join(root, "config", "crd", "bases")}
	}
	apiServer := e.env.ControlPlane.GetAPIServer()
	apiServer.CertDir = certDir
	for flag, values := range opts.APIServerArgs {
		apiServer.Configure().Set(flag, values...)
	}
	if err := e.start(); err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	return e, nil
}

func (e *Env) start() error {
	config, err := e.env.Start()
	if err != nil {
		return err
	}
	e.Config = Unlimited(config)
	if e.Client, err = client.New(e.Config, client.Options{Scheme: e.Scheme}); err != nil {
		return fmt.Errorf("making the administrator's client: %w", err)
	}
	if e.Clientset, err = kubernetes.NewForConfig(e.Config); err != nil {
		return fmt.Errorf("making the administrator's clientset: %w", err)
	}
	return nil
}

// Stop ends the control plane and removes what it left on disk.
func (e *Env) Stop() error {
	return errors.Join(e.env.Stop(), os.RemoveAll(e.certDir))
}

// StopAPIServer ends kube-apiserver and leaves etcd running.
func (e *Env) StopAPIServer() error {
	if err := e.env.ControlPlane.GetAPIServer().Stop(); err != nil {
		return fmt.Errorf("stopping kube-apiserver: %w", err)
	}
	return nil
}

// StartAPIServer starts kube-apiserver again on the same port, with the same data,
// certificates and keys. It returns when /healthz answers.
func (e *Env) StartAPIServer() error {
	if err := e.env.ControlPlane.GetAPIServer().Start(); err != nil {
		return fmt.Errorf("starting kube-apiserver: %w", err)
	}
	return nil
}

// Kubectl returns the path of a kubectl and of a kubeconfig for the administrator.
func (e *Env) Kubectl(tb TB) (binary, kubeconfig string) {
	tb.Helper()
	kubeconfig = filepath.Join(e.certDir, "admin.kubeconfig")
	if err := os.WriteFile(kubeconfig, e.env.KubeConfig, 0o600); err != nil {
		tb.Fatalf("writing a kubeconfig: %v", err)
	}
	return e.env.ControlPlane.KubectlPath, kubeconfig
}

// WaitHealthy returns when a request is answered again, or with ctx.
func (e *Env) WaitHealthy(ctx context.Context) error {
	for {
		_, err := e.Clientset.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// NewScheme knows the built-in kinds, CRDs and the project's own.
func NewScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, callgatev1alpha1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			// Only a kind registered twice under one name gets here.
			panic(err)
		}
	}
	return scheme
}

// Unlimited returns a copy of config without client-side rate limits.
func Unlimited(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = -1, 0
	return config
}

// ModuleRoot finds the directory that holds go.mod, from the working directory up.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the module root: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("finding the module root: no go.mod above the working directory")
		}
		dir = parent
	}
}
