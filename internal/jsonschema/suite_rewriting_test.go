package jsonschema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/rawjson"
)

// rewriter writes a value again in another spelling that means the same.
// Numbers stay as they are: integers are lexical.
type rewriter struct {
	*rand.Rand
	order, space, escapes bool
}

// rewriters are the spellings that may not matter, one by one and together.
var rewriters = map[string]rewriter{
	"key order":   {order: true},
	"white space": {space: true},
	"escapes":     {escapes: true},
	"all":         {order: true, space: true, escapes: true},
}

func (w rewriter) write(dst []byte, v *rawjson.Value) []byte {
	switch v.Kind {
	case rawjson.String:
		return w.text(dst, v.Text)
	case rawjson.Array:
		dst = append(dst, '[')
		for i, item := range v.Items {
			dst = w.write(w.comma(dst, i), item)
			dst = w.gap(dst)
		}
		return append(w.gap(dst), ']')
	case rawjson.Object:
		dst = append(dst, '{')
		for i, f := range w.shuffled(v.Fields) {
			dst = w.text(w.comma(dst, i), f.Key)
			dst = w.gap(append(w.gap(dst), ':'))
			dst = w.gap(w.write(dst, f.Value))
		}
		return append(w.gap(dst), '}')
	}
	return append(dst, v.Raw...)
}

func (w rewriter) comma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return w.gap(dst)
}

// gap writes white space, or none.
func (w rewriter) gap(dst []byte) []byte {
	for w.space && w.IntN(3) > 0 {
		dst = append(dst, " \t\n\r"[w.IntN(4)])
	}
	return dst
}

// shuffled gives the members in another order. Equal keys keep theirs.
func (w rewriter) shuffled(fields []rawjson.Field) []rawjson.Field {
	if !w.order {
		return fields
	}
	out := make([]rawjson.Field, len(fields))
	for to, from := range w.Perm(len(fields)) {
		out[to] = fields[from]
	}
	next := map[string]int{}
	for i, f := range out {
		at := next[f.Key]
		for fields[at].Key != f.Key {
			at++
		}
		out[i], next[f.Key] = fields[at], at+1
	}
	return out
}

// text writes a string, each character as it is or by one of its escapes.
func (w rewriter) text(dst []byte, s string) []byte {
	if !w.escapes {
		return rawjson.AppendString(dst, s)
	}
	dst = append(dst, '"')
	for _, r := range s {
		short := strings.IndexRune("\"\\/\b\f\n\r\t", r)
		mustEscape := r < ' ' || r == '"' || r == '\\'
		switch way := w.IntN(4); {
		case short >= 0 && (way == 0 || mustEscape && way < 3):
			dst = append(dst, '\\', `"\/bfnrt`[short])
		case way == 1 || mustEscape:
			dst = w.units(dst, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// units writes \uXXXX, twice beyond the BMP, in either case of the digits.
func (w rewriter) units(dst []byte, r rune) []byte {
	format := [...]string{`\u%04x`, `\u%04X`}[w.IntN(2)]
	for _, unit := range utf16.AppendRune(nil, r) {
		dst = fmt.Appendf(dst, format, unit)
	}
	return dst
}

// TestRewriting states that the order of keys, white space between tokens and
// the spelling of characters never change a result, nor the canonical form.
func TestRewriting(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	changed := map[string]int{}
	visitRewritable(t, func(c *Compiled, raw []byte) {
		v, err := rawjson.Parse(raw, rawjson.Limits{MaxDepth: MaxArgumentDepth, MaxValues: MaxArgumentValues})
		if err != nil {
			return
		}
		plain := rewriter{}.write(nil, v)
		want := sortedResult(judgeAll(t, c, raw))
		canonical, _ := c.Canonical(nil, Input{Raw: raw})
		for name, w := range rewriters {
			w.Rand = rand.New(rand.NewPCG(random.Uint64(), 3))
			text := w.write(nil, v)
			if !bytes.Equal(text, plain) {
				changed[name]++
			}
			if got := sortedResult(judgeAll(t, c, text)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s and %s:\n%+v\n%+v", name, raw, text, want, got)
			}
			if got, _ := c.Canonical(nil, Input{Raw: text}); !bytes.Equal(got, canonical) {
				t.Errorf("%s: %s and %s: canonical %s and %s", name, raw, text, canonical, got)
			}
		}
	})
	for name := range rewriters {
		if changed[name] < 100 {
			t.Errorf("%s: only %d values were spelled otherwise", name, changed[name])
		}
	}
	t.Log(changed)
}

// sortedResult puts violations that read the same in an order that does not
// depend on the order of keys.
func sortedResult(res Result) Result {
	res.Violations = slices.SortedFunc(slices.Values(res.Violations), func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Error(), b.Error()), strings.Compare(a.Pointer, b.Pointer))
	})
	return res
}

// visitRewritable visits the values of the whole suite, of the schemas of the
// pydantic kind under each setting, and of the reported cases.
func visitRewritable(t *testing.T, visit func(c *Compiled, raw []byte)) {
	t.Helper()
	readWholeSuite(t, func(name string, d Dialect, g suiteGroup) {
		opts := suiteOptions(name, d)
		// The rules of the closed world look at keys, so let them look.
		for _, opts.Undeclared = range []Undeclared{FollowSchema, RejectNested} {
			var p, w problems
			if c := compile(g.Schema, openly(opts), &p, &w); c != nil && !p.any() {
				for _, tt := range g.Tests {
					visit(c, tt.Data)
				}
			}
		}
	})
	for _, m := range readPydantic(t) {
		for _, undeclared := range undeclaredSettings {
			c := m.compile(t, undeclared)
			for _, value := range m.values() {
				visit(c, value)
			}
		}
	}
	text, err := os.ReadFile("../../test/cases/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var rc reportCase
		if err := json.Unmarshal(line, &rc); err != nil {
			t.Fatal(err)
		}
		if rc.Kind != "call" || rc.Parameters == nil || rc.Heavy {
			continue
		}
		if c, _, _ := Compile(rc.Parameters, rc.options()); c != nil {
			if in, ok := rc.arguments(t); ok && !in.FreeText {
				visit(c, in.Raw)
			}
		}
	}
}
