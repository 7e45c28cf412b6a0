package sink

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestRecordsAreWrittenInOrder(t *testing.T) {
	out, seen := &gate{}, &counts{}
	s, stop := start(t, Options{Out: out, Observer: seen})
	var want []string
	for i := range 500 {
		uid := fmt.Sprint("u", i)
		want = append(want, uid)
		record(t, s, uid, i%2 == 0)
	}
	stop()
	if l := readLog(t, out.String()); !slices.Equal(l.uids, want) || l.gaps != nil || l.broken > 0 {
		t.Errorf("the log has %d records, %d gaps, %d broken lines", len(l.uids), len(l.gaps), l.broken)
	}
	if written, dropped, failed := seen.get(); written != 500 || dropped+failed > 0 || seen.records != 0 || seen.bytes != 0 {
		t.Errorf("told of %d written, %d dropped, %d failed; %d records wait", written, dropped, failed, seen.records)
	}
}

func TestNoVerdictWaitsForAWriterThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, seen := &gate{pass: make(chan struct{})}, &counts{}
		s, stop := start(t, Options{Out: out, Observer: seen, MaxRecords: 100})
		began := time.Now()
		record(t, s, "at the writer", true)
		synctest.Wait()
		for i := range 249 {
			record(t, s, fmt.Sprint("allow", i), true)
		}
		for i := range 30 {
			record(t, s, fmt.Sprint("block", i), false)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("recording took %v while nothing could be written", took)
		}
		lostFrom := time.Now()
		time.Sleep(time.Minute)
		record(t, s, "late", true)
		close(out.pass)
		synctest.Wait()
		l := readLog(t, out.String())
		if len(l.gaps) != 1 {
			t.Fatalf("the log has %d gap records, want one", len(l.gaps))
		}
		g := l.gaps[0]
		if g.From.After(lostFrom) || !g.To.Equal(lostFrom.Add(time.Minute)) || g.DroppedAllowed != g.Dropped || g.Dropped != g.DroppedAllowed+g.DroppedBlocked {
			t.Errorf("the gap is %+v", g)
		}
		stop()
		written, dropped, _ := seen.get()
		if written+dropped != 281 || written != len(l.uids) || dropped != l.lost() || seen.mostRecords > 100 {
			t.Errorf("%d written and %d dropped of 281; the log has %d and tells of %d; %d waited", written, dropped, len(l.uids), l.lost(), seen.mostRecords)
		}
		blocks := 0
		for _, uid := range l.uids {
			if strings.HasPrefix(uid, "block") {
				blocks++
			}
		}
		if blocks != 30 {
			t.Errorf("%d of 30 records of blocks were kept, before those of allows", blocks)
		}
	})
}

func TestALongLossIsToldBeforeItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, seen := &gate{pass: make(chan struct{})}, &counts{}
		s, stop := start(t, Options{Out: out, Observer: seen, MaxRecords: 4, MaxBytes: 1 << 20})
		record(t, s, "first", false)
		synctest.Wait()
		for i := range 8 {
			record(t, s, fmt.Sprint(i), false)
		}
		time.Sleep(2 * interimGap)
		// One batch passes; the queue is never calm, and more is lost.
		pass := out.pass
		out.mu.Lock()
		out.pass = make(chan struct{})
		out.mu.Unlock()
		close(pass)
		synctest.Wait()
		record(t, s, "more", false)
		out.mu.Lock()
		pass = out.pass
		out.pass = nil
		out.mu.Unlock()
		close(pass)
		stop()
		l := readLog(t, out.String())
		written, dropped, _ := seen.get()
		if len(l.gaps) != 2 || l.gaps[0].Dropped != 5 || l.lost() != dropped || written != len(l.uids) || written+dropped != 10 {
			t.Errorf("%d gaps of %d; %d written, %d dropped", len(l.gaps), l.lost(), written, dropped)
		}
	})
}

func TestAFullDiskLosesNothingThatFitsIntoTheQueue(t *testing.T) {
	for _, short := range []int{0, 1, 300, 700, 5000} {
		t.Run(fmt.Sprint(short), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out, seen := &gate{fault: errDisk, short: short}, &counts{}
				s, stop := start(t, Options{Out: out, Observer: seen})
				var want []string
				for i := range 20 {
					want = append(want, fmt.Sprint(i))
					record(t, s, fmt.Sprint(i), false)
				}
				time.Sleep(10 * time.Second)
				out.set(nil, 0)
				time.Sleep(2 * maxPause)
				stop()
				l := readLog(t, out.String())
				written, dropped, failed := seen.get()
				if !slices.Equal(l.uids, want) || written != 20 || dropped != 0 || failed == 0 || len(l.gaps) > 0 {
					t.Errorf("the log has %v; %d written, %d dropped, %d failed", l.uids, written, dropped, failed)
				}
			})
		})
	}
}

func TestTheEndIsBounded(t *testing.T) {
	t.Run("a writer that fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			out, seen := &gate{fault: errDisk}, &counts{}
			s, stop := start(t, Options{Out: out, Observer: seen})
			for i := range 10 {
				record(t, s, fmt.Sprint(i), true)
			}
			synctest.Wait()
			began := time.Now()
			stop()
			if took := time.Since(began); took > defaultFlush+lastMoment {
				t.Errorf("stopping took %v", took)
			}
			if written, dropped, _ := seen.get(); written != 0 || dropped != 10 || seen.reason(ReasonStopped) != 10 {
				t.Errorf("%d written, %d dropped", written, dropped)
			}
			record(t, s, "late", true)
			if seen.reason(ReasonStopped) != 11 {
				t.Error("what comes after the end is not counted")
			}
		})
	})
	t.Run("one that hangs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			out, seen := &gate{pass: make(chan struct{})}, &counts{}
			s, stop := start(t, Options{Out: out, Observer: seen})
			for i := range 10 {
				record(t, s, fmt.Sprint(i), true)
			}
			synctest.Wait()
			began := time.Now()
			stop()
			if took := time.Since(began); took != defaultFlush+lastMoment {
				t.Errorf("stopping took %v", took)
			}
			close(out.pass)
			synctest.Wait()
			if written, dropped, _ := seen.get(); written+dropped != 10 {
				t.Errorf("%d written, %d dropped of 10", written, dropped)
			}
		})
	})
	t.Run("one that is slow and gets done", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			out, seen := &gate{pass: make(chan struct{})}, &counts{}
			s, stop := start(t, Options{Out: out, Observer: seen})
			for i := range 10 {
				record(t, s, fmt.Sprint(i), true)
			}
			time.AfterFunc(defaultFlush/2, func() { close(out.pass) })
			stop()
			if written, dropped, _ := seen.get(); written != 10 || dropped != 0 {
				t.Errorf("%d written, %d dropped of 10", written, dropped)
			}
		})
	})
}

func TestRequiredRecordsAreWrittenOrTheReviewIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, seen := &gate{}, &counts{}
		s, stop := start(t, Options{Out: out, Observer: seen, Required: true})
		record(t, s, "good", true)
		if got := readLog(t, out.String()); !slices.Equal(got.uids, []string{"good"}) {
			t.Fatalf("the record was not written when the verdict was answered: %v", got.uids)
		}

		out.set(errDisk, 0)
		began := time.Now()
		if err := s.Record(t.Context(), verdict("full", true)); !errors.Is(err, ErrUnavailable) {
			t.Errorf("recording on a full disk: %v", err)
		}
		if took := time.Since(began); took != defaultWait {
			t.Errorf("the review waited %v", took)
		}

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began = time.Now()
		if err := s.Record(ctx, verdict("gone", true)); !errors.Is(err, ErrUnavailable) || time.Since(began) != 0 {
			t.Errorf("recording for a caller that has left: %v after %v", err, time.Since(began))
		}

		out.set(nil, 0)
		time.Sleep(2 * maxPause)
		record(t, s, "again", true)
		stop()
		if err := s.Record(t.Context(), verdict("late", true)); !errors.Is(err, ErrUnavailable) {
			t.Errorf("recording after the end: %v", err)
		}
		l := readLog(t, out.String())
		if slices.Contains(l.uids, "gone") || slices.Contains(l.uids, "late") || !slices.Contains(l.uids, "again") || len(l.gaps) > 0 {
			t.Errorf("the log has %v and %d gaps", l.uids, len(l.gaps))
		}
		written, dropped, _ := seen.get()
		if written != len(l.uids) || written+dropped != 5 {
			t.Errorf("%d written, %d dropped of 5", written, dropped)
		}
	})
}

func TestRequiredRecordsAreNotDroppedForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, seen := &gate{pass: make(chan struct{})}, &counts{}
		s, stop := start(t, Options{Out: out, Observer: seen, Required: true, MaxRecords: 3})
		results := make(chan error, 4)
		for i := range 3 {
			go func() { results <- s.Record(t.Context(), verdict(fmt.Sprint(i), true)) }()
			synctest.Wait()
		}
		if err := s.Record(t.Context(), verdict("block", false)); !errors.Is(err, ErrUnavailable) {
			t.Errorf("a fourth found room: %v", err)
		}
		close(out.pass)
		for range 3 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		stop()
		if written, dropped, _ := seen.get(); written != 3 || dropped != 1 || seen.reason(ReasonRefused) != 1 {
			t.Errorf("%d written, %d dropped", written, dropped)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for about, opts := range map[string]Options{
		"nowhere to write":    {},
		"a negative bound":    {Out: &gate{}, MaxRecords: -1},
		"a directory":         {Path: t.TempDir()},
		"a missing directory": {Path: t.TempDir() + "/no/file"},
	} {
		if _, err := New(opts); err == nil {
			t.Errorf("%s is taken", about)
		}
	}
}

// flaky fails every so often, in the middle of a line.
type flaky struct {
	gate
	writes int
}

func (f *flaky) Write(p []byte) (int, error) {
	if f.writes++; f.writes%3 == 0 {
		n, _ := f.gate.Write(p[:len(p)/2])
		return n, errDisk
	}
	return f.gate.Write(p)
}

// Whatever happens to the writer, each record is written once or counted as dropped, and
// the log says how many it lacks.
func TestEveryRecordIsAccountedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, seen := &flaky{}, &counts{}
		s, stop := start(t, Options{Out: out, Observer: seen, MaxRecords: 200})
		const callers, each = 8, 400
		var work sync.WaitGroup
		for c := range callers {
			work.Go(func() {
				for i := range each {
					record(t, s, fmt.Sprint(c, "-", i), (c+i)%3 > 0)
					if i%50 == 0 {
						time.Sleep(time.Duration(c+1) * 40 * time.Millisecond)
					}
				}
			})
		}
		work.Wait()
		stop()
		l := readLog(t, out.String())
		written, dropped, failed := seen.get()
		slices.Sort(l.uids)
		if once := len(slices.Compact(slices.Clone(l.uids))); once != len(l.uids) {
			t.Errorf("%d records are in the log more than once", len(l.uids)-once)
		}
		if written != len(l.uids) || written+dropped != callers*each || seen.reason(ReasonFull) != l.lost() || failed == 0 || dropped == 0 || seen.mostRecords > 201 {
			t.Errorf("%d written, %d in the log, %d dropped of %d, %d told of in %d gaps, %d failures, %d waited",
				written, len(l.uids), dropped, callers*each, l.lost(), len(l.gaps), failed, seen.mostRecords)
		}
	})
}
