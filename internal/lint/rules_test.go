package lint

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/manifest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var errNobody = errors.New("nobody is asked")

type nobody struct{}

func (nobody) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, errNobody
}

// lintFiles reads, compiles and lints files as the command does.
func lintFiles(t testing.TB, files fstest.MapFS, opts Options) Result {
	t.Helper()
	set, diagnostics := manifest.Load(t.Context(), manifest.Options{FS: files}, manifest.Source{Path: "."})
	return lintSet(set, diagnostics, opts)
}

func lintSet(set *manifest.Set, diagnostics []manifest.Diagnostic, opts Options) Result {
	labels := map[string]map[string]string{}
	for _, ns := range set.Namespaces {
		labels[ns.Name] = ns.Labels
	}
	out := compile.Compile(compile.Input{
		Schemas: set.Schemas, Policies: set.Policies, NamespaceLabels: labels, Adapters: set.Adapters,
		AdapterCompiler: &adapter.Compiler{Resolver: nobody{}, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errNobody }},
	}, nil)
	return Run(Input{Set: set, Diagnostics: diagnostics, Output: out, Records: recordsOf(set)}, opts)
}

// recordsOf stands in for whoever looks at ConfigMaps: one called "missing" is not there,
// one called "broken" is no good.
func recordsOf(set *manifest.Set) map[types.NamespacedName]Records {
	found := map[types.NamespacedName]Records{}
	for _, a := range set.Adapters {
		at := "/spec/records/configMapKeyRef/name"
		problem := callgatev1alpha1.Problem{Path: &at, Message: "the ConfigMap is " + a.Spec.Records.ConfigMapKeyRef.Name}
		switch a.Spec.Records.ConfigMapKeyRef.Name {
		case "missing":
			found[types.NamespacedName{Namespace: a.Namespace, Name: a.Name}] = Records{Missing: true, Problems: []callgatev1alpha1.Problem{problem}}
		case "broken":
			found[types.NamespacedName{Namespace: a.Namespace, Name: a.Name}] = Records{Problems: []callgatev1alpha1.Problem{problem}}
		}
	}
	return found
}

// generated are the files of rules that no golden file can hold.
var generated = map[string]struct{ bad, good fstest.MapFS }{
	manifest.RuleNotText: {
		bad:  fstest.MapFS{"a.yaml": {Data: []byte("a: \xff\xfe\x00\x01")}},
		good: fstest.MapFS{"a.yaml": {Data: []byte("# größer\n" + minimal)}},
	},
	manifest.RuleTooLarge: {
		bad:  fstest.MapFS{"a.yaml": {Data: bytes.Repeat([]byte("#"), manifest.MaxFileBytes+1)}},
		good: fstest.MapFS{"a.yaml": {Data: []byte(minimal)}},
	},
	manifest.RuleUnreadable: {
		bad:  fstest.MapFS{"notes.txt": {Data: []byte("no manifest here")}},
		good: fstest.MapFS{"a.yaml": {Data: []byte(minimal)}},
	},
	manifest.RuleDirectoryLink: {
		bad:  fstest.MapFS{"a.yaml": {Data: []byte(minimal)}, "d/b.yaml": {Data: []byte("")}, "link": {Data: []byte("d"), Mode: fs.ModeSymlink}},
		good: fstest.MapFS{"a.yaml": {Data: []byte(minimal)}, "link.yaml": {Data: []byte("a.yaml"), Mode: fs.ModeSymlink}, "..data": {Data: []byte("."), Mode: fs.ModeSymlink}},
	},
	manifest.RuleMore: {
		bad:  fstest.MapFS{"a.yaml": {Data: []byte(minimal + unknownFields(200))}},
		good: fstest.MapFS{"a.yaml": {Data: []byte(minimal + unknownFields(2))}},
	},
}

const minimal = "apiVersion: callgate.dev/v1alpha1\nkind: ToolSchema\nmetadata: {name: ping}\nspec: {}\n"

func unknownFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x%d: 1\n", i)
	}
	return b.String()
}

// unreached are the rules of what compiling may say one day.
var unreached = map[string]bool{rulePolicyInvalid: true, rulePolicyWarning: true, ruleSchemaWarning: true}

// Each rule has files that break it and files that do not. A case is one text of sections
// "-- bad/NAME --" and "-- good/NAME --"; "-- options --" has providers, and "-- want --"
// what the rule says of the bad files.
func TestEveryRule(t *testing.T) {
	for _, rule := range Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			if unreached[rule.ID] {
				t.Skip("nothing that compiling says today comes here; see TestWhatNobodyKnows")
			}
			file := filepath.Join("testdata", "rules", rule.ID+".txt")
			if g, ok := generated[rule.ID]; ok {
				check(t, rule, g.bad, g.good, Options{})
				return
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("the rule has no test: %v", err)
			}
			before, sections := cut(string(text))
			bad, good := fstest.MapFS{}, fstest.MapFS{}
			for name, text := range sections {
				if rest, ok := strings.CutPrefix(name, "bad/"); ok {
					bad[rest] = &fstest.MapFile{Data: []byte(text)}
				} else if rest, ok := strings.CutPrefix(name, "good/"); ok {
					good[rest] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			var opts Options
			for _, name := range strings.Fields(sections["options"]) {
				opts.Providers = append(opts.Providers, Provider(name))
			}
			got := check(t, rule, bad, good, opts)
			if *update {
				if err := os.WriteFile(file, []byte(before+"-- want --\n"+got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, sections = cut(read(t, file))
			if diff := cmp.Diff(sections["want"], got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func read(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// check gives what the rule says of the bad files, and expects it to say nothing of the
// good ones.
func check(t *testing.T, rule Rule, bad, good fstest.MapFS, opts Options) string {
	t.Helper()
	if len(bad) == 0 || len(good) == 0 {
		t.Fatal("a rule needs files that break it and files that do not")
	}
	got := said(lintFiles(t, bad, opts), rule.ID)
	if got == "" {
		t.Errorf("the rule says nothing of %d bad files", len(bad))
	}
	if text := said(lintFiles(t, good, opts), rule.ID); text != "" {
		t.Errorf("the rule says of the good files:\n%s", text)
	}
	return got
}

func said(r Result, rule string) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if f.Rule == rule {
			fmt.Fprintf(&b, "%s: %s: %s\n", f.Position, f.Severity, f.Text())
		}
	}
	return b.String()
}

var section = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// cut takes a case apart; before is all but what is wanted.
func cut(text string) (before string, sections map[string]string) {
	sections = map[string]string{}
	marks := section.FindAllStringSubmatchIndex(text, -1)
	before = text
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		name := text[m[2]:m[3]]
		sections[name] = text[m[1]:end]
		if name == "want" {
			before = text[:m[0]]
		}
	}
	return before, sections
}

// Every rule that reading files knows is one of the list.
func TestRulesOfFilesAreDocumented(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^\tRule[A-Za-z]+ = "([a-z-]+)"$`).FindAllStringSubmatch(read(t, "../manifest/ruleids.go"), -1)
	if len(declared) < 20 {
		t.Fatalf("found %d rules: the search is broken", len(declared))
	}
	for _, m := range declared {
		if r, ok := Lookup(m[1]); !ok || manifest.Unreadable(r.ID) && r.Severity != Error {
			t.Errorf("%s is not in the list, or is no error and yet unreadable", m[1])
		}
	}
}

func TestRulesAreDocumented(t *testing.T) {
	id := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	last := ""
	for _, r := range Rules() {
		if !id.MatchString(r.ID) || r.ID <= last {
			t.Errorf("%q is not in kebab-case, or not behind %q", r.ID, last)
		}
		last = r.ID
		if r.Summary == "" || r.Help == "" || strings.HasSuffix(r.Summary, ".") || !strings.HasSuffix(r.Help, ".") {
			t.Errorf("%s is not explained: %+v", r.ID, r)
		}
		if found, ok := Lookup(r.ID); !ok || found != r {
			t.Errorf("%s is not found by its ID", r.ID)
		}
	}
	if _, ok := Lookup("no-such-rule"); ok {
		t.Error("a rule is found that there is not")
	}
}
