package jsonschema

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// mustTable builds the table of a pattern that has to have one.
func mustTable(t testing.TB, source string) *patternTable {
	t.Helper()
	p, err := newPattern(source)
	if err != nil {
		t.Fatalf("newPattern(%q): %v", source, err)
	}
	if p.table == nil {
		t.Fatalf("%q has no table", source)
	}
	return p.table
}

func TestPatternTable(t *testing.T) {
	for _, tt := range []struct {
		source      string
		good, wrong []string
	}{
		{``, []string{"", "a", "é"}, nil},
		{`^$`, []string{""}, []string{"a", "é", "\n"}},
		{`$^`, []string{""}, []string{"a"}},
		{`$`, []string{"", "a"}, nil},
		{`^`, []string{"", "a"}, nil},
		{`^^a$$`, []string{"a"}, []string{"", "aa"}},
		{`a$b`, nil, []string{"", "ab", "a"}},
		{`a^b`, nil, []string{"ab", "b"}},
		{`a`, []string{"a", "xxa", "éa\U0001f600", "aa"}, []string{"", "b", "á"}},
		{`a|^b$`, []string{"a", "b", "xa", "ba"}, []string{"", "bb", "xb", "bx"}},
		{`(?:^|/)\.\.(?:/|$)`, []string{"..", "a/..", "../b", "a/../b"}, []string{"", "a..", "..b", "a/..b", "..."}},
		{`^a|b$`, []string{"ax", "xb", "a", "b"}, []string{"xa", "bx", ""}},
		{`(^a)*b`, []string{"ab", "b", "xb"}, []string{"a", ""}},
		{`^(?:a|ab)(?:c|bcd)$`, []string{"ac", "abc", "abcd", "abbcd"}, []string{"ab", "acd", "xac"}},
		{`aab`, []string{"aaab", "xaabx"}, []string{"ab", "aa"}},
		{`^a+?$`, []string{"a", "aaa"}, []string{"", "ab"}},
		{`^a*?b??$`, []string{"", "a", "aab", "b"}, []string{"abb", "ba"}},
		{`^a{2,3}?$`, []string{"aa", "aaa"}, []string{"a", "aaaa"}},
		{`^(?:a{0}b)$`, []string{"b"}, []string{"ab", ""}},
		{`^(?:(?:a?){3}){2}$`, []string{"", "aaaaaa"}, []string{"aaaaaaa"}},
		{`^(a*)*$`, []string{"", "aaa"}, []string{"b", "aab"}},
		{`[]`, nil, []string{"", "a", "é"}},
		{`[]|a`, []string{"a"}, []string{"", "b"}},
		{`a[]*`, []string{"a"}, []string{"", "b"}},
		{`^[^]$`, []string{"a", "\n", "é", "\U0010ffff", "\x00"}, []string{"", "ab", "éé"}},
		{`^[^]{2}$`, []string{"aé", "é\U0001f600"}, []string{"é", "é\U0001f600a"}},
		{`^.$`, []string{"a", "é", "\U0001f600", "\u2027", "\u2030"}, []string{"", "\n", "\r", "\u2028", "\u2029", "aa"}},
		{`^.*$`, []string{"", "aé\U0001f600"}, []string{"a\nb", "\u2028"}},
		{`^\s$`, []string{" ", "\t", "\n", "\u00a0", "\ufeff", "\u2029", "\u3000", "\u1680"}, []string{"", "\u0085", "\u180e", "a", "\u200b"}},
		{`^\S+$`, []string{"aé"}, []string{"a\u00a0", " ", "\u0085 "}},
		{`^\p{L}+$`, []string{"é", "aßÄ", "日本語", "\U00010400"}, []string{"", "1", "a1", "\U0001f600", "é-"}},
		{`^\P{L}$`, []string{"1", "\U0001f600"}, []string{"é", "", "a"}},
		{`^\p{Script=Greek}+$`, []string{"αβγ"}, []string{"abc", "αa"}},
		{`^[😀-😂]$`, []string{"😀", "😁", "😂"}, []string{"😃", "a", "\ufffd"}},
		{`^[^\u{10000}-\u{10ffff}]*$`, []string{"", "aé\uffff"}, []string{"a\U00010000", "\U0010ffff"}},
		{`^[\u0080-\u07ff]+$`, []string{"\u0080\u07ff"}, []string{"\u007f", "\u0800", ""}},
		{`^\x7f$`, []string{"\x7f"}, []string{"\u0080", "~"}},
		{`^é{2}$`, []string{"éé"}, []string{"é", "ééé", "e\u0301"}},
		{`\ud83d`, nil, []string{"\U0001f600", "\ufffd"}},
		{`^[A-Za-z0-9._-]+$`, []string{"a", "some_name-0.9"}, []string{"", "a b", "aé", "é", "a\n"}},
		{`^ORD-[0-9]{6,12}$`, []string{"ORD-123456", "ORD-123456789012"}, []string{"ORD-12345", "ORD-1234567890123", "xORD-123456", "ORD-12345x"}},
		{`[0-9]{3}$`, []string{"123", "x1234"}, []string{"12", "123x", "12é3"}},
		{`^(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$`, []string{"2026-01-31", "1999-12-01"}, []string{"2026-13-01", "2026-00-10", "2026-01-32"}},
		{`^[a-z]{1,2000}$`, []string{"a", strings.Repeat("a", 2000)}, []string{"", strings.Repeat("a", 2001), "A"}},
	} {
		table := mustTable(t, tt.source)
		for i, text := range slices.Concat(tt.good, tt.wrong) {
			if want := i < len(tt.good); table.match(text) != want || table.matchBytes([]byte(text)) != want {
				t.Errorf("%q on %.40q = %t, as bytes %t", tt.source, text, !want, table.matchBytes([]byte(text)))
			}
		}
	}
}

// Wherever a run of one class is taken at once, what follows it must still be seen.
func TestPatternTableRuns(t *testing.T) {
	table := mustTable(t, `^[a-zé]*[0-9]?$`)
	for n := range 40 {
		run := strings.Repeat("a", n)
		for text, want := range map[string]bool{
			run: true, run + "1": true, run + "é": true, run + "éa": true, run + "é1": true, run + "ab": true,
			run + "12": false, run + "-": false, run + "1a": false, run + "è": false, run + "é-a": false, run + "\U0001f600": false,
		} {
			if table.match(text) != want {
				t.Errorf("%q = %t", text, !want)
			}
		}
	}
}

// What is no UTF-8 counts as U+FFFD, byte for byte, as it does for the other engines.
func TestPatternTableOnBrokenText(t *testing.T) {
	for source, want := range map[string]bool{`^.{2}$`: true, `^[\ufffd]{2}$`: true, `^[^\ufffd]`: false, `^.$`: false} {
		table, re := mustTable(t, source), regexp.MustCompile(strings.ReplaceAll(source, `\ufffd`, "\ufffd"))
		for _, text := range []string{"\xff\xfe", "\xc3\xc3", "\xed\xa0", "\xe2\x80", "\x80\x80"} {
			if utf8.ValidString(text) {
				t.Fatal(text)
			}
			if got := table.match(text); got != want || re.MatchString(text) != want || table.matchBytes([]byte(text)) != want {
				t.Errorf("%q on %q = %t", source, text, got)
			}
		}
	}
}

// Every code point reads as the library reads it, and so does every way to break one.
func TestPatternTableDecodes(t *testing.T) {
	check := func(text string) {
		want, size := utf8.DecodeRuneInString(text)
		if r, n := decodeBeyond(text, 0); r != want || n != size {
			t.Fatalf("%q: %U of %d bytes, want %U of %d", text, r, n, want, size)
		}
	}
	for r := rune(utf8.RuneSelf); r <= maxRune; r++ {
		if r == 0xD800 {
			r = 0xE000
		}
		check(string(r))
	}
	edges := []byte{0x00, 0x40, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF}
	for c := utf8.RuneSelf; c <= 0xFF; c++ {
		check(string([]byte{byte(c)}))
		for _, x := range edges {
			check(string([]byte{byte(c), x}))
			for _, y := range edges {
				check(string([]byte{byte(c), x, y}))
				check(string([]byte{byte(c), x, y, 0x80}))
			}
		}
	}
}

// Every code point is in the class that its sets give it, on all pages.
func TestPatternTableHasEveryCodePoint(t *testing.T) {
	for _, source := range []string{`^\p{L}$`, `^\s$`, `^[^\p{Lu}\d]$`, `^[\u{ff}-\u{100}\u{ffff}-\u{10000}]$`} {
		tree, err := parsePattern(source)
		if err != nil {
			t.Fatal(err)
		}
		table, set := mustTable(t, source), tree.subs[1].set
		for r := rune(0); r <= maxRune; r++ {
			if utf8.ValidRune(r) && table.match(string(r)) != set.has(r) {
				t.Fatalf("%q on %U = %t", source, r, !set.has(r))
			}
		}
	}
}

// What would take too much room or work gets no table, and runs as it would without.
func TestPatternTableBounds(t *testing.T) {
	// Each character is a class, and all others are one.
	const characters = "A|B|C|D|E|F|G|H|I|J|K|L|M|N|O|P|Q|R|S|T|U|V|W|X|Y|Z|0|1|2|3|4|5|6|7|8|9|" +
		"a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z"
	if table := mustTable(t, "^(?:"+characters+")$"); !table.match("A") || !table.match("z") || table.match("é") || table.match("-") {
		t.Error("as many classes as a table may have")
	}
	for name, source := range map[string]string{
		"states beyond the room":  `(a|b)*a(a|b){12}$`,
		"the start of it alive":   `(a|b)*a(a|b){12}c`,
		"states beyond the cache": `^[a-z]{1,4000}$`,
		"steps":                   `^[a-z]{1,5000}$`,
		"quadratic work":          `[^]{0,1000}x$`,
		"classes":                 "^(?:" + characters + "|-)$",
		"a word boundary":         `\bfoo`,
		"no word boundary":        `foo\B`,
		"a look-ahead":            `^(?=a)a$`,
		"a back reference":        `^(a)\1$`,
	} {
		p, err := newPattern(source)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.table != nil {
			t.Errorf("%s: a table of %d states", name, len(p.table.loops))
		}
		if p.re2 == nil && p.prog == nil {
			t.Errorf("%s: no engine", name)
		}
	}
}

// bytes is what a table holds, but for headers.
func (t *patternTable) bytes() int {
	return 2*len(t.next) + 8*len(t.loops) + 5*len(t.bounds) + 2*len(t.pages) + len(t.classes)
}

func TestPatternTableSize(t *testing.T) {
	for _, source := range append([]string{
		``, `a`, `^\p{L}[\p{L}\p{N}_ -]*$`, `^[a-z]{1,2000}$`, `^.{1,1000}$`, `^.{1,1000}`, `.{1,20}$`, `\p{L}*`,
		`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`,
		`^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])$`,
		`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`,
		`^(/[^/]{1,100}){1,10}$`, `^[a-z]+://[^\s/$.?#][^\s]*$`, `^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?$`,
	}, tableBenchmarks()...) {
		tree, err := parsePattern(source)
		if err != nil {
			t.Fatal(err)
		}
		table := mustTable(t, source)
		allowed := min(maxTableBytes, tableBytes+tableBytesPerStep*tree.size+tableBytesPerRange*tree.ranges)
		if n := table.bytes(); n > allowed {
			t.Errorf("%q: %d bytes, %d are allowed", source, n, allowed)
		}
	}
}

func TestPatternTableIsTheSameTwice(t *testing.T) {
	for _, source := range append(tableBenchmarks(), `^\p{L}[\p{L}\p{N}_ -]*$`, `a|^b$`) {
		a, b := mustTable(t, source), mustTable(t, source)
		if !slices.Equal(a.next, b.next) || !slices.Equal(a.bounds, b.bounds) || a.classes != b.classes || a.start != b.start || a.accepting != b.accepting {
			t.Errorf("%q: two tables", source)
		}
	}
}

func TestPatternTableAllocatesNothing(t *testing.T) {
	for _, tt := range []struct{ source, text string }{
		{`^[A-Za-z0-9._-]+$`, "some_name-0.9-final"},
		{`^\p{L}+$`, "Ünïcode日本語"},
		{`^.*$`, "aé\U0001f600\xff"},
	} {
		p, err := newPattern(tt.source)
		if err != nil {
			t.Fatal(err)
		}
		table, raw, steps := mustTable(t, tt.source), []byte(tt.text), matchSteps
		if n := testing.AllocsPerRun(100, func() {
			matched, overrun := p.match(tt.text, &steps)
			if !matched || overrun || !table.matchBytes(raw) || p.cost(len(raw)) != 1 {
				t.Error("no match")
			}
		}); n > 0 {
			t.Errorf("%q allocates %v times", tt.source, n)
		}
		if steps != matchSteps {
			t.Errorf("%q takes steps", tt.source)
		}
	}
}

// tableBenchmarks are patterns as schemas have them.
func tableBenchmarks() []string {
	patterns := make([]string, 0, len(benchmarkedPatterns))
	for _, b := range benchmarkedPatterns {
		patterns = append(patterns, b.source)
	}
	return patterns
}

var benchmarkedPatterns = []struct{ name, source, text string }{
	{"name", `^[A-Za-z0-9._-]+$`, "some_name-0.9-last"},
	{"order", `^ORD-[0-9]{6,12}$`, "ORD-123456789"},
	{"email", `^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$`, "somebody.somewhere@example.org"},
	{"date", `^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$`, "2026-01-31"},
	{"line", `^.{1,1000}$`, strings.Repeat("a line of text ", 20)},
	{"letters", `^[\p{L} ]+$`, strings.Repeat("Ünïcode ", 10)},
	{"unanchored", `secret|password`, strings.Repeat("nothing to be seen here ", 10)},
	{"chinese", `^[^<>]+$`, strings.Repeat("日本語", 30)},
}

func BenchmarkPatternTable(b *testing.B) {
	for _, bb := range benchmarkedPatterns {
		table := mustTable(b, bb.source)
		tree, err := parsePattern(bb.source)
		if err != nil {
			b.Fatal(err)
		}
		re := regexp.MustCompile(re2Text(tree.reNode))
		b.Run(bb.name+"/table", func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			for b.Loop() {
				table.match(bb.text)
			}
		})
		b.Run(bb.name+"/regexp", func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			for b.Loop() {
				re.MatchString(bb.text)
			}
		})
		b.Run(bb.name+"/build", func(b *testing.B) {
			for b.Loop() {
				newPatternTable(tree)
			}
		})
		b.Run(bb.name+"/buildregexp", func(b *testing.B) {
			for b.Loop() {
				regexp.MustCompile(re2Text(tree.reNode))
			}
		})
	}
}
