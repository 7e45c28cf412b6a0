package manifest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const wantSection = "want"

// TestGolden loads the files of each case and compares what came out: every
// object as stored, every diagnostic, every note. A case is one text of sections
// "-- name --"; a section that begins with "-" is a source instead of a file.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/load/*.txt")
	if err != nil || len(cases) == 0 {
		t.Fatalf("finding cases: %v, %d found", err, len(cases))
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			inputs, files := sections(string(text))
			got := run(t, files)
			if *update {
				if err := os.WriteFile(file, []byte(inputs+"-- "+wantSection+" --\n"+got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(files[wantSection], got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

// sections cuts a case; inputs is the text before the wanted outcome.
func sections(text string) (inputs string, files map[string]string) {
	files = map[string]string{}
	name := ""
	var body, before strings.Builder
	flush := func() {
		if name != "" {
			files[name] = body.String()
		}
		body.Reset()
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(strings.TrimSpace(rest), " --") {
			flush()
			name = strings.TrimSuffix(strings.TrimSpace(rest), " --")
		} else {
			body.WriteString(line)
		}
		if name != wantSection {
			before.WriteString(line)
		}
	}
	flush()
	return before.String(), files
}

func run(t *testing.T, files map[string]string) string {
	t.Helper()
	fsys := fstest.MapFS{}
	opts := Options{FS: fsys}
	sources := []Source{}
	for name, text := range files {
		switch name {
		case wantSection:
		case "-stdin":
			opts.Stdin = strings.NewReader(text)
			sources = append(sources, Source{Path: Stdin})
		default:
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	if len(fsys) > 0 {
		sources = append(sources, Source{Path: "."})
	}
	set, problems := Load(t.Context(), opts, sources...)
	return outcome(set, problems)
}

func outcome(set *Set, problems []Diagnostic) string {
	var b strings.Builder
	show := func(key Key) {
		fmt.Fprintf(&b, "%s at %s\n  %s\n", key, set.Position(key, ""), set.Stored(key))
	}
	for _, o := range set.Schemas {
		show(Key{KindToolSchema, o.Namespace, o.Name})
	}
	for _, o := range set.Policies {
		show(Key{KindToolPolicy, o.Namespace, o.Name})
	}
	for _, o := range set.Adapters {
		show(Key{KindToolAdapter, o.Namespace, o.Name})
	}
	for _, o := range set.Namespaces {
		show(Key{KindNamespace, "", o.Name})
	}
	for _, o := range set.ConfigMaps {
		show(Key{KindConfigMap, o.Namespace, o.Name})
	}
	for _, o := range set.Roles {
		show(Key{KindRole, o.Namespace, o.Name})
	}
	for _, o := range set.ClusterRoles {
		show(Key{KindClusterRole, "", o.Name})
	}
	for _, o := range set.RoleBindings {
		show(Key{KindRoleBinding, o.Namespace, o.Name})
	}
	for _, o := range set.ClusterRoleBindings {
		show(Key{KindClusterRoleBinding, "", o.Name})
	}
	for _, d := range problems {
		if d.Rule == "" {
			b.WriteString("NO RULE: ")
		}
		fmt.Fprintf(&b, "error: %s (%s)\n", d, d.Rule)
	}
	for _, d := range set.Warnings {
		fmt.Fprintf(&b, "warning: %s (%s)\n", d, d.Rule)
	}
	for _, n := range set.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}
