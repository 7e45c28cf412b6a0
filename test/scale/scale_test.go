// Package scale_test holds the manager to a catalogue of a thousand tools.
package scale_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"

	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/testenv"
	"github.com/callgate/callgate/test/harness"
)

const (
	tools       = 1000
	memoryBound = 250 << 20
	// statusTimeout is generous: this is about what status says in the end, on a
	// machine that may be doing other things.
	statusTimeout = 2 * time.Minute
)

// Of a thousand ToolSchemas applied at once, every status is right in the end: one in
// ten does not compile, and two claim one name.
func TestThousandSchemas(t *testing.T) {
	ctx := t.Context()
	env := testenv.Start(t)
	harness.Install(ctx, t, env)
	manager := harness.StartProcess(ctx, t, env, harness.Build(ctx, t))
	namespace := env.Namespace(ctx, t)
	env.ServiceAccount(ctx, t, namespace, "agent")
	if err := env.Client.Create(ctx, harness.ToolPolicy(namespace, "everything", "*")); err != nil {
		t.Fatal(err)
	}

	started := time.Now()
	var group errgroup.Group
	group.SetLimit(16)
	for i := range tools {
		group.Go(func() error { return env.Client.Create(ctx, catalogueTool(namespace, i)) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	applied := time.Since(started)
	wrong := waitForStatus(ctx, t, env, namespace)
	t.Logf("applied in %v, all status right %v later", applied.Round(time.Millisecond), (time.Since(started) - applied).Round(time.Millisecond))
	if wrong != "" {
		t.Fatalf("after %v: %s", statusTimeout, wrong)
	}

	token := env.Token(ctx, t, namespace, "agent", harness.Audience, 600)
	for name, want := range map[string]string{"tool_5": "ok", "tool_10": "schema_not_ready", "tool_7": "schema_not_ready"} {
		body := harness.Call(name, `{"namespace":"default","limit":3}`)
		if got := manager.Ask(ctx, t, token, body).Verdict(t).Results[0].Code; string(got) != want {
			t.Errorf("a call to %s: code %s, want %s", name, got, want)
		}
	}
	peak := manager.PeakMemory(t)
	t.Logf("the manager's memory at its peak: %d MiB", peak>>20)
	if peak > memoryBound {
		t.Errorf("the manager's memory was %d MiB at its peak, the bound is %d MiB", peak>>20, memoryBound>>20)
	}
}

// catalogueTool makes a tool of a usual size. Every tenth does not compile; numbers 7
// and 8 claim one name.
func catalogueTool(namespace string, i int) *callgatev1alpha1.ToolSchema {
	kind := "string"
	if i%10 == 0 {
		kind = "str"
	}
	name := fmt.Sprintf("tool_%d", i)
	if i == 8 {
		name = "tool_7"
	}
	return harness.ToolSchema(namespace, fmt.Sprintf("tool-%d", i), name, fmt.Sprintf(`{"type":"object",
"properties":{
 "namespace":{"type":%q,"description":"The namespace to look in, tool %d.","pattern":"^[a-z0-9-]{1,63}$"},
 "limit":{"type":"integer","minimum":1,"maximum":500,"description":"How many to list at the most."},
 "labelSelector":{"type":"string","description":"A label selector, as kubectl takes it."},
 "output":{"type":"string","enum":["json","yaml","wide","name"]},
 "fields":{"type":"array","items":{"type":"string"},"maxItems":20},
 "options":{"type":"object","properties":{"watch":{"type":"boolean"},"timeout":{"type":"string"}}}},
"required":["namespace"]}`, kind, i))
}

func wantedReason(i int) string {
	switch {
	case i == 7 || i == 8:
		return callgatev1alpha1.ReasonDuplicateToolName
	case i%10 == 0:
		return callgatev1alpha1.ReasonInvalidSchema
	default:
		return callgatev1alpha1.ReasonInForce
	}
}

// waitForStatus gives "" once every status is right, or what is still wrong.
func waitForStatus(ctx context.Context, t *testing.T, env *testenv.Env, namespace string) string {
	t.Helper()
	for deadline := time.Now().Add(statusTimeout); ; {
		wrong := wrongStatus(ctx, t, env, namespace)
		if wrong == "" || time.Now().After(deadline) {
			return wrong
		}
		select {
		case <-ctx.Done():
			return wrong
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func wrongStatus(ctx context.Context, t *testing.T, env *testenv.Env, namespace string) string {
	t.Helper()
	var list callgatev1alpha1.ToolSchemaList
	if err := env.Client.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != tools {
		return fmt.Sprintf("%d objects, want %d", len(list.Items), tools)
	}
	for _, s := range list.Items {
		var i int
		if _, err := fmt.Sscanf(s.Name, "tool-%d", &i); err != nil {
			t.Fatal(err)
		}
		ready := meta.FindStatusCondition(s.Status.Conditions, callgatev1alpha1.ConditionReady)
		if ready == nil || ready.Reason != wantedReason(i) || ready.ObservedGeneration != s.Generation {
			return fmt.Sprintf("%s: Ready is %+v, want reason %s", s.Name, ready, wantedReason(i))
		}
	}
	return ""
}
