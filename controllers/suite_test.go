package controllers

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/testenv"
)

// patience is for a race-built binary and an API server on two shared cores.
const patience = 60 * time.Second

var (
	env *testenv.Env
	// replica is the one that all specs but those about two replicas look at.
	replica *runningReplica
)

func TestControllers(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(patience)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	SetDefaultConsistentlyDuration(500 * time.Millisecond)
	RunSpecs(t, "Controllers")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	ctrl.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	env = testenv.Start(GinkgoT())
	replica = startReplica(ownUser(ctx, env), true)

	By("having a snapshot of a cluster that has nothing in it")
	Eventually(replica.store.Load).ShouldNot(BeNil(), "an empty cluster has no events, so the first compile must be asked for")
	Expect(replica.store.Load().Schemas).To(BeEmpty())
})

// ownUser has exactly what the RBAC markers give, so that every spec proves them
// sufficient.
func ownUser(ctx context.Context, e *testenv.Env) *rest.Config {
	const name = "callgate"
	e.Grant(ctx, GinkgoT(), name, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name},
		rbacv1.PolicyRule{APIGroups: []string{"callgate.dev"}, Resources: []string{"toolschemas", "toolpolicies"}, Verbs: []string{"get", "list", "watch"}},
		rbacv1.PolicyRule{APIGroups: []string{"callgate.dev"}, Resources: []string{"toolschemas/status", "toolpolicies/status"}, Verbs: []string{"patch"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"list", "watch"}},
		rbacv1.PolicyRule{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
		rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create", "get", "update"}},
	)
	return e.AddUser(GinkgoT(), name)
}

// gate is a Leadership that a spec switches.
type gate struct {
	open   atomic.Bool
	mu     sync.Mutex
	onGain []func()
}

func (g *gate) Leading() bool { return g.open.Load() }

func (g *gate) OnGain(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.onGain = append(g.onGain, f)
}

func (g *gate) gain() {
	g.open.Store(true)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.onGain {
		f()
	}
}

func (g *gate) lose() { g.open.Store(false) }

type runningReplica struct {
	store snapshot.Store
	gate  gate
	heart Heartbeat
	swaps atomic.Int64
	mgr   ctrl.Manager
}

// startReplica runs the controllers until the spec or suite that called it ends.
func startReplica(config *rest.Config, leading bool) *runningReplica {
	GinkgoHelper()
	r := &runningReplica{}
	r.gate.open.Store(leading)
	mgr, err := ctrl.NewManager(ClientConfig(config), managerOptions())
	Expect(err).NotTo(HaveOccurred())
	r.mgr = mgr
	Expect(Setup(mgr, Options{
		Store: &r.store, Leadership: &r.gate, Heartbeat: &r.heart,
		OnSwap: func(Swap) { r.swaps.Add(1) },
	})).To(Succeed())

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	DeferCleanup(func() {
		cancel()
		Eventually(done).Should(Receive(BeNil()), "the manager has to stop without an error")
	})
	return r
}

func managerOptions() ctrl.Options {
	return ctrl.Options{
		Scheme:         testenv.NewScheme(),
		Cache:          CacheOptions(),
		MapperProvider: MapperProvider,
		Metrics:        metricsserver.Options{BindAddress: "0"},
		// Several replicas share this process, and so the names of controllers.
		Controller: config.Controller{SkipNameValidation: new(true)},
	}
}
