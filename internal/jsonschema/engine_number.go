package jsonschema

import (
	"github.com/callgate/callgate/internal/rawjson"
)

// number reads a number. Most are integers of at most 18 digits, which compare as
// such; what has more digits or an exponent beyond the bound goes the long way.
func (e *engine) number(p *plan, i int) int {
	end, form := rawjson.ScanNumber(e.src, i)
	if form >= rawjson.BadNumber {
		return e.stop(InvalidJSON)
	}
	if !e.countLong(end - i) {
		return -1
	}
	lit := e.src[i:end]
	kind := atInteger
	if form != 0 {
		kind = e.kindOf(lit)
	}
	if p.byKind != nil {
		p = p.byKind[kind]
	}
	if p.allowed&(1<<kind) == 0 && !e.allows(p, kind) {
		return -1
	}
	if (form&rawjson.Exponent != 0 || len(lit) >= maxNumberDigits) && !e.bounded(lit) {
		return -1
	}
	if p.scalars {
		return end
	}
	return e.checkedNumber(p, i, end, form)
}

// kindOf is the kind of a number that is not written as an integer.
func (e *engine) kindOf(lit []byte) int {
	if e.byValue && integralLiteral(lit) {
		return atInteger
	}
	return atNumber
}

// checkedNumber judges a number of which its plan says more than the kind.
func (e *engine) checkedNumber(p *plan, start, end int, form rawjson.NumberForm) int {
	lit, ok := e.src[start:end], false
	if form == 0 && len(lit) <= maxSmallDigits {
		ok = e.integerRules(p, lit)
	} else {
		ok = e.numberRules(p, lit)
	}
	switch {
	case !ok:
		return -1
	case p.plain:
		return end
	}
	return e.finish(p, start, end)
}

// bounded notes a literal beyond the bounds on numbers.
func (e *engine) bounded(lit []byte) bool {
	return !e.base || !oversized(asString(lit), maxNumberDigits, maxNumberExponent) || e.note(rule{nil, idRange, kwNone})
}

func integralLiteral(lit []byte) bool {
	if n := readSmall(lit); n.valid {
		return n.integral()
	}
	return parseDecimal(asString(lit)).integral()
}

// numberRules judges any number.
func (e *engine) numberRules(p *plan, lit []byte) bool {
	if len(p.values)+len(p.numbers) == 0 {
		return true
	}
	small := readSmall(lit)
	if !small.valid {
		return e.decimalRules(p, lit)
	}
	for k := range p.values {
		if v := &p.values[k]; !v.values.hasSmall(small) && !e.note(v.rule) {
			return false
		}
	}
	for k := range p.numbers {
		if !e.exactBounds(&p.numbers[k], small, lit) {
			return false
		}
	}
	return true
}

// integerRules judges an integer literal that fits 64 bits.
func (e *engine) integerRules(p *plan, lit []byte) bool {
	v, small := readInteger(lit)
	for k := range p.values {
		if check := &p.values[k]; !check.values.hasSmall(small) && !e.note(check.rule) {
			return false
		}
	}
	for k := range p.numbers {
		if c := &p.numbers[k]; !c.admits(v) && !e.exactBounds(c, small, lit) {
			return false
		}
	}
	return true
}

// readInteger reads an integer literal of at most 18 digits.
func readInteger(lit []byte) (v int64, small smallNumber) {
	digits, neg := lit, lit[0] == '-'
	if neg {
		digits = lit[1:]
	}
	for _, c := range digits {
		v = v*10 + int64(c-'0')
	}
	small = smallNumber{mantissa: uint64(v), neg: neg && v != 0, valid: true}
	if neg {
		v = -v
	}
	return v, small
}

// admits says that an integer is within all bounds. Where it is not, or multipleOf is
// no whole number, the exact bounds tell.
func (c *numberCheck) admits(v int64) bool {
	return v >= c.least && v <= c.most && !c.exact && (c.step == 0 || v%c.step == 0)
}

// exactBounds judges each bound of one subschema.
func (e *engine) exactBounds(c *numberCheck, n smallNumber, lit []byte) bool {
	for k := range c.bounds {
		b := &c.bounds[k]
		ok, known := false, false
		if b.small.valid {
			if b.keyword == kwMultipleOf {
				ok, known = n.multipleOf(b.small)
			} else {
				ok, known = within(b.keyword, n.compare(b.small)), true
			}
		}
		if !known {
			ok = b.admits(parseDecimal(asString(lit)))
		}
		if !ok && !e.note(rule{c.schema, idRange, b.keyword}) {
			return false
		}
	}
	return true
}

// within says what a comparison with a bound means for its keyword.
func within(keyword keywordID, order int) bool {
	switch keyword {
	case kwMinimum:
		return order >= 0
	case kwMaximum:
		return order <= 0
	case kwExclusiveMinimum:
		return order > 0
	}
	return order < 0
}

// admits judges any number.
func (b *boundCheck) admits(d decimal) bool {
	if b.keyword == kwMultipleOf {
		return d.multipleOf(*b.value)
	}
	return within(b.keyword, d.cmp(*b.value))
}

// decimalRules judges numbers with more digits than a small one has.
func (e *engine) decimalRules(p *plan, lit []byte) bool {
	d := parseDecimal(asString(lit))
	for k := range p.values {
		if v := &p.values[k]; !v.values.hasDecimal(d) && !e.note(v.rule) {
			return false
		}
	}
	for k := range p.numbers {
		if !e.decimalBounds(&p.numbers[k], d, lit) {
			return false
		}
	}
	return true
}

func (e *engine) decimalBounds(c *numberCheck, d decimal, lit []byte) bool {
	for i := range c.bounds {
		b := &c.bounds[i]
		// Division is for numbers within the bounds; the others are refused anyway.
		ok := (b.keyword != kwMultipleOf || !oversized(asString(lit), maxNumberDigits, maxNumberExponent)) && b.admits(d)
		if !ok && !e.note(rule{c.schema, idRange, b.keyword}) {
			return false
		}
	}
	return true
}
