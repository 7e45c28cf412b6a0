package jsonschema

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// number writes a number at, next to, or between the bounds.
func (g *instanceGenerator) number(parts []*rawjson.Value, whole bool) {
	var bounds, steps []decimal
	for _, s := range parts {
		for _, f := range s.Fields {
			if f.Value.Kind != rawjson.Number {
				continue
			}
			switch f.Key {
			case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
				bounds = append(bounds, parseDecimal(string(f.Value.Raw)))
			case "multipleOf":
				steps = append(steps, parseDecimal(string(f.Value.Raw)))
			}
		}
	}
	var d decimal
	switch {
	case len(steps) > 0 && g.IntN(4) > 0:
		d = times(pick(g.Rand, steps), int64(g.IntN(25)-4))
		if g.IntN(4) == 0 {
			d = g.near(d)
		}
	case len(bounds) > 0 && g.IntN(5) > 0:
		d = g.near(pick(g.Rand, bounds))
	case g.IntN(3) > 0:
		d = parseDecimal(strconv.Itoa(g.IntN(41) - 20))
	default:
		d = parseDecimal(pick(g.Rand, someNumbers))
	}
	if whole && d.exp < 0 && !g.astray() {
		_, up := d.wholes()
		d = parseDecimal(strconv.FormatInt(up, 10))
	}
	switch {
	case whole && d.exp < 40 && d.exp >= 0 && (g.wrong == 0 || g.IntN(4) > 0):
		g.b = append(g.b, plain(d)...)
	case g.astray() && g.IntN(6) == 0:
		g.b = append(g.b, pick(g.Rand, farNumbers)...)
	default:
		g.b = append(g.b, g.spelled(d)...)
	}
}

// farNumbers are at and beyond the bounds on numbers.
var farNumbers = []string{
	"1e9999", "1e10000", "-1e10000", "1e-9999", "1e-10000", "1e1000001", "1e99999999", "0e99999999", "1e+00000000000000000009", "1E400", "-1e-400",
	"1" + strings.Repeat("0", 999), "1" + strings.Repeat("0", 1000), "0." + strings.Repeat("0", 998) + "1", "0." + strings.Repeat("0", 999) + "1",
	strings.Repeat("9", 999) + "e9999",
}

func times(d decimal, n int64) decimal {
	digits := bigDigits("0" + d.digits)
	if d.neg {
		digits.Neg(digits)
	}
	return shifted(digits.Mul(digits, big.NewInt(n)), d.exp)
}

// shifted is n * 10^exp.
func shifted(n *big.Int, exp int64) decimal {
	return parseDecimal(n.String() + "e" + strconv.FormatInt(exp, 10))
}

// near is the number, or one next to it by a unit, by its last digit, or by one far
// behind it.
func (g *instanceGenerator) near(d decimal) decimal {
	if g.IntN(2) == 0 {
		return d
	}
	exp := pick(g.Rand, []int64{0, d.exp, d.exp - 1, d.exp - 20})
	exp = max(min(exp, d.exp), d.exp-60)
	n := bigDigits("0" + d.digits)
	n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(d.exp-exp), nil))
	if d.neg {
		n.Neg(n)
	}
	return shifted(n.Add(n, big.NewInt(int64(1-2*g.IntN(2)))), exp)
}

// plain spells a whole number by digits alone.
func plain(d decimal) string {
	s := d.digits + strings.Repeat("0", int(d.exp))
	if d.zero() {
		s = "0"
	}
	if d.neg {
		s = "-" + s
	}
	return s
}

// spelled gives one of the spellings of a number.
func (g *instanceGenerator) spelled(d decimal) string {
	sign := ""
	if d.neg || d.zero() && g.IntN(3) == 0 {
		sign = "-"
	}
	digits, exp := d.digits, d.exp
	if d.zero() {
		digits, exp = "0", 0
	}
	if g.IntN(4) == 0 && digits != "0" {
		zeros := 1 + g.IntN(3)
		digits, exp = digits+strings.Repeat("0", zeros), exp-int64(zeros)
	}
	if g.IntN(2) == 0 && exp > -40 && exp < 40 {
		return sign + pointed(digits, exp)
	}
	// Some digits in front of the point, and the rest behind it.
	front := 1 + g.IntN(len(digits))
	s := digits[:front]
	if front < len(digits) {
		s += "." + digits[front:]
	}
	written := exp + int64(len(digits)-front)
	if written == 0 && g.IntN(2) == 0 {
		return sign + s
	}
	power := strconv.FormatInt(written, 10)
	if written >= 0 {
		power = pick(g.Rand, []string{"", "+", "0", "+00"}) + power
	}
	return sign + s + pick(g.Rand, []string{"e", "E"}) + power
}

func pointed(digits string, exp int64) string {
	if exp >= 0 {
		if digits == "0" {
			return digits
		}
		return digits + strings.Repeat("0", int(exp))
	}
	if short := int(-exp) - len(digits) + 1; short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	return digits[:len(digits)+int(exp)] + "." + digits[len(digits)+int(exp):]
}

// string writes a text of a length on the bounds, of a pattern, or of a format.
func (g *instanceGenerator) string(parts []*rawjson.Value) {
	if text, ok := g.special(parts); ok && !g.astray() {
		g.text(text)
		return
	}
	least, most := limits(parts, "minLength", "maxLength")
	if least < 0 && most < 0 {
		g.text(pick(g.Rand, someTexts))
		return
	}
	n := g.count(least, most, 6)
	letters := pick(g.Rand, []string{"a", "abc1", "ä", "😀", "a😀", "aä\"\\\u2028", "\u0000a"})
	runes := []rune(letters)
	text := make([]rune, n)
	for i := range text {
		text[i] = pick(g.Rand, runes)
	}
	g.text(string(text))
}

// special gives a text that some pattern or format wants.
func (g *instanceGenerator) special(parts []*rawjson.Value) (text string, ok bool) {
	var texts []string
	for _, s := range parts {
		if v := s.Get("pattern"); v != nil {
			texts = append(texts, g.patternTexts(v.Text)...)
		}
		if v := s.Get("format"); v != nil {
			for _, f := range someFormats {
				if f.name == v.Text {
					texts = append(texts, slices.Concat(f.good, f.good, f.bad)...)
				}
			}
		}
	}
	if len(texts) == 0 {
		return "", false
	}
	return pick(g.Rand, texts), true
}

func (g *instanceGenerator) patternTexts(source string) []string {
	for _, p := range somePatterns {
		if p.source == source {
			return p.matches
		}
	}
	if text, ok := g.matching(source); ok {
		return []string{text}
	}
	return nil
}
