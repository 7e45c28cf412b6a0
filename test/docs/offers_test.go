package docs_test

import (
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/internal/cli"
)

// Every command that the document on offers shows prints what it shows.
func TestOffersShowRealVerdicts(t *testing.T) {
	root, _, blocks := documents(t)
	printAsShown(t, root, commandsShown(t, root, blocks, "docs/offers.md"), cli.ExitBlocked, cli.ExitBlocked, cli.ExitOK)
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
