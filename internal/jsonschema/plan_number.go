package jsonschema

import "math"

// numberCheck are the bounds of one subschema. least and most hold for integers
// that fit 64 bits, and say the same as the exact bounds.
type numberCheck struct {
	least, most int64
	// step is a multipleOf that is a whole number; 0: there is none.
	step int64
	// exact: multipleOf has to be asked exactly, for integers too.
	exact  bool
	bounds []boundCheck
	schema *schema
}

// boundCheck is one keyword.
type boundCheck struct {
	keyword keywordID
	small   smallNumber
	value   *decimal
}

func newNumberCheck(s *schema) numberCheck {
	r := s.num
	c := numberCheck{least: math.MinInt64, most: math.MaxInt64, schema: s}
	for _, b := range [...]struct {
		keyword keywordID
		value   *decimal
	}{
		{kwMinimum, r.minimum}, {kwMaximum, r.maximum}, {kwExclusiveMinimum, r.exclusiveMinimum},
		{kwExclusiveMaximum, r.exclusiveMaximum}, {kwMultipleOf, r.multipleOf},
	} {
		if b.value == nil {
			continue
		}
		c.bounds = append(c.bounds, boundCheck{b.keyword, b.value.small(), b.value})
		c.narrow(b.keyword, *b.value)
	}
	return c
}

// narrow takes a bound over to the integers.
func (c *numberCheck) narrow(keyword keywordID, d decimal) {
	floor, ceil := d.wholes()
	switch keyword {
	case kwMinimum:
		c.least = max(c.least, ceil)
	case kwExclusiveMinimum:
		c.least = max(c.least, above(floor))
	case kwMaximum:
		c.most = min(c.most, floor)
	case kwExclusiveMaximum:
		c.most = min(c.most, below(ceil))
	case kwMultipleOf:
		if floor == ceil && floor > 0 && floor < math.MaxInt64 {
			c.step = floor
		} else {
			c.exact = true
		}
	}
}

func above(n int64) int64 {
	if n == math.MaxInt64 {
		return n
	}
	return n + 1
}

func below(n int64) int64 {
	if n == math.MinInt64 {
		return n
	}
	return n - 1
}

// wholes gives the whole numbers next to d, below and above. Beyond what has 18
// digits they are the ends of int64, which no integer that is compared with them
// reaches.
func (d decimal) wholes() (floor, ceil int64) {
	switch {
	case d.zero():
		return 0, 0
	case d.exp+int64(len(d.digits)) > maxSmallDigits:
		if d.neg {
			return math.MinInt64, math.MinInt64
		}
		return math.MaxInt64, math.MaxInt64
	}
	var n int64
	whole := max(d.exp+int64(len(d.digits)), 0)
	for i := range whole {
		n *= 10
		if i < int64(len(d.digits)) {
			n += int64(d.digits[i] - '0')
		}
	}
	up := n
	if d.exp < 0 {
		up++
	}
	if d.neg {
		return -up, -n
	}
	return n, up
}
