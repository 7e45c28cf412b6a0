package webhooks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// Heartbeat tells whether a loop is stuck. A loop that waits for work is alive however
// long it waits; one that has been at one piece of work for too long is not. The zero
// value is an idle loop.
type Heartbeat struct {
	// since is when the work at hand began, in Unix nanoseconds; 0 is idle.
	since atomic.Int64
}

// Begin says that work begins, End that it is done.
func (b *Heartbeat) Begin(now time.Time) { b.since.Store(now.UnixNano()) }

// End says that the work is done.
func (b *Heartbeat) End() { b.since.Store(0) }

// Busy is how long the work at hand has taken so far, 0 if there is none.
func (b *Heartbeat) Busy(now time.Time) time.Duration {
	since := b.since.Load()
	if since == 0 {
		return 0
	}
	return now.Sub(time.Unix(0, since))
}

// maxBusy is how long one piece of work may take before the process counts as stuck:
// far above a compile of the largest policy set.
const maxBusy = 60 * time.Second

// Check is one condition of readiness. It reads atomics only: a probe must cost
// nothing and must never wait.
type Check struct {
	Name string
	// Fault is "" while the condition holds, else a word or two.
	Fault func() string
}

// SnapshotCheck holds once a policy set is in force.
func SnapshotCheck(s Snapshots) Check {
	return Check{"snapshot", func() string { return faultUnless(s.Load() != nil, "no policy set is in force yet") }}
}

// ListenerCheck holds while the decision endpoint accepts connections.
func ListenerCheck(s *DecisionServer) Check {
	return Check{"listener", func() string { return faultUnless(s.Listening(), "not listening") }}
}

// CertificateCheck holds while there is a serving certificate that is valid now.
func CertificateCheck(c *Certificates) Check {
	return Check{"certificate", func() string {
		if err := c.Valid(); err != nil {
			return err.Error()
		}
		return ""
	}}
}

// DrainCheck holds until the drain begins.
func DrainCheck(d *Drain) Check {
	return Check{"drain", func() string { return faultUnless(!d.Draining(), "draining") }}
}

// AllHold reports whether every check holds: what Readyz answers by.
func AllHold(checks []Check) bool {
	return !slices.ContainsFunc(checks, func(c Check) bool { return c.Fault() != "" })
}

func faultUnless(ok bool, fault string) string {
	if ok {
		return ""
	}
	return fault
}

// Readyz answers 200 while every check holds, else 503, as text: one line a check with
// ?verbose or when one fails. It never depends on the API server: on its recovery all
// replicas would go unready together. details, which may be nil, adds lines that
// decide nothing.
func Readyz(checks []Check, details func() []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var lines strings.Builder
		ready := true
		for _, c := range checks {
			if fault := c.Fault(); fault != "" {
				ready = false
				fmt.Fprintf(&lines, "[-]%s: %s\n", c.Name, fault)
			} else {
				fmt.Fprintf(&lines, "[+]%s ok\n", c.Name)
			}
		}
		if details != nil {
			for _, line := range details() {
				fmt.Fprintf(&lines, "[ ]%s\n", line)
			}
		}
		writeHealth(w, r, ready, lines.String())
	})
}

// Livez answers 200 unless one of the loops is stuck. It depends on nothing outside
// the process.
func Livez(c clock.PassiveClock, loops map[string]*Heartbeat) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var lines strings.Builder
		alive := true
		now := c.Now()
		for _, name := range slices.Sorted(maps.Keys(loops)) {
			if busy := loops[name].Busy(now); busy > maxBusy {
				alive = false
				fmt.Fprintf(&lines, "[-]%s: at one piece of work for %s\n", name, busy.Round(time.Second))
			}
		}
		writeHealth(w, r, alive, lines.String())
	})
}

func writeHealth(w http.ResponseWriter, r *http.Request, ok bool, lines string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	text := "ok\n"
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
		text = lines + "not ok\n"
	} else if r.URL.Query().Has("verbose") {
		text = lines + text
	}
	_, _ = w.Write([]byte(text))
}

// HealthServer serves /readyz and /livez over plain HTTP on a listener of its own, so
// that the limits of the decision endpoint never hold up a probe. It is the last to
// stop.
type HealthServer struct{ http *http.Server }

// NewHealthServer makes a HealthServer.
func NewHealthServer(ready, live http.Handler) *HealthServer {
	mux := http.NewServeMux()
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /livez", live)
	return &HealthServer{http: &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      5 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    8 << 10,
	}}
}

// Serve serves until ctx ends and then returns nil, or the listener's error.
func (s *HealthServer) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = s.http.Close() })
	defer stop()
	if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving health: %w", err)
	}
	return nil
}
