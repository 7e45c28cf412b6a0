// Package cli is the command line. It reads files where the manager reads a cluster,
// and from there on takes the server's own path: compile, snapshot, review.
package cli
