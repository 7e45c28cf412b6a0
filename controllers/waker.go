package controllers

import (
	"context"
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// waker lets one controller wake another. It never blocks: what is woken before
// the other has started waits for it.
type waker struct {
	mu     sync.Mutex
	queue  workqueue.TypedRateLimitingInterface[reconcile.Request]
	early  map[reconcile.Request]struct{}
	origin string
}

var _ source.Source = (*waker)(nil)

func newWaker(origin string) *waker {
	return &waker{origin: origin, early: map[reconcile.Request]struct{}{}}
}

// Start implements source.Source.
func (w *waker) Start(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = queue
	for request := range w.early {
		queue.Add(request)
	}
	w.early = nil
	return nil
}

// String names the source in logs.
func (w *waker) String() string { return w.origin }

func (w *waker) wake(requests ...reconcile.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, request := range requests {
		if w.queue == nil {
			w.early[request] = struct{}{}
			continue
		}
		w.queue.Add(request)
	}
}
