package jsonschema

import (
	"cmp"
	"math/bits"
	"strconv"
)

// smallNumber is a number of at most 18 significant digits, which is nearly
// every number: it is compared exactly and without allocating. valid is false
// where a number is none; then it is compared as a decimal.
type smallNumber struct {
	mantissa uint64 // < 10^18
	exponent int32
	neg      bool
	valid    bool
}

const (
	maxSmallDigits   = 18
	maxSmallExponent = 9999 // as of all numbers that are not refused
)

var powersOf10 = func() (p [maxSmallDigits + 1]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// readSmall reads a well-formed number literal.
func readSmall(lit []byte) smallNumber {
	digits, neg := lit, lit[0] == '-'
	if neg {
		digits = lit[1:]
	}
	mantissa, exponent, rest := readDigits(digits)
	written, ok := readExponent(rest)
	// Every written digit counts against the bound on numbers; a literal with so
	// many leading or trailing zeros is a matter for decimals.
	if mantissa >= powersOf10[maxSmallDigits] || !ok || len(lit) >= maxNumberDigits {
		return smallNumber{}
	}
	if mantissa == 0 {
		return smallNumber{valid: true}
	}
	return smallNumber{mantissa: mantissa, exponent: exponent + written, neg: neg, valid: true}
}

// readDigits reads the digits before and behind the point, as far as a small number
// has any: a mantissa beyond it says that there are more. rest is the exponent.
func readDigits(lit []byte) (mantissa uint64, exponent int32, rest []byte) {
	behind := false
	for i, c := range lit {
		switch {
		case c == '.':
			behind = true
			continue
		case c|0x20 == 'e':
			return mantissa, exponent, lit[i:]
		case mantissa >= powersOf10[maxSmallDigits]:
			return mantissa, exponent, nil
		}
		mantissa = mantissa*10 + uint64(c-'0')
		if behind {
			exponent--
		}
	}
	return mantissa, exponent, nil
}

// readExponent reads what follows the digits. ok is false beyond the bound.
func readExponent(s []byte) (exponent int32, ok bool) {
	if len(s) == 0 {
		return 0, true
	}
	s = s[1:]
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		s = s[1:]
	}
	for _, c := range s {
		exponent = exponent*10 + int32(c-'0')
		if exponent > maxSmallExponent {
			return 0, false
		}
	}
	if neg {
		exponent = -exponent
	}
	return exponent, true
}

// small gives the number as a small one, invalid where it is too long.
func (d decimal) small() smallNumber {
	if len(d.digits) > maxSmallDigits || d.exp > maxSmallExponent || d.exp < -2*maxSmallExponent {
		return smallNumber{}
	}
	n := smallNumber{neg: d.neg, exponent: int32(d.exp), valid: true}
	for i := range len(d.digits) {
		n.mantissa = n.mantissa*10 + uint64(d.digits[i]-'0')
	}
	return n
}

// integral says that the number is a whole one.
func (n smallNumber) integral() bool {
	if n.exponent >= 0 || n.mantissa == 0 {
		return true
	}
	return n.exponent >= -maxSmallDigits && n.mantissa%powersOf10[-n.exponent] == 0
}

// compare compares two valid numbers exactly.
func (n smallNumber) compare(m smallNumber) int {
	switch {
	case n.mantissa == 0 && m.mantissa == 0:
		return 0
	case n.mantissa == 0:
		return sign(!m.neg) * -1
	case m.mantissa == 0 || n.neg != m.neg:
		return sign(!n.neg)
	}
	return n.cmpMagnitude(m) * sign(!n.neg)
}

func (n smallNumber) cmpMagnitude(m smallNumber) int {
	shift := n.exponent - m.exponent
	switch {
	case shift > maxSmallDigits:
		return 1
	case shift < -maxSmallDigits:
		return -1
	case shift < 0:
		return -m.cmpMagnitude(n)
	}
	hi, lo := bits.Mul64(n.mantissa, powersOf10[shift])
	if hi > 0 {
		return 1
	}
	return cmp.Compare(lo, m.mantissa)
}

// multipleOf says that n is a whole multiple of m, both valid. known is false
// where that takes more than 128 bits.
func (n smallNumber) multipleOf(m smallNumber) (is, known bool) {
	switch {
	case n.mantissa == 0:
		return true, true
	case m.mantissa == 0:
		return false, true
	}
	shift := n.exponent - m.exponent
	switch {
	case shift > maxSmallDigits || shift < -maxSmallDigits:
		return false, false
	case shift >= 0:
		hi, lo := bits.Mul64(n.mantissa, powersOf10[shift])
		return bits.Rem64(hi, lo, m.mantissa) == 0, true
	}
	hi, lo := bits.Mul64(m.mantissa, powersOf10[-shift])
	return hi == 0 && n.mantissa%lo == 0, true
}

// appendEquality appends what appendNumberKey does for the same number.
func (n smallNumber) appendEquality(b []byte) []byte {
	if n.mantissa == 0 {
		return appendNumberKey(b, decimal{})
	}
	for n.mantissa%10 == 0 {
		n.mantissa /= 10
		n.exponent++
	}
	b = append(b, 'd')
	if n.neg {
		b = append(b, '-')
	}
	b = strconv.AppendUint(b, n.mantissa, 10)
	b = append(b, '^')
	b = strconv.AppendInt(b, int64(n.exponent), 10)
	return append(b, ';')
}
