//go:build race

package jsonschema

// raceEnabled: the race detector makes pools forget at random.
const raceEnabled = true
