// Package harness runs the whole manager in a test's own process, against a real
// control plane and with the rights that are shipped, and talks to it as agents do.
package harness
