package jsonschema

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files")

const conformanceDocument = "../../docs/conformance.md"

// TestConformanceDocument keeps docs/conformance.md what the suite and the
// tables of this package say; -update writes it.
func TestConformanceDocument(t *testing.T) {
	root, committed := suiteRoot()
	if !committed {
		t.Skipf("the document is about the committed copy of the suite, not %s", root)
	}
	want := documentOf(runSuite(t))
	if *update && !t.Failed() {
		if err := os.WriteFile(conformanceDocument, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(conformanceDocument)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/conformance.md differs (%v); run: go test ./internal/jsonschema -run TestConformanceDocument -update", err)
	}
}

func documentOf(run *suiteRun) []byte {
	var b bytes.Buffer
	b.WriteString(documentHead)
	writeCounts(&b, run)
	writeDeviations(&b, run)
	writeDifferences(&b)
	return b.Bytes()
}

const documentHead = `<!-- Made by internal/jsonschema/suite_document_test.go; edit the tables there. -->

# Conformance to JSON Schema

Callgate judges arguments by JSON Schema: Draft 4, 6, 7, 2019-09 and 2020-12. This page says how far, measured by the official
[JSON-Schema-Test-Suite](https://github.com/json-schema-org/JSON-Schema-Test-Suite), and where it differs on purpose.

` + "`internal/jsonschema/testdata/suite`" + ` holds a copy of the suite's tests, with the commit it is of. The tests run
it by every judge of the package, and demand that all give the same answer, to the last word of each violation. To run
another copy, name a directory that is laid out as the suite's repository, by its absolute path:

` + "```sh" + `
CALLGATE_JSON_SCHEMA_TEST_SUITE=/path/to/JSON-Schema-Test-Suite go test ./internal/jsonschema -run TestSuite -v -count=1
` + "```" + `

The settings are those that come closest to plain JSON Schema: ` + "`undeclared: FollowSchema`, `integers: Value`, `nulls: Strict`" + `;
formats as the draft has them (annotations from 2019-09 on), asserted in the suite's tests of formats; and, for tests only,
without the rules on ` + "`__proto__`" + ` and on branches that accept everything.

## The suite

Passed are tests that are judged as the suite wants. A refused group is one whose schema is a compile problem; none of
its tests counts as passed.

`

// draftTitles are the drafts as people write them.
var draftTitles = map[string]string{
	"draft4": "Draft 4", "draft6": "Draft 6", "draft7": "Draft 7", "draft2019-09": "2019-09", "draft2020-12": "2020-12",
}

func writeCounts(b *bytes.Buffer, run *suiteRun) {
	b.WriteString("| draft | required passed | refused groups | optional passed | refused groups |\n|---|--:|--:|--:|--:|\n")
	for _, draft := range suiteDrafts() {
		r, o := *counted(run.required, draft), *counted(run.optional, draft)
		fmt.Fprintf(b, "| %s | %d / %d | %d of %d | %d / %d | %d of %d |\n", draftTitles[draft],
			r.passed, r.tests, r.refused, r.groups, o.passed, o.tests, o.refused, o.groups)
	}
}

func writeDeviations(b *bytes.Buffer, run *suiteRun) {
	b.WriteString("\n## Deviations\n\nEvery test that is not passed is in a group below. Of a group that is refused, all tests are counted; " +
		"of one that accepts what\nthe suite wants refused, those tests. A group that is not listed and fails, or is listed and passes, fails the build.\n")
	for _, reason := range deviationReasons {
		fmt.Fprintf(b, "\n### %s\n\n%s\n\n| file | group | fares | tests |\n|---|---|---|---|\n", reason.title, wrapped(reason.words))
		for i, d := range deviations {
			if d.reason == reason {
				fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", d.file, groupTitle(d.group), d.kind, perDraft(run.deviating[i]))
			}
		}
	}
}

func (k deviationKind) String() string {
	if k == refuses {
		return "refused"
	}
	return "accepts all values"
}

func groupTitle(group string) string {
	if group == "" {
		return "every group"
	}
	return code(group)
}

// perDraft lists how many tests of a deviation fail, by draft.
func perDraft(counts map[string]*suiteCount) string {
	var parts []string
	for _, draft := range suiteDrafts() {
		if c := counts[draft]; c != nil {
			parts = append(parts, fmt.Sprintf("%s: %d", draftTitles[draft], c.tests-c.passed))
		}
	}
	return strings.Join(parts, ", ")
}

func writeDifferences(b *bytes.Buffer) {
	b.WriteString("\n## Deliberate differences\n\nWhat the default settings judge otherwise than plain JSON Schema, or more strictly. " +
		"A test evaluates every line of these tables,\nand asks an independent library what plain JSON Schema says.\n")
	for _, topic := range differences {
		fmt.Fprintf(b, "\n### %s\n\n%s\n\n| schema | arguments | JSON Schema | by default | with |\n|---|---|---|---|---|\n", topic.title, wrapped(topic.words))
		for _, e := range topic.examples {
			with := ""
			if e.setting != "" {
				with = code(e.setting) + " → " + outcomeOf(e.then)
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", code(e.schema), code(e.args), e.plain, outcomeOf(e.byDefault), with)
		}
	}
	b.WriteString("\n### Schemas that do not compile\n\nJSON Schema takes these documents, or leaves open what they mean. Here they are compile problems, " +
		"because what is meant\ncan hardly be what they say, or would cost too much.\n\n| schema | problem at | why |\n|---|---|---|\n")
	for _, r := range refusedSchemas {
		fmt.Fprintf(b, "| %s | %s | %s |\n", code(r.doc), placeOf(r.path), r.why)
	}
}

func outcomeOf(errors []string) string {
	if len(errors) == 0 {
		return "fits"
	}
	return code(strings.Join(errors, " "))
}

func placeOf(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return code(pointer)
}

// wrapped breaks a paragraph into lines of at most 120 characters.
func wrapped(words string) string {
	const width = 120
	var b strings.Builder
	line := 0
	for i, word := range strings.Fields(words) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case line+1+n > width:
			b.WriteByte('\n')
			line = 0
		default:
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += n
	}
	return b.String()
}

// code marks a text as code in a cell of a table.
func code(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }
