package manifest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/types"
)

const header = "apiVersion: callgate.dev/v1alpha1\nkind: ToolSchema\n"

func schemaNamed(name string) string {
	return header + "metadata: {name: " + name + "}\nspec: {}\n"
}

func mapFS(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func loadText(t testing.TB, text string) (*Set, []Diagnostic) {
	t.Helper()
	return Load(t.Context(), Options{FS: mapFS(map[string]string{"f.yaml": text})}, Source{Path: "f.yaml"})
}

func TestSources(t *testing.T) {
	fsys := mapFS(map[string]string{
		"dir/b.yaml":         schemaNamed("b"),
		"dir/sub/a.yml":      schemaNamed("a"),
		"dir/c.json":         `{"apiVersion":"callgate.dev/v1alpha1","kind":"ToolSchema","metadata":{"name":"c"},"spec":{}}`,
		"dir/notes.txt":      "not read",
		"dir/..data/x.yaml":  "not read",
		"dir/.git/x.yaml":    "not read",
		"odd.manifest":       schemaNamed("odd"),
		"empty/README.md":    "nothing here",
		"other/kustomize.md": "nothing here",
	})
	cases := map[string]struct {
		sources      []Source
		wantSchemas  []string
		wantProblems []string
	}{
		"a directory is read recursively": {
			sources:     []Source{{Path: "dir"}},
			wantSchemas: []string{"a", "b", "c"},
		},
		"a file that is named is read whatever its name": {
			sources:     []Source{{Path: "odd.manifest"}},
			wantSchemas: []string{"odd"},
		},
		"a file that is named twice is one file": {
			sources:     []Source{{Path: "dir/b.yaml"}, {Path: "dir"}, {Path: "dir/b.yaml"}},
			wantSchemas: []string{"a", "b", "c"},
		},
		"a missing file": {
			sources:      []Source{{Path: "gone.yaml", Name: "./gone.yaml"}},
			wantProblems: []string{"./gone.yaml: cannot be read: file does not exist"},
		},
		"a directory without manifests": {
			sources:      []Source{{Path: "empty"}},
			wantProblems: []string{"empty: no *.yaml, *.yml or *.json file in this directory"},
		},
		"standard input that is not there": {
			sources:      []Source{{Path: Stdin}},
			wantProblems: []string{"<stdin>: cannot be read: there is no standard input"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set, problems := Load(t.Context(), Options{FS: fsys}, tc.sources...)
			var got []string
			for _, s := range set.Schemas {
				got = append(got, s.Name)
			}
			if fmt.Sprint(got) != fmt.Sprint(tc.wantSchemas) {
				t.Errorf("schemas = %v, want %v", got, tc.wantSchemas)
			}
			wantProblems(t, problems, tc.wantProblems...)
		})
	}
}

func wantProblems(t *testing.T, got []Diagnostic, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d problems, want %d:\n%v", len(got), len(want), got)
	}
	for i := range got {
		if got[i].String() != want[i] {
			t.Errorf("problem %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

// A mounted ConfigMap shows each file as a link into a hidden directory.
func TestMountedConfigMapIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	hidden := filepath.Join(dir, "..2026_01_01")
	for _, err := range []error{
		os.Mkdir(hidden, 0o700),
		os.WriteFile(filepath.Join(hidden, "a.yaml"), []byte(schemaNamed("a")), 0o600),
		os.Symlink("..2026_01_01", filepath.Join(dir, "..data")),
		os.Symlink("..data/a.yaml", filepath.Join(dir, "a.yaml")),
		os.Symlink("nowhere", filepath.Join(dir, "z.yaml")),
		os.Symlink(".", filepath.Join(dir, "circle.yaml")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	set, problems := Load(t.Context(), Options{FS: os.DirFS(dir)}, Source{Path: ".", Name: "policies"})
	if len(set.Schemas) != 1 {
		t.Errorf("%d schemas, want 1", len(set.Schemas))
	}
	wantProblems(t, problems, "policies/z.yaml: cannot be read: no such file or directory")
}

func TestBounds(t *testing.T) {
	var tower strings.Builder
	tower.WriteString("x0: &x0 [a]\n")
	for i := range maxDepth {
		fmt.Fprintf(&tower, "x%d: &x%d [*x%d]\n", i+1, i+1, i)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	cases := map[string]struct{ text, want string }{
		"file":               {strings.Repeat("#", MaxFileBytes+1), "f.yaml: cannot be read: larger than 16 MiB: split it"},
		"documents":          {strings.Repeat("---\na: b\n", MaxDocuments), "f.yaml: more than 10000 documents in one file: split it"},
		"YAML levels":        {"a: " + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), "f.yaml:1:1: nested deeper than 512 levels"},
		"tower of aliases":   {tower.String(), "f.yaml:1:1: nested deeper than 512 levels"},
		"alias bomb":         {bomb, "f.yaml:1:1: with its aliases written out the document is over 16 MiB, or never ends"},
		"JSON levels":        {`{"a":` + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1) + "}", "f.yaml:1:1: JSON is nested too deeply"},
		"object":             {header + "metadata: {name: a}\nspec: {parametersJSON: \"" + strings.Repeat("x", MaxObjectBytes) + "\"}", "f.yaml:1:1: ToolSchema default/a: larger than 3 MiB, which the API server refuses"},
		"lists":              {strings.Repeat("{apiVersion: v1, kind: List, items: [", 5) + strings.Repeat("]}", 5), "f.yaml:1:149: lists nest deeper than 4"},
		"not UTF-8":          {"a: 1\nb: \xff", "f.yaml:2:4: the file is not UTF-8 text"},
		"terminal sequences": {header + "metadata: {name: \"\\e[2J\"}\nspec: {}", `f.yaml:3:12: ToolSchema default/\u001b[2J: /metadata/name: Invalid value: "\x1b[2J": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, problems := loadText(t, tc.text)
			wantProblems(t, problems, tc.want)
		})
	}
}

func TestProblemsOfOneDocumentAreBounded(t *testing.T) {
	text := header + "metadata: {name: a}\nspec:\n"
	for i := range 10 * maxProblems {
		text += fmt.Sprintf("  x%d: 1\n", i)
	}
	_, problems := loadText(t, text)
	if len(problems) != maxProblems+1 {
		t.Errorf("%d problems, want %d", len(problems), maxProblems+1)
	}
}

func TestMergesOfMergesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: ConfigMap\ndata:\n- &m0 {k0: 0}\n")
	for i := range 1500 {
		fmt.Fprintf(&b, "- &m%d {<<: *m%d, k%d: 0}\n", i+1, i, i+1)
	}
	set, problems := loadText(t, b.String())
	if len(set.Notes)+len(problems) != 1 {
		t.Errorf("%d notes and %d problems, want one answer: %v", len(set.Notes), len(problems), problems)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, problems := Load(ctx, Options{FS: mapFS(map[string]string{"f.yaml": "a: b"})}, Source{Path: "f.yaml"})
	wantProblems(t, problems, "f.yaml: cannot be read: context canceled")
}

type brokenFS struct{ fstest.MapFS }

func (b brokenFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "dir/locked" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("permission denied")}
	}
	return b.MapFS.ReadDir(name)
}

func TestUnreadableDirectoryIsNotPassedOver(t *testing.T) {
	fsys := brokenFS{mapFS(map[string]string{"dir/a.yaml": schemaNamed("a"), "dir/locked/b.yaml": schemaNamed("b")})}
	_, problems := Load(t.Context(), Options{FS: fsys}, Source{Path: "dir"})
	wantProblems(t, problems, "dir/locked: cannot be read: permission denied")
}

func TestPositions(t *testing.T) {
	set, problems := loadText(t, `apiVersion: callgate.dev/v1alpha1
kind: ToolSchema
metadata: {name: a, namespace: ns}
spec:
  parameters:
    properties:
      "a/b~c":
        type: [string, nil]
---
apiVersion: callgate.dev/v1alpha1
kind: ToolSchema
metadata: {name: text, namespace: ns}
spec:
  parametersJSON: |

    {
      "properties": {"x": {
        "type": "objekt"}}
    }
---
apiVersion: callgate.dev/v1alpha1
kind: ToolSchema
metadata: {name: quoted, namespace: ns}
spec:
  parametersJSON: "{}"
`)
	wantProblems(t, problems)
	cases := map[string]struct{ name, pointer, want string }{
		"root":             {"a", "", "f.yaml:5:3"},
		"escaped":          {"a", "/properties/a~1b~0c", "f.yaml:7:7"},
		"item":             {"a", "/properties/a~1b~0c/type/1", "f.yaml:8:24"},
		"nearest":          {"a", "/properties/a~1b~0c/required/0", "f.yaml:7:7"},
		"text":             {"text", "", "f.yaml:16:5"},
		"inside a text":    {"text", "/properties/x/type", "f.yaml:18:9"},
		"quoted text":      {"quoted", "/properties/x", "f.yaml:25:20"},
		"unknown object":   {"other", "", ""},
		"index not a list": {"a", "/properties/7", "f.yaml:6:5"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := set.SchemaPosition(types.NamespacedName{Namespace: "ns", Name: tc.name}, tc.pointer)
			if got.String() != tc.want {
				t.Errorf("position of %q = %s, want %s", tc.pointer, got, tc.want)
			}
		})
	}
}

// The compiler takes over what it knows by UID and generation.
func TestUIDSaysWhatTheObjectHolds(t *testing.T) {
	uid := func(text string) types.UID {
		set, problems := loadText(t, text)
		wantProblems(t, problems)
		if g := set.Schemas[0].Generation; g != 1 {
			t.Errorf("generation = %d, want 1", g)
		}
		return set.Schemas[0].UID
	}
	one := uid(schemaNamed("a"))
	if again := uid("# moved\n\n" + schemaNamed("a")); again != one {
		t.Errorf("UID of the same object = %s, want %s", again, one)
	}
	if other := uid(strings.Replace(schemaNamed("a"), "spec: {}", "spec: {toolName: b}", 1)); other == one {
		t.Errorf("UID %s did not change with the object", other)
	}
}
