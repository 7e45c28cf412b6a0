// Package sink takes audit records to standard output or to a file. It never holds up a
// verdict: records wait in a bounded queue for one goroutine that writes them, and what
// finds no room there is counted, and told by a gap record once there is room again.
// Where records are required, a review waits until its own is written, and is refused
// rather than answered without.
package sink
