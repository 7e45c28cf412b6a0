// Package crd_test proves, against a real API server, what the stored kinds promise
// before any controller of ours has looked: defaults, bounds, rules across fields, and
// what each way of writing an object leaves of it.
package crd_test

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/testenv"
)

func TestCRD(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "CustomResourceDefinitions")
}

var (
	env *testenv.Env
	// kubectlBinary and kubeconfig are what kubectl needs to be an administrator.
	kubectlBinary, kubeconfig string
)

var _ = BeforeSuite(func() {
	env = testenv.Start(GinkgoT())
	kubectlBinary, kubeconfig = env.Kubectl(GinkgoT())
})

// The kinds under test.
var (
	toolSchemaKind  = callgatev1alpha1.GroupVersion.WithKind("ToolSchema")
	toolPolicyKind  = callgatev1alpha1.GroupVersion.WithKind("ToolPolicy")
	toolAdapterKind = callgatev1alpha1.GroupVersion.WithKind("ToolAdapter")
)

// object parses YAML and puts the object into a namespace.
func object(namespace, text string) *unstructured.Unstructured {
	GinkgoHelper()
	o := &unstructured.Unstructured{}
	Expect(yaml.Unmarshal([]byte(text), &o.Object)).To(Succeed())
	o.SetNamespace(namespace)
	return o
}

// minimal is the smallest object of a kind that the API server takes.
func minimal(kind schema.GroupVersionKind, namespace string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(kind)
	o.SetNamespace(namespace)
	o.SetGenerateName("minimal-")
	o.Object["spec"] = minimalSpec(kind)
	return o
}

// minimalSpec is the spec of a minimal object.
func minimalSpec(kind schema.GroupVersionKind) map[string]any {
	switch kind {
	case toolPolicyKind:
		return map[string]any{
			"subjects":      map[string]any{"serviceAccountNames": []any{"agent"}},
			"declaredTools": []any{"get_ticket"},
		}
	case toolAdapterKind:
		return map[string]any{
			"toolName": "get_ticket",
			"key":      "tenant",
			"records":  map[string]any{"configMapKeyRef": map[string]any{"name": "tickets", "key": "tickets.json"}},
		}
	default:
		return map[string]any{}
	}
}

// dryRun asks the API server what it would say to a create; nothing is stored.
func dryRun(ctx context.Context, o client.Object) error {
	return env.Client.Create(ctx, o, client.DryRunAll)
}

// result is what a run of kubectl printed. All is both streams: where a message goes
// differs between commands, and a person reads both.
type result struct {
	Out, All string
	Err      error
}

// kubectl runs kubectl as an administrator in a namespace.
func kubectl(ctx context.Context, namespace, stdin string, args ...string) result {
	GinkgoHelper()
	args = append([]string{"--kubeconfig", kubeconfig, "--namespace", namespace, "--cache-dir", GinkgoT().TempDir()}, args...)
	cmd := exec.CommandContext(ctx, kubectlBinary, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return result{Out: out.String(), All: out.String() + errs.String(), Err: err}
}
