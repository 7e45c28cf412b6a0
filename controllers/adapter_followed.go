package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/callgate/callgate/internal/adapter"
)

// followed is one namespace whose ConfigMaps with records are watched. All but namespace
// and records is guarded by the mutex of records.
type followed struct {
	records   *Records
	namespace string
	cancel    context.CancelFunc

	// tried is closed by the first look, whatever comes of it.
	tried  chan struct{}
	synced bool
	err    error
	held   map[string]held
	bytes  int
}

// held is what is kept of a ConfigMap.
type held struct {
	adapter.ConfigMap
	bytes int
	// dropped: it was too much, and only its being there is kept.
	dropped bool
}

var _ cache.ReflectorStore = &followed{}

// start watches until ctx ends, or end is called.
func (f *followed) start(ctx context.Context) {
	if f.cancel != nil {
		return
	}
	ctx, f.cancel = context.WithCancel(ctx)
	backoff := recordsBackoff
	source := observedSource{consistentLists{f.records.source(f.namespace)}, f}
	reflector := cache.NewReflectorWithOptions(source, &corev1.ConfigMap{}, f, cache.ReflectorOptions{Name: "callgate", Backoff: &backoff})
	go reflector.RunWithContext(ctx)
}

func (f *followed) end() {
	if f.cancel != nil {
		f.cancel()
	}
	f.records.bytes -= f.bytes
	f.bytes, f.held = 0, map[string]held{}
	f.looked()
}

func (f *followed) looked() {
	select {
	case <-f.tried:
	default:
		close(f.tried)
	}
}

// do changes what is kept and tells of it. What was ended keeps nothing any more.
func (f *followed) do(change func()) {
	r := f.records
	r.mu.Lock()
	if r.namespaces[f.namespace] != f {
		r.mu.Unlock()
		return
	}
	change()
	f.looked()
	tell := r.changed
	r.mu.Unlock()
	tell(f.namespace)
}

// Add implements cache.ReflectorStore.
func (f *followed) Add(obj any) error { return f.Update(obj) }

// Update implements cache.ReflectorStore.
func (f *followed) Update(obj any) error {
	cm, ok := obj.(*corev1.ConfigMap)
	if !ok {
		return fmt.Errorf("watching ConfigMaps: got %T", obj)
	}
	f.do(func() {
		f.err = nil
		f.put(cm)
	})
	return nil
}

// Delete implements cache.ReflectorStore.
func (f *followed) Delete(obj any) error {
	cm, ok := obj.(*corev1.ConfigMap)
	if !ok {
		return fmt.Errorf("watching ConfigMaps: got %T", obj)
	}
	f.do(func() { f.take(cm.Name) })
	return nil
}

// Replace implements cache.ReflectorStore.
func (f *followed) Replace(list []any, _ string) error {
	for _, obj := range list {
		if _, ok := obj.(*corev1.ConfigMap); !ok {
			return fmt.Errorf("listing ConfigMaps: got %T", obj)
		}
	}
	f.do(func() {
		for name := range f.held {
			f.take(name)
		}
		for _, obj := range list {
			f.put(obj.(*corev1.ConfigMap))
		}
		f.synced, f.err = true, nil
	})
	return nil
}

// Resync implements cache.ReflectorStore.
func (f *followed) Resync() error { return nil }

// put keeps a ConfigMap: its label and its texts, within the bounds.
func (f *followed) put(cm *corev1.ConfigMap) {
	f.take(cm.Name)
	h := held{bytes: len(cm.Name)}
	for key, text := range cm.Data {
		h.bytes += len(key) + len(text)
	}
	if f.bytes+h.bytes > maxNamespaceRecordBytes || f.records.bytes+h.bytes > maxRecordBytes {
		f.held[cm.Name] = held{dropped: true}
		return
	}
	h.Labels = map[string]string{adapter.RecordsLabel: cm.Labels[adapter.RecordsLabel]}
	h.Data = cm.Data
	f.held[cm.Name] = h
	f.bytes += h.bytes
	f.records.bytes += h.bytes
}

func (f *followed) take(name string) {
	f.bytes -= f.held[name].bytes
	f.records.bytes -= f.held[name].bytes
	delete(f.held, name)
}

// fail notes why the namespace cannot be read. What was read before goes on being used,
// but for a permission that was taken away.
func (f *followed) fail(err error) {
	if err == nil {
		return
	}
	f.do(func() {
		f.err = err
		if apierrors.IsForbidden(err) {
			f.synced = false
			for name := range f.held {
				f.take(name)
			}
		}
	})
}

// observedSource tells of failures, which a reflector only logs.
type observedSource struct {
	consistentLists
	to *followed
}

// ListWithContext implements cache.ListerWithContext.
func (s observedSource) ListWithContext(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
	list, err := s.consistentLists.ListWithContext(ctx, opts)
	s.note(ctx, err)
	return list, err
}

// WatchWithContext implements cache.WatcherWithContext.
func (s observedSource) WatchWithContext(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	w, err := s.consistentLists.WatchWithContext(ctx, opts)
	s.note(ctx, err)
	return w, err
}

// note leaves out what the reflector mends by itself: a version that is too old, and its
// own end.
func (s observedSource) note(ctx context.Context, err error) {
	if ctx.Err() != nil || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsInvalid(err) {
		return
	}
	s.to.fail(err)
}
