package jsonschema

import (
	"slices"
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
	// small and numbers are sorted: the small numbers, and those that are none.
	small   []smallNumber
	numbers []decimal
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
			p.addNumber(numberOfKey(key))
		default:
			p.containers = true
		}
	}
	p.strings = newKeyTable(texts)
	slices.SortFunc(p.small, smallNumber.compare)
	slices.SortFunc(p.numbers, decimal.cmp)
	return p
}

func (p *enumPlan) addNumber(d decimal) {
	if n := d.small(); n.valid {
		p.small = append(p.small, n)
	} else {
		p.numbers = append(p.numbers, d)
	}
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
		return p.hasSmall(n)
	}
	return p.hasDecimal(parseDecimal(asString(lit)))
}

// hasSmall looks for a small number, which no number that is none can equal.
func (p *enumPlan) hasSmall(n smallNumber) bool {
	_, found := slices.BinarySearchFunc(p.small, n, smallNumber.compare)
	return found
}

// hasDecimal looks for any number: one with many zeros may be a small one.
func (p *enumPlan) hasDecimal(d decimal) bool {
	if n := d.small(); n.valid {
		return p.hasSmall(n)
	}
	_, found := slices.BinarySearchFunc(p.numbers, d, decimal.cmp)
	return found
}
