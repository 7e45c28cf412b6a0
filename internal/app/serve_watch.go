package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"

	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/webhooks"
)

const (
	// settle is how long files must stay as they are before they are used: whoever writes
	// one in place, or copies several, is seldom slower between two writes.
	settle = 100 * time.Millisecond
	// maxUnsettled is how often files are read again that do not stay as they are. After
	// that they count as unreadable until the next look.
	maxUnsettled = 20
	// maxShare is how much of the time looking at files may take: a fiftieth, so that huge
	// directories are looked at less often.
	maxShare = 50
	// maxProblems bounds what is said of one reading.
	maxProblems = 100
)

// unusableError says why what was read is not used, a line a problem.
type unusableError struct{ lines []string }

func (e *unusableError) Error() string { return strings.Join(e.lines, "\n") }

func unusable(lines []string) error {
	if len(lines) > maxProblems {
		lines = append(lines[:maxProblems:maxProblems], fmt.Sprintf("and %d more", len(lines)-maxProblems))
	}
	return &unusableError{lines}
}

// watched is something that is read from files, and read again when they change. What
// cannot be used replaces nothing.
type watched struct {
	// name is what log and readiness call it.
	name string
	// files are what read reads from; use is called with what it gave, and with nothing
	// else.
	files    fs.FS
	read     func(context.Context, fs.FS) (use func(), err error)
	interval time.Duration
	clock    clock.WithTicker
	log      logr.Logger
	beat     *webhooks.Heartbeat

	// record is of the last reading, whether it was of use or not.
	record *fileset.Recorder
	// fault is what is wrong with what the files hold now, nil for nothing.
	fault atomic.Pointer[fault]
}

type fault struct {
	err error
	at  time.Time
}

// start reads for the first time.
func (w *watched) start(ctx context.Context) error {
	use, err := w.readSettled(ctx)
	if err != nil {
		return err
	}
	use()
	return nil
}

// run looks at the files until ctx ends.
func (w *watched) run(ctx context.Context) error {
	pause := w.interval
	for {
		timer := w.clock.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C():
		}
		began := w.clock.Now()
		w.beat.Begin(began)
		same := w.record.Same()
		pause = max(w.interval, maxShare*w.clock.Since(began))
		if !same {
			w.reread(ctx)
		}
		w.beat.End()
	}
}

// reread reads files that a reader would find changed.
func (w *watched) reread(ctx context.Context) {
	if !w.wait(ctx) {
		return
	}
	use, err := w.readSettled(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		w.refuse(err)
	default:
		use()
		if w.fault.Swap(nil) != nil {
			w.log.Info("What changed files hold is in force again", "what", w.name)
		}
	}
}

// refuse says loudly that what was in force stays, and why.
func (w *watched) refuse(err error) {
	w.fault.Store(&fault{err: err, at: w.clock.Now()})
	lines := []string{err.Error()}
	if several, ok := errors.AsType[*unusableError](err); ok {
		lines = several.lines
	}
	for _, line := range lines {
		w.log.Error(nil, "A changed file cannot be used", "what", w.name, "problem", line)
	}
	w.log.Error(nil, "NOTHING OF THE CHANGE IS IN FORCE: what was there before stays until the files are mended", "what", w.name, "problems", len(lines))
}

// readSettled reads until the files stay as they were read.
func (w *watched) readSettled(ctx context.Context) (use func(), err error) {
	for range maxUnsettled {
		w.record = fileset.NewRecorder(w.files)
		use, err = w.read(ctx, w.record)
		if w.record.Same() || !w.wait(ctx) {
			return use, err
		}
	}
	return nil, errors.New("the files keep changing while they are read")
}

// wait is false if ctx ended.
func (w *watched) wait(ctx context.Context) bool {
	timer := w.clock.NewTimer(settle)
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-ctx.Done():
		return false
	}
}

// detail is the line for readiness, "" where nothing is wrong.
func (w *watched) detail() string {
	f := w.fault.Load()
	if f == nil {
		return ""
	}
	first, more, _ := strings.Cut(f.err.Error(), "\n")
	text := fmt.Sprintf("%s: CHANGED AND NOT IN FORCE since %s: %s", w.name, f.at.UTC().Format(time.RFC3339), first)
	if more != "" {
		text += fmt.Sprintf(" (and %d more)", strings.Count(more, "\n")+1)
	}
	return text
}
