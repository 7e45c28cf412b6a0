package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden runs command lines on files in memory. A case is one text of sections
// "-- name --": "args" has one argument a line, "stdin" is standard input, "want"
// is what comes out, and every other section is a file.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(cases) == 0 {
		t.Fatalf("finding cases: %v, %d found", err, len(cases))
	}
	shared, err := os.ReadFile("testdata/objects.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before, files := sections(string(text))
			files["objects.yaml"] = string(shared)
			got := runCase(t, files)
			if *update {
				if err := os.WriteFile(file, []byte(before+"-- want --\n"+got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(files["want"], got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

func sections(text string) (before string, files map[string]string) {
	files = map[string]string{}
	name := ""
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(rest, " --\n") {
			name = strings.TrimSuffix(rest, " --\n")
			files[name] = ""
		} else if name != "" {
			files[name] += line
		}
		if name != "want" {
			kept.WriteString(line)
		}
	}
	return kept.String(), files
}

func runCase(t *testing.T, files map[string]string) string {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		if name != "args" && name != "stdin" && name != "want" {
			fsys["work/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	env := map[string]string{"LANG": "C.UTF-8"}
	out, errOut, code := runIn(t, fsys, env, files["stdin"], strings.Fields(files["args"])...)
	return fmt.Sprintf("exit %d\n--- stdout\n%s--- stderr\n%s", code, masked(out), errOut)
}

// masked hides what changes whenever anything that decides a verdict does.
func masked(out string) string {
	out = regexp.MustCompile(`(revision"?:? "?sha256:)[0-9a-f]{64}`).ReplaceAllString(out, "${1}REVISION")
	return regexp.MustCompile(`("uid": "cli-)[0-9a-f]{32}"`).ReplaceAllString(out, `${1}UID"`)
}

func runIn(t *testing.T, fsys fstest.MapFS, env map[string]string, stdin string, args ...string) (out, errOut string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), Deps{
		In: strings.NewReader(stdin), Out: &stdout, Err: &stderr,
		FS: fsys, Dir: "work",
		Env: func(name string) string { return env[name] },
	}, args)
	return stdout.String(), stderr.String(), code
}
