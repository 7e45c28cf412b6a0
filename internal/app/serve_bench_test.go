package app

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/snapshot"
)

// manySchemas are as many files, each with a schema as catalogues have them.
func manySchemas(tb testing.TB, dir string, n int) {
	tb.Helper()
	for i := range n {
		var properties strings.Builder
		for j := range 8 {
			fmt.Fprintf(&properties, "      p%d: {type: %s, description: argument %d of the tool, as catalogues describe them}\n", j, []string{"string", "integer", "boolean", "number"}[j%4], j)
		}
		text := fmt.Sprintf(`apiVersion: callgate.dev/v1alpha1
kind: ToolSchema
metadata: {name: tool-%d, namespace: support}
spec:
  toolName: tool_%d
  parameters:
    type: object
    properties:
%s      nested: {type: object, properties: {a: {type: array, items: {type: string, minLength: 1}}, b: {enum: [x, y, z]}}}
    required: [p0, p1]
`, i, i, &properties)
		if err := os.WriteFile(fmt.Sprintf("%s/%d.yaml", dir, i), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkStartWithSchemas is what a start costs before anything is served, and what a
// look at files costs that did not change.
func BenchmarkStartWithSchemas(b *testing.B) {
	dir := b.TempDir()
	manySchemas(b, dir, 1000)
	var recorder *fileset.Recorder
	b.Run("start", func(b *testing.B) {
		for b.Loop() {
			loader, err := manifest.NewLoader()
			if err != nil {
				b.Fatal(err)
			}
			p := &policyFiles{
				sources: []manifest.Source{{Path: "."}}, namespace: "support", loader: loader, compiler: &adapter.Compiler{},
				references: &references{}, store: &snapshot.Store{}, log: logr.Discard(), now: time.Now,
			}
			recorder = fileset.NewRecorder(os.DirFS(dir))
			use, err := p.read(b.Context(), recorder)
			if err != nil {
				b.Fatal(err)
			}
			use()
		}
	})
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			if !recorder.Same() {
				b.Fatal("another")
			}
		}
	})
}
