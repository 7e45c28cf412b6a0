package identity

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
)

// DefaultAudience is the audience that a token must be made out to.
const DefaultAudience = "callgate.dev"

// DefaultResource is the resource of reviews of calls.
const DefaultResource = "toolcallreviews"

// maxTokenBytes bounds the token: ServiceAccount tokens have 1–2 KiB, and the whole
// request header 16 KiB.
const maxTokenBytes = 8 << 10

// Options holds every limit of an Authenticator. Start from DefaultOptions; no
// field has a meaning when zero, save Observer (none), Clock (the real one) and
// Log (nowhere).
type Options struct {
	// Audience must be among the token's and among those that the API server
	// confirms. Default callgate.dev.
	Audience string
	// Resource is what the caller must be allowed to create in its namespace. Default
	// toolcallreviews.
	Resource string

	// SoftTTL is the life of a yes. Default 60 s: the time within which a revoked
	// caller is refused. From 75 % ± 10 % of it on, a request of the caller starts a
	// refresh in the background.
	SoftTTL time.Duration
	// HardTTL is the life of a yes while the API server gives no answer. Default
	// 5 min: with SoftTTL alone, a minute's outage would block every caller.
	HardTTL time.Duration
	// RefusalTTL is the life of a no. Default 5 s: long enough that a looping client
	// costs one look-up in 5 s, short enough that a new grant is seen at once.
	RefusalTTL time.Duration
	// MaxCallers and MaxRefusals bound the two caches. Default 4,096 each. They are
	// apart so that a flood of refusals evicts no caller.
	MaxCallers, MaxRefusals int

	// Deadline bounds queueing, both look-ups and every retry together. Default
	// 2.2 s: an API server that hangs would otherwise hold a TokenReview for 10 s and
	// a SubjectAccessReview for 55 s, and clients are told to give up after 2 s.
	Deadline time.Duration

	// Strangers bounds the look-ups of tokens that no cache knows. Default 16 at
	// once, 64 waiting, 50 a second: 1 % of the 5,000 requests a second of a busy
	// replica.
	Strangers Lane
	// Callers bounds the look-ups that renew a yes. Default 16 at once, 64 waiting,
	// 150 a second: 4,096 callers renewed every 39 s (65 % of 60 s) are 105 a second.
	// It is apart from Strangers so that a flood of tokens delays no known caller.
	Callers Lane
	// BusyGrace is how long past SoftTTL (or past the end of an outage) a yes is
	// still used when Callers is full. Default 30 s: the time that Callers needs for
	// a full cache.
	BusyGrace time.Duration
	// MaxHeld bounds the requests that wait for a look-up, those that share one
	// included. Default 1,024: half of the connections of a replica.
	MaxHeld int

	// OutageMemory is how long one unanswered look-up counts as an outage. Default
	// 5 s; while Run runs it is renewed by probes, which are ProbeInterval plus at
	// most Deadline apart.
	OutageMemory time.Duration
	// ProbeInterval is the pause between probes of an API server that does not
	// answer. Default 1 s.
	ProbeInterval time.Duration

	Clock    clock.Clock
	Observer Observer
	Log      logr.Logger
}

// Lane bounds one kind of look-ups.
type Lane struct {
	// Running is how many run at once, Waiting how many may wait beyond those.
	Running, Waiting int
	// PerSecond is the most that start in any one second.
	PerSecond int
}

// DefaultOptions are the documented defaults.
func DefaultOptions() Options {
	return Options{
		Audience:      DefaultAudience,
		Resource:      DefaultResource,
		SoftTTL:       60 * time.Second,
		HardTTL:       5 * time.Minute,
		RefusalTTL:    5 * time.Second,
		MaxCallers:    4096,
		MaxRefusals:   4096,
		Deadline:      2200 * time.Millisecond,
		Strangers:     Lane{Running: 16, Waiting: 64, PerSecond: 50},
		Callers:       Lane{Running: 16, Waiting: 64, PerSecond: 150},
		BusyGrace:     30 * time.Second,
		MaxHeld:       1024,
		OutageMemory:  5 * time.Second,
		ProbeInterval: time.Second,
	}
}

// Validate reports every limit that makes no sense.
func (o Options) Validate() error {
	var errs []error
	positive := func(name string, ok bool) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s must be greater than zero", name))
		}
	}
	if o.Audience == "" {
		errs = append(errs, errors.New("audience must not be empty"))
	}
	if o.Resource == "" {
		errs = append(errs, errors.New("the resource of reviews must be set"))
	}
	positive("soft TTL", o.SoftTTL > 0)
	positive("refusal TTL", o.RefusalTTL > 0)
	positive("callers kept", o.MaxCallers > 0)
	positive("refusals kept", o.MaxRefusals > 0)
	positive("deadline", o.Deadline > 0)
	positive("requests held", o.MaxHeld > 0)
	positive("outage memory", o.OutageMemory > 0)
	positive("probe interval", o.ProbeInterval > 0)
	if o.HardTTL < o.SoftTTL {
		errs = append(errs, errors.New("hard TTL must not be less than soft TTL"))
	}
	if o.BusyGrace < 0 {
		errs = append(errs, errors.New("busy grace must not be negative"))
	}
	errs = append(errs, o.Strangers.validate("strangers"), o.Callers.validate("callers"))
	return errors.Join(errs...)
}

func (l Lane) validate(name string) error {
	if l.Running < 1 || l.Waiting < 0 || l.PerSecond < 1 {
		return fmt.Errorf("%s: running and per second must be at least 1, waiting at least 0", name)
	}
	return nil
}

func (o Options) complete() Options {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Observer == nil {
		o.Observer = NoopObserver{}
	}
	if o.Log.GetSink() == nil {
		o.Log = logr.Discard()
	}
	return o
}
