package app

import (
	"os"
	"os/signal"
	"syscall"
)

// withSignals hands what asks the process to end to a run that tells a first signal from
// a second: they come by the channel, and end no context.
func withSignals(run func(<-chan os.Signal) error) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	return run(signals)
}
