package jsonschema

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/internal/rawjson"
)

const benchWorkloads = "../../test/bench/workloads"

func BenchmarkEngine(b *testing.B) {
	for _, name := range []string{"small", "medium", "large"} {
		doc, err := os.ReadFile(filepath.Join(benchWorkloads, name+".schema.json"))
		if err != nil {
			b.Skip(err)
		}
		c, list, _ := Compile(doc, Options{})
		if c == nil {
			b.Fatal(list)
		}
		for _, kind := range []string{"valid", "invalid"} {
			raw, err := os.ReadFile(filepath.Join(benchWorkloads, name+"."+kind+".json"))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name+"/"+kind+"/scan", func(b *testing.B) {
				for b.Loop() {
					if _, err := rawjson.Check(raw, MaxArgumentDepth); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"/"+kind+"/locate", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if n, _ := c.Locate(Input{Raw: raw}); (n == 0) != (kind == "valid") {
						b.Fatal(n)
					}
				}
			})
			b.Run(name+"/"+kind+"/judge", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if c.Judge(Input{Raw: raw}).OK() != (kind == "valid") {
						b.Fatal()
					}
				}
			})
		}
	}
}
