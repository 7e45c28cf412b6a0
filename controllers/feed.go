package controllers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// feedBackoff is how soon the API server is asked again after a failure. client-go
// waits up to a minute, which after an outage would leave a replica enforcing
// yesterday's policies for that minute. An API server that comes back turns the old
// watch down first, so the longest wait counts twice; two kinds and three requests
// a second cost it nothing.
var feedBackoff = wait.Backoff{
	Duration: 100 * time.Millisecond,
	Factor:   2,
	Jitter:   0.2,
	Steps:    4,
	Cap:      350 * time.Millisecond,
}

var errOlder = errors.New("the API server is behind what this replica has already seen")

// newInformer builds an informer that recovers from an outage within a second and
// never goes back in time. The informer's own reflector offers neither, so it
// reads from a feed, which never fails, and the feed has the reflector that does.
func newInformer(
	lw cache.ListerWatcher, object runtime.Object, resync time.Duration, indexers cache.Indexers,
) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(newFeed(lw, object), object, resync, indexers)
}

// feed follows one kind of the API server and passes it on as a list and one
// endless watch.
type feed struct {
	source cache.ListerWatcher
	object runtime.Object
	once   sync.Once
	// synced is closed by the first complete list.
	synced chan struct{}

	mu sync.Mutex
	// items are shared with the informer's store: pointers, not copies.
	items map[string]runtime.Object
	// highest is the newest resourceVersion seen.
	highest string
	// watch takes what happens after the list that was handed out last.
	watch *feedWatch
	taken bool
}

var (
	_ cache.ListerWatcherWithContext = (*feed)(nil)
	_ cache.ReflectorStore           = (*feed)(nil)
	_ cache.ReflectorBookmarkStore   = (*feed)(nil)
)

func newFeed(source cache.ListerWatcher, object runtime.Object) *feed {
	return &feed{
		source: source,
		object: object,
		synced: make(chan struct{}),
		items:  map[string]runtime.Object{},
	}
}

// IsWatchListSemanticsUnSupported tells the informer's reflector to list from the
// feed. The feed itself streams its list from the API server.
func (f *feed) IsWatchListSemanticsUnSupported() bool { return true }

// List implements cache.ListerWatcher for callers from before contexts; the
// informer is none.
func (f *feed) List(opts metav1.ListOptions) (runtime.Object, error) {
	return f.ListWithContext(context.Background(), opts) //nolint:forbidigo // the signature has none to take
}

// Watch implements cache.ListerWatcher for callers from before contexts; the
// informer is none.
func (f *feed) Watch(opts metav1.ListOptions) (watch.Interface, error) {
	return f.WatchWithContext(context.Background(), opts) //nolint:forbidigo // the signature has none to take
}

// ListWithContext gives everything, once the API server has given it.
func (f *feed) ListWithContext(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
	f.once.Do(func() {
		reflector := cache.NewReflectorWithOptions(consistentLists{f.source}, f.object, f, cache.ReflectorOptions{
			Name:    "callgate",
			Backoff: new(feedBackoff),
		})
		go reflector.RunWithContext(ctx)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-f.synced:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	list := &metainternalversion.List{Items: make([]runtime.Object, 0, len(f.items))}
	list.ResourceVersion = f.highest
	for _, item := range f.items {
		list.Items = append(list.Items, item)
	}
	f.watch, f.taken = newFeedWatch(), false
	return list, nil
}

// WatchWithContext gives what has happened since the last list.
func (f *feed) WatchWithContext(context.Context, metav1.ListOptions) (watch.Interface, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watch == nil || f.taken {
		return nil, apierrors.NewResourceExpired("the feed is watched from its list only")
	}
	f.taken = true
	go f.watch.pump()
	return f.watch, nil
}

// Add implements cache.ReflectorStore.
func (f *feed) Add(obj any) error { return f.put(obj) }

// Update implements cache.ReflectorStore.
func (f *feed) Update(obj any) error { return f.put(obj) }

// Resync implements cache.ReflectorStore. The informer resyncs from its own store.
func (f *feed) Resync() error { return nil }

// Bookmark implements cache.ReflectorBookmarkStore.
func (f *feed) Bookmark(resourceVersion string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.raise(resourceVersion)
	return nil
}

// Delete implements cache.ReflectorStore.
func (f *feed) Delete(obj any) error {
	item, key, version, err := identify(obj)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.raise(version)
	delete(f.items, key)
	f.send(watch.Deleted, item)
	return nil
}

// Replace implements cache.ReflectorStore. A list from before what has been seen
// is refused: it would bring back permissions that have been revoked. The
// reflector asks again, and what is in force stays. Where a cluster has been
// restored from a backup for good, a restart of the replica accepts it.
func (f *feed) Replace(list []any, resourceVersion string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if older(resourceVersion, f.highest) {
		return fmt.Errorf("%w: listed at %s, seen %s", errOlder, resourceVersion, f.highest)
	}
	listed := make(map[string]runtime.Object, len(list))
	for _, obj := range list {
		item, key, version, err := identify(obj)
		if err != nil {
			return err
		}
		listed[key] = f.refresh(item, key, version)
	}
	for key, item := range f.items {
		if _, ok := listed[key]; !ok {
			f.send(watch.Deleted, item)
		}
	}
	f.items = listed
	f.raise(resourceVersion)
	f.markSynced()
	return nil
}

// refresh keeps the object that is already shared with the informer where the
// list has nothing newer.
func (f *feed) refresh(item runtime.Object, key, version string) runtime.Object {
	known, ok := f.items[key]
	if !ok {
		f.send(watch.Added, item)
		return item
	}
	if m, err := meta.Accessor(known); err == nil && m.GetResourceVersion() == version {
		return known
	}
	f.send(watch.Modified, item)
	return item
}

func (f *feed) put(obj any) error {
	item, key, version, err := identify(obj)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.raise(version)
	kind := watch.Modified
	if _, ok := f.items[key]; !ok {
		kind = watch.Added
	}
	f.items[key] = item
	f.send(kind, item)
	return nil
}

func (f *feed) markSynced() {
	select {
	case <-f.synced:
	default:
		close(f.synced)
	}
}

func (f *feed) raise(version string) {
	if f.highest == "" || older(f.highest, version) {
		f.highest = version
	}
}

func (f *feed) send(kind watch.EventType, item runtime.Object) {
	if f.watch != nil {
		f.watch.push(watch.Event{Type: kind, Object: item})
	}
}

// older reports whether a is known to be before b. Versions that are no numbers
// have no order, so nothing is known of them.
func older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}

func identify(obj any) (item runtime.Object, key, version string, err error) {
	item, ok := obj.(runtime.Object)
	if !ok {
		return nil, "", "", fmt.Errorf("following the API server: %T is no object", obj)
	}
	m, err := meta.Accessor(item)
	if err != nil {
		return nil, "", "", fmt.Errorf("following the API server: %w", err)
	}
	key, err = cache.MetaNamespaceKeyFunc(item)
	if err != nil {
		return nil, "", "", fmt.Errorf("following the API server: %w", err)
	}
	return item, key, m.GetResourceVersion(), nil
}

// consistentLists asks for the present where client-go's fallback would take
// whatever an API server's cache holds.
type consistentLists struct{ cache.ListerWatcher }

// ListWithContext implements cache.ListerWithContext.
func (c consistentLists) ListWithContext(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
	if opts.ResourceVersion == "0" {
		opts.ResourceVersion = ""
	}
	return cache.ToListerWithContext(c.ListerWatcher).ListWithContext(ctx, opts)
}

// WatchWithContext implements cache.WatcherWithContext.
func (c consistentLists) WatchWithContext(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	return cache.ToWatcherWithContext(c.ListerWatcher).WatchWithContext(ctx, opts)
}
