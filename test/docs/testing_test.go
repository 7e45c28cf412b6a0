package docs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/cli"
)

// What the document on tests shows is how the output begins, and every case passes.
func TestTheCasesShownPass(t *testing.T) {
	root, _, blocks := documents(t)
	ran := 0
	for _, b := range blocks {
		if b.language != "console" || filepath.Base(b.file) != "testing-policies.md" {
			continue
		}
		command, want, _ := strings.Cut(b.text, "\n")
		arguments, ours := strings.CutPrefix(command, "$ callgate ")
		if !ours {
			t.Errorf("%q is no command of ours", command)
			continue
		}
		ran++
		got, code := review(t, root, strings.Fields(arguments)...)
		if code != cli.ExitOK || !strings.HasPrefix(got, want) || !strings.Contains(got, "passed: ") {
			t.Errorf("%q gives, with exit code %d:\n%s", command, code, got)
		}
	}
	if ran != 2 {
		t.Errorf("ran %d commands, want 2", ran)
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
