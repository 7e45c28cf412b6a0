package identity

import (
	"errors"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
)

// AccessOptions hold every limit of an Authorizer. Start from DefaultAccessOptions; no
// field has a meaning when zero, save Observer (none), Clock (the real one) and Log
// (nowhere).
type AccessOptions struct {
	// SoftTTL is the life of a yes. Default 60 s: the time within which a permission that
	// is taken away is enforced. From 75 % ± 10 % of it on, a request for it starts a
	// refresh in the background.
	SoftTTL time.Duration
	// HardTTL is the life of a yes while the API server gives no answer. Default 5 min,
	// as for identities.
	HardTTL time.Duration
	// RefusalTTL is the life of a no. Default 5 s: a new grant is seen at once.
	RefusalTTL time.Duration
	// MaxGrants and MaxRefusals bound the two caches. Default 16,384 each, some 4 MB:
	// four times the callers, who use a few tools each. They are apart so that made-up
	// tenants evict no grant.
	MaxGrants, MaxRefusals int
	// Deadline bounds queueing, the look-up and every retry together. Default 2.2 s, as
	// for identities.
	Deadline time.Duration
	// Fresh bounds the look-ups of what is not known, Renewals those of a yes. Default
	// for each 16 at once, 512 waiting, 400 a second: 128 calls of different tools, the
	// most of one review, then wait for a third of a second.
	Fresh, Renewals Lane
	// MaxPerAccount bounds the look-ups about one account at once. Default 136: the most
	// of one review, and a quarter of the lane.
	MaxPerAccount int
	// OutageMemory is how long one unanswered look-up counts as an outage, in which nobody
	// waits. Default 5 s.
	OutageMemory time.Duration

	Clock clock.Clock
	// Observer is told of look-ups and outages; requests are not identified here.
	Observer Observer
	Log      logr.Logger
}

// DefaultAccessOptions are the documented defaults.
func DefaultAccessOptions() AccessOptions {
	id := DefaultOptions()
	lane := Lane{Running: 16, Waiting: 512, PerSecond: 400}
	return AccessOptions{
		SoftTTL: id.SoftTTL, HardTTL: id.HardTTL, RefusalTTL: id.RefusalTTL,
		MaxGrants: 16384, MaxRefusals: 16384,
		Deadline: id.Deadline, Fresh: lane, Renewals: lane, MaxPerAccount: 136,
		OutageMemory: id.OutageMemory,
	}
}

// Validate reports every limit that makes no sense.
func (o AccessOptions) Validate() error {
	var errs []error
	if min(o.SoftTTL, o.RefusalTTL, o.Deadline, o.OutageMemory) <= 0 {
		errs = append(errs, errors.New("TTLs, deadline and outage memory must be greater than zero"))
	}
	if min(o.MaxGrants, o.MaxRefusals, o.MaxPerAccount) <= 0 {
		errs = append(errs, errors.New("answers kept and look-ups of an account must be greater than zero"))
	}
	if o.HardTTL < o.SoftTTL {
		errs = append(errs, errors.New("hard TTL must not be less than soft TTL"))
	}
	errs = append(errs, o.Fresh.validate("fresh"), o.Renewals.validate("renewals"))
	return errors.Join(errs...)
}

func (o AccessOptions) complete() AccessOptions {
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
