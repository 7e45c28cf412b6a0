package docs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every command that the document on offers shows prints what it shows.
func TestOffersShowRealVerdicts(t *testing.T) {
	root, _, blocks := documents(t)
	ran := 0
	for _, b := range blocks {
		if b.language != "console" || filepath.Base(b.file) != "offers.md" {
			continue
		}
		ran++
		command, want, _ := strings.Cut(b.text, "\n")
		got, _ := review(t, root, strings.Fields(strings.TrimPrefix(command, "$ callgate "))...)
		if diff := cmp.Diff(anyRevision(want), anyRevision(got)); diff != "" {
			t.Errorf("another output of %q (-shown +real):\n%s", command, diff)
		}
	}
	if ran != 3 {
		t.Errorf("ran %d commands, want 3", ran)
	}
}

// The policy in the document is the one that its command judges by.
func TestOffersShowTheJudgedPolicy(t *testing.T) {
	root, _, blocks := documents(t)
	want := read(t, filepath.Join(root, "docs", "examples", "offers", "judged.yaml"))
	for _, b := range blocks {
		if filepath.Base(b.file) == "offers.md" && b.language == "yaml" && b.text == want {
			return
		}
	}
	t.Error("docs/offers.md does not show docs/examples/offers/judged.yaml as it is")
}
