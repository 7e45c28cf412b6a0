package expr

import (
	"bytes"
	"math"
	"strconv"

	"github.com/callgate/callgate/internal/rawjson"
)

// numberOf reads a JSON number literal as Args document it.
func numberOf(literal []byte, form rawjson.NumberForm) node {
	if form&(rawjson.Fraction|rawjson.Exponent) == 0 {
		v, err := strconv.ParseInt(string(literal), 10, 64)
		if err != nil {
			return node{kind: unsupported}
		}
		return integerNode(v)
	}
	if v, ok := integral(literal); ok {
		return integerNode(v)
	}
	v, err := strconv.ParseFloat(string(literal), 64)
	if err != nil || math.IsInf(v, 0) || v == math.Trunc(v) && !isIntegral(literal) {
		// Its nearest double would make 100.00000000000000001 an integer, on the other
		// side of a bound such as "<= 100", and 1e-400 zero.
		return node{kind: unsupported}
	}
	n := node{kind: double}
	n.setBits(math.Float64bits(v))
	return n
}

func integerNode(v int64) node {
	n := node{kind: integer}
	n.setBits(uint64(v)) //nolint:gosec // the bits, not the value
	return n
}

// maxIntegerDigits is how many digits the largest int64 has.
const maxIntegerDigits = 19

// integral is the value of a literal with a fraction or an exponent, where it is
// an integer within int64. It is exact: a double would round 9007199254740993.0.
func integral(literal []byte) (int64, bool) {
	digits, point := decimal(literal)
	if len(digits) == 0 {
		return 0, true
	}
	if point < len(digits) || point > maxIntegerDigits {
		return 0, false
	}
	buf := make([]byte, 0, maxIntegerDigits+1)
	if literal[0] == '-' {
		buf = append(buf, '-')
	}
	buf = append(buf, digits...)
	buf = append(buf, bytes.Repeat([]byte{'0'}, point-len(digits))...)
	v, err := strconv.ParseInt(string(buf), 10, 64)
	return v, err == nil
}

// isIntegral reports whether a literal stands for an integer, however it is written.
func isIntegral(literal []byte) bool {
	digits, point := decimal(literal)
	return point >= len(digits)
}

// decimal gives the significant digits of a literal, and how many of them stand
// before the point, which may be more than there are, or negative. No digits:
// the value is zero.
func decimal(literal []byte) (digits []byte, point int) {
	mantissa := bytes.TrimPrefix(literal, []byte{'-'})
	exponent := 0
	if i := bytes.IndexAny(mantissa, "eE"); i >= 0 {
		// An exponent that no int holds is as far away as the bounds below.
		exponent, _ = strconv.Atoi(string(mantissa[i+1:]))
		exponent = min(max(exponent, -maxTreeBytes*2), maxTreeBytes*2)
		mantissa = mantissa[:i]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	digits = append(append(make([]byte, 0, len(mantissa)), whole...), fraction...)
	point = len(whole) + exponent
	for len(digits) > 0 && digits[0] == '0' {
		digits, point = digits[1:], point-1
	}
	return bytes.TrimRight(digits, "0"), point
}
