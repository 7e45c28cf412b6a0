package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/internal/shown"
)

// Exit codes. A script may tell a block from a mistake of its own.
const (
	ExitOK      = 0
	ExitBlocked = 1
	ExitUsage   = 2
)

const defaultName = "callgate"

// errBlocked ends a command whose answer is already printed.
var errBlocked = errors.New("blocked")

// errReported ends a command whose problems are already printed.
var errReported = errors.New("reported")

// NewRoot is the command with its subcommands; more are those that are composed
// elsewhere, such as the manager.
func NewRoot(d Deps, more ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   defaultName,
		Short: "Admission control for LLM tool calls on Kubernetes",
		Long: `Callgate judges the tool calls that a language model wants to make: against the
ToolPolicies that say who may call what, and the ToolSchemas that say with which
arguments.

Exit codes: 0 allowed or clean, 1 blocked or problems, 2 usage or unreadable input.`,
		Example:       rootExamples(d),
		Args:          noArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		// A plugin of kubectl shows the two words that its user typed.
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: cmp.Or(d.Name, defaultName)},
		// Without a command nothing was judged, which a script must not take for an
		// allow.
		RunE: func(c *cobra.Command, _ []string) error {
			return usageError(c, errors.New("a command is missing, such as review"))
		},
	}
	root.SetIn(d.In)
	root.SetOut(d.Out)
	root.SetErr(d.Err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError(c, err) })
	root.AddCommand(newReviewCommand(d), newTestCommand(d), newImportCommand(d), newLintCommand(d), newReplayCommand(d), newVersionCommand(d))
	root.AddCommand(more...)
	return root
}

// usageError says where the help is.
func usageError(c *cobra.Command, err error) error {
	return fmt.Errorf("%w\nSee '%s --help'", err, c.CommandPath())
}

func noArgs(c *cobra.Command, args []string) error {
	if err := cobra.NoArgs(c, args); err != nil {
		return usageError(c, err)
	}
	return nil
}

// Run runs a command line and gives its exit code. A panic is an unreadable input
// as far as a script is concerned: never an allow, and no verdict either.
func Run(ctx context.Context, d Deps, args []string, more ...*cobra.Command) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(d.Err, "%s: internal error, please report it: %v\n%s", cmp.Or(d.Name, defaultName), r, debug.Stack())
			code = ExitUsage
		}
	}()
	defer catchBrokenPipe()()
	root := NewRoot(d, more...)
	root.SetArgs(args)
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return ExitOK
	case errors.Is(err, errBlocked):
		return ExitBlocked
	case errors.Is(err, errReported):
		return ExitUsage
	default:
		fmt.Fprintf(d.Err, "%s: %s\n", cmp.Or(d.Name, defaultName), escapeLines(err.Error()))
		return ExitUsage
	}
}

// escapeLines keeps the line breaks of a message and escapes what else a file or a
// model could use against a terminal.
func escapeLines(s string) string {
	var out []byte
	for i, line := range splitLines(s) {
		if i > 0 {
			out = append(out, '\n')
		}
		out = append(out, shown.Escape(line)...)
	}
	return string(out)
}
