package cli

import "runtime/debug"

const (
	// roomyHeap lets the heap grow to five times of what is in use before it is collected:
	// a command that ends in a second has better things to do. It halves the processor time
	// of a thousand schemas (BenchmarkLint), for some 90 MiB more.
	roomyHeap = 400
	// roomyLimit is where that ends: half of what the smallest common runners have.
	roomyLimit = 1 << 30
)

// roomy trades memory for time, unless the user decides about it, and gives what takes
// that back.
func roomy(d Deps) func() {
	if d.Env("GOGC") != "" || d.Env("GOMEMLIMIT") != "" {
		return func() {}
	}
	percent, limit := debug.SetGCPercent(roomyHeap), debug.SetMemoryLimit(roomyLimit)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
