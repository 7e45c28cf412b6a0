package jsonschema

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// patternWriter spells a pattern from arbitrary bytes, each of which is one choice.
type patternWriter struct {
	choices []byte
	out     strings.Builder
}

func (w *patternWriter) choose(n int) int {
	if len(w.choices) == 0 {
		return 0
	}
	c := int(w.choices[0]) % n
	w.choices = w.choices[1:]
	return c
}

var fuzzAtoms = []string{
	"a", "b", "0", "-", "é", "\U0001f600", ".", `\s`, `\S`, `\d`, `\w`, `\W`, `[ab]`, `[^a]`, `[^]`, `[]`, `[^é]`, `\p{L}`, `\P{L}`,
	`[a-zé-ü]`, `[\u0100-\uffff]`, `[^\ud800-\udfff]`, `\n`, `[\u{1f5ff}-\u{1f601}0]`,
}

var fuzzQuantifiers = []string{"", "", "", "*", "+", "?", "*?", "+?", "??", "{0}", "{2}", "{1,3}", "{2,}", "{0,2}?"}

func (w *patternWriter) alternatives(depth int) {
	for more := true; more; {
		for n := w.choose(4); n > 0; n-- {
			w.term(depth)
		}
		if more = len(w.choices) > 0 && w.choose(3) == 2; more {
			w.out.WriteByte('|')
		}
	}
}

func (w *patternWriter) term(depth int) {
	switch w.choose(6) {
	case 0:
		if depth > 0 {
			w.out.WriteString([]string{"(", "(?:"}[w.choose(2)])
			w.alternatives(depth - 1)
			w.out.WriteByte(')')
			break
		}
		fallthrough
	case 1:
		w.out.WriteString([]string{"(?:^)", "(?:$)", "(?:^|a)", "(?:-|$)"}[w.choose(4)])
	default:
		w.out.WriteString(fuzzAtoms[w.choose(len(fuzzAtoms))])
	}
	w.out.WriteString(fuzzQuantifiers[w.choose(len(fuzzQuantifiers))])
}

// shortTexts are all texts of up to three of a few characters.
func shortTexts() []string {
	texts := []string{""}
	for last := texts; len(last[0]) < 3; {
		var longer []string
		for _, text := range last {
			for _, r := range "ab0é\u2028\U0001f600" {
				longer = append(longer, text+string(r))
			}
		}
		texts, last = append(texts, longer...), longer
	}
	return texts
}

// FuzzPatternTable holds tables against RE2 and the backtracking engine: on patterns of
// a small grammar, and on those that the bytes are as they stand.
func FuzzPatternTable(f *testing.F) {
	for _, p := range []string{`^(a+)+$`, `a|^b$`, `[^\d]{2,3}?`, `(?<n>a*)*b`, `^\s\S$`, `(?:a|ab)(?:c|bcd)(?:d*)`, `[\w-.]`, `$^`, `^\p{L}*-$`} {
		f.Add([]byte(p), "aab-\u00a0é\U0001f600")
	}
	f.Add([]byte{3, 5, 2, 3, 2, 1, 0, 2, 4, 3, 2, 9, 1, 0, 1, 2, 2, 17, 4}, "abba")
	texts := shortTexts()
	f.Fuzz(func(t *testing.T, choices []byte, text string) {
		if len(choices) > 64 || len(text) > 60 || !utf8.ValidString(text) {
			return
		}
		w := &patternWriter{choices: choices}
		w.alternatives(3)
		enginesAgree(t, w.out.String(), append([]string{text}, texts...))
		if utf8.Valid(choices) {
			enginesAgree(t, string(choices), append([]string{text}, texts...))
		}
	})
}

func enginesAgree(t *testing.T, source string, texts []string) {
	t.Helper()
	tree, err := parsePattern(source)
	if err != nil {
		return
	}
	table := newPatternTable(tree)
	if table == nil {
		return
	}
	re, err := regexp.Compile(re2Text(tree.reNode))
	prog := compileProgram(tree)
	for _, text := range texts {
		got := table.match(text)
		if table.matchBytes([]byte(text)) != got {
			t.Fatalf("%q on %q: as text %t, as bytes %t", source, text, got, !got)
		}
		if err == nil && re.MatchString(text) != got {
			t.Fatalf("%q on %q: table %t, RE2 %t", source, text, got, !got)
		}
		if matched, left := prog.search([]rune(text), 10_000); left > 0 && matched != got {
			t.Fatalf("%q on %q: table %t, backtracking %t", source, text, got, matched)
		}
	}
}
