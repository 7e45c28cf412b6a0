package docs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every command of the program that the document on adapters shows prints what it shows.
func TestAdaptersShowRealAnswers(t *testing.T) {
	root, _, blocks := documents(t)
	ran := 0
	for _, b := range blocks {
		if b.language != "console" || filepath.Base(b.file) != "adapters.md" || filepath.Base(filepath.Dir(b.file)) != "docs" {
			continue
		}
		command, want, _ := strings.Cut(b.text, "\n")
		arguments, ours := strings.CutPrefix(command, "$ callgate ")
		if !ours {
			continue
		}
		ran++
		got, _ := review(t, root, strings.Fields(arguments)...)
		if diff := cmp.Diff(anyRevision(want), anyRevision(got)); diff != "" {
			t.Errorf("another output of %q (-shown +real):\n%s", command, diff)
		}
	}
	if ran != 2 {
		t.Errorf("ran %d commands, want 2", ran)
	}
}
