package jsonschema

import (
	"strconv"
	"strings"
)

// enumPlan is an enum sorted by kind, so that a scalar is looked up as it stands
// in the text.
type enumPlan struct {
	source  *enum
	strings keyTable
	// null, yes and no are allowed literals.
	null, yes, no bool
	numbers       []decimal
	small         []smallNumber // the numbers that are, in the same places; else invalid
	// containers says that the enum has arrays or objects.
	containers bool
}

// newEnumPlan reads the values back from their equality keys.
func newEnumPlan(e *enum) *enumPlan {
	p := &enumPlan{source: e}
	var texts []string
	for _, key := range sortedKeys(e.keys) {
		switch key[0] {
		case 'n':
			p.null = true
		case 't':
			p.yes = true
		case 'f':
			p.no = true
		case 's':
			_, text, _ := strings.Cut(key, ":")
			texts = append(texts, text)
		case 'd':
			d := numberOfKey(key)
			p.numbers = append(p.numbers, d)
			p.small = append(p.small, d.small())
		default:
			p.containers = true
		}
	}
	p.strings = newKeyTable(texts)
	return p
}

// numberOfKey is the inverse of appendNumberKey.
func numberOfKey(key string) decimal {
	text, neg := strings.CutPrefix(strings.TrimSuffix(key[1:], ";"), "-")
	digits, exponent, _ := strings.Cut(text, "^")
	exp, _ := strconv.ParseInt(exponent, 10, 64)
	return decimal{neg: neg, digits: digits, exp: exp}
}

// hasNumber looks for the number that a literal stands for.
func (p *enumPlan) hasNumber(lit []byte) bool {
	if n := readSmall(lit); n.valid {
		return p.hasSmall(n, lit)
	}
	return p.hasDecimal(parseDecimal(string(lit)))
}

// hasSmall looks for a small number, of which lit is the literal.
func (p *enumPlan) hasSmall(n smallNumber, lit []byte) bool {
	for i, m := range p.small {
		if m.valid && n.compare(m) == 0 || !m.valid && parseDecimal(string(lit)).cmp(p.numbers[i]) == 0 {
			return true
		}
	}
	return false
}

func (p *enumPlan) hasDecimal(d decimal) bool {
	for i := range p.numbers {
		if d.cmp(p.numbers[i]) == 0 {
			return true
		}
	}
	return false
}
