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
	if !e.count() {
		return -1
	}
	lit := e.src[i:end]
	kind := atInteger
	if form != 0 {
		kind = atNumber
		if e.byValue && integralLiteral(lit) {
			kind = atInteger
		}
	}
	if p.byKind != nil {
		p = p.byKind[kind]
	}
	if p.allowed&(1<<kind) == 0 && !e.allows(p, kind, i) {
		return -1
	}
	if (form&rawjson.Exponent != 0 || len(lit) >= maxNumberDigits) && !e.bounded(lit) {
		return -1
	}
	if p.scalars {
		return end
	}
	if !e.numberRules(p, lit, form) {
		return -1
	}
	if len(p.fixed) == 0 && p.logic == nil {
		return end
	}
	return e.finish(p, i, end)
}

// bounded notes a literal beyond the bounds on numbers.
func (e *engine) bounded(lit []byte) bool {
	return !e.base || !oversized(asString(lit), maxNumberDigits, maxNumberExponent) || e.note(rule{nil, idRange, kwNone})
}

func integralLiteral(lit []byte) bool {
	if n := readSmall(lit); n.valid {
		return n.integral()
	}
	return parseDecimal(string(lit)).integral()
}

func (e *engine) numberRules(p *plan, lit []byte, form rawjson.NumberForm) bool {
	if form == 0 && len(lit) <= maxSmallDigits {
		return e.integerRules(p, lit)
	}
	if len(p.values)+len(p.numbers) == 0 {
		return true
	}
	small := readSmall(lit)
	if !small.valid {
		return e.decimalRules(p, lit)
	}
	for k := range p.values {
		if v := &p.values[k]; !v.values.hasSmall(small, lit) && !e.note(v.rule) {
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
	digits, neg := lit, lit[0] == '-'
	if neg {
		digits = lit[1:]
	}
	var v int64
	for _, c := range digits {
		v = v*10 + int64(c-'0')
	}
	small := smallNumber{mantissa: uint64(v), neg: neg && v != 0, valid: true} //nolint:gosec // never negative
	if neg {
		v = -v
	}
	for k := range p.values {
		if check := &p.values[k]; !check.values.hasSmall(small, lit) && !e.note(check.rule) {
			return false
		}
	}
	for k := range p.numbers {
		c := &p.numbers[k]
		if v >= c.least && v <= c.most && !c.exact && (c.step == 0 || v%c.step == 0) {
			continue
		}
		if !e.exactBounds(c, small, lit) {
			return false
		}
	}
	return true
}

func (p *enumPlan) hasSmall(n smallNumber, lit []byte) bool {
	for i, m := range p.small {
		if m.valid && n.compare(m) == 0 || !m.valid && parseDecimal(string(lit)).cmp(p.numbers[i]) == 0 {
			return true
		}
	}
	return false
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
			ok = b.admits(parseDecimal(string(lit)))
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
	d := parseDecimal(string(lit))
	for k := range p.values {
		v := &p.values[k]
		found := false
		for i := range v.values.numbers {
			found = found || d.cmp(v.values.numbers[i]) == 0
		}
		if !found && !e.note(v.rule) {
			return false
		}
	}
	for k := range p.numbers {
		c := &p.numbers[k]
		for i := range c.bounds {
			b := &c.bounds[i]
			// Division is for numbers within the bounds; the others are refused anyway.
			ok := (b.keyword != kwMultipleOf || !oversized(asString(lit), maxNumberDigits, maxNumberExponent)) && b.admits(d)
			if !ok && !e.note(rule{c.schema, idRange, b.keyword}) {
				return false
			}
		}
	}
	return true
}
