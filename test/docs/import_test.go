package docs_test

import (
	"testing"

	"github.com/callgate/callgate/internal/cli"
)

// The import that is shown prints what is shown.
func TestTheImportShownIsReal(t *testing.T) {
	root, _, blocks := documents(t)
	printAsShown(t, root, commandsShown(t, root, blocks, "docs/import.md"), cli.ExitOK)
}
