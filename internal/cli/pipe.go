package cli

import (
	"os/signal"
	"syscall"
)

// catchBrokenPipe lets a write to a pipe that nobody reads any more fail, instead of
// ending the process without a word. It gives what takes that back.
func catchBrokenPipe() func() {
	signal.Ignore(syscall.SIGPIPE)
	return func() { signal.Reset(syscall.SIGPIPE) }
}
