package fileset_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/internal/manifest"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// volume is a directory as Kubernetes mounts a ConfigMap.
func volume(t *testing.T, dir, version, text string) {
	t.Helper()
	write(t, filepath.Join(dir, version, "a.yaml"), text)
	link := filepath.Join(dir, "..data")
	must(t, os.Symlink(version, link+".new"))
	must(t, os.Rename(link+".new", link))
	if _, err := os.Lstat(filepath.Join(dir, "a.yaml")); err != nil {
		must(t, os.Symlink("..data/a.yaml", filepath.Join(dir, "a.yaml")))
	}
}

const empty = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"

// What a loader would read otherwise is told, however the files became other ones, and
// nothing else is.
func TestRecorder(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after func(t *testing.T, dir string)
		same          bool
	}{
		"nothing": {nil, func(*testing.T, string) {}, true},
		"a write in place": {nil, func(t *testing.T, dir string) {
			before, err := os.Stat(filepath.Join(dir, "a.yaml"))
			must(t, err)
			write(t, filepath.Join(dir, "a.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n")
			// Of the same length, and within the clock's resolution.
			must(t, os.Chtimes(filepath.Join(dir, "a.yaml"), before.ModTime(), before.ModTime()))
		}, false},
		"a rename over it": {nil, func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".a.yaml.swp"), empty+"---\n")
			must(t, os.Rename(filepath.Join(dir, ".a.yaml.swp"), filepath.Join(dir, "a.yaml")))
		}, false},
		"the same once more": {nil, func(t *testing.T, dir string) { write(t, filepath.Join(dir, "a.yaml"), empty) }, true},
		"a file more":        {nil, func(t *testing.T, dir string) { write(t, filepath.Join(dir, "b.yaml"), empty) }, false},
		"a file less":        {nil, func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "a.yaml"))) }, false},
		"a file in a new directory": {nil, func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "sub", "b.yaml"), empty)
		}, false},
		"a file in a known directory": {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "sub", "b.yaml"), "") },
			func(t *testing.T, dir string) { write(t, filepath.Join(dir, "sub", "c.yaml"), empty) }, false},
		"what an editor keeps beside it": {nil, func(t *testing.T, dir string) {
			// Nothing of it is read, but the list of names is another one, and it is safe
			// to read once too often.
			write(t, filepath.Join(dir, ".a.yaml.swp"), "x")
		}, false},
		"what is in a hidden directory": {func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".git", "HEAD"), "a") },
			func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".git", "HEAD"), "b") }, true},
		"what a file may be read by": {nil, func(t *testing.T, dir string) { must(t, os.Chmod(filepath.Join(dir, "a.yaml"), 0o640)) }, true},
		"a mounted ConfigMap": {func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, "a.yaml")))
			volume(t, dir, "..1", empty)
		}, func(t *testing.T, dir string) { volume(t, dir, "..2", empty+"---\n") }, false},
		"the directory itself": {nil, func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "policies")
			write(t, filepath.Join(dir, "a.yaml"), empty)
			if tc.before != nil {
				tc.before(t, dir)
			}
			r := fileset.NewRecorder(os.DirFS(root))
			if _, problems := manifest.Load(t.Context(), manifest.Options{FS: r}, manifest.Source{Path: "policies"}); len(problems) > 0 {
				t.Fatal(problems)
			}
			if !r.Same() {
				t.Fatal("another at once")
			}
			tc.after(t, dir)
			if r.Same() != tc.same {
				t.Errorf("same = %v, want %v", !tc.same, tc.same)
			}
		})
	}
}

// What cannot be found is the same until it can.
func TestRecorderOfWhatIsMissing(t *testing.T) {
	root := t.TempDir()
	r := fileset.NewRecorder(os.DirFS(root))
	if _, err := fs.Stat(r, "a.yaml"); err == nil {
		t.Fatal("found")
	}
	if _, err := r.Open("a.yaml"); err == nil {
		t.Fatal("found")
	}
	if !r.Same() {
		t.Error("another at once")
	}
	write(t, filepath.Join(root, "a.yaml"), empty)
	if r.Same() {
		t.Error("the same, and there now")
	}
}
