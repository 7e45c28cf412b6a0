package manifest

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of every object that the API server is known to refuse, the place and the rule. The
// golden file shows the line of the file that is meant, for whoever changes it.
func TestRefusedObjectsHaveTheirPlaces(t *testing.T) {
	const dir, golden = "../../test/crd/testdata/invalid", "testdata/invalid.txt"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 64 {
		t.Fatalf("%d files of refused objects, want at least 64", len(entries))
	}
	loader, err := NewLoader()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, e := range entries {
		text, err := os.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		_, problems := loader.Load(t.Context(), Options{FS: os.DirFS(dir)}, Source{Path: e.Name()})
		if len(problems) == 0 {
			t.Errorf("%s: no problem is reported", e.Name())
		}
		for _, d := range problems {
			if d.Line < 1 || d.Line > len(lines) || d.Column < 1 || d.Rule == "" {
				t.Errorf("%s: a problem without a place or a rule: %+v", e.Name(), d)
				continue
			}
			line := []rune(lines[d.Line-1])
			fmt.Fprintf(&got, "%s %s %q\n    %s\n    %s^\n", d.Position, d.Rule, d.Path, string(line), strings.Repeat(" ", d.Column-1))
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}
