//go:build !race

package jsonschema

// raceEnabled skips what measures cost: the race detector multiplies it.
const raceEnabled = false
