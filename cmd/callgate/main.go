// Callgate is admission control for LLM tool calls on Kubernetes.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/callgate/callgate/internal/cli"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Run(ctx, cli.Process(), os.Args[1:])
}
