package sink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"

	"github.com/callgate/callgate/internal/audit"
)

// The bounds of the queue: some seconds of verdicts, and a thirty-second of the memory
// that the deployment gives.
const (
	DefaultMaxRecords = 10_000
	DefaultMaxBytes   = 16 << 20
)

const (
	// defaultWait is how long a review waits for its record where records are required:
	// half of what clients wait for a verdict.
	defaultWait = time.Second
	// defaultFlush is what a drain leaves for the last records.
	defaultFlush = 2 * time.Second
)

// ErrUnavailable: a record is required and cannot be written now.
var ErrUnavailable = errors.New("the audit record cannot be written now")

// Options are what a Sink needs. Zero numbers stand for the defaults.
type Options struct {
	// Path is a file that is appended to, or a pipe; "" means Out, which must not be nil
	// then.
	Path string
	Out  io.Writer
	// MaxFileBytes is the size at which a file is put aside for a new one, 0 for never, and
	// MaxBackups how many are kept of those that were.
	MaxFileBytes int64
	MaxBackups   int

	// Required: Record waits until the record is written, and fails if it is not.
	Required bool
	// Key makes the digests.
	Key audit.Key

	// MaxRecords and MaxBytes bound what waits to be written.
	MaxRecords, MaxBytes int
	// Wait bounds Record where records are required, FlushTimeout the end of Run.
	Wait, FlushTimeout time.Duration

	Clock    clock.Clock
	Observer Observer
	Log      logr.Logger
}

// Sink takes records and writes them while Run runs.
type Sink struct {
	opts   Options
	log    logr.Logger
	target target
	// wake has a token when there may be something to write.
	wake chan struct{}
	// stopping is closed when no more records are taken, abandoned when those that are
	// left are given up.
	stopping, abandoned chan struct{}

	mu     sync.Mutex
	queue  *queue
	taken  []*item
	lost   loss
	closed bool

	// lines is the writer's own.
	lines []byte
}

// validate reports what cannot work, and fills in the defaults.
func (o *Options) validate() error {
	o.MaxRecords, o.MaxBytes = orDefault(o.MaxRecords, DefaultMaxRecords), orDefault(o.MaxBytes, DefaultMaxBytes)
	o.Wait, o.FlushTimeout = orDefault(o.Wait, defaultWait), orDefault(o.FlushTimeout, defaultFlush)
	bounds := []int64{int64(o.MaxRecords), int64(o.MaxBytes), int64(o.Wait), int64(o.FlushTimeout), o.MaxFileBytes, int64(o.MaxBackups)}
	if slices.Min(bounds) < 0 {
		return errors.New("no bound may be less than zero")
	}
	if o.Path == "" && o.Out == nil {
		return errors.New("there is nowhere to write to: give a path or a writer")
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Observer == nil {
		o.Observer = NoopObserver{}
	}
	if o.Log.GetSink() == nil {
		o.Log = logr.Discard()
	}
	return nil
}

// New makes a Sink. A path that cannot be opened is told here if it is a mistake, such as
// a missing directory; what may mend itself is tried again later.
func New(opts Options) (*Sink, error) {
	if err := opts.validate(); err != nil {
		return nil, fmt.Errorf("setting up audit: %w", err)
	}
	s := &Sink{
		opts: opts, log: opts.Log, target: &stream{out: opts.Out},
		wake: make(chan struct{}, 1), stopping: make(chan struct{}), abandoned: make(chan struct{}),
		queue: newQueue(opts.MaxRecords, opts.MaxBytes),
	}
	if opts.Path != "" {
		f := newFile(opts.Path, opts.MaxFileBytes, opts.MaxBackups, opts.Log)
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("setting up audit: %w", err)
		}
		s.target = f
	}
	return s, nil
}

func orDefault[T int | time.Duration](value, otherwise T) T {
	if value == 0 {
		return otherwise
	}
	return value
}

// Required reports whether Record waits until the record is written.
func (s *Sink) Required() bool { return s.opts.Required }

// Record takes the record of a verdict that was given now. Unless records are required it
// returns at once, and never fails: a record that finds no room is counted as lost.
// Where they are, an error means that the record is not written and the verdict must not
// be answered. ctx ends the waiting.
func (s *Sink) Record(ctx context.Context, v *audit.Verdict) error {
	it := &item{allowed: v.Allowed()}
	if s.opts.Required {
		it.done = make(chan error, 1)
	}
	line, err := audit.NewRecord(v, s.opts.Key, s.opts.Clock.Now()).Line()
	if err != nil {
		s.drop(it, ReasonUnencodable)
		s.log.Error(err, "An audit record was lost", "phase", v.Phase)
		return s.failure(err)
	}
	it.line = line
	if !s.add(it) {
		return s.failure(ErrUnavailable)
	}
	if it.done == nil {
		return nil
	}
	return s.await(ctx, it)
}

// failure is the error where records are required: elsewhere a loss is counted, and no
// matter of the review's.
func (s *Sink) failure(err error) error {
	if s.opts.Required {
		return err
	}
	return nil
}

// add queues an item, or drops one.
func (s *Sink) add(it *item) bool {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		s.drop(it, ReasonStopped)
		return false
	}
	evicted, ok := s.queue.add(it)
	gone := evicted
	if !ok {
		gone = append(gone, it)
	}
	first := s.lose(gone)
	records, bytes := s.tellQueued()
	s.mu.Unlock()
	if first {
		s.log.Info("The audit queue is full: records are being lost until it can be written", "records", records, "bytes", bytes)
	}
	s.poke()
	return ok
}

// lose counts items for which there was no room. It reports whether they are the first to
// be lost for a while. It needs the lock.
func (s *Sink) lose(gone []*item) (first bool) {
	if len(gone) == 0 {
		return false
	}
	// A review that is refused has no verdict that would be missing in the log.
	if s.opts.Required {
		s.opts.Observer.Dropped(ReasonRefused, len(gone))
		return false
	}
	s.opts.Observer.Dropped(ReasonFull, len(gone))
	first = s.lost.none()
	now := s.opts.Clock.Now()
	for _, it := range gone {
		s.lost.add(it.allowed, now)
	}
	return first
}

// tellQueued tells what waits. It needs the lock, so that the last that is told is true.
func (s *Sink) tellQueued() (records, bytes int) {
	s.opts.Observer.Queued(s.queue.records, s.queue.bytes)
	return s.queue.records, s.queue.bytes
}

// drop counts an item that never got into the queue.
func (s *Sink) drop(it *item, reason Reason) {
	s.mu.Lock()
	if reason == ReasonUnencodable {
		s.lost.add(it.allowed, s.opts.Clock.Now())
	}
	s.mu.Unlock()
	s.opts.Observer.Dropped(reason, 1)
	s.poke()
}

// poke lets the writer look.
func (s *Sink) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// await waits until the item is written. One that is late is taken back, if it is not
// being written at this very moment.
func (s *Sink) await(ctx context.Context, it *item) error {
	timer := s.opts.Clock.NewTimer(s.opts.Wait)
	defer timer.Stop()
	select {
	case err := <-it.done:
		return err
	case <-timer.C():
	case <-ctx.Done():
	}
	s.mu.Lock()
	back := s.queue.remove(it)
	if back {
		s.opts.Observer.Dropped(ReasonRefused, 1)
		s.tellQueued()
	}
	s.mu.Unlock()
	if back {
		return ErrUnavailable
	}
	// It may have been written in the meantime.
	select {
	case err := <-it.done:
		return err
	default:
		return ErrUnavailable
	}
}
