package metrics

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

var update = flag.Bool("update", false, "write the table in docs/metrics.md anew")

const document = "../../docs/metrics.md"

// The table of the document is that of the metrics that there are.
func TestDocument(t *testing.T) {
	families, err := used().Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| metric | type | labels | |\n|---|---|---|---|\n")
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "callgate_") {
			fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), labels(f), f.GetHelp())
		}
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- metrics -->\n", "<!-- /metrics -->"
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", document)
	}
	if *update {
		if err := os.WriteFile(document, []byte(before+begin+table.String()+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != table.String() {
		t.Errorf("%s has another table: go test ./internal/metrics -run Document -update", document)
	}
}

func labels(f *dto.MetricFamily) string {
	var names []string
	for _, l := range f.GetMetric()[0].GetLabel() {
		names = append(names, "`"+l.GetName()+"`")
	}
	return strings.Join(names, " ")
}
