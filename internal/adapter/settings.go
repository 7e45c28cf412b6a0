package adapter

import (
	"context"
	"errors"
	"time"

	"k8s.io/utils/clock"
)

// Settings holds every limit of an Executor, and its ports. Start from DefaultSettings;
// no limit has a meaning when zero.
type Settings struct {
	// RecentTTL is how long a uid is answered again, counted from when its execution
	// ended. Default 60 s: a client that waited as long as any adapter may take (30 s)
	// and asks once more is within it.
	RecentTTL time.Duration
	// MaxRecent and MaxRecentBytes bound the outcomes kept, a quarter for the callers of
	// one namespace. Default 4,096 and 16 MiB: an eighth of the smallest memory limit
	// that the endpoint is tested with. Beyond them the oldest are forgotten.
	MaxRecent, MaxRecentBytes int

	// MaxRunning bounds the executions at once, MaxRunningPerNamespace those of one
	// namespace's adapters. Default 256 and 64, as the server lets so many reviews in; a
	// namespace whose backend hangs leaves the others three quarters.
	MaxRunning, MaxRunningPerNamespace int
	// MaxPendingBytes bounds the arguments and answers in memory, and
	// MaxPendingBytesPerNamespace those of one namespace's adapters. Default 32 MiB and
	// 8 MiB, which holds the largest answer (4 MiB) and the largest arguments (512 KiB).
	MaxPendingBytes, MaxPendingBytesPerNamespace int

	// MaxTables and MaxTableBytes bound the ConfigMaps that are kept parsed. Default 256
	// and 32 MiB: ten of the largest, or hundreds of the usual few KiB.
	MaxTables, MaxTableBytes int

	// ConfigMaps reads records. Nil: there are none.
	ConfigMaps ConfigMaps
	// Tokens gives tokens for backends. Nil: there are none.
	Tokens Tokens
	// Clock is for the lives of outcomes; timeouts run on contexts. Nil: the real one.
	Clock clock.PassiveClock
	// Observer is told what happens. Nil: nobody.
	Observer Observer
}

// DefaultSettings are the documented defaults, without ports.
func DefaultSettings() Settings {
	return Settings{
		RecentTTL:                   time.Minute,
		MaxRecent:                   4096,
		MaxRecentBytes:              16 << 20,
		MaxRunning:                  256,
		MaxRunningPerNamespace:      64,
		MaxPendingBytes:             32 << 20,
		MaxPendingBytesPerNamespace: 8 << 20,
		MaxTables:                   256,
		MaxTableBytes:               32 << 20,
	}
}

// Validate reports every limit that makes no sense.
func (o Settings) Validate() error {
	var errs []error
	for _, limit := range []struct {
		name string
		ok   bool
	}{
		{"the life of an outcome", o.RecentTTL > 0},
		{"the outcomes kept", o.MaxRecent > 0},
		{"the bytes of outcomes kept", o.MaxRecentBytes > 0},
		{"the executions at once", o.MaxRunning > 0},
		{"the executions of a namespace at once", o.MaxRunningPerNamespace > 0},
		{"the bytes in memory", o.MaxPendingBytes > 0},
		{"the bytes of a namespace in memory", o.MaxPendingBytesPerNamespace > 0},
		{"the parsed ConfigMaps", o.MaxTables > 0},
		{"the bytes of parsed ConfigMaps", o.MaxTableBytes > 0},
	} {
		if !limit.ok {
			errs = append(errs, errors.New(limit.name+" must be greater than zero"))
		}
	}
	return errors.Join(errs...)
}

func (o Settings) complete() Settings {
	if o.ConfigMaps == nil {
		o.ConfigMaps = nothing{}
	}
	if o.Tokens == nil {
		o.Tokens = nothing{}
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Observer == nil {
		o.Observer = NoopObserver{}
	}
	return o
}

// nothing is both ports where there are none.
type nothing struct{}

func (nothing) ConfigMap(context.Context, string, string) (ConfigMap, bool, error) {
	return ConfigMap{}, false, nil
}

func (nothing) Token(context.Context, string) (string, error) {
	return "", errors.New("there are no tokens here")
}
