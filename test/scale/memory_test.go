package scale_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/callgate/callgate/internal/testenv"
	"github.com/callgate/callgate/test/harness"
)

// The shipped deployment's limits.
const (
	memoryLimit = 512 << 20
	goLimit     = "460MiB"
)

// An authenticated caller sends the costliest reviews there are, many at once. The
// process stays within the memory that the deployment gives it, and others are served.
func TestCostlyReviewsStayWithinMemory(t *testing.T) {
	ctx := t.Context()
	env := testenv.Start(t)
	harness.Install(ctx, t, env)
	t.Setenv("GOMEMLIMIT", goLimit)
	manager := harness.StartProcess(ctx, t, env, harness.Build(ctx, t))
	namespace := env.Namespace(ctx, t)
	for _, name := range []string{"agent", "other"} {
		env.ServiceAccount(ctx, t, namespace, name)
	}
	var branches []string
	for i := range 1000 {
		branches = append(branches, fmt.Sprintf(`{"type":"object","required":["x%d"]}`, i))
	}
	policy := harness.ToolPolicy(namespace, "policy", "*")
	policy.Spec.Subjects.ServiceAccountNames[0] = "*"
	for _, object := range []error{
		env.Client.Create(ctx, policy),
		env.Client.Create(ctx, harness.WeatherSchema(namespace)),
		env.Client.Create(ctx, harness.ToolSchema(namespace, "many", "many", `{"properties":{"x":{"type":"array","items":{"type":"integer"}}}}`)),
		env.Client.Create(ctx, harness.ToolSchema(namespace, "union", "union", `{"properties":{"x":{"type":"array","items":{"anyOf":[`+strings.Join(branches, ",")+`]}}}}`)),
	} {
		if object != nil {
			t.Fatal(object)
		}
	}
	token := env.Token(ctx, t, namespace, "agent", harness.Audience, 3600)
	other := env.Token(ctx, t, namespace, "other", harness.Audience, 3600)
	for manager.Ask(ctx, t, token, harness.Call("union", `{"x":[]}`)).Verdict(t).Results[0].Code != "ok" {
	}

	attacks := [][]byte{
		review("many", `{"x":[`+strings.Repeat("1,", 99_000)+`1]}`, 3),
		review("many", `{"x":[`+strings.Repeat(`"a",`, 1500)+`"a"]}`, 128),
		review("union", `{"x":[`+strings.Repeat("{},", 700)+`{}]}`, 128),
	}
	statuses := map[int]int{}
	answers := make(chan int, 1000)
	var group errgroup.Group
	group.SetLimit(16)
	for round := range 48 {
		group.Go(func() error {
			a, err := manager.Try(ctx, token, attacks[round%len(attacks)], "application/json")
			if err != nil {
				return err
			}
			answers <- a.Status
			if a.Status == http.StatusOK && len(a.Body) > 4<<20 {
				return fmt.Errorf("an answer of %d bytes", len(a.Body))
			}
			b, err := manager.Try(ctx, other, harness.Call("weather", `{"city":"Oslo"}`), "application/json")
			if err == nil && b.Status != http.StatusOK {
				err = fmt.Errorf("another caller was answered %d: %s", b.Status, b.Body)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	close(answers)
	for status := range answers {
		statuses[status]++
	}
	if statuses[http.StatusOK] == 0 || statuses[http.StatusOK]+statuses[http.StatusTooManyRequests] != 48 {
		t.Errorf("answers by status: %v, want verdicts and 429 only", statuses)
	}
	peak := manager.PeakMemory(t)
	t.Logf("answers by status: %v; the manager's memory at its peak: %d MiB", statuses, peak>>20)
	if peak > memoryLimit {
		t.Errorf("the manager's memory was %d MiB at its peak, the limit is %d MiB", peak>>20, memoryLimit>>20)
	}
}

// review makes a review of n equal calls.
func review(name, arguments string, n int) []byte {
	call := fmt.Sprintf(`{"id":"1","name":%q,"arguments":%s},`, name, arguments)
	return []byte(`{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":{"calls":[` +
		strings.TrimSuffix(strings.Repeat(call, n), ",") + `]}}`)
}
