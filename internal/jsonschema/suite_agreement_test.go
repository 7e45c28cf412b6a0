package jsonschema

import (
	"fmt"
	"testing"
)

// agreementOptions are settings that conformance never uses, each setting in
// each of its values at least once.
var agreementOptions = []Options{
	{},
	{Undeclared: RejectNested, NullsAbsent: true},
	{Undeclared: FollowSchema, NullsAbsent: true, IntegersByValue: true, AnnotateFormats: true},
	{Undeclared: RejectNested, IntegersByValue: true, AllowProto: true},
}

// TestJudgesAgree runs the schemas of the suite under other settings, on the
// suite's values and on nasty ones. What is right there the suite does not say,
// but the judges must agree on it.
func TestJudgesAgree(t *testing.T) {
	readWholeSuite(t, func(name string, d Dialect, g suiteGroup) {
		for _, opts := range agreementOptions {
			opts.Dialect = d
			var p, w problems
			c := compile(g.Schema, openly(opts), &p, &w)
			if c == nil || p.any() {
				continue
			}
			for _, tt := range g.Tests {
				agree(t, c, tt.Data)
			}
		}
	})
	for _, doc := range fuzzSchemas {
		for _, opts := range agreementOptions {
			c := mustCompile(t, doc, opts)
			for _, raw := range nasty {
				agree(t, c, []byte(raw))
			}
		}
	}
}

// agree judges a value as it is, as an argument of an object, as a free text,
// and with integers by value.
func agree(t *testing.T, c *Compiled, raw []byte) {
	t.Helper()
	judgeAll(t, c, raw)
	judgeInput(t, c, Input{Raw: raw, FreeText: true})
	judgeInput(t, c, Input{Raw: raw, IntegersByValue: true})
	for _, key := range [...]string{"a", "foo", "__proto__"} {
		judgeInput(t, c, Input{Raw: fmt.Appendf(nil, `{"%s":%s}`, key, raw)})
	}
}
