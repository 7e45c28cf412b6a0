package docs_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/cli"
)

// What the document on tests shows is how the output begins, and every case passes.
func TestTheCasesShownPass(t *testing.T) {
	root, _, blocks := documents(t)
	commands := commandsShown(t, root, blocks, "docs/testing-policies.md")
	for _, c := range commands {
		got, code := review(t, root, strings.Fields(c.arguments)...)
		if code != cli.ExitOK || !strings.HasPrefix(got, c.output) || !strings.Contains(got, "passed: ") {
			t.Errorf("%q gives, with exit code %d:\n%s", c.arguments, code, got)
		}
	}
	if len(commands) != 2 {
		t.Errorf("ran %d commands, want 2", len(commands))
	}
}

// Every case of the samples passes.
func TestTheSamplesPassTheirCases(t *testing.T) {
	root, _, _ := documents(t)
	for _, dir := range []string{"config/samples", "config/samples/support-assistant", "internal/cli/testdata/verdictan"} {
		if got, code := review(t, root, "test", "-f", dir); code != cli.ExitOK {
			t.Errorf("%s: exit code %d:\n%s", dir, code, got)
		}
	}
}
