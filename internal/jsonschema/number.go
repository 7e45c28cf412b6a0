package jsonschema

import (
	"math/big"
	"strings"
)

// The bounds on one number literal of the arguments (design section 4). Beyond
// them a number is compared by sign and magnitude, and refused in any case.
const (
	maxNumberDigits   = 1000
	maxNumberExponent = 9999
)

// maxExponent saturates exponents, far from overflow and far beyond anything
// that digits can shift back: a text has at most 2^19 bytes.
const maxExponent = 1 << 40

// decimal is an exact number: digits * 10^exp. It is compared as text, so that
// no literal can make a comparison cost more than its own length.
type decimal struct {
	neg    bool
	digits string // no leading and no trailing zero; "" is zero
	exp    int64
}

// parseDecimal reads a JSON number literal, which must be well-formed.
func parseDecimal(lit string) decimal {
	var d decimal
	if lit != "" && lit[0] == '-' {
		d.neg = true
		lit = lit[1:]
	}
	mantissa, exponent := splitExponent(lit)
	d.exp = parseExponent(exponent)
	whole, frac, _ := strings.Cut(mantissa, ".")
	d.exp -= int64(len(frac))
	digits := whole
	if frac != "" {
		digits = whole + frac
	}
	digits = strings.TrimLeft(digits, "0")
	trimmed := strings.TrimRight(digits, "0")
	d.exp += int64(len(digits) - len(trimmed))
	d.digits = trimmed
	if trimmed == "" {
		return decimal{}
	}
	return d
}

func splitExponent(lit string) (mantissa, exponent string) {
	if i := strings.IndexAny(lit, "eE"); i >= 0 {
		return lit[:i], lit[i+1:]
	}
	return lit, ""
}

// parseExponent saturates instead of overflowing.
func parseExponent(s string) int64 {
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimLeft(strings.TrimLeft(s, "+-"), "0")
	var n int64
	for i := 0; i < len(s) && n < maxExponent; i++ {
		n = n*10 + int64(s[i]-'0')
	}
	n = min(n, maxExponent)
	if neg {
		return -n
	}
	return n
}

// oversized says that a literal is beyond the bounds on numbers. Every written
// digit of the mantissa counts, and the exponent counts as written.
func oversized(lit string, digits int, exponent int64) bool {
	mantissa, exp := splitExponent(lit)
	if len(mantissa) > digits {
		n := 0
		for i := 0; i < len(mantissa); i++ {
			if c := mantissa[i]; c >= '0' && c <= '9' {
				n++
			}
		}
		if n > digits {
			return true
		}
	}
	e := parseExponent(exp)
	return e > exponent || e < -exponent
}

func (d decimal) zero() bool { return d.digits == "" }

// integral says that the number is a whole one, mathematically.
func (d decimal) integral() bool { return d.exp >= 0 }

// cmp compares two numbers exactly.
func (d decimal) cmp(e decimal) int {
	switch {
	case d.zero() && e.zero():
		return 0
	case d.zero():
		return sign(!e.neg) * -1
	case e.zero() || d.neg != e.neg:
		return sign(!d.neg)
	}
	return d.cmpMagnitude(e) * sign(!d.neg)
}

func sign(positive bool) int {
	if positive {
		return 1
	}
	return -1
}

func (d decimal) cmpMagnitude(e decimal) int {
	// The place of the first digit decides before the digits do.
	dTop, eTop := d.exp+int64(len(d.digits)), e.exp+int64(len(e.digits))
	if dTop != eTop {
		return sign(dTop > eTop)
	}
	return strings.Compare(d.digits, e.digits)
}

// multipleOf says that d is a whole multiple of m. Both must be within the
// bounds on numbers, which is what bounds the cost.
func (d decimal) multipleOf(m decimal) bool {
	switch {
	case d.zero():
		return true
	case m.zero():
		return false
	}
	dn, mn := bigDigits(d.digits), bigDigits(m.digits)
	shift := d.exp - m.exp
	if shift >= 0 {
		pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), mn)
		dn.Mul(dn, pow)
		return dn.Mod(dn, mn).Sign() == 0
	}
	// Then m, brought to d's exponent, has more digits than d.
	if -shift > int64(len(d.digits)) {
		return false
	}
	mn.Mul(mn, new(big.Int).Exp(big.NewInt(10), big.NewInt(-shift), nil))
	return dn.Mod(dn, mn).Sign() == 0
}

func bigDigits(s string) *big.Int {
	n, _ := new(big.Int).SetString(s, 10)
	return n
}

// decimalOf turns a bound of the compiled schema back into a decimal. Bounds
// come from decimal literals, so the fraction is exact.
func decimalOf(r *big.Rat) decimal {
	if r.IsInt() {
		return parseDecimal(r.Num().String())
	}
	prec, _ := r.FloatPrec()
	return parseDecimal(r.FloatString(prec))
}

// String is the shortest plain spelling, for messages about the schema's own
// bounds.
func (d decimal) String() string {
	if d.zero() {
		return "0"
	}
	s := d.digits
	switch n := int64(len(s)); {
	case d.exp >= 0 && d.exp+n <= 21:
		s += strings.Repeat("0", int(d.exp))
	case d.exp < 0 && -d.exp < n:
		s = s[:n+d.exp] + "." + s[n+d.exp:]
	case d.exp < 0 && -d.exp < n+20:
		s = "0." + strings.Repeat("0", int(-d.exp-n)) + s
	default:
		s += "e" + big.NewInt(d.exp).String()
	}
	if d.neg {
		return "-" + s
	}
	return s
}
