package jsonschema

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// suiteVariable names the environment variable that holds the absolute path of
// another copy of the official JSON-Schema-Test-Suite: a directory laid out as
// its repository, so that tests/<draft>/ has the required tests and
// tests/<draft>/optional/ the optional ones. -count=1 because go test does not
// notice changes of files outside the module.
//
//	CALLGATE_JSON_SCHEMA_TEST_SUITE=/path/to/JSON-Schema-Test-Suite go test ./internal/jsonschema -run TestSuite -v -count=1
//
// Unset, the committed copy is used. Only for that one are deviations demanded
// to occur, and is docs/conformance.md compared.
const suiteVariable = "CALLGATE_JSON_SCHEMA_TEST_SUITE"

const committedSuite = "testdata/suite"

// suiteJudges are the judges that have to agree on every case.
var suiteJudges = map[string]func(*Compiled, []byte) Result{
	"reference": (*Compiled).judgeValue,
	"engine":    (*Compiled).engineValue,
}

// suiteDirs are the drafts of the official test suite; see testdata/suite.
var suiteDirs = map[string]Dialect{
	"draft4": Draft4, "draft6": Draft6, "draft7": Draft7, "draft2019-09": Draft2019, "draft2020-12": Draft2020,
}

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []suiteCase
}

type suiteCase struct {
	Description string
	Data        json.RawMessage
	Valid       bool
}

// conformance are the settings that come closest to plain JSON Schema.
func conformance(d Dialect) Options {
	return Options{
		Dialect: d, Undeclared: FollowSchema, IntegersByValue: true, AllowProto: true,
		// From 2019-09 on a format is an annotation unless a vocabulary says otherwise.
		AnnotateFormats: d.year() >= Draft2019.year(),
	}
}

// openly lets branches of a union accept everything, as the suite has them.
func openly(opts Options) Options {
	opts.OpenBranches = true
	return opts
}

// judgeValue judges a value whatever its kind.
func (c *Compiled) judgeValue(raw []byte) Result {
	root, fault := parseTree(raw)
	if fault != NoFault {
		return Result{Fault: fault}
	}
	return c.judgeTree(root, c.opts.IntegersByValue, NewBudget())
}

// judgeAll judges by all suiteJudges and by both judges that callers get, and
// demands that they agree.
func judgeAll(t testing.TB, c *Compiled, raw []byte) Result {
	t.Helper()
	want := c.judgeValue(raw)
	for name, judge := range suiteJudges {
		if got := judge(c, raw); !sameResult(got, want) {
			t.Errorf("%s on %s:\ngot       %+v\nreference %+v", name, raw, got, want)
		}
	}
	judgeInput(t, c, Input{Raw: raw})
	return want
}

// judgeInput judges by both judges that callers get.
func judgeInput(t testing.TB, c *Compiled, in Input) Result {
	t.Helper()
	got, want := c.Judge(in), c.Reference().Judge(in)
	if !sameResult(got, want) {
		t.Errorf("Judge on %s (%+v):\ngot       %+v\nreference %+v", in.Raw, c.opts, got, want)
	}
	return got
}

// sameResult takes no violations for no violations, nil or not.
func sameResult(a, b Result) bool {
	return a.Judged == b.Judged && a.Fault == b.Fault && len(a.Violations) == len(b.Violations) &&
		(len(a.Violations) == 0 || reflect.DeepEqual(a.Violations, b.Violations))
}

// suiteRoot is where the suite is, and whether it is the committed copy.
func suiteRoot() (root string, committed bool) {
	root = cmp.Or(os.Getenv(suiteVariable), committedSuite)
	return root, root == committedSuite
}

// readSuite visits the groups of the required tests. name is "<draft>/<file>".
func readSuite(t testing.TB, visit func(name string, d Dialect, g suiteGroup)) {
	t.Helper()
	readWholeSuite(t, func(name string, d Dialect, g suiteGroup) {
		if !strings.Contains(name, "/optional/") {
			visit(name, d, g)
		}
	})
}

// readWholeSuite visits the groups of all tests. The name of an optional one is
// "<draft>/optional/<file>" or "<draft>/optional/format/<file>".
func readWholeSuite(t testing.TB, visit func(name string, d Dialect, g suiteGroup)) {
	t.Helper()
	root, _ := suiteRoot()
	tests := os.DirFS(path.Join(root, "tests"))
	for _, dir := range suiteDrafts() {
		found := 0
		err := fs.WalkDir(tests, dir, func(file string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || path.Ext(file) != ".json" {
				return err
			}
			text, err := fs.ReadFile(tests, file)
			if err != nil {
				return err
			}
			var groups []suiteGroup
			if err := json.Unmarshal(text, &groups); err != nil {
				return err
			}
			for _, g := range groups {
				found++
				visit(strings.TrimSuffix(file, ".json"), suiteDirs[dir], g)
			}
			return nil
		})
		if err != nil || found == 0 {
			t.Fatalf("%d groups of %s in the suite (set %s to a copy of the repository, or unset it): %v", found, dir, suiteVariable, err)
		}
	}
}

// suiteDrafts are the names of the drafts, oldest first.
func suiteDrafts() []string {
	drafts := make([]string, 0, len(suiteDirs))
	for dir := range suiteDirs {
		drafts = append(drafts, dir)
	}
	slices.SortFunc(drafts, func(a, b string) int { return suiteDirs[a].year() - suiteDirs[b].year() })
	return drafts
}

// suiteOptions are the settings for a file: the tests of formats are about
// formats that are asserted.
func suiteOptions(name string, d Dialect) Options {
	opts := conformance(d)
	if strings.Contains(name, "/optional/format") {
		opts.AnnotateFormats = false
	}
	return opts
}
