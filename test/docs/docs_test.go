// Package docs_test holds the documents to what the program does.
package docs_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/cli"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/testenv"
)

// block is one fenced block of a document.
type block struct{ file, language, text string }

var fence = regexp.MustCompile("(?ms)^ *```([a-z]+)\n(.*?)^ *```$")

func documents(t *testing.T) (root string, files []string, blocks []block) {
	t.Helper()
	root, err := testenv.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/providers/*.md", "docs/decisions/*.md", "docs/benchmarks/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		for _, m := range fence.FindAllStringSubmatch(read(t, file), -1) {
			blocks = append(blocks, block{file: file, language: m[1], text: m[2]})
		}
	}
	if len(files) < 10 || len(blocks) < 10 {
		t.Fatalf("found %d documents with %d blocks: the search is broken", len(files), len(blocks))
	}
	return root, files, blocks
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// review runs a command as documents write it, from the module's root: "< FILE" at its end
// is its standard input.
func review(t *testing.T, root string, args ...string) (string, int) {
	t.Helper()
	stdin := ""
	if n := len(args) - 2; n >= 0 && args[n] == "<" {
		stdin, args = read(t, filepath.Join(root, args[n+1])), args[:n]
	}
	var out, errOut bytes.Buffer
	code := cli.Run(t.Context(), cli.Deps{
		In: strings.NewReader(stdin), Out: &out, Err: &errOut,
		FS: os.DirFS("/"), Dir: strings.TrimPrefix(filepath.ToSlash(root), "/"),
		Env: func(name string) string { return map[string]string{"LANG": "C.UTF-8"}[name] },
	}, args)
	if errOut.Len() > 0 {
		t.Logf("standard error: %s", &errOut)
	}
	return out.String(), code
}

func TestREADMEShowsARealVerdict(t *testing.T) {
	root, _, blocks := documents(t)
	printAsShown(t, root, commandsShown(t, root, blocks, "README.md"), cli.ExitBlocked)
}

// shownCommand is a command of the program in a document: what is typed, without the
// program's name, and what is shown of the output.
type shownCommand struct{ arguments, output string }

// commandsShown are the commands that a file, under the module's root, shows. A command of
// another program fails the test unless it is one of others.
func commandsShown(t *testing.T, root string, blocks []block, file string, others ...string) []shownCommand {
	t.Helper()
	var found []shownCommand
	for _, b := range blocks {
		if b.language != "console" || b.file != filepath.Join(root, file) {
			continue
		}
		command, output, _ := strings.Cut(b.text, "\n")
		arguments, ours := strings.CutPrefix(command, "$ callgate ")
		switch {
		case ours:
			found = append(found, shownCommand{arguments, output})
		case !slices.Contains(others, strings.Fields(command + " . .")[1]):
			t.Errorf("%s: %q is no command of ours", file, command)
		}
	}
	return found
}

// printAsShown runs each command that a file shows, and fails the test where one prints
// something else, or does not end with its code of codes.
func printAsShown(t *testing.T, root string, commands []shownCommand, codes ...int) {
	t.Helper()
	if len(commands) != len(codes) {
		t.Errorf("found %d commands, want %d", len(commands), len(codes))
		return
	}
	for i, c := range commands {
		got, code := review(t, root, strings.Fields(c.arguments)...)
		if diff := cmp.Diff(anyRevision(c.output), anyRevision(got)); diff != "" {
			t.Errorf("another output of %q (-shown +real):\n%s", c.arguments, diff)
		}
		if code != codes[i] {
			t.Errorf("%q ends with %d, want %d", c.arguments, code, codes[i])
		}
	}
}

// anyRevision takes one revision for another: it changes with every sample, and says
// nothing to whoever reads the document.
func anyRevision(output string) string {
	return regexp.MustCompile(`revision sha256:[0-9a-f]{64}`).ReplaceAllString(output, "revision sha256:…")
}

func TestDocumentsShowTheRealAnswer(t *testing.T) {
	root, _, blocks := documents(t)
	got, code := review(t, root, "review", "-f", "config/samples", "--as", "system:serviceaccount:default:assistant", "-o", "json", "docs/examples/review.json")
	if code != cli.ExitBlocked {
		t.Errorf("exit code %d, want %d", code, cli.ExitBlocked)
	}
	var answer reviewv1alpha1.ToolCallReview
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		t.Fatal(err)
	}
	shownIn := map[string]bool{}
	for _, b := range blocks {
		if b.language != "json" {
			continue
		}
		var shown reviewv1alpha1.ToolCallResult
		if err := json.Unmarshal([]byte(b.text), &shown); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(answer.Response.Results[0], shown); diff != "" {
			t.Errorf("%s shows another answer (-real +shown):\n%s", b.file, diff)
		}
		shownIn[filepath.Base(b.file)] = true
	}
	if !shownIn["README.md"] || !shownIn["verdicts.md"] {
		t.Errorf("the answer is shown in %v, want README.md and verdicts.md", shownIn)
	}
}

// The examples in the documents are those that the end-to-end tests run.
func TestExamplesAreTheTestedOnes(t *testing.T) {
	root, _, blocks := documents(t)
	for example, language := range map[string]string{"call.sh": "sh", "call.py": "python", "call/main.go": "go"} {
		want := read(t, filepath.Join(root, "docs", "examples", example))
		found := false
		for _, b := range blocks {
			found = found || (b.language == language && b.text == want)
		}
		if !found {
			t.Errorf("no document shows docs/examples/%s as it is", example)
		}
	}
}

// Every object shown is one that a cluster would take as it stands.
func TestObjectsShownAreValid(t *testing.T) {
	_, _, blocks := documents(t)
	shown := 0
	for _, b := range blocks {
		if b.language != "yaml" || !strings.Contains(b.text, "apiVersion: callgate.dev/") {
			continue
		}
		shown++
		files := fstest.MapFS{"objects.yaml": &fstest.MapFile{Data: []byte(b.text)}}
		_, problems := manifest.Load(t.Context(), manifest.Options{FS: files, DefaultNamespace: "default"}, manifest.Source{Path: "objects.yaml"})
		for _, p := range problems {
			t.Errorf("%s: %+v in\n%s", b.file, p, b.text)
		}
	}
	if shown < 3 {
		t.Errorf("the documents show %d objects, want at least 3", shown)
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	_, files, _ := documents(t)
	for _, file := range files {
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", file, m[1])
			}
		}
	}
}
