package docs_test

import (
	"testing"

	"github.com/callgate/callgate/internal/cli"
)

// Every command of the program that the document on adapters shows prints what it shows.
func TestAdaptersShowRealAnswers(t *testing.T) {
	root, _, blocks := documents(t)
	printAsShown(t, root, commandsShown(t, root, blocks, "docs/adapters.md", "kubectl"), cli.ExitOK, cli.ExitBlocked)
}
