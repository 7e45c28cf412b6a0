package docs_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callgate/callgate/internal/cli"
	"github.com/callgate/callgate/internal/lint"
)

// Every command that the document on lint shows prints what it shows.
func TestLintShowsRealFindings(t *testing.T) {
	root, _, blocks := documents(t)
	printAsShown(t, root, commandsShown(t, root, blocks, "docs/lint.md"), cli.ExitOK, cli.ExitBlocked, cli.ExitOK, cli.ExitBlocked, cli.ExitOK)
}

// The list of rules is the program's, in its order and its words.
func TestLintShowsAllRules(t *testing.T) {
	root, _, _ := documents(t)
	_, table, found := strings.Cut(read(t, filepath.Join(root, "docs", "lint.md")), "| rule | severity | what is found | why it matters, and what to do |\n|---|---|---|---|\n")
	if !found {
		t.Fatal("docs/lint.md has no table of rules")
	}
	var want strings.Builder
	for _, r := range lint.Rules() {
		fmt.Fprintf(&want, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, r.Summary, r.Help)
	}
	if diff := cmp.Diff(want.String(), table); diff != "" {
		t.Errorf("the rules (-real +shown):\n%s", diff)
	}
}

// Every provider of the program is in the document, and no other.
func TestLintShowsAllProviders(t *testing.T) {
	root, _, _ := documents(t)
	_, table, _ := strings.Cut(read(t, filepath.Join(root, "docs", "lint.md")), "| `--provider` | names | arguments' names | schema |\n|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var shown []string
	for line := range strings.Lines(table) {
		shown = append(shown, strings.Trim(strings.Split(line, "|")[1], " `"))
	}
	var want []string
	for _, p := range lint.Providers() {
		want = append(want, string(p))
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the providers (-real +shown):\n%s", diff)
	}
}
