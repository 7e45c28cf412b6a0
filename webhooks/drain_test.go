package webhooks

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/callgate/callgate/internal/snapshot"
)

type step struct {
	state DrainState
	after time.Duration
}

func TestDrainGoesThroughItsStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var steps []step
		began := time.Now()
		d := NewDrain(DrainOptions{OnChange: func(s DrainState) { steps = append(steps, step{s, time.Since(began)}) }})
		signals := make(chan os.Signal, 2)
		done := make(chan error, 1)
		go func() {
			done <- d.Run(t.Context(), signals, func(ctx context.Context) error {
				deadline, _ := ctx.Deadline()
				if left := time.Until(deadline); left != 20*time.Second {
					t.Errorf("shutdown has %s", left)
				}
				time.Sleep(3 * time.Second)
				return nil
			})
		}()
		time.Sleep(time.Second)
		if d.State() != Serving || d.Draining() {
			t.Error("drains without a signal")
		}
		signals <- syscall.SIGTERM
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		want := []step{{Lame, time.Second}, {Closing, 16 * time.Second}, {ShuttingDown, 21 * time.Second}, {Stopped, 24 * time.Second}}
		if !slices.Equal(steps, want) {
			t.Errorf("steps are %v, want %v", steps, want)
		}
	})
}

// What begins while a replica drains must end within what is left of the last wait.
func TestDrainCutsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDrain(DrainOptions{})
		signals := make(chan os.Signal, 2)
		done := make(chan error, 1)
		expect := func(at string, longest time.Duration) {
			t.Helper()
			synctest.Wait()
			if d.CutsOff(longest) || !d.CutsOff(longest+1) {
				t.Errorf("%s: cuts off %s: %t, a little more: %t", at, longest, d.CutsOff(longest), d.CutsOff(longest+1))
			}
		}
		if d.CutsOff(time.Hour) || (*Drain)(nil).CutsOff(time.Hour) {
			t.Error("cuts off without a signal")
		}
		go func() {
			done <- d.Run(t.Context(), signals, func(ctx context.Context) error {
				<-ctx.Done()
				return nil
			})
		}()
		signals <- syscall.SIGTERM
		expect("lame", 20*time.Second)
		time.Sleep(16 * time.Second)
		expect("closing", 20*time.Second)
		time.Sleep(4 * time.Second)
		expect("as the wait begins", 20*time.Second)
		time.Sleep(15 * time.Second)
		expect("late in the wait", 5*time.Second)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if !d.CutsOff(time.Nanosecond) {
			t.Error("something could begin when nothing is served")
		}
	})
}

func TestSecondSignalEndsTheDrainAtOnce(t *testing.T) {
	for _, at := range []time.Duration{time.Second, 16 * time.Second, 22 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			d := NewDrain(DrainOptions{})
			signals := make(chan os.Signal, 2)
			done := make(chan error, 1)
			go func() {
				done <- d.Run(t.Context(), signals, func(ctx context.Context) error {
					<-ctx.Done()
					return ctx.Err()
				})
			}()
			signals <- syscall.SIGTERM
			time.Sleep(at)
			began := time.Now()
			signals <- syscall.SIGTERM
			if err := <-done; !errors.Is(err, ErrDrainCut) || time.Since(began) != 0 || d.State() != Stopped {
				t.Errorf("at %s: %v after %s, %s", at, err, time.Since(began), d.State())
			}
		})
	}
}

func TestDrainReportsWhatShutdownSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDrain(DrainOptions{})
		signals := make(chan os.Signal, 1)
		signals <- syscall.SIGTERM
		err := d.Run(t.Context(), signals, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrDrainCut) {
			t.Errorf("got %v", err)
		}
	})
}

func probe(h http.Handler, target string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w.Code, w.Body.String()
}

func TestReadyz(t *testing.T) {
	store := &snapshot.Store{}
	certs, _ := goodCertificates(t)
	d := NewDrain(DrainOptions{})
	s := newTestServer(t, http.NotFoundHandler(), func(o *ServerOptions) { o.Drain, o.Certificates = d, certs })
	h := Readyz([]Check{SnapshotCheck(store), ListenerCheck(s), CertificateCheck(certs), DrainCheck(d)},
		func() []string { return []string{"synced 3 s ago"} })
	if code, text := probe(h, "/readyz"); code != 503 || !strings.Contains(text, "[-]snapshot: no policy set") || !strings.Contains(text, "[-]listener") {
		t.Errorf("at first %d %s", code, text)
	}
	s.listening.Store(true)
	store.Swap(ready().Load())
	if code, text := probe(h, "/readyz"); code != 200 || text != "ok\n" {
		t.Errorf("then %d %s", code, text)
	}
	if _, text := probe(h, "/readyz?verbose"); !strings.Contains(text, "[+]certificate ok") || !strings.Contains(text, "synced 3 s ago") {
		t.Errorf("verbose: %s", text)
	}
	d.enter(Lame)
	if code, text := probe(h, "/readyz"); code != 503 || !strings.Contains(text, "[-]drain: draining") {
		t.Errorf("draining %d %s", code, text)
	}
}

func TestLivez(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		beat := &Heartbeat{}
		h := Livez(clock.RealClock{}, map[string]*Heartbeat{"compile": beat})
		time.Sleep(time.Hour)
		if code, _ := probe(h, "/livez"); code != 200 {
			t.Error("a loop without work is stuck")
		}
		beat.Begin(time.Now())
		time.Sleep(60 * time.Second)
		if code, _ := probe(h, "/livez"); code != 200 {
			t.Error("60 s of work is stuck")
		}
		time.Sleep(time.Second)
		if code, text := probe(h, "/livez"); code != 503 || !strings.Contains(text, "compile") {
			t.Errorf("61 s of work: %d %s", code, text)
		}
		beat.End()
		if code, _ := probe(h, "/livez"); code != 200 {
			t.Error("stuck after the work is done")
		}
	})
}
