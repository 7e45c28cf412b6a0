package jsonschema

import (
	"regexp/syntax"
	"strings"
	"testing"
)

// matching writes a text that matches a pattern, where Go's syntax reads it as ECMA-262
// does, which is so for nearly every pattern in use. Anchors inside are not heeded.
func (g *instanceGenerator) matching(source string) (text string, ok bool) {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	g.match(&b, re)
	return b.String(), true
}

// maxMatching is about how long such a text gets.
const maxMatching = 200

func (g *instanceGenerator) match(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			at := 2 * g.IntN(len(re.Rune)/2)
			span := min(re.Rune[at+1]-re.Rune[at], 90)
			b.WriteRune(re.Rune[at] + rune(g.IntN(int(span)+1)))
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune(pick(g.Rand, []rune("ab1 ä😀")))
	case syntax.OpStar:
		g.times(b, re.Sub[0], 0, -1)
	case syntax.OpPlus:
		g.times(b, re.Sub[0], 1, -1)
	case syntax.OpQuest:
		g.times(b, re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		g.times(b, re.Sub[0], re.Min, re.Max)
	case syntax.OpAlternate:
		g.match(b, pick(g.Rand, re.Sub))
	default:
		for _, sub := range re.Sub {
			g.match(b, sub)
		}
	}
}

func (g *instanceGenerator) times(b *strings.Builder, re *syntax.Regexp, least, most int) {
	if most < 0 || most > least+3 {
		most = least + 3
	}
	for n := least + g.IntN(most-least+1); n > 0 && b.Len() < maxMatching; n-- {
		g.match(b, re)
	}
}

// TestMatching holds the generator to the patterns.
func TestMatching(t *testing.T) {
	g := newInstanceGenerator(newRandom(1, 1), []byte(`{}`))
	for _, source := range []string{`^\d{5}$`, `^[a-z]+(-[0-9]{1,3})*$`, `^(?:GET|PUT)$`, `^.{3}$`, `x?y`} {
		p, err := newPattern(source)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			if text, ok := g.matching(source); !ok || !p.MatchString(text) {
				t.Fatalf("%q is generated for %q", text, source)
			}
		}
	}
}
