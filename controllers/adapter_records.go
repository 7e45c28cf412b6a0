package controllers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/callgate/callgate/internal/adapter"
)

const (
	// maxFollowedNamespaces bounds the watches. Where all of them are refused, they are
	// 50 requests a second.
	maxFollowedNamespaces = 256
	// maxRecordBytes bounds the records in memory, maxNamespaceRecordBytes those of one
	// namespace: 16 ConfigMaps of the largest size, and four namespaces like that.
	maxRecordBytes          = 64 << 20
	maxNamespaceRecordBytes = 16 << 20
)

// recordsBackoff is how soon a namespace is asked for again that could not be read: a
// role that has just been bound, and an API server that comes back, are seen within
// five seconds.
var recordsBackoff = wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 0.1, Steps: 6, Cap: 5 * time.Second}

var (
	errNotFollowed = errors.New("the ConfigMaps of the namespace are not watched")
	errNotRead     = errors.New("the ConfigMaps of the namespace have not been read yet")
	errTooMuch     = errors.New("the ConfigMaps with records are larger together than what is kept of them (16 MiB of a namespace, 64 MiB of all); make them smaller")
)

// Records watches the ConfigMaps with records, in those namespaces alone that have an
// adapter which reads them: there Callgate needs a Role, and nowhere else. It is an
// adapter.ConfigMaps.
type Records struct {
	// source lists and watches the labelled ConfigMaps of a namespace.
	source func(namespace string) cache.ListerWatcher

	mu         sync.Mutex
	running    context.Context //nolint:containedctx // the life of the watches, which end with the manager
	namespaces map[string]*followed
	bytes      int
	changed    func(namespace string)
}

var (
	_ adapter.ConfigMaps = &Records{}
	_ manager.Runnable   = &Records{}
)

// NewRecords makes Records over a client for the core API, such as
// kubernetes.Interface's CoreV1().RESTClient(). It has to be given to Setup, which starts
// it.
func NewRecords(client rest.Interface) *Records {
	consent := labels.Set{adapter.RecordsLabel: "true"}.String()
	return newRecords(func(namespace string) cache.ListerWatcher {
		return cache.NewFilteredListWatchFromClient(client, "configmaps", namespace, func(o *metav1.ListOptions) { o.LabelSelector = consent })
	})
}

func newRecords(source func(string) cache.ListerWatcher) *Records {
	return &Records{source: source, namespaces: map[string]*followed{}, changed: func(string) {}}
}

// Start implements manager.Runnable.
func (r *Records) Start(ctx context.Context) error {
	r.mu.Lock()
	r.running = ctx
	for _, f := range r.namespaces {
		f.start(ctx)
	}
	r.mu.Unlock()
	<-ctx.Done()
	return nil
}

// NeedLeaderElection tells the manager to start it on every replica.
func (r *Records) NeedLeaderElection() bool { return false }

// follow watches these namespaces and no others. It does not wait.
func (r *Records) follow(namespaces map[string]struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, f := range r.namespaces {
		if _, wanted := namespaces[name]; !wanted {
			f.end()
			delete(r.namespaces, name)
		}
	}
	for name := range namespaces {
		if _, known := r.namespaces[name]; known || len(r.namespaces) >= maxFollowedNamespaces {
			continue
		}
		f := &followed{records: r, namespace: name, tried: make(chan struct{}), held: map[string]held{}}
		r.namespaces[name] = f
		if r.running != nil {
			f.start(r.running)
		}
	}
}

// ConfigMap implements adapter.ConfigMaps. It waits only for the first look at a
// namespace.
func (r *Records) ConfigMap(ctx context.Context, namespace, name string) (adapter.ConfigMap, bool, error) {
	r.mu.Lock()
	f := r.namespaces[namespace]
	r.mu.Unlock()
	if f == nil {
		return adapter.ConfigMap{}, false, errNotFollowed
	}
	select {
	case <-f.tried:
	case <-ctx.Done():
		return adapter.ConfigMap{}, false, fmt.Errorf("waiting for the ConfigMaps of a namespace: %w", ctx.Err())
	}
	return r.look(namespace, name)
}

// look is ConfigMap without waiting.
func (r *Records) look(namespace, name string) (adapter.ConfigMap, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.namespaces[namespace]
	switch {
	case f == nil:
		return adapter.ConfigMap{}, false, errNotFollowed
	case !f.synced && f.err != nil:
		return adapter.ConfigMap{}, false, f.err
	case !f.synced:
		return adapter.ConfigMap{}, false, errNotRead
	}
	h, found := f.held[name]
	if h.dropped {
		return adapter.ConfigMap{}, false, errTooMuch
	}
	return h.ConfigMap, found, nil
}
