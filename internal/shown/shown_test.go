package shown_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/shown"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain":               "plain",
		"":                    "",
		"Größe 日本":            "Größe 日本",
		"a\u00a0b":            "a\u00a0b",
		"line\nfeed":          `line\u000afeed`,
		"nul\x00":             `nul\u0000`,
		"del\x7f":             `del\u007f`,
		"zero\u200bwidth":     `zero\u200bwidth`,
		"rtl\u202e":           `rtl\u202e`,
		"sep\u2028\u2029":     `sep\u2028\u2029`,
		"private\ue000":       `private\ue000`,
		"tag\U000e0041":       `tag\udb40\udc41`,
		"unassigned\u0378":    `unassigned\u0378`,
		"bad\xff":             `bad\ufffd`,
		"emoji 😀":             "emoji 😀",
		`back\slash "quoted"`: `back\slash "quoted"`,
		"cyrillic а":          "cyrillic а",
	} {
		if got := shown.Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

// The cut counts code points and comes before the escape, so that an escape is
// never cut in half.
func TestCutThenEscape(t *testing.T) {
	long := strings.Repeat("é", 127) + "\n" + "tail"
	want := strings.Repeat("é", 127) + `\u000a` + "…"
	if got := shown.Name(long); got != want {
		t.Errorf("got %q", got)
	}
	exact := strings.Repeat("é", shown.MaxName)
	if shown.Name(exact) != exact {
		t.Error("a name of just the limit is cut")
	}
	if got := shown.Path(strings.Repeat("x", 300)); got != strings.Repeat("x", 256)+"…" {
		t.Errorf("path: %q", got)
	}
}

func FuzzName(f *testing.F) {
	f.Add("get_weather")
	f.Add("a\x00\u202e\xff\U000e0041")
	f.Fuzz(func(t *testing.T, s string) {
		got := shown.Name(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q is shown as bad UTF-8", s)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r < 0x20 || r == 0x7f || r == 0x202e }) {
			t.Errorf("%q is shown with a hidden character: %q", s, got)
		}
		if n := utf8.RuneCountInString(got); n > 12*(shown.MaxName+1) {
			t.Errorf("%d code points shown", n)
		}
	})
}
