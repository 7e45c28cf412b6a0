package cli

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/callgate/callgate/internal/lint"
	"github.com/callgate/callgate/internal/manifest"
)

// TestLintGolden runs command lines as TestGolden does.
func TestLintGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/lint/*.txt")
	if err != nil || len(cases) == 0 {
		t.Fatalf("finding cases: %v, %d found", err, len(cases))
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before, files := sections(string(text))
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

const lintedSchema = "apiVersion: callgate.dev/v1alpha1\nkind: ToolSchema\nmetadata: {name: a}\nspec: {parameters: {type: object, properties: {a: {}}, additionalProperties: true}}\n"

func lintOne(t *testing.T, d Deps, args ...string) (out, errOut string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	d.Out, d.Err, d.In = &stdout, &stderr, strings.NewReader(lintedSchema)
	code = Run(t.Context(), d, append([]string{"lint"}, args...))
	return stdout.String(), stderr.String(), code
}

// Color is for a terminal whose user has not asked for none.
func TestLintColor(t *testing.T) {
	for name, tc := range map[string]struct {
		terminal bool
		env      map[string]string
		want     bool
	}{
		"a terminal":               {true, nil, true},
		"a pipe":                   {false, nil, false},
		"a terminal with NO_COLOR": {true, map[string]string{"NO_COLOR": "1"}, false},
		"a dumb terminal":          {true, map[string]string{"TERM": "dumb"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			out, _, _ := lintOne(t, Deps{Terminal: tc.terminal, Env: func(name string) string { return tc.env[name] }}, "-f", "-")
			if got := strings.Contains(out, "\x1b["); got != tc.want {
				t.Errorf("color: %t, want %t:\n%s", got, tc.want, out)
			}
		})
	}
}

// SARIF is whole JSON and ends with the right code; that it is SARIF is tested where it
// is written.
func TestLintSARIF(t *testing.T) {
	out, _, code := lintOne(t, Deps{Env: func(string) string { return "" }, Version: "v1"}, "-f", "-", "-o", "sarif", "--fail-on", "warning")
	var log struct {
		Runs []struct {
			Tool    struct{ Driver struct{ Version string } }
			Results []struct{ RuleID string }
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	if code != ExitBlocked || len(log.Runs) != 1 || len(log.Runs[0].Results) != 2 || log.Runs[0].Tool.Driver.Version != "v1" {
		t.Errorf("exit code %d, log %+v", code, log)
	}
}

func TestLintListsAllRules(t *testing.T) {
	text, _, code := lintOne(t, Deps{Env: func(string) string { return "" }}, "--rules")
	if code != ExitOK {
		t.Errorf("exit code %d", code)
	}
	asJSON, _, _ := lintOne(t, Deps{Env: func(string) string { return "" }}, "--rules", "-o", "json")
	for _, r := range lint.Rules() {
		if !strings.Contains(text, r.ID+" ("+r.Severity.String()+")\n") {
			t.Errorf("--rules does not list %s", r.ID)
		}
		if !strings.Contains(asJSON, `"id": "`+r.ID+`"`) {
			t.Errorf("--rules -o json does not list %s", r.ID)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 101 {
			t.Errorf("a line of %d letters: %s", len(line), line)
		}
	}
}

// What cannot be read is a sentence and exit code 2, never a clean set.
func TestLintUnreadable(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, sub := range []string{"loop", "good", "empty"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("good/a.yaml", lintedSchema)
	huge, err := os.Create(filepath.Join(dir, "huge.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// A sparse file: no disk holds its 100 MB.
	for _, err := range []error{
		huge.Truncate(100 << 20), huge.Close(),
		os.Symlink("self.yaml", filepath.Join(dir, "self.yaml")),
		os.Symlink("..", filepath.Join(dir, "loop", "up")),
		os.Symlink("..", filepath.Join(dir, "good", "up")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		path string
		code int
		want string
	}{
		"a missing file":                    {"gone.yaml", ExitUsage, "gone.yaml: error: cannot be read: no such file or directory [unreadable]"},
		"a file of 100 MB":                  {"huge.yaml", ExitUsage, "huge.yaml: error: cannot be read: larger than 16 MiB: split it [too-large]"},
		"a link to itself":                  {"self.yaml", ExitUsage, "self.yaml: error: cannot be read: too many levels of symbolic links [unreadable]"},
		"a directory that leads back":       {"loop", ExitUsage, "loop/up: note: passed over: a link to a directory"},
		"a directory that leads back, too":  {"good", ExitOK, "good/up: note: passed over: a link to a directory"},
		"a directory without any manifests": {"empty", ExitUsage, "empty: error: no *.yaml, *.yml or *.json file in this directory [unreadable]"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := lintOne(t, Deps{FS: os.DirFS(dir), Env: func(string) string { return "" }}, "-f", tc.path)
			if code != tc.code || !strings.Contains(out, tc.want) || errOut != "" {
				t.Errorf("exit code %d, want %d:\n%s%s", code, tc.code, out, errOut)
			}
		})
	}
}

// Every object that the API server is known to refuse is an error with a place.
func TestLintRefusesWhatTheAPIServerRefuses(t *testing.T) {
	dir := os.DirFS("../../test/crd/testdata")
	files, err := fs.Glob(dir, "invalid/*.yaml")
	if err != nil || len(files) < 64 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		out, _, code := lintOne(t, Deps{FS: dir, Env: func(string) string { return "" }}, "-f", file, "-o", "json")
		var report struct {
			Findings []struct {
				Severity, Rule string
				Line, Column   int
			}
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatal(err)
		}
		errors := 0
		for _, f := range report.Findings {
			if f.Severity == "error" && f.Line > 0 && f.Column > 0 && !manifest.Unreadable(f.Rule) {
				errors++
			}
		}
		if code != ExitBlocked || errors == 0 || errors != len(report.Findings) {
			t.Errorf("%s: exit code %d, %d errors with a place: %s", file, code, errors, out)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: os.ErrClosed}
}

func TestLintSaysThatItCannotWrite(t *testing.T) {
	var errs bytes.Buffer
	for _, args := range [][]string{{"lint", "-f", "a.yaml"}, {"lint", "--rules"}, {"lint", "-f", "a.yaml", "-o", "sarif"}} {
		errs.Reset()
		code := Run(t.Context(), Deps{
			Out: brokenPipe{}, Err: &errs, FS: fstest.MapFS{"a.yaml": {Data: []byte(lintedSchema)}}, Env: func(string) string { return "" },
		}, args)
		if code != ExitUsage || !strings.HasPrefix(errs.String(), "callgate: writing the ") || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%v: exit code %d: %s", args, code, errs.String())
		}
	}
}

// A pipe that nobody reads any more ends the command with a sentence.
func TestLintBrokenPipe(t *testing.T) {
	if os.Getenv("CALLGATE_TEST_BROKEN_PIPE") != "" {
		d := Process()
		os.Exit(Run(t.Context(), d, []string{"lint", "--rules"}))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	c := exec.CommandContext(t.Context(), self, "-test.run=^TestLintBrokenPipe$")
	c.Env = append(os.Environ(), "CALLGATE_TEST_BROKEN_PIPE=1")
	c.Stdout, c.Stderr = write, &errs
	_ = c.Run()
	_ = write.Close()
	if code := c.ProcessState.ExitCode(); code != ExitUsage || errs.String() != "callgate: writing the rules: broken pipe\n" {
		t.Errorf("exit code %d (%s): %q", code, c.ProcessState, errs.String())
	}
}
