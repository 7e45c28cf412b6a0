package jsonschema

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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

// judgeValue judges a value whatever its kind.
func (c *Compiled) judgeValue(raw []byte) Result {
	root, fault := parseTree(raw)
	if fault != NoFault {
		return Result{Fault: fault}
	}
	return c.judgeTree(root, c.opts.IntegersByValue, NewBudget())
}

// refused are the groups of the suite that are compile problems here, by
// construction, with the reason. In a file of refRemote every group is, but for
// those that fetch nothing.
var refused = map[string]string{
	"dynamicRef: strict-tree schema, guards against misspelled properties":              remote,
	"dynamicRef: tests for implementation dynamic anchor and reference link":            remote,
	"dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first":        remote,
	"dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first":         remote,
	"dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor":                     remote,
	"vocabulary: schema that uses custom metaschema with with no validation vocabulary": custom,
	"vocabulary: ignore unrecognized optional vocabulary":                               custom,
}

const (
	remote = "a reference leads out of the document, and nothing is ever fetched"
	custom = "$schema names a meta-schema outside the document; only the five drafts are supported"
)

func refusedGroup(name string, g suiteGroup) string {
	file := name[strings.IndexByte(name, '/')+1:]
	if file == "refRemote" {
		return remote
	}
	return refused[file+": "+g.Description]
}

func readSuite(t testing.TB, visit func(name string, d Dialect, g suiteGroup)) {
	t.Helper()
	files, err := filepath.Glob("testdata/suite/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no suite", err)
	}
	for _, file := range files {
		dir := filepath.Base(filepath.Dir(file))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []suiteGroup
		if err := json.Unmarshal(text, &groups); err != nil {
			t.Fatal(file, err)
		}
		name := dir + "/" + strings.TrimSuffix(filepath.Base(file), ".json")
		for _, g := range groups {
			visit(name, suiteDirs[dir], g)
		}
	}
}

func TestSuite(t *testing.T) {
	passed, groups, refused := map[string]int{}, 0, 0
	readSuite(t, func(name string, d Dialect, g suiteGroup) {
		groups++
		reason := refusedGroup(name, g)
		var p, w problems
		c := compile(g.Schema, conformance(d), &p, &w, true)
		if p.any() {
			c = nil
		}
		switch {
		case c == nil && reason == "":
			t.Errorf("%s: %s: %v", name, g.Description, p.list)
			return
		case c == nil:
			refused++
			return
		case reason != "":
			t.Errorf("%s: %s: compiles, though listed as refused: %s", name, g.Description, reason)
			return
		}
		for _, tt := range g.Tests {
			res := c.judgeValue(tt.Data)
			if res.OK() != tt.Valid || !res.Judged {
				t.Errorf("%s: %s: %s: got %v, want valid=%t", name, g.Description, tt.Description, errorsOf(res), tt.Valid)
				continue
			}
			passed[name[:strings.IndexByte(name, '/')]]++
		}
	})
	t.Log(fmt.Sprint(passed), "groups", groups, "refused", refused)
}
