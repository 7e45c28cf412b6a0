package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/manifest"
)

func TestSeverities(t *testing.T) {
	if (Finding{}).Severity != Error {
		t.Error("what nobody has judged is no error")
	}
	for _, s := range []Severity{Error, Warning, Note} {
		if got, err := ParseSeverity(s.String()); err != nil || got != s {
			t.Errorf("%s reads as %s: %v", s, got, err)
		}
	}
	if _, err := ParseSeverity("Error"); err == nil {
		t.Error("case does not count")
	}
	if Severity(99).String() != "error" {
		t.Error("what nobody knows is no error")
	}
	if !Error.AtLeast(Note) || Note.AtLeast(Warning) || !Warning.AtLeast(Warning) {
		t.Error("the order of severities is wrong")
	}
}

// schemaWith is a ToolSchema with so many arguments that nothing constrains.
func schemaWith(n int) string {
	var b strings.Builder
	b.WriteString("apiVersion: callgate.dev/v1alpha1\nkind: ToolSchema\nmetadata: {name: a}\nspec:\n  parameters:\n    properties:\n")
	for i := range n {
		fmt.Fprintf(&b, "      a%d: {}\n", i)
	}
	return b.String()
}

func TestFindingsThatAreAlikeAreCut(t *testing.T) {
	r := lintFiles(t, fstest.MapFS{"a.yaml": {Data: []byte(schemaWith(1000))}}, Options{})
	if got := len(r.Findings); got != maxAlike {
		t.Fatalf("%d findings, want %d", got, maxAlike)
	}
	last := r.Findings[maxAlike-1]
	if want := fmt.Sprintf("(and %d more places of this object)", 1000-maxAlike); !strings.HasSuffix(last.Message, want) {
		t.Errorf("the last one says %q, want %q at its end", last.Message, want)
	}
	if exact := lintFiles(t, fstest.MapFS{"a.yaml": {Data: []byte(schemaWith(maxAlike))}}, Options{}); strings.Contains(exact.Findings[maxAlike-1].Message, "more places") {
		t.Error("nothing was cut, and more places are spoken of")
	}
}

// Errors are never cut: each of them has to be mended.
func TestErrorsAreNotCut(t *testing.T) {
	var list []Finding
	for i := range 100 {
		list = append(list, Finding{Rule: manifest.RuleUnknownField, Object: "ToolSchema a/b", Message: fmt.Sprint(i)})
	}
	if got := len(sorted(list)); got != 100 {
		t.Errorf("%d errors, want 100", got)
	}
}

func TestOptions(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte(schemaWith(1) + "  nope: 1\n---\n" + strings.Replace(schemaWith(1), "name: a", "name: b", 1))}}
	rules := func(opts Options) (found []string) {
		for _, f := range lintFiles(t, files, opts).Findings {
			found = append(found, f.Rule+"="+f.Severity.String())
		}
		return found
	}
	for name, tc := range map[string]struct {
		opts Options
		want string
	}{
		"none":                      {Options{}, "[unknown-field=error unconstrained-argument=note]"},
		"disabled":                  {Options{Disabled: map[string]bool{ruleUnconstrained: true}}, "[unknown-field=error]"},
		"an error is not disabled":  {Options{Disabled: map[string]bool{manifest.RuleUnknownField: true}}, "[unknown-field=error unconstrained-argument=note]"},
		"raised":                    {Options{Severities: map[string]Severity{ruleUnconstrained: Error}}, "[unknown-field=error unconstrained-argument=error]"},
		"an error is never less":    {Options{Severities: map[string]Severity{manifest.RuleUnknownField: Note}}, "[unknown-field=error unconstrained-argument=note]"},
		"a provider that is nobody": {Options{Providers: []Provider{"acme"}}, "[unknown-field=error unconstrained-argument=note]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fmt.Sprint(rules(tc.opts)); got != tc.want {
				t.Errorf("findings %s, want %s", got, tc.want)
			}
		})
	}
}

// Equal files give equal findings, whatever the order of maps and processors.
func TestFindingsAreTheSameEveryTime(t *testing.T) {
	files := fstest.MapFS{}
	cases, err := filepath.Glob("testdata/rules/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range cases {
		_, sections := cut(read(t, file))
		for name, text := range sections {
			if strings.HasPrefix(name, "bad/") {
				files[strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name[4:]] = &fstest.MapFile{Data: []byte(text)}
			}
		}
	}
	first := lintFiles(t, files, Options{Providers: Providers()})
	if len(first.Findings) < 150 {
		t.Fatalf("only %d findings", len(first.Findings))
	}
	for range 3 {
		if again := lintFiles(t, files, Options{Providers: Providers()}); !reflect.DeepEqual(again, first) {
			t.Fatal("the findings of the same files differ")
		}
	}
}

func TestMisspeltKeywords(t *testing.T) {
	for name, want := range map[string]string{
		"maxLenght": "maxLength", "max_length": "maxLength", "MAXLENGTH": "maxLength", "requierd": "required", "propertes": "properties",
		"additonalProperties": "additionalProperties", "additional_properties": "additionalProperties", "oneof": "oneOf", "any_of": "anyOf",
		"item": "items", "types": "type", "defs": "$defs", "ref": "", "patern": "pattern", "minmum": "minimum", "desciption": "description",
		"city": "", "name": "", "limit": "", "order": "", "x": "", "": "", "unit": "", "label": "", "value": "", "group": "", "tags": "",
		strings.Repeat("a", 1000): "",
	} {
		if got := nearest(name); got != want {
			t.Errorf("%.40q is taken for %q, want %q", name, got, want)
		}
	}
}

func TestNamesThatAreAlike(t *testing.T) {
	for _, tc := range []struct{ a, b, how string }{
		{"get_ticket", "get-ticket", "differ only in case or separators"},
		{"get_ticket", "getTicket", "differ only in case or separators"},
		{"get_ticket", "GET.TICKET", "differ only in case or separators"},
		{"get_ticket", "get_tісket", "look alike"},       // Cyrillic і and с
		{"get_ticket", "get_ticket\u200b", "look alike"}, // zero width space
		{"get_ticket", "ｇｅｔ＿ｔｉｃｋｅｔ", "look alike"},
		{"pay", "рау", "look alike"}, // all of it Cyrillic
		{"fileI", "filel", "look alike"},
		{"modern", "modem", "look alike"},
		{"v0", "vO", "look alike"},
		{"get_ticket", "get_tickets", ""},
		{"list_a", "list_b", ""},
		{"get_ticket", "get_ticket", ""},
		{"", "", ""},
	} {
		r := &register{map[string]bool{}, map[string]mention{}, map[string]mention{}}
		r.add(mention{name: tc.a})
		if _, how := r.alike(tc.b); how != tc.how {
			t.Errorf("%q and %q: %q, want %q", tc.a, tc.b, how, tc.how)
		}
		r = &register{map[string]bool{}, map[string]mention{}, map[string]mention{}}
		r.add(mention{name: tc.b})
		if _, how := r.alike(tc.a); how != tc.how {
			t.Errorf("%q and %q: %q, want %q", tc.b, tc.a, how, tc.how)
		}
	}
}

// Published tools have no error and no warning: what is said of them is worth knowing.
func TestPublishedSchemasAreClean(t *testing.T) {
	schemas := 0
	for _, name := range []string{"github", "kubernetes"} {
		text, err := os.ReadFile("../jsonschema/testdata/catalogues/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range catalogue(t, text) {
			doc := parseDocument(s, jsonschema.Draft2020)
			if doc == nil {
				t.Fatalf("a document cannot be read: %s", s)
			}
			schemas++
		}
		r := lintFiles(t, fstest.MapFS{"a.yaml": {Data: catalogueObjects(t, text)}}, Options{Providers: Providers()})
		if n := CountOf(r.Findings); n.Errors+n.Warnings > 0 {
			t.Errorf("%s: %d errors, %d warnings:\n%s", name, n.Errors, n.Warnings, allSaid(r))
		}
	}
	if schemas < 100 {
		t.Errorf("only %d schemas", schemas)
	}
}

func allSaid(r Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if f.Severity != Note {
			fmt.Fprintf(&b, "%s: %s: %s [%s]\n", f.Position, f.Severity, f.Text(), f.Rule)
		}
	}
	return b.String()
}
