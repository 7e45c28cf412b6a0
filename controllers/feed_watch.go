package controllers

import (
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// feedWatch is a watch that never fails and never blocks its source. Its queue is
// bounded by how far the informer, which only moves pointers, can fall behind.
type feedWatch struct {
	results chan watch.Event
	wake    chan struct{}
	done    chan struct{}
	stop    sync.Once

	mu      sync.Mutex
	pending []watch.Event
}

var _ watch.Interface = (*feedWatch)(nil)

func newFeedWatch() *feedWatch {
	return &feedWatch{
		results: make(chan watch.Event),
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
}

// ResultChan implements watch.Interface.
func (w *feedWatch) ResultChan() <-chan watch.Event { return w.results }

// Stop implements watch.Interface.
func (w *feedWatch) Stop() { w.stop.Do(func() { close(w.done) }) }

func (w *feedWatch) push(event watch.Event) {
	w.mu.Lock()
	w.pending = append(w.pending, event)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *feedWatch) take() []watch.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	events := w.pending
	w.pending = nil
	return events
}

// pump ends with Stop and closes the channel, as every watch does.
func (w *feedWatch) pump() {
	defer close(w.results)
	for {
		for _, event := range w.take() {
			select {
			case w.results <- event:
			case <-w.done:
				return
			}
		}
		select {
		case <-w.wake:
		case <-w.done:
			return
		}
	}
}
