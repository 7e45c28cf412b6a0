package app

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"k8s.io/utils/clock"

	"github.com/callgate/callgate/webhooks"
)

// words is a file in memory that is watched, and what became of it.
type words struct {
	mu   sync.Mutex
	text string
	used string
	log  []string
}

// Open implements fs.FS.
func (w *words) Open(name string) (fs.File, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fstest.MapFS{name: {Data: []byte(w.text)}}.Open(name)
}

func (w *words) write(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = text
}

func (w *words) state() (used string, log []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.used, slices.Clone(w.log)
}

// watch watches a file of words, of which bad ones are refused.
func (w *words) watch(files fs.FS) *watched {
	locked := func(f func()) {
		w.mu.Lock()
		defer w.mu.Unlock()
		f()
	}
	return &watched{
		name: "words", files: files, interval: time.Second, clock: clock.RealClock{}, beat: &webhooks.Heartbeat{},
		log: funcr.New(func(_, args string) { locked(func() { w.log = append(w.log, args) }) }, funcr.Options{}),
		read: func(_ context.Context, files fs.FS) (func(), error) {
			text, err := fs.ReadFile(files, "file")
			if err == nil && strings.Contains(string(text), "bad") {
				err = unusable(strings.Fields(string(text)))
			}
			return func() { locked(func() { w.used = string(text) }) }, err
		},
	}
}

func TestWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &words{text: "first"}
		w := file.watch(file)
		if err := w.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.run(ctx) }()
		expect := func(after time.Duration, want string, records int) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if used, log := file.state(); used != want || len(log) != records {
				t.Errorf("used %q, want %q; %d records, want %d: %q", used, want, len(log), records, log)
			}
		}
		// Between two seconds, so that nothing is being read while the file changes.
		expect(500*time.Millisecond, "first", 0)

		file.write("second")
		expect(500*time.Millisecond+settle/2, "first", 0)
		expect(settle, "second", 0)

		file.write("bad worse")
		expect(2*time.Second, "second", 3)
		if text := w.detail(); !strings.Contains(text, "words: CHANGED AND NOT IN FORCE") || !strings.Contains(text, "bad (and 1 more)") {
			t.Errorf("detail %q", text)
		}
		if _, log := file.state(); !strings.Contains(log[2], "NOTHING OF THE CHANGE IS IN FORCE") {
			t.Errorf("the log is %q", log)
		}
		// The same is not told again.
		expect(10*time.Second, "second", 3)

		file.write("second")
		expect(2*time.Second, "second", 4)
		if text := w.detail(); text != "" {
			t.Errorf("detail %q", text)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// restless holds something else each time it is read.
type restless struct{ n int }

func (r *restless) Open(name string) (fs.File, error) {
	r.n++
	return fstest.MapFS{name: {Data: []byte(strings.Repeat("x", r.n))}}.Open(name)
}

// Files that never come to rest are not used, and end nothing.
func TestWatchedFilesThatKeepChanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state := &words{}
		w := state.watch(&restless{})
		if err := w.start(t.Context()); err == nil || !strings.Contains(err.Error(), "keep changing") {
			t.Errorf("error %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.run(ctx); err != nil || w.detail() == "" {
			t.Errorf("error %v, detail %q", err, w.detail())
		}
		if used, _ := state.state(); used != "" {
			t.Errorf("used %q", used)
		}
	})
}

func TestProblemsAreBounded(t *testing.T) {
	err := unusable(make([]string, 3*maxProblems))
	several, ok := errors.AsType[*unusableError](err)
	if !ok || len(several.lines) != maxProblems+1 || several.lines[maxProblems] != "and 200 more" {
		t.Errorf("%d lines, the last %q", len(several.lines), several.lines[len(several.lines)-1])
	}
}
