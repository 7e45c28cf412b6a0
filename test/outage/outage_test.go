//go:build slow

// Package outage_test takes the API server away from a manager that serves.
package outage_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/testenv"
	"github.com/callgate/callgate/test/harness"
)

const (
	// outage is how long the API server is away: as long as the soft life of an
	// identity, so that known callers have to outlive it.
	outage = 60 * time.Second
	// unknownLimit is how soon a caller whom nobody knows is told so.
	unknownLimit = 2500 * time.Millisecond
	// inForceLimit is how soon after the API server's return a change is in force.
	inForceLimit = 5 * time.Second
)

var good = harness.Call("weather", `{"city":"Oslo"}`)

type scene struct {
	env       *testenv.Env
	manager   *harness.Process
	namespace string
	known     string
	unknown   string
}

func newScene(t *testing.T) *scene {
	ctx := t.Context()
	s := &scene{env: testenv.Start(t)}
	harness.Install(ctx, t, s.env)
	s.manager = harness.StartProcess(ctx, t, s.env, harness.Build(ctx, t))
	s.namespace = s.env.Namespace(ctx, t)
	for _, name := range []string{"agent", "other"} {
		s.env.ServiceAccount(ctx, t, s.namespace, name)
	}
	if err := s.env.Client.Create(ctx, harness.WeatherSchema(s.namespace)); err != nil {
		t.Fatal(err)
	}
	policy := harness.WeatherPolicy(s.namespace)
	policy.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"agent", "other"}
	if err := s.env.Client.Create(ctx, policy); err != nil {
		t.Fatal(err)
	}
	s.known = s.env.Token(ctx, t, s.namespace, "agent", harness.Audience, 3600)
	s.unknown = s.env.Token(ctx, t, s.namespace, "other", harness.Audience, 3600)
	s.until(t, 10*time.Second, "the objects are in force", func() bool {
		return s.manager.Ask(ctx, t, s.known, good).Verdict(t).Allowed
	})
	return s
}

func (s *scene) until(t *testing.T, limit time.Duration, what string, done func() bool) time.Duration {
	t.Helper()
	started := time.Now()
	for !done() {
		if time.Since(started) > limit {
			t.Fatalf("%s: not within %v; the manager's log:\n%s", what, limit, s.manager.Log())
		}
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(started)
}

// endure asks on for the length of the outage, as a caller whom the manager knows
// and as one whom it does not.
func (s *scene) endure(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	asked, slowest := 0, time.Duration(0)
	for deadline := time.Now().Add(outage); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		started := time.Now()
		a := s.manager.Ask(ctx, t, s.known, good)
		slowest = max(slowest, time.Since(started))
		if !a.Verdict(t).Allowed {
			t.Fatalf("a known caller was answered %s", a.Body)
		}
		if asked++; asked%50 == 1 {
			s.refuseUnknown(ctx, t)
		}
		if s.manager.Exited() {
			t.Fatalf("the manager ended; its log:\n%s", s.manager.Log())
		}
		if s.manager.Readyz() != http.StatusOK {
			t.Fatal("the replica went unready although it serves")
		}
	}
	t.Logf("a known caller was answered %d times in %v, the slowest in %v", asked, outage, slowest.Round(time.Millisecond))
}

func (s *scene) refuseUnknown(ctx context.Context, t *testing.T) {
	t.Helper()
	started := time.Now()
	a := s.manager.Ask(ctx, t, s.unknown, good)
	took := time.Since(started)
	if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
		t.Fatalf("an unknown caller was answered %d: %s", a.Status, a.Body)
	}
	if took > unknownLimit {
		t.Errorf("an unknown caller waited %v, the limit is %v", took, unknownLimit)
	}
}

// recovers makes a change and an unknown caller count, soon.
func (s *scene) recovers(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	returned := time.Now()
	schema := harness.ToolSchema(s.namespace, "later", "later", `{"type":"object"}`)
	if err := s.env.Client.Create(ctx, schema); err != nil {
		t.Fatal(err)
	}
	policy := harness.ToolPolicy(s.namespace, "second", "later")
	if err := s.env.Client.Create(ctx, policy); err != nil {
		t.Fatal(err)
	}
	s.until(t, inForceLimit, "a policy made after the return takes weather away", func() bool {
		return s.manager.Ask(ctx, t, s.known, good).Verdict(t).Results[0].Code == "unknown_tool"
	})
	t.Logf("in force %v after the API server's return", time.Since(returned).Round(time.Millisecond))
	s.until(t, inForceLimit, "an unknown caller is identified again", func() bool {
		return s.manager.Ask(ctx, t, s.unknown, good).Status == http.StatusOK
	})
	if s.manager.Exited() {
		t.Fatalf("the manager ended; its log:\n%s", s.manager.Log())
	}
}

func TestSlowAPIServerStopped(t *testing.T) {
	s := newScene(t)
	if err := s.env.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	s.endure(t)
	if err := s.env.StartAPIServer(); err != nil {
		t.Fatal(err)
	}
	s.recovers(t)
}

func TestSlowAPIServerPaused(t *testing.T) {
	s := newScene(t)
	pid := child(t, "kube-apiserver")
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	resumed := false
	resume := func() {
		if !resumed {
			resumed = true
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
	// A paused process cannot be stopped by anybody else.
	defer resume()
	s.endure(t)
	resume()
	s.recovers(t)
}

// child finds the process of that name that this one started.
func child(t *testing.T, name string) int {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range processes {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended since
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		var parent int
		rest := string(text[strings.LastIndexByte(string(text), ')')+1:])
		if _, err := fmt.Sscanf(rest, " %s %d", new(string), &parent); err != nil || parent != os.Getpid() {
			continue
		}
		// The name in stat is cut at fifteen characters, so the path decides.
		if exe, err := os.Readlink(filepath.Join(filepath.Dir(file), "exe")); err == nil && filepath.Base(exe) == name {
			return pid
		}
	}
	t.Fatalf("no child process %s: this test needs Linux", name)
	return 0
}
