package identity

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
)

type logLines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logLines) logger() logr.Logger {
	return funcr.New(func(prefix, args string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.buf.WriteString(prefix + args + "\n")
	}, funcr.Options{})
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// mustKnow fails the test unless the token is identified without any time passing.
func mustKnow(t *testing.T, a *Authenticator, tok string) {
	t.Helper()
	began := time.Now()
	if _, err := a.Identify(t.Context(), tok); err != nil {
		t.Fatalf("a known caller is refused: %v", err)
	}
	if took := time.Since(began); took != 0 {
		t.Fatalf("a known caller waited %s", took)
	}
}

func TestYesLivesSixtySecondsForAnIdleCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a, tok := newTest(t, s), tokenFor(1, time.Hour)
		mustKnow(t, a, tok)
		time.Sleep(38 * time.Second) // below 65 %
		mustKnow(t, a, tok)
		synctest.Wait()
		if n := s.tokens.Load(); n != 1 {
			t.Fatalf("asked %d times within the life of a yes", n)
		}
		time.Sleep(23 * time.Second)
		s.set(func(s *apiServer) { s.status = refused })
		if _, err := a.Identify(t.Context(), tok); !errors.Is(err, ErrUnauthenticated) {
			t.Fatalf("a deleted caller after 61 s: %v", err)
		}
	})
}

func TestActiveCallerIsRefreshedInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{delay: 50 * time.Millisecond}
		a, tok := newTest(t, s), tokenFor(1, time.Hour)
		if _, err := a.Identify(t.Context(), tok); err != nil {
			t.Fatal(err)
		}
		for range 600 { // ten minutes, a request a second
			time.Sleep(time.Second)
			mustKnow(t, a, tok)
		}
		if n := s.tokens.Load(); n < 600/52 || n > 600/38 {
			t.Errorf("refreshed %d times in 600 s, want one in 39 to 51 s", n)
		}
	})
}

func TestDeletedCallerIsRefusedWithinTheLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a, tok := newTest(t, s), tokenFor(1, time.Hour)
		mustKnow(t, a, tok)
		s.set(func(s *apiServer) { s.status = refused })
		began := time.Now()
		for {
			time.Sleep(time.Second)
			_, err := a.Identify(t.Context(), tok)
			if errors.Is(err, ErrUnauthenticated) {
				break
			}
			if err != nil || time.Since(began) > 60*time.Second {
				t.Fatalf("after %s: %v", time.Since(began), err)
			}
		}
	})
}

func TestNeverPastExp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a, tok := newTest(t, s), tokenFor(1, 10*time.Second)
		mustKnow(t, a, tok)
		time.Sleep(10*time.Second - time.Nanosecond)
		mustKnow(t, a, tok)
		time.Sleep(time.Nanosecond)
		asked := s.tokens.Load()
		if _, err := a.Identify(t.Context(), tok); !errors.Is(err, ErrUnauthenticated) {
			t.Errorf("at exp: %v", err)
		}
		if s.tokens.Load() != asked {
			t.Error("the API server was asked about an expired token")
		}
	})
}

func TestTokenThatExpiresDuringTheLookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{delay: 600 * time.Millisecond}
		if _, err := newTest(t, s).Identify(t.Context(), tokenFor(1, time.Second)); !errors.Is(err, ErrUnauthenticated) {
			t.Errorf("got %v", err)
		}
	})
}

func TestOutageServesActiveCallersWithoutWaitingForFiveMinutes(t *testing.T) {
	for _, mode := range []string{"hung", "refusing"} {
		t.Run(mode, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &apiServer{}
				a, tok := newTest(t, s), tokenFor(1, time.Hour)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go func() { _ = a.Run(ctx) }()
				mustKnow(t, a, tok)
				s.set(func(s *apiServer) {
					if s.hang = mode == "hung"; !s.hang {
						s.err = errors.New("connection refused")
					}
				})
				for range 299 {
					time.Sleep(time.Second)
					mustKnow(t, a, tok)
				}
				time.Sleep(time.Second)
				if _, err := a.Identify(t.Context(), tok); !errors.Is(err, ErrUnavailable) {
					t.Fatalf("after the hard life: %v", err)
				}
			})
		})
	}
}

func TestOutageEndsWithANo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a, tok := newTest(t, s), tokenFor(1, time.Hour)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() { _ = a.Run(ctx) }()
		mustKnow(t, a, tok)
		s.set(func(s *apiServer) { s.hang = true })
		for range 120 {
			time.Sleep(time.Second)
			mustKnow(t, a, tok)
		}
		s.set(func(s *apiServer) { s.hang, s.status = false, refused })
		time.Sleep(4 * time.Second) // one probe: interval and deadline
		if _, err := a.Identify(t.Context(), tok); !errors.Is(err, ErrUnauthenticated) {
			t.Errorf("a caller deleted in the outage: %v", err)
		}
	})
}

func TestIdleCallerComesBackDuringAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a, first, second := newTest(t, s), tokenFor(1, time.Hour), tokenFor(2, time.Hour)
		mustKnow(t, a, first)
		mustKnow(t, a, second)
		s.set(func(s *apiServer) { s.hang = true })
		time.Sleep(2 * time.Minute)
		began := time.Now()
		if _, err := a.Identify(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != a.opts.Deadline {
			t.Errorf("the one who finds the outage waited %s, want %s", took, a.opts.Deadline)
		}
		mustKnow(t, a, second)
		began = time.Now()
		if _, err := a.Identify(t.Context(), tokenFor(3, time.Hour)); !errors.Is(err, ErrUnavailable) || time.Since(began) != 0 {
			t.Errorf("a stranger in a known outage: %v after %s", err, time.Since(began))
		}
	})
}

func TestErrorsAreNotCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{err: errors.New("no route")}
		a, tok := newTest(t, s, func(o *Options) { o.OutageMemory = time.Nanosecond }), tokenFor(1, time.Hour)
		began := time.Now()
		_, err := a.Identify(t.Context(), tok)
		var u *UnavailableError
		if !errors.As(err, &u) || u.RetryAfterSeconds() != 1 || u.Cause != CauseNoAnswer {
			t.Fatalf("got %v", err)
		}
		if took := time.Since(began); took > a.opts.Deadline {
			t.Errorf("took %s", took)
		}
		if n := s.tokens.Load(); n < 2 {
			t.Errorf("asked %d times: no retry within the deadline", n)
		}
		s.set(func(s *apiServer) { s.err = nil })
		time.Sleep(time.Millisecond)
		if _, err := a.Identify(t.Context(), tok); err != nil {
			t.Errorf("after the error: %v", err)
		}
		if a.no.len() != 0 {
			t.Error("an error is kept as a no")
		}
	})
}

func TestOneDeadlineOverBothLookUps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{delay: 1500 * time.Millisecond}
		a := newTest(t, s)
		began := time.Now()
		_, err := a.Identify(t.Context(), tokenFor(1, time.Hour))
		if took := time.Since(began); !errors.Is(err, ErrUnavailable) || took != 2200*time.Millisecond {
			t.Errorf("got %v after %s", err, took)
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{hang: true}
		a := newTest(t, s)
		go func() { _, _ = a.Identify(t.Context(), tokenFor(1, time.Hour)) }()
		synctest.Wait()
		a.Close()
		if _, err := a.Identify(t.Context(), tokenFor(2, time.Hour)); causeOf(err) != CauseClosed {
			t.Errorf("after Close: %v", err)
		}
		// A goroutine left over would keep the bubble from ending.
	})
}
