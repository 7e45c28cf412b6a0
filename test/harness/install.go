package harness

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/callgate/callgate/internal/testenv"
)

const (
	// Audience is what tokens are made out to.
	Audience = "callgate.dev"
	// SystemNamespace is where Callgate is installed.
	SystemNamespace = "callgate-system"
	// CallersBinding lets every ServiceAccount of the cluster ask for verdicts.
	CallersBinding = "callers"
)

// TB is what the harness needs of a test.
type TB interface {
	testenv.TB
	TempDir() string
}

// Install creates the namespace and the roles as they are shipped, and lets every
// ServiceAccount ask.
func Install(ctx context.Context, tb TB, env *testenv.Env) {
	tb.Helper()
	root := moduleRoot(tb)
	create(ctx, tb, env, filepath.Join(root, "config", "default", "namespace.yaml"))
	files, err := filepath.Glob(filepath.Join(root, "config", "rbac", "*.yaml"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("finding the roles: %v", err)
	}
	for _, file := range files {
		create(ctx, tb, env, file)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: CallersBinding},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "callgate-caller"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "system:serviceaccounts"}},
	}
	if err := env.Client.Create(ctx, binding); err != nil {
		tb.Fatalf("letting callers ask: %v", err)
	}
}

func moduleRoot(tb TB) string {
	tb.Helper()
	root, err := testenv.ModuleRoot()
	if err != nil {
		tb.Fatalf("finding the module: %v", err)
	}
	return root
}

// create creates the objects of a file, but for a Kustomization.
func create(ctx context.Context, tb TB, env *testenv.Env, file string) {
	tb.Helper()
	f, err := os.Open(file)
	if err != nil {
		tb.Fatalf("opening a manifest: %v", err)
	}
	defer func() { _ = f.Close() }()
	for decoder := utilyaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		obj := &unstructured.Unstructured{}
		switch err := decoder.Decode(obj); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			tb.Fatalf("reading %s: %v", file, err)
		case len(obj.Object) == 0 || obj.GetKind() == "Kustomization":
			continue
		}
		if err := env.Client.Create(ctx, obj); err != nil {
			tb.Fatalf("creating %s %s of %s: %v", obj.GetKind(), obj.GetName(), file, err)
		}
	}
}

// RegisterAdmission points the shipped webhook configuration at a manager's address and
// CA: the API server cannot reach a Service in a test.
func RegisterAdmission(ctx context.Context, tb TB, env *testenv.Env, address net.Addr, ca []byte) {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(moduleRoot(tb), "config", "webhook", "manifests.yaml"))
	if err != nil {
		tb.Fatalf("reading the webhook configuration: %v", err)
	}
	var config admissionregistrationv1.ValidatingWebhookConfiguration
	if err := yaml.UnmarshalStrict(text, &config); err != nil {
		tb.Fatalf("reading the webhook configuration: %v", err)
	}
	for i := range config.Webhooks {
		c := &config.Webhooks[i].ClientConfig
		url := "https://" + address.String() + *c.Service.Path
		c.URL, c.Service, c.CABundle = &url, nil, ca
	}
	if err := env.Client.Create(ctx, &config); err != nil {
		tb.Fatalf("creating the webhook configuration: %v", err)
	}
}
