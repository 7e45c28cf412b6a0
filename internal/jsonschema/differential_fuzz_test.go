package jsonschema

import (
	"math/rand/v2"
	"testing"
)

// fuzzGenerated lets the fuzzer choose what the generators write, a byte a choice. To
// make inputs shorter is no use then, and takes most of the time:
//
//	go test ./internal/jsonschema -run - -fuzz FuzzGenerated$ -fuzzminimizetime 1x
func fuzzGenerated(f *testing.F, mode generatorMode) {
	f.Helper()
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, uint64(mode)))
		text := make([]byte, 400)
		for i := range text {
			text[i] = byte(r.IntN(256))
		}
		f.Add(text, text[:100])
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		doc, dialect := generateSchema(rand.New(newByteSource(schema)), mode)
		r := rand.New(newByteSource(value))
		trial := newTrial(doc, dialect, differentialOptions(r))
		if trial == nil || trial.library == nil {
			return
		}
		d := &differential{Rand: r, mode: mode, explained: map[string]int{}}
		raw := newInstanceGenerator(r, doc).next(r.IntN(4) > 0)
		for range 4 { // once for each of its turns
			if found := d.execute(trial, raw); found != nil {
				t.Fatal(found.shrink())
			}
		}
		if found := d.rewritten(trial, raw); found != nil {
			t.Fatal(found)
		}
	})
}

func FuzzGenerated(f *testing.F) { fuzzGenerated(f, generateAll) }

func FuzzGeneratedNumbers(f *testing.F) { fuzzGenerated(f, generateNumbers) }

func FuzzGeneratedStrings(f *testing.F) { fuzzGenerated(f, generateStrings) }

func FuzzGeneratedUnions(f *testing.F) { fuzzGenerated(f, generateUnions) }
