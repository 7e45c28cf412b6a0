package jsonschema

import (
	"strings"
	"testing"
)

func TestPatternMatches(t *testing.T) {
	for _, tt := range []struct {
		source, text string
		want         bool
	}{
		{`^\d{4}$`, "4242", true},
		{`^\d{4}$`, "٤٢٤٢", false},
		{`^\w+$`, "é", false},
		{`^\s$`, "\u00a0", true},
		{`^\s$`, "\ufeff", true},
		{`^\s$`, "\u2028", true},
		{`^\S$`, "\u00a0", false},
		{`^[a-z-]+$`, "web\n", false},
		{`^.$`, "\u2028", false},
		{`^.$`, "\r", false},
		{`^.$`, "\U0001f600", true},
		{`^[^]$`, "\n", true},
		{`[]`, "a", false},
		{`^\cA$`, "\x01", true},
		{`^\u0041\x42\u{43}$`, "ABC", true},
		{`^\ud83d\ude00$`, "\U0001f600", true},
		{`^\p{L}+$`, "Ünïcode", true},
		{`^\p{Script=Greek}+$`, "αβγ", true},
		{`^\P{L}$`, "1", true},
		{`^\p{Letter}$`, "é", true},
		{`^(?<year>\d{4})-\d\d$`, "2026-01", true},
		{`^(?<q>['"]).*\k<q>$`, `"x"`, true},
		{`^(?<q>['"]).*\k<q>$`, `"x'`, false},
		{`^(a|b)\1$`, "aa", true},
		{`^(a|b)\1$`, "ab", false},
		{`^(?!-)[a-z0-9-]{1,20}$`, "team-a", true},
		{`^(?!-)[a-z0-9-]{1,20}$`, "-team", false},
		{`(?<=\$)\d+`, "cost $42", true},
		{`(?<!\$)\b\d+`, "cost $42", false},
		{`(?<=a(?=b))b`, "ab", true},
		{`^(?=.*[A-Z])(?=.*\d).{8,}$`, "Passw0rd", true},
		{`^(?=.*[A-Z])(?=.*\d).{8,}$`, "password", false},
		{`^(?:(a)|b)*\1$`, "ab", true}, // the group is forgotten in the last round
		{`^(?=(a+))\1b$`, "aab", true},
		{`^(a*)*$`, "b", false},
		{`^(?:a?)*?b(?=c)`, "aabc", true},
		{`^[\w.-]+$`, "a.b-c", true},
		{`^[\w-.]+$`, "a-b.", true},
		{`^\-\/\@$`, "-/@", true},
		{`^{x}$`, "{x}", true},
		{`^[a-z]{1,2000}$`, strings.Repeat("a", 1500), true},
		{`^.{1,10000}$`, strings.Repeat("a", 10001), false},
		{`^\bfoo\b$`, "foo", true},
		{`o\B`, "foo ox", true},
		{`^(?!x)(a+)+$`, "aaaa", true},
		{`^[\b]$`, "\b", true},
		{`^\0$`, "\x00", true},
		{`a{0}b`, "b", true},
		{``, "anything", true},
	} {
		p, err := newPattern(tt.source)
		if err != nil {
			t.Errorf("newPattern(%q): %v", tt.source, err)
			continue
		}
		if got := p.MatchString(tt.text); got != tt.want {
			t.Errorf("%q on %q = %t (backtracking %t)", tt.source, tt.text, got, p.backtracking())
		}
	}
}

func TestPatternRefuses(t *testing.T) {
	for _, source := range []string{
		`[a-z`, `(`, `)`, `a**`, `*`, `+a`, `a{2,1}`, `{2}`, `(?i)a`, `\a`, `\Z`, `\A`, `\_\z`, `[z-a]`, `\1`, `\k<n>`,
		`(?<n>a)(?<n>b)`, `\u12`, `\u{110000}`, `\x1`, `\c1`, `\p{Nope}`, `\p`, `(?<1>a)`, `(?<>a)`, `(?P<n>a)`, `\`, `^*`,
		`(?=a)*`, `\01`, strings.Repeat("(", 300) + strings.Repeat(")", 300), `(?:(?:a{1000}){1000}){1000}`,
	} {
		if p, err := newPattern(source); err == nil {
			t.Errorf("newPattern(%q) = %v", source, p)
		}
	}
}

// What would run for ages is refused at once, or given up within the budget.
func TestPatternBudget(t *testing.T) {
	for _, tt := range []struct{ source, text string }{
		{`^(a+)+$`, strings.Repeat("a", 5000) + "!"},
		{`^(?!x)(a+)+$`, strings.Repeat("a", 40) + "!"},
		{`^(?!x)(a+)+$`, strings.Repeat("a", 5000) + "!"},
		{`(?=x)(.*)*y`, strings.Repeat("x", 5000)},
		{`^(a|a)*\1$`, strings.Repeat("a", 60) + "b"},
		{`(?<=(a+)+)b`, strings.Repeat("a", 3000)},
		{`^(?=(.*,){30}z)`, strings.Repeat(",", 300)},
		{`(?!x)z`, strings.Repeat("a", MaxArgumentBytes)},
	} {
		p, err := newPattern(tt.source)
		if err != nil {
			t.Fatal(tt.source, err)
		}
		start := cpuTime(t)
		matched := p.MatchString(tt.text)
		t.Logf("%q: %v", tt.source, cpuTime(t)-start)
		if matched {
			t.Errorf("%q: matched", tt.source)
		}
	}
}
