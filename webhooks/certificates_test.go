package webhooks

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	testingclock "k8s.io/utils/clock/testing"
)

func serial(t *testing.T, c *Certificates) int64 {
	t.Helper()
	got, err := c.GetCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	return got.Leaf.SerialNumber.Int64()
}

func TestCertificatesReload(t *testing.T) {
	now := time.Now()
	hour := func(n int64) pair { return newPair(t, n, now.Add(-time.Minute), now.Add(time.Hour)) }
	one, two, three := hour(1), hour(2), hour(3)
	v := newVolume(t)
	c := NewCertificates(v.options())
	if _, err := c.GetCertificate(nil); err == nil || c.Valid() == nil {
		t.Fatal("there is a certificate before its files")
	}
	steps := []struct {
		name string
		put  pair
		want int64
		bad  bool
	}{
		{name: "first", put: one, want: 1},
		{name: "second", put: two, want: 2},
		{name: "mismatched pair", put: pair{one.cert, two.key}, want: 2, bad: true},
		{name: "half written", put: pair{one.cert[:len(one.cert)/2], one.key}, want: 2, bad: true},
		{name: "empty", put: pair{}, want: 2, bad: true},
		{name: "no key", put: pair{one.cert, nil}, want: 2, bad: true},
		{name: "expired", put: newPair(t, 9, now.Add(-time.Hour), now.Add(-time.Minute)), want: 2, bad: true},
		{name: "not valid yet", put: newPair(t, 9, now.Add(time.Hour), now.Add(2*time.Hour)), want: 2, bad: true},
		{name: "third", put: three, want: 3},
	}
	for _, s := range steps {
		v.put(s.put)
		if err := c.Reload(); (err != nil) != s.bad {
			t.Errorf("%s: %v", s.name, err)
		}
		if got := serial(t, c); got != s.want || c.Valid() != nil {
			t.Errorf("%s: serving %d, want %d (%v)", s.name, got, s.want, c.Valid())
		}
	}
	if err := os.Remove(v.options().CertFile); err != nil {
		t.Fatal(err)
	}
	if err := c.Reload(); err == nil || serial(t, c) != 3 {
		t.Error("files that vanish take the certificate with them")
	}
}

func TestExpiredCertificateIsNotReady(t *testing.T) {
	v := newVolume(t)
	clock := testingclock.NewFakeClock(time.Now())
	v.put(newPair(t, 1, clock.Now().Add(-time.Minute), clock.Now().Add(time.Hour)))
	opts := v.options()
	opts.Clock = clock
	c := NewCertificates(opts)
	check := CertificateCheck(c)
	if check.Fault() != "" || !c.NotAfter().After(clock.Now()) || c.LoadedAt().IsZero() {
		t.Fatal(check.Fault())
	}
	clock.Step(61 * time.Minute)
	if check.Fault() != "expired" {
		t.Errorf("an expired certificate is %q", check.Fault())
	}
}

func TestCertificatesRunPicksUpASwapAndLogsAFaultOnce(t *testing.T) {
	v := newVolume(t)
	clock := testingclock.NewFakeClock(time.Now())
	one := newPair(t, 1, clock.Now().Add(-time.Minute), clock.Now().Add(time.Hour))
	v.put(one)
	var lines logLines
	opts := v.options()
	opts.Clock, opts.Log = clock, lines.logger()
	c := NewCertificates(opts)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- c.Run(ctx) }()
	for !clock.HasWaiters() {
		time.Sleep(time.Millisecond)
	}
	v.put(pair{one.cert, nil})
	for range 3 {
		c.look() // what a tick does
	}
	if n := strings.Count(lines.String(), "was not loaded"); n != 1 {
		t.Errorf("one fault is logged %d times", n)
	}
	v.put(newPair(t, 2, clock.Now().Add(-time.Minute), clock.Now().Add(time.Hour)))
	clock.Step(defaultCertificateInterval)
	for serial(t, c) != 2 {
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
