package controllers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
)

// The times of the election. They may stay as unhurried as client-go's own because
// losing the Lease costs nothing but a delay of status.
const (
	defaultLeaseDuration = 15 * time.Second
	defaultRenewDeadline = 10 * time.Second
	defaultRetryPeriod   = 2 * time.Second
)

// LeaderOptions say which Lease is the leader's.
type LeaderOptions struct {
	// Config reaches the API server.
	Config *rest.Config
	// Namespace and Name are the Lease's.
	Namespace, Name string
	// Identity is unique to the process. Empty: the host name and something random.
	Identity string
	// LeaseDuration, RenewDeadline and RetryPeriod are 15, 10 and 2 seconds where
	// they are zero.
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// Leadership tells whether this process writes status.
type Leadership interface {
	// Leading reports it at this instant.
	Leading() bool
	// OnGain has f called each time leadership is gained, and at once where it is
	// held. f must not block.
	OnGain(f func())
}

// Leader takes part in the election of the one replica that writes status. It
// stands outside the manager, because a manager that loses its Lease ends its
// process, and with it a replica that serves verdicts perfectly well.
type Leader struct {
	opts   LeaderOptions
	client coordinationv1client.CoordinationV1Interface
	// term is done when leadership is lost, and also before the Lease is released.
	term atomic.Pointer[context.Context]

	mu     sync.Mutex
	onGain []func()
}

var _ Leadership = (*Leader)(nil)

// NewLeader makes a Leader that does not lead yet.
func NewLeader(opts LeaderOptions) (*Leader, error) {
	if opts.Config == nil || opts.Namespace == "" || opts.Name == "" {
		return nil, errors.New("electing a leader: a configuration and a Lease's namespace and name are needed")
	}
	if opts.Identity == "" {
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("electing a leader: %w", err)
		}
		opts.Identity = host + "_" + string(uuid.NewUUID())
	}
	opts.LeaseDuration = orDefault(opts.LeaseDuration, defaultLeaseDuration)
	opts.RenewDeadline = orDefault(opts.RenewDeadline, defaultRenewDeadline)
	opts.RetryPeriod = orDefault(opts.RetryPeriod, defaultRetryPeriod)

	config := rest.CopyConfig(opts.Config)
	// A request to a hung API server must leave time for a second one.
	config.Timeout = opts.RenewDeadline / 2
	client, err := coordinationv1client.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("electing a leader: %w", err)
	}
	l := &Leader{opts: opts, client: client}
	if _, err := leaderelection.NewLeaderElector(l.election()); err != nil {
		return nil, fmt.Errorf("electing a leader: %w", err)
	}
	return l, nil
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return d
}

// Run takes part until ctx is done, term after term. When it returns, the Lease has
// been released.
func (l *Leader) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		elector, err := leaderelection.NewLeaderElector(l.election())
		if err != nil {
			return fmt.Errorf("electing a leader: %w", err)
		}
		elector.Run(ctx)
	}
	return nil
}

// Leading implements Leadership.
func (l *Leader) Leading() bool {
	term := l.term.Load()
	return term != nil && (*term).Err() == nil
}

// OnGain implements Leadership.
func (l *Leader) OnGain(f func()) {
	l.mu.Lock()
	l.onGain = append(l.onGain, f)
	l.mu.Unlock()
	if l.Leading() {
		f()
	}
}

func (l *Leader) election() leaderelection.LeaderElectionConfig {
	return leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: l.opts.Namespace, Name: l.opts.Name},
			Client:     l.client,
			LockConfig: resourcelock.ResourceLockConfig{Identity: l.opts.Identity},
		},
		Name:            l.opts.Name,
		LeaseDuration:   l.opts.LeaseDuration,
		RenewDeadline:   l.opts.RenewDeadline,
		RetryPeriod:     l.opts.RetryPeriod,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: l.gained,
			OnStoppedLeading: func() {},
		},
	}
}

// gained is called on a goroutine of its own and may come late: a term that is
// over by then is no term, because its context is done.
func (l *Leader) gained(term context.Context) {
	l.term.Store(&term)
	ctrl.LoggerFrom(term).Info("Started leading", "identity", l.opts.Identity)
	l.mu.Lock()
	callbacks := l.onGain
	l.mu.Unlock()
	for _, f := range callbacks {
		f()
	}
}
