package docs_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/cli"
	"github.com/callgate/callgate/internal/replay"
)

// Every command that the document on replay shows prints what it shows.
func TestReplayShowsRealReports(t *testing.T) {
	root, _, blocks := documents(t)
	printAsShown(t, root, commandsShown(t, root, blocks, "docs/replay.md"), cli.ExitOK, cli.ExitBlocked, cli.ExitOK)
}

// The policies in the documents are those of the examples, and the records shown are of
// the log.
func TestAuditShowsTheExamples(t *testing.T) {
	root, _, blocks := documents(t)
	example := func(name string) string { return read(t, filepath.Join(root, "docs", "examples", "audit", name)) }
	objects := map[string]string{"audit.md": example("policies.yaml"), "replay.md": example("proposed.yaml")}
	log := example("audit.jsonl")
	shown := 0
	for _, b := range blocks {
		name := filepath.Base(b.file)
		switch {
		case b.language == "yaml" && objects[name] != "":
			shown++
			if !strings.HasPrefix(objects[name], b.text) {
				t.Errorf("%s shows another policy than docs/examples/audit has:\n%s", name, b.text)
			}
		case b.language == "jsonl" && name == "audit.md":
			shown++
			if !strings.Contains(log, b.text) {
				t.Errorf("%s shows a record that is not in the log:\n%s", name, b.text)
			}
		}
	}
	if shown != 4 {
		t.Errorf("found %d examples, want 4", shown)
	}
	reader := audit.NewReader(strings.NewReader(log))
	for {
		line, err := reader.Next()
		if err != nil {
			break
		}
		if line.Fault != "" {
			t.Errorf("line %d of the log is no record: %s", line.Number, line.Fault)
		}
	}
}

// The documents tell of every member of a record, and of a report.
func TestAuditAndReplayTellEveryMember(t *testing.T) {
	root, _, _ := documents(t)
	for file, types := range map[string][]any{
		"audit.md":  {audit.Record{}, audit.Gap{}},
		"replay.md": {replay.Report{}},
	} {
		text := read(t, filepath.Join(root, "docs", file))
		members := map[string]bool{}
		for _, v := range types {
			collectMembers(reflect.TypeOf(v), members)
		}
		if len(members) < 15 {
			t.Fatalf("found %d members: the search is broken", len(members))
		}
		for name := range members {
			if !strings.Contains(text, "`"+name+"`") {
				t.Errorf("docs/%s does not tell of %s", file, name)
			}
		}
	}
}

// collectMembers gives the names that a type has in JSON, at any depth.
func collectMembers(t reflect.Type, into map[string]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() == "time" {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			into[name] = true
		}
		if f.IsExported() {
			collectMembers(f.Type, into)
		}
	}
}
