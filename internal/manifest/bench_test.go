package manifest

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// BenchmarkLoad reads a thousand ToolSchemas from one file.
func BenchmarkLoad(b *testing.B) {
	loader, err := NewLoader()
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "---\n%smetadata: {name: tool-%d}\nspec:\n  parameters:\n    type: object\n    properties:\n", header, i)
		for j := range 20 {
			fmt.Fprintf(&text, "      arg%d: {type: string, maxLength: %d, description: about this argument}\n", j, j)
		}
	}
	fsys := fstest.MapFS{"f.yaml": &fstest.MapFile{Data: []byte(text.String())}}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		set, problems := loader.Load(b.Context(), Options{FS: fsys}, Source{Path: "f.yaml"})
		if len(problems) > 0 || len(set.Schemas) != 1000 {
			b.Fatalf("%d schemas, problems %v", len(set.Schemas), problems)
		}
	}
}

func BenchmarkNewLoader(b *testing.B) {
	for b.Loop() {
		if _, err := NewLoader(); err != nil {
			b.Fatal(err)
		}
	}
}
