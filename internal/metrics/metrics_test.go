package metrics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
)

// used has something of everything.
func used() *Metrics {
	m := New(Options{Version: "v1"})
	m.Reviews.Answered("toolcallreviews", 200, "", time.Millisecond)
	m.Reviews.Verdict("tool_call", "ok", ActionAllow, "ns")
	m.Reviews.Judged("c", "t", false, true)
	m.Identity.Identified("toolcallreviews", "hit")
	m.Identity.LookedUp("toolcallreviews", true, time.Millisecond)
	m.Identity.Outage("toolcallreviews", true)
	m.Validator.Validated("asked", "valid")
	m.Validator.Asked("valid", time.Second)
	m.Validator.InFlight(1)
	m.Execution.Answered("http", "own", "ok", "")
	m.Execution.Executed("http", "", time.Second)
	m.Execution.InFlight("http", 1)
	m.Audit.Written(1)
	m.Audit.Dropped("queue_full", 1)
	m.Audit.Failed()
	m.Audit.Queued(1, 2)
	m.Tracing.Ended()
	m.Tracing.Sent(true, 1)
	m.Policy.InForce(Set{Revision: "sha256:a", At: time.Unix(1, 0), Took: time.Millisecond, Compiled: 2, Objects: map[[2]string]int{{"ToolSchema", "true"}: 3}})
	m.Process.Draining(1)
	m.Process.Refused("cap")
	m.Process.Ready(func() bool { return true })
	m.Process.Leader(func() bool { return true })
	m.Process.Certificate(func() time.Time { return time.Unix(5, 0) }, func() time.Time { return time.Time{} })
	return m
}

func TestNamesAndHelpAreAsPrometheusAsks(t *testing.T) {
	families, err := used().Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "callgate_") {
			continue
		}
		if _, err := expfmt.MetricFamilyToText(&text, f); err != nil {
			t.Fatal(err)
		}
	}
	problems, err := promlint.New(strings.NewReader(text.String())).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestNamespacesAreBounded(t *testing.T) {
	m := New(Options{})
	for i := range 10_000 {
		m.Reviews.Verdict("tool_call", "ok", ActionAllow, fmt.Sprint("ns-", i))
		m.Reviews.Answered("toolcallreviews", 200, fmt.Sprint("reason-", i), 0)
	}
	if n := testutil.CollectAndCount(m.Reviews.verdicts); n != maxNamespaces+1 {
		t.Errorf("%d series of verdicts, want %d and one for the rest", n, maxNamespaces)
	}
	if n := testutil.CollectAndCount(m.Reviews.requests); n != maxReasons+1 {
		t.Errorf("%d series of requests", n)
	}
	if got := testutil.ToFloat64(m.Reviews.verdicts.WithLabelValues("tool_call", "ok", ActionAllow, other)); got != 10_000-maxNamespaces {
		t.Errorf("%v of the rest", got)
	}
}

func TestOneRevisionAtATime(t *testing.T) {
	m := New(Options{})
	for i := range 100 {
		m.Policy.InForce(Set{Revision: fmt.Sprint("sha256:", i)})
	}
	m.Policy.InForce(Set{Revision: "sha256:99"})
	if n := testutil.CollectAndCount(m.Policy.info); n != 1 || testutil.ToFloat64(m.Policy.info.WithLabelValues("sha256:99")) != 1 {
		t.Errorf("%d revisions are told", n)
	}
	if got := testutil.ToFloat64(m.Policy.swaps); got != 100 {
		t.Errorf("%v changes, want 100", got)
	}
}

func TestRepairs(t *testing.T) {
	m := New(Options{})
	count := func() string {
		return fmt.Sprint(testutil.ToFloat64(m.Reviews.repaired.WithLabelValues("true")), testutil.ToFloat64(m.Reviews.repaired.WithLabelValues("false")))
	}
	for _, step := range []struct {
		caller, tool     string
		passed, mendable bool
		want             string
	}{
		{"a", "t", false, true, "0 0"},  // blocked for its arguments
		{"b", "t", true, false, "0 0"},  // another caller's call
		{"a", "u", true, false, "0 0"},  // another tool
		{"a", "t", false, true, "0 1"},  // not repaired at once
		{"a", "t", true, false, "1 1"},  // now it is
		{"a", "t", true, false, "1 1"},  // and nothing is waited for
		{"a", "t", false, false, "1 1"}, // what nothing can mend
		{"a", "t", true, false, "1 1"},
	} {
		m.Reviews.Judged(step.caller, step.tool, step.passed, step.mendable)
		if got := count(); got != step.want {
			t.Errorf("after %+v: %s", step, got)
		}
	}
}
