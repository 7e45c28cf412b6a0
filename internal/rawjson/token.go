package rawjson

import "unicode/utf8"

// The tokens of RFC 8259. Each function begins at b[i] and returns the offset
// behind its token, or where the text is wrong and what is wrong there. Messages
// are constants: a refused text must cost as little as an accepted one.
const (
	msgEnd       = "unexpected end of text"
	msgUTF8      = "invalid UTF-8"
	msgControl   = "control character in a string"
	msgEscape    = "unknown escape"
	msgHex       = "four hexadecimal digits expected"
	msgSurrogate = "unpaired surrogate"
	msgDigit     = "digit expected"
	msgValue     = "value expected"
	msgKey       = "key expected"
	msgColon     = "colon expected"
	msgComma     = "comma or closing bracket expected"
	msgTrailing  = "unexpected text behind the value"
	msgBOM       = "byte order mark"
	msgObject    = "object expected"
	msgArray     = "array expected"
)

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// scanString reads a string whose opening quote is at b[i]. badAt is the offset
// of the first unpaired surrogate escape, or -1.
func scanString(b []byte, i int) (next, badAt int, msg string) {
	if next, form := ScanString(b, i); form < BadSurrogate {
		return next, -1, ""
	}
	return scanFaulty(b, i)
}

// scanFaulty reads a string that is not in order byte by byte, to say where.
func scanFaulty(b []byte, i int) (next, badAt int, msg string) {
	badAt = -1
	for i++; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			return i + 1, badAt, ""
		case c == '\\':
			n, bad, m := scanEscape(b, i)
			if m != "" {
				return n, badAt, m
			}
			if bad && badAt < 0 {
				badAt = i
			}
			i = n
		case c < ' ':
			return i, badAt, msgControl
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				return i, badAt, msgUTF8
			}
			i += n
		}
	}
	return len(b), badAt, msgEnd
}

// scanEscape reads one escape whose backslash is at b[i], or both halves of a
// surrogate pair.
func scanEscape(b []byte, i int) (next int, badSurrogate bool, msg string) {
	if i+1 >= len(b) {
		return len(b), false, msgEnd
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, false, ""
	case 'u':
		at, msg := scanHex(b, i+2)
		if msg != "" {
			return at, false, msg
		}
		_, next, bad := escapedRune(b, i)
		return next, bad, ""
	}
	return i + 1, false, msgEscape
}

func scanHex(b []byte, i int) (next int, msg string) {
	for end := i + 4; i < end; i++ {
		if i >= len(b) {
			return len(b), msgEnd
		}
		if _, ok := hexDigit(b[i]); !ok {
			return i, msgHex
		}
	}
	return i, ""
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// hexValues are the values of hexadecimal digits, and -1 for what is none.
var hexValues = func() (values [256]int8) {
	for i := range values {
		values[i] = -1
		if d, ok := hexDigit(byte(i)); ok {
			values[i] = int8(d)
		}
	}
	return values
}()

// hex4 is the value of four hexadecimal digits at b[i], or below zero.
func hex4(b []byte, i int) rune {
	if i+4 > len(b) {
		return -1
	}
	// A digit that is none has the sign, which no shift and no or takes away.
	return rune(hexValues[b[i]])<<12 | rune(hexValues[b[i+1]])<<8 | rune(hexValues[b[i+2]])<<4 | rune(hexValues[b[i+3]])
}

// scanNumber reads a number whose first byte, a digit or a minus, is at b[i].
func scanNumber(b []byte, i int) (next int, msg string) {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i, msg = scanDigits(b, i); msg != "" {
		return i, msg
	}
	if i < len(b) && b[i] == '.' {
		if i, msg = scanDigits(b, i+1); msg != "" {
			return i, msg
		}
	}
	return scanExponent(b, i)
}

func scanExponent(b []byte, i int) (next int, msg string) {
	if i >= len(b) || b[i] != 'e' && b[i] != 'E' {
		return i, ""
	}
	i++
	if i < len(b) && (b[i] == '+' || b[i] == '-') {
		i++
	}
	return scanDigits(b, i)
}

// scanDigits reads one digit or more.
func scanDigits(b []byte, i int) (next int, msg string) {
	start := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i > start {
		return i, ""
	}
	if i >= len(b) {
		return i, msgEnd
	}
	return i, msgDigit
}

func scanWord(b []byte, i int, word string) (next int, msg string) {
	for j := range len(word) {
		if i+j >= len(b) {
			return len(b), msgEnd
		}
		if b[i+j] != word[j] {
			return i + j, msgValue
		}
	}
	return i + len(word), ""
}

// scanScalar reads a value that is no container.
func scanScalar(b []byte, i int) (next, badAt int, msg string) {
	switch c := b[i]; {
	case c == '"':
		return scanString(b, i)
	case c == '-', '0' <= c && c <= '9':
		next, msg = scanNumber(b, i)
	case c == 't':
		next, msg = scanWord(b, i, "true")
	case c == 'f':
		next, msg = scanWord(b, i, "false")
	case c == 'n':
		next, msg = scanWord(b, i, "null")
	default:
		next, msg = i, msgValue
	}
	return next, -1, msg
}
