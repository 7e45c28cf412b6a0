package semantic

import (
	"errors"
	"time"

	"k8s.io/utils/clock"

	"github.com/callgate/callgate/internal/outbound"
)

// Options holds every limit of a Client. Start from DefaultOptions; no field has a
// meaning when zero, save those of the last group.
type Options struct {
	// Upstreams says where validators may be. The zero value, the default, allows none.
	Upstreams outbound.Policy

	// AnswerTTL is the life of an answer, counted from when its question began. Default
	// 30 s: the offers of one agent's session are alike, and a validator that changed its
	// mind is heard within half a minute.
	AnswerTTL time.Duration
	// MaxAnswers and MaxAnswerBytes bound the answers kept. Default 4,096 and 4 MiB: with
	// reasons of 100 letters the first is reached, with the longest ones the second.
	MaxAnswers, MaxAnswerBytes int

	// MaxRunning bounds the questions sent at once, MaxRunningPerPolicy those of one
	// policy. Default 32 and 4: a policy whose validator hangs leaves the others seven
	// eighths.
	MaxRunning, MaxRunningPerPolicy int
	// MaxWaiting bounds the questions that wait for a place beyond those, and
	// MaxWaitingPerPolicy those of one policy. Default 64 and 8: the server lets 64
	// reviews wait for the outside and 8 of one policy.
	MaxWaiting, MaxWaitingPerPolicy int
	// MaxRequestBytes bounds one request. Default 2 MiB: a review's body has 1 MiB at
	// most, and 2 MiB of text are beyond what most models read.
	MaxRequestBytes int
	// MaxPendingBytes bounds the requests sent and waiting together. Default 16 MiB: an
	// eighth of the smallest memory limit that the endpoint is tested with. One policy
	// has a quarter of it, and at least room for one request.
	MaxPendingBytes int

	// Resolver and Dial replace the system's, for tests.
	Resolver outbound.Resolver
	Dial     outbound.DialFunc
	// Clock is for the lives of answers; timeouts run on contexts. Nil: the real one.
	Clock clock.PassiveClock
	// Observer is told what happens. Nil: nobody.
	Observer Observer
}

// DefaultOptions are the documented defaults. They allow no endpoint.
func DefaultOptions() Options {
	return Options{
		AnswerTTL:           30 * time.Second,
		MaxAnswers:          4096,
		MaxAnswerBytes:      4 << 20,
		MaxRunning:          32,
		MaxRunningPerPolicy: 4,
		MaxWaiting:          64,
		MaxWaitingPerPolicy: 8,
		MaxRequestBytes:     2 << 20,
		MaxPendingBytes:     16 << 20,
	}
}

// Validate reports every limit that makes no sense.
func (o Options) Validate() error {
	var errs []error
	for _, limit := range []struct {
		name string
		ok   bool
	}{
		{"the life of an answer", o.AnswerTTL > 0},
		{"the answers kept", o.MaxAnswers > 0},
		{"the bytes of answers kept", o.MaxAnswerBytes > 0},
		{"the questions at once", o.MaxRunning > 0},
		{"the questions of a policy at once", o.MaxRunningPerPolicy > 0},
		{"the bytes of a request", o.MaxRequestBytes > 0},
		{"the bytes of all requests", o.MaxPendingBytes > 0},
	} {
		if !limit.ok {
			errs = append(errs, errors.New(limit.name+" must be greater than zero"))
		}
	}
	if o.MaxWaiting < 0 || o.MaxWaitingPerPolicy < 0 {
		errs = append(errs, errors.New("the questions that wait must not be negative"))
	}
	if o.MaxRequestBytes > o.MaxPendingBytes {
		errs = append(errs, errors.New("the bytes of all requests must not be less than those of one"))
	}
	return errors.Join(errs...)
}

func (o Options) complete() Options {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Observer == nil {
		o.Observer = NoopObserver{}
	}
	return o
}
