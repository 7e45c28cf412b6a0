package jsonschema

import (
	"strings"
	"testing"
)

// suiteCount counts tests and groups.
type suiteCount struct {
	groups, refused int
	tests, passed   int
}

// suiteRun is how the whole suite fared.
type suiteRun struct {
	// required and optional are by draft.
	required, optional map[string]*suiteCount
	// deviating counts, by the index of the deviation and by draft, the tests
	// that fare otherwise than the suite wants.
	deviating []map[string]*suiteCount
}

// runSuite runs the whole suite by all judges and reports whatever the table of
// deviations does not list.
func runSuite(t *testing.T) *suiteRun {
	t.Helper()
	run := &suiteRun{required: map[string]*suiteCount{}, optional: map[string]*suiteCount{}}
	for range deviations {
		run.deviating = append(run.deviating, map[string]*suiteCount{})
	}
	readWholeSuite(t, func(name string, d Dialect, g suiteGroup) {
		draft, file, _ := strings.Cut(name, "/")
		list := run.required
		if strings.HasPrefix(file, "optional/") {
			list = run.optional
		}
		index := deviationOf(name, g.Description)
		count := runSuiteGroup(t, name, d, g, index)
		counted(list, draft).add(count)
		if index >= 0 {
			counted(run.deviating[index], draft).add(count)
		}
	})
	return run
}

func counted(m map[string]*suiteCount, draft string) *suiteCount {
	if m[draft] == nil {
		m[draft] = &suiteCount{}
	}
	return m[draft]
}

func (c *suiteCount) add(n suiteCount) {
	c.groups += n.groups
	c.refused += n.refused
	c.tests += n.tests
	c.passed += n.passed
}

// runSuiteGroup runs one group, which index says to be a deviation or, by -1,
// to be none.
func runSuiteGroup(t *testing.T, name string, d Dialect, g suiteGroup, index int) suiteCount {
	t.Helper()
	var kind deviationKind
	if index >= 0 {
		kind = deviations[index].kind
	}
	count := suiteCount{groups: 1, tests: len(g.Tests)}
	var p, w problems
	c := compile(g.Schema, openly(suiteOptions(name, d)), &p, &w)
	if c == nil || p.any() {
		count.refused = 1
		if kind != refuses {
			t.Errorf("%s: %s: not compiled, and not listed as a deviation: %v", name, g.Description, p.list)
		}
		return count
	}
	if kind == refuses {
		t.Errorf("%s: %s: compiles, though listed as refused: take it off the list", name, g.Description)
		return count
	}
	for _, tt := range g.Tests {
		res := judgeAll(t, c, tt.Data)
		want := tt.Valid || kind == accepts
		switch {
		case !res.Judged || res.OK() != want:
			t.Errorf("%s: %s: %s: got %v, want valid=%t", name, g.Description, tt.Description, errorsOf(res), want)
		case res.OK() == tt.Valid:
			count.passed++
		}
	}
	if kind == accepts && count.passed == count.tests {
		t.Errorf("%s: %s: passes, though listed as a deviation: take it off the list", name, g.Description)
	}
	return count
}

func TestSuite(t *testing.T) {
	run := runSuite(t)
	for _, draft := range suiteDrafts() {
		t.Logf("%s: required %+v, optional %+v", draft, *counted(run.required, draft), *counted(run.optional, draft))
	}
	if _, committed := suiteRoot(); !committed {
		return
	}
	for i, d := range deviations {
		if len(run.deviating[i]) == 0 {
			t.Errorf("%s: %s: listed as a deviation and not in the suite: take it off the list", d.file, d.group)
		}
	}
}
