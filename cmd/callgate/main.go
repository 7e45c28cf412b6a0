// Callgate is admission control for LLM tool calls on Kubernetes.
package main

import (
	"context"
	"os"

	"github.com/callgate/callgate/internal/app"
	"github.com/callgate/callgate/internal/cli"
)

// Signals are the manager's own business. Everywhere else their default is right: a
// command that waits for its input ends at once.
func main() {
	os.Exit(cli.Run(context.Background(), cli.Process(), os.Args[1:], app.NewManagerCommand(), app.NewServeCommand()))
}
