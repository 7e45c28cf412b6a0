package docs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callgate/callgate/internal/cli"
)

// The import that is shown prints what is shown.
func TestTheImportShownIsReal(t *testing.T) {
	root, _, blocks := documents(t)
	ran := 0
	for _, b := range blocks {
		if b.language != "console" || filepath.Base(b.file) != "import.md" {
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
		if diff := cmp.Diff(want, got); code != cli.ExitOK || diff != "" {
			t.Errorf("%q gives, with exit code %d, another output (-shown +real):\n%s", command, code, diff)
		}
	}
	if ran != 1 {
		t.Errorf("ran %d commands, want 1", ran)
	}
}
