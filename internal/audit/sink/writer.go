package sink

import (
	"context"
	"time"
)

const (
	// batchBytes is how much is written at once: enough for one call to the operating
	// system to be little beside the bytes.
	batchBytes = 256 << 10
	// firstPause and maxPause are between attempts to write that fail: a disk is full for
	// minutes, and what was queued meanwhile takes a moment.
	firstPause = 100 * time.Millisecond
	maxPause   = time.Second
	// lastMoment is what a writer that was interrupted has to say how far it got.
	lastMoment = 100 * time.Millisecond
)

// target is where lines go.
type target interface {
	// write writes lines, and tells how many bytes of whole lines it wrote. It is called
	// by one goroutine.
	write(lines []byte) (whole int, err error)
	// interrupt ends a write that waits, where that can be done.
	interrupt()
	close() error
}

// Run writes until ctx ends, and then what is left, for a bounded time.
func (s *Sink) Run(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.loop()
	}()
	<-ctx.Done()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	close(s.stopping)
	if s.within(done, s.opts.FlushTimeout) {
		return nil
	}
	close(s.abandoned)
	s.target.interrupt()
	ended := s.within(done, lastMoment)
	if n := s.giveUp(); n > 0 {
		s.log.Info("Audit records were lost at the end: they could not be written in time", "records", n, "writerEnded", ended)
	}
	return nil
}

func (s *Sink) within(done <-chan struct{}, limit time.Duration) bool {
	timer := s.opts.Clock.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C():
		return false
	}
}

// giveUp counts all that is left as lost. Whatever a writer that hangs still does is not
// counted any more.
func (s *Sink) giveUp() int {
	s.mu.Lock()
	left := append(s.taken, s.queue.take(s.opts.MaxBytes)...)
	s.taken = nil
	records := 0
	for _, it := range left {
		s.queue.settle(it)
		it.finish(ErrUnavailable)
		if !it.gap {
			records++
		}
	}
	if records > 0 {
		s.opts.Observer.Dropped(ReasonStopped, records)
	}
	s.tellQueued()
	s.mu.Unlock()
	return records
}

func (it *item) finish(err error) {
	if it.done != nil {
		it.done <- err
	}
}

// loop writes batch after batch until nothing is left after the stop.
func (s *Sink) loop() {
	defer func() {
		if err := s.target.close(); err != nil {
			s.log.Error(err, "Closing the audit log failed")
		}
	}()
	for {
		if s.next() {
			if !s.writeTaken() {
				return
			}
			continue
		}
		select {
		case <-s.wake:
		case <-s.stopping:
			// What was queued until now is looked at once more; then nothing comes.
			if !s.next() {
				return
			}
			if !s.writeTaken() {
				return
			}
		}
	}
}

// next takes the next batch, with a gap record at its end where one is due. It reports
// whether there is one.
func (s *Sink) next() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = s.queue.take(batchBytes)
	now := s.opts.Clock.Now()
	if !s.lost.due(s.queue.calm() || s.closed && s.queue.empty(), now) {
		return len(s.taken) > 0
	}
	if line, err := s.lost.record(now).Line(); err == nil {
		it := &item{line: line, gap: true}
		s.queue.records++
		s.queue.bytes += len(line)
		s.taken = append(s.taken, it)
	}
	s.lost = loss{}
	return len(s.taken) > 0
}

// writeTaken writes the batch, again and again until it is written. It is false where
// that was given up.
func (s *Sink) writeTaken() bool {
	s.mu.Lock()
	s.lines = s.lines[:0]
	for _, it := range s.taken {
		s.lines = append(s.lines, it.line...)
	}
	s.mu.Unlock()
	lines := s.lines
	failing := false
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		n, err := s.target.write(lines)
		lines = lines[n:]
		s.settle(n)
		if err == nil {
			if failing {
				s.log.Info("Audit records can be written again")
			}
			return true
		}
		s.opts.Observer.Failed()
		if !failing {
			s.log.Error(err, "Writing audit records failed; they wait, and are tried again")
			failing = true
		}
		if !s.pause(pause) {
			return false
		}
	}
}

func (s *Sink) pause(d time.Duration) bool {
	timer := s.opts.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-s.abandoned:
		return false
	}
}

// settle counts the first of the taken items as written, for as many bytes as were.
func (s *Sink) settle(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	written, records := 0, 0
	for written < len(s.taken) && n >= len(s.taken[written].line) {
		it := s.taken[written]
		n -= len(it.line)
		s.queue.settle(it)
		it.finish(nil)
		if !it.gap {
			records++
		}
		written++
	}
	s.taken = s.taken[written:]
	if records > 0 {
		s.opts.Observer.Written(records)
	}
	if written > 0 {
		s.tellQueued()
	}
}
