package identity

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
)

func TestEqualTokensAreLookedUpOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{delay: 100 * time.Millisecond}
		a, tok := newTest(t, s), tokenFor(1, time.Hour)
		var wg sync.WaitGroup
		var failed atomic.Int64
		for range 500 {
			wg.Go(func() {
				if _, err := a.Identify(t.Context(), tok); err != nil {
					failed.Add(1)
				}
			})
		}
		wg.Wait()
		if s.tokens.Load() != 1 || s.access.Load() != 1 || failed.Load() != 0 {
			t.Errorf("%d TokenReviews, %d SubjectAccessReviews, %d failed", s.tokens.Load(), s.access.Load(), failed.Load())
		}
	})
}

func TestCanceledRequestDoesNotCancelTheLookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{delay: 100 * time.Millisecond}
		a, tok := newTest(t, s), tokenFor(1, time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { _, err := a.Identify(ctx, tok); first <- err }()
		synctest.Wait()
		go func() { _, err := a.Identify(t.Context(), tok); second <- err }()
		synctest.Wait()
		cancel()
		if err := <-first; causeOf(err) != CauseCanceled {
			t.Errorf("the canceled one: %v", err)
		}
		if err := <-second; err != nil {
			t.Errorf("the other one: %v", err)
		}
		if s.tokens.Load() != 1 {
			t.Errorf("asked %d times", s.tokens.Load())
		}
	})
}

func TestFloodOfWellShapedTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		friend := tokenFor(0, time.Hour)
		s := &apiServer{delay: 2 * time.Millisecond, status: func(tok string) authenticationv1.TokenReviewStatus {
			if tok == friend {
				return known("system:serviceaccount:support:assistant")
			}
			return refused("")
		}}
		a := newTest(t, s)
		if _, err := a.Identify(t.Context(), friend); err != nil {
			t.Fatal(err)
		}
		s.set(func(s *apiServer) { s.asked = nil })
		var wg sync.WaitGroup
		var busy atomic.Int64
		began := time.Now()
		for i := range 20_000 { // 2,000 a second for ten seconds
			time.Sleep(500 * time.Microsecond)
			wg.Go(func() {
				_, err := a.Identify(t.Context(), tokenFor(i+1, time.Hour))
				if causeOf(err) == CauseBusy {
					busy.Add(1)
				} else if !errors.Is(err, ErrUnauthenticated) && !errors.Is(err, ErrUnavailable) {
					t.Errorf("a junk token: %v", err)
				}
			})
			if i%20 == 0 {
				mustKnow(t, a, friend)
			}
		}
		wg.Wait()
		seconds := time.Since(began).Seconds()
		for i := range s.asked {
			n := 0
			for _, at := range s.asked[i:] {
				if at.Sub(s.asked[i]) < time.Second {
					n++
				}
			}
			if n > 50 {
				t.Fatalf("%d TokenReviews in one second", n)
			}
		}
		t.Logf("%d look-ups in %.1f s, %d refused as busy", len(s.asked), seconds, busy.Load())
		if s.most.Load() > 16 {
			t.Errorf("%d look-ups at once", s.most.Load())
		}
		if busy.Load() == 0 {
			t.Error("nobody was refused at once")
		}
	})
}

func TestStrangersDoNotDelayReturningCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a, friend := newTest(t, s), tokenFor(0, time.Hour)
		mustKnow(t, a, friend)
		time.Sleep(90 * time.Second) // past the soft life
		s.set(func(s *apiServer) { s.delay = time.Second })
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() { _, _ = a.Identify(t.Context(), tokenFor(i+1, time.Hour)) })
		}
		synctest.Wait()
		began := time.Now()
		if _, err := a.Identify(t.Context(), friend); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("waited %s, want the two look-ups", took)
		}
		wg.Wait()
	})
}

func TestLookUpsAreBoundedWhileTheAPIServerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{hang: true}
		a := newTest(t, s)
		results := make(chan error, 300)
		for i := range 300 {
			go func() { _, err := a.Identify(t.Context(), tokenFor(i, time.Hour)); results <- err }()
		}
		synctest.Wait()
		if n := len(results); n != 300-80 {
			t.Errorf("%d refused at once, want all but 16 running and 64 waiting", n)
		}
		began := time.Now()
		for range 300 {
			if err := <-results; !errors.Is(err, ErrUnavailable) {
				t.Errorf("got %v", err)
			}
		}
		if took := time.Since(began); took > 2200*time.Millisecond {
			t.Errorf("the last one waited %s", took)
		}
	})
}

func TestRequestsHeldAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{delay: time.Second}
		a, tok := newTest(t, s, func(o *Options) { o.MaxHeld = 10 }), tokenFor(1, time.Hour)
		results := make(chan error, 30)
		for range 30 {
			go func() { _, err := a.Identify(t.Context(), tok); results <- err }()
		}
		synctest.Wait()
		if n := len(results); n != 20 {
			t.Errorf("%d refused at once, want 20", n)
		}
		for range 30 {
			<-results
		}
	})
}

func TestManyCallersReturnAfterAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a := newTest(t, s, func(o *Options) { o.Strangers = Lane{Running: 16, Waiting: 1000, PerSecond: 10_000} })
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() { _ = a.Run(ctx) }()
		toks := make([]string, 800)
		for i := range toks {
			toks[i] = tokenFor(i, time.Hour)
			if _, err := a.Identify(t.Context(), toks[i]); err != nil {
				t.Fatal(err)
			}
		}
		everyone := func() {
			var wg sync.WaitGroup
			for _, tok := range toks {
				wg.Go(func() {
					if _, err := a.Identify(t.Context(), tok); err != nil {
						t.Errorf("a known caller is lost: %v", err)
					}
				})
			}
			wg.Wait()
		}
		s.set(func(s *apiServer) { s.err = errors.New("connection refused") })
		for range 90 {
			time.Sleep(time.Second)
			everyone()
		}
		s.set(func(s *apiServer) { s.err = nil; s.delay = 2 * time.Millisecond })
		for range 30 {
			time.Sleep(time.Second)
			everyone()
		}
		asked := s.tokens.Load()
		everyone()
		synctest.Wait()
		if more := s.tokens.Load() - asked; more > 200 {
			t.Errorf("still %d callers to renew after 30 s", more)
		}
	})
}

func TestCachesAreBoundedAndApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a := newTest(t, s, func(o *Options) { o.MaxCallers, o.MaxRefusals = 4, 4 })
		for i := range 10 {
			if _, err := a.Identify(t.Context(), tokenFor(i, time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		s.set(func(s *apiServer) { s.status = refused })
		for i := range 10 {
			_, _ = a.Identify(t.Context(), tokenFor(100+i, time.Hour))
		}
		if a.yes.len() != 4 || a.no.len() != 4 {
			t.Errorf("caches hold %d and %d", a.yes.len(), a.no.len())
		}
		asked := s.tokens.Load()
		for i := 6; i < 10; i++ {
			mustKnow(t, a, tokenFor(i, time.Hour))
		}
		_ = asked
	})
}

func BenchmarkIdentifyKnownCaller(b *testing.B) {
	opts := DefaultOptions()
	s := &apiServer{}
	a, _ := NewFromReviewers(opts, fakeTokens{s}, fakeAccess{s})
	defer a.Close()
	tok := tokenFor(1, time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Identify(b.Context(), tok); err != nil {
			b.Fatal(err)
		}
	}
}
