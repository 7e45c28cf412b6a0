package lint

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/manifest"
)

// hard is a result with everything that a format may get wrong.
func hard() Result {
	return Result{Objects: 2, Findings: []Finding{
		{Rule: ruleNoObjects, Severity: Warning, Message: "about nothing in particular"},
		{Rule: manifest.RuleUnreadable, Severity: Error, Position: manifest.Position{File: "a b/ä#?%.yaml"}, Message: "100 % wrong"},
		{Rule: ruleSchemaKeyword, Severity: Error, Position: manifest.Position{File: "/etc/x,y:z.yaml", Line: 3, Column: 14}, Object: "ToolSchema ns/a", Pointer: "/spec/parametersJSON", SchemaPointer: "/a~1b", Message: "two\r\nlines, one: colon"},
		{Rule: ruleOpenObject, Severity: Note, Position: manifest.Position{File: manifest.StdinName, Line: 1}, Object: "ToolSchema ns/b", Pointer: "/spec/parameters", Message: "<b> & 'quotes' \" and \u2028"},
		{Rule: ruleConfusable, Severity: Warning, Position: manifest.Position{File: "c:d.yaml", Line: 1, Column: 1}, Object: "ToolSchema ns/b", Message: "no [link](https://example.com)"},
	}}
}

func TestFormats(t *testing.T) {
	r := hard()
	jsonText, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	sarif, err := r.SARIF("v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	// The list of rules is in the documents; here it would only be in the way.
	var log sarifLog
	if err := json.Unmarshal(sarif, &log); err != nil {
		t.Fatal(err)
	}
	if got := len(log.Runs[0].Tool.Driver.Rules); got != len(Rules()) {
		t.Errorf("SARIF has %d rules, want %d", got, len(Rules()))
	}
	for _, result := range log.Runs[0].Results {
		if id := log.Runs[0].Tool.Driver.Rules[result.RuleIndex].ID; id != result.RuleID {
			t.Errorf("the index of %s leads to %s", result.RuleID, id)
		}
	}
	log.Runs[0].Tool.Driver.Rules = nil
	for i := range log.Runs[0].Results {
		log.Runs[0].Results[i].RuleIndex = 0
	}
	short, err := indented(log)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{"findings.json": jsonText, "findings.sarif": short, "findings.github": r.GitHub()} {
		file := filepath.Join("testdata", "formats", name)
		if *update {
			if err := os.WriteFile(file, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(read(t, file), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Whatever is found, the log is SARIF by the schema that OASIS publishes.
func TestSARIFFitsItsSchema(t *testing.T) {
	schema, problems, _ := jsonschema.Compile([]byte(read(t, "testdata/sarif/sarif-schema-2.1.0.json")), jsonschema.Options{
		Undeclared: jsonschema.FollowSchema, IntegersByValue: true,
	})
	if len(problems) > 0 {
		t.Fatalf("the schema of SARIF does not compile: %v", problems)
	}
	judge := func(log []byte) jsonschema.Result { return schema.Judge(jsonschema.Input{Raw: log}) }
	results := map[string]Result{"nothing": {}, "hard": hard()}
	for _, file := range []string{"confusable-names", "schema-keyword", "provider-schema", "passed-over", "no-objects", "syntax"} {
		_, sections := cut(read(t, filepath.Join("testdata", "rules", file+".txt")))
		files := fstest.MapFS{}
		for name, text := range sections {
			if strings.HasPrefix(name, "bad/") {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		results[file] = lintFiles(t, files, Options{Providers: Providers()})
	}
	for name, r := range results {
		log, err := r.SARIF("")
		if err != nil {
			t.Fatal(err)
		}
		if got := judge(log); !got.OK() {
			t.Errorf("%s: %+v %v", name, got.Fault, got.Violations)
		}
	}
	// The test can fail: a level that SARIF does not know, a line before the first.
	log, err := hard().SARIF("")
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{`"level": "note"`: `"level": "notice"`, `"startLine": 3`: `"startLine": 0`, `"columnKind"`: `"columnKnd"`} {
		if bad := bytes.Replace(log, []byte(from), []byte(to), 1); judge(bad).OK() {
			t.Errorf("a log with %s passes", to)
		}
	}
}

func TestRulesAsJSON(t *testing.T) {
	text, err := RulesJSON()
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Version int
		Rules   []struct{ ID, Severity, Summary, Help string }
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if list.Version != FormatVersion || len(list.Rules) != len(Rules()) || list.Rules[0].Help == "" {
		t.Errorf("version %d, %d rules: %+v", list.Version, len(list.Rules), list.Rules[:1])
	}
}
