package cli

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
)

// Whoever stops reading is told of in a sentence, whatever is printed, and no script takes
// it for an answer.
func TestNobodyReads(t *testing.T) {
	objects := objects(t)
	objects["work/tests/case.yaml"] = &fstest.MapFile{Data: []byte("name: a\ninput: {calls: [{name: get_weather, arguments: {city: Oslo}}]}\nas: system:serviceaccount:support:assistant\nexpected: {verdict: allow}\n")}
	objects["work/tools.json"] = &fstest.MapFile{Data: []byte(`{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`)}
	for _, args := range [][]string{
		{"review", "-f", "objects.yaml", assistant},
		{"review", "-f", "objects.yaml", assistant, "-o", "json"},
		{"test", "-f", "objects.yaml"},
		{"test", "-f", "objects.yaml", "-o", "junit"},
		{"import", "mcp", "tools.json"},
		{"lint", "-f", "objects.yaml"},
	} {
		var errOut bytes.Buffer
		code := Run(t.Context(), Deps{
			In: strings.NewReader(`{"name":"get_weather","arguments":{"city":"Oslo"}}`), Out: brokenPipe{}, Err: &errOut,
			FS: objects, Dir: "work", Env: func(string) string { return "" },
		}, args)
		if code != ExitUsage || !strings.Contains(errOut.String(), "callgate: writing the ") || strings.Contains(errOut.String(), "goroutine") {
			t.Errorf("%v: exit code %d, %s", args, code, errOut.String())
		}
	}
}
