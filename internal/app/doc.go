// Package app puts the manager together: what runs, in what order it starts, and in
// what order it stops. It decides nothing else.
package app
