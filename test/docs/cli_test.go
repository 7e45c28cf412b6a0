package docs_test

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
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/callgate/callgate/internal/app"
	"github.com/callgate/callgate/internal/cli"
)

var update = flag.Bool("update", false, "write docs/cli anew")

// The reference of the command line is what the commands say of themselves.
func TestReferenceOfTheCommandLine(t *testing.T) {
	t.Setenv("POD_NAMESPACE", "")
	root, _, _ := documents(t)
	dir := filepath.Join(root, "docs", "cli")
	pages := map[string]string{}
	walk(t, wholeCommand(), pages)
	if *update {
		rewrite(t, dir, pages)
		return
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if _, known := pages[filepath.Base(file)]; !known {
			t.Errorf("%s is about no command: go test ./test/docs -run Reference -update", file)
		}
	}
	for name, want := range pages {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%v: go test ./test/docs -run Reference -update", err)
			continue
		}
		if diff := cmp.Diff(want, string(text)); diff != "" {
			t.Errorf("%s is not what the command says: go test ./test/docs -run Reference -update (-command +document):\n%s", name, diff)
		}
	}
}

func wholeCommand() *cobra.Command {
	c := cli.NewRoot(cli.Deps{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, FS: fstest.MapFS{}, Env: func(string) string { return "" }}, app.NewManagerCommand(), app.NewServeCommand())
	c.DisableAutoGenTag = true
	c.InitDefaultCompletionCmd()
	return c
}

func walk(t *testing.T, c *cobra.Command, pages map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := doc.GenMarkdownCustom(c, &b, func(name string) string { return name }); err != nil {
		t.Fatal(err)
	}
	pages[strings.ReplaceAll(c.CommandPath(), " ", "_")+".md"] = b.String()
	for _, inner := range c.Commands() {
		if inner.IsAvailableCommand() {
			walk(t, inner, pages)
		}
	}
}

func rewrite(t *testing.T, dir string, pages map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Every flag of an example is one that its command has, and every command is shown with
// an example.
func TestExamplesOfTheCommandLine(t *testing.T) {
	called := regexp.MustCompile(`(?m)^\s*(?:[^#|]*\| )?callgate ((?:[a-z]+ )*)`)
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		inner := c.Commands()
		if c.IsAvailableCommand() && c.HasParent() && c.Parent().Name() != "completion" && c.Parent().Name() != "import" && c.Name() != "version" && c.Name() != "completion" && c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for _, m := range called.FindAllStringSubmatch(c.Example, -1) {
			if _, _, err := c.Root().Find(strings.Fields(m[1])); err != nil {
				t.Errorf("%s: an example calls %q: %v", c.CommandPath(), m[0], err)
			}
		}
		for line := range strings.Lines(c.Example) {
			_, ours, _ := strings.Cut(line, "callgate "+c.Name())
			for _, f := range regexp.MustCompile(` --([a-z-]+)`).FindAllStringSubmatch(ours, -1) {
				if c.Flags().Lookup(f[1]) == nil && c.PersistentFlags().Lookup(f[1]) == nil && !has(inner, f[1]) {
					t.Errorf("%s: an example has the flag --%s, which there is not", c.CommandPath(), f[1])
				}
			}
		}
		for _, i := range inner {
			look(i)
		}
	}
	look(wholeCommand())
}

func has(commands []*cobra.Command, name string) bool {
	for _, c := range commands {
		if c.Flags().Lookup(name) != nil {
			return true
		}
	}
	return false
}

// A completion script is printed for every shell that there is one for.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		var out, errOut bytes.Buffer
		code := cli.Run(t.Context(), cli.Deps{In: strings.NewReader(""), Out: &out, Err: &errOut, FS: fstest.MapFS{}, Env: func(string) string { return "" }}, []string{"completion", shell})
		if code != cli.ExitOK || !strings.Contains(out.String(), "callgate") {
			t.Errorf("%s: exit code %d, %d bytes: %s", shell, code, out.Len(), fmt.Sprint(errOut.String()))
		}
	}
}
