package manifest

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// FuzzLoad: whatever a file holds, Load answers: an object that encodes, a
// problem, a note or nothing; and it answers the same twice.
func FuzzLoad(f *testing.F) {
	cases, err := filepath.Glob("testdata/load/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range cases {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		_, files := sections(string(text))
		for name, body := range files {
			if name != wantSection {
				f.Add(body)
			}
		}
	}
	f.Add("a: &a [*a]")
	f.Add("<<: {a: b}\na: c")
	f.Add("? !!binary aGk=\n: x")
	f.Add("--- # c\n...\n---\n")
	loader, err := NewLoader()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		load := func() string {
			fsys := fstest.MapFS{"f.yaml": &fstest.MapFile{Data: []byte(text)}}
			return outcome(loader.Load(t.Context(), Options{FS: fsys}, Source{Path: "f.yaml"}))
		}
		first := load()
		if again := load(); again != first {
			t.Errorf("two readings differ:\n%s\n%s", first, again)
		}
	})
}
