package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

func versioned(name, version string) *callgatev1alpha1.ToolSchema {
	obj := toolSchema(name, 1)
	obj.ResourceVersion = version
	return &obj
}

func anys(objects ...*callgatev1alpha1.ToolSchema) []any {
	list := make([]any, len(objects))
	for i, o := range objects {
		list[i] = o
	}
	return list
}

// drain takes n events off the feed's watch.
func drain(t *testing.T, w watch.Interface, n int) []string {
	t.Helper()
	var events []string
	for range n {
		select {
		case e := <-w.ResultChan():
			obj := e.Object.(*callgatev1alpha1.ToolSchema)
			events = append(events, fmt.Sprintf("%s %s@%s", e.Type, obj.Name, obj.ResourceVersion))
		case <-time.After(10 * time.Second):
			t.Fatalf("only %d of %d events: %v", len(events), n, events)
		}
	}
	return events
}

// opened is a feed that has been listed, without a reflector behind it.
func opened(t *testing.T, first []any, version string) (*feed, watch.Interface) {
	t.Helper()
	f := newFeed(nil, &callgatev1alpha1.ToolSchema{})
	f.once.Do(func() {})
	if err := f.Replace(first, version); err != nil {
		t.Fatal(err)
	}
	list, err := f.ListWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if l := list.(*metainternalversion.List); len(l.Items) != len(first) || l.ResourceVersion != version {
		t.Fatalf("listed %d at %s, want %d at %s", len(l.Items), l.ResourceVersion, len(first), version)
	}
	w, err := f.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return f, w
}

func TestFeedTurnsARelistIntoTheEventsThatWereMissed(t *testing.T) {
	f, w := opened(t, anys(versioned("kept", "1"), versioned("changed", "2"), versioned("gone", "3")), "5")
	if err := f.Replace(anys(versioned("kept", "1"), versioned("changed", "7"), versioned("new", "8")), "9"); err != nil {
		t.Fatal(err)
	}
	got := drain(t, w, 3)
	slices.Sort(got)
	want := []string{"ADDED new@8", "DELETED gone@3", "MODIFIED changed@7"}
	if !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestFeedPassesEventsOn(t *testing.T) {
	f, w := opened(t, nil, "5")
	for _, err := range []error{
		f.Add(versioned("a", "6")), f.Update(versioned("a", "7")), f.Delete(versioned("a", "8")), f.Bookmark("20"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"ADDED a@6", "MODIFIED a@7", "DELETED a@8"}
	if got := drain(t, w, 3); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestFeedNeverGoesBack(t *testing.T) {
	cases := map[string]func(*feed) error{
		"behind the list":       func(*feed) error { return nil },
		"behind an event":       func(f *feed) error { return f.Add(versioned("b", "100")) },
		"behind a deletion":     func(f *feed) error { return f.Delete(versioned("a", "100")) },
		"behind a bookmark":     func(f *feed) error { return f.Bookmark("100") },
		"an order not of texts": func(f *feed) error { return f.Bookmark("1000") },
	}
	for name, advance := range cases {
		t.Run(name, func(t *testing.T) {
			f, _ := opened(t, anys(versioned("a", "10")), "10")
			if err := advance(f); err != nil {
				t.Fatal(err)
			}
			before := len(f.items)
			if err := f.Replace(anys(versioned("revoked", "3")), "9"); !errors.Is(err, errOlder) {
				t.Errorf("Replace() = %v, want errOlder", err)
			}
			if len(f.items) != before {
				t.Error("the older list was taken over")
			}
		})
	}
}

func TestFeedIsWatchedOnceAList(t *testing.T) {
	f, _ := opened(t, nil, "5")
	if _, err := f.WatchWithContext(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("a second watch would share the events of the first")
	}
}

// flaky is an API server that is down for its first requests.
type flaky struct {
	mu       sync.Mutex
	failures int
	lists    []string
	watcher  *watch.FakeWatcher
}

func (s *flaky) List(opts metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists = append(s.lists, opts.ResourceVersion)
	if s.failures > 0 {
		s.failures--
		return nil, errors.New("connection refused")
	}
	list := &callgatev1alpha1.ToolSchemaList{Items: []callgatev1alpha1.ToolSchema{*versioned("a", "4")}}
	list.ResourceVersion = "5"
	return list, nil
}

func (s *flaky) Watch(opts metav1.ListOptions) (watch.Interface, error) {
	if opts.SendInitialEvents != nil {
		return nil, errors.New("lists are not streamed here")
	}
	return s.watcher, nil
}

func TestInformerOverAFeed(t *testing.T) {
	server := &flaky{failures: 3, watcher: watch.NewFake()}
	informer := newInformer(server, &callgatev1alpha1.ToolSchema{}, 0, cache.Indexers{})
	go informer.RunWithContext(t.Context())
	start := time.Now()
	if !cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced) {
		t.Fatal("not synced")
	}
	// client-go's own backoff would have taken 5.6 to 11 seconds for three failures.
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("synced after %s", took)
	}
	server.mu.Lock()
	if slices.Contains(server.lists, "0") {
		t.Error("asked for whatever a cache holds, which may be old")
	}
	server.mu.Unlock()
	server.watcher.Add(versioned("b", "6"))
	server.watcher.Delete(versioned("a", "7"))
	if err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
		return slices.Equal(informer.GetStore().ListKeys(), []string{"n/b"}), nil
	}); err != nil {
		t.Fatalf("store holds %v, want n/b", informer.GetStore().ListKeys())
	}
}
