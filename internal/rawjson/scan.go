package rawjson

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// StringForm says what is special about a scanned string, so that whoever needs
// its text knows whether the bytes between the quotes already are it.
type StringForm uint8

// The forms. The zero value is plain ASCII without an escape.
const (
	Escaped StringForm = 1 << iota
	NonASCII
	// BadSurrogate: an escape stands for half a surrogate pair.
	BadSurrogate
	// Broken: the text is no JSON string; nothing else is known of it.
	Broken
)

// The bytes of a word, eight at a time: a byte's high bit tells that the byte is
// what is looked for, and of several the lowest is right.
const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = '"' * ones
	slants = '\\' * ones
	blanks = ' ' * ones
)

// special marks the first of quote, backslash and control characters in a word.
func special(w uint64) uint64 {
	q, s := w^quotes, w^slants
	return ((q-ones)&^q | (s-ones)&^s | (w-blanks)&^w) & highs
}

// ScanString reads the string whose opening quote is at b[i], which the caller
// has seen, and returns the offset behind its closing quote. It is as strict as
// Check, and allocates nothing. next means nothing where form has Broken.
func ScanString(b []byte, i int) (next int, form StringForm) {
	start := i
	i++
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			at := special(w)
			if at != 0 {
				// What is behind it is not the string's.
				if w&highs&(at&-at-1) != 0 {
					form |= NonASCII
				}
				i += bits.TrailingZeros64(at) >> 3
				goto found
			}
			if w&highs != 0 {
				form |= NonASCII
			}
			i += 8
		}
		if i, form = scanLast(b, i, form); i >= len(b) {
			return i, Broken
		}
	found:
		if b[i] == '"' {
			if form&NonASCII != 0 && !utf8.Valid(b[start:i]) {
				return i, Broken
			}
			return i + 1, form
		}
		next, escape := passEscape(b, i)
		if escape >= Broken {
			return i, Broken
		}
		i, form = next, form|escape
	}
}

// scanLast goes on to the first of quote, backslash and control characters among the
// last bytes of the text, which make no word.
func scanLast(b []byte, i int, form StringForm) (next int, _ StringForm) {
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		if b[i] >= utf8.RuneSelf {
			form |= NonASCII
		}
		i++
	}
	return i, form
}

// passEscape reads the escape at b[i]; what is none there is Broken.
func passEscape(b []byte, i int) (next int, form StringForm) {
	if i+1 < len(b) && b[i] == '\\' && escapes[b[i+1]] != 0 {
		return i + 2, Escaped
	}
	if b[i] != '\\' {
		return i, Broken
	}
	if i+1 < len(b) && b[i+1] == 'u' {
		if r := hex4(b, i+2); r >= 0 && !utf16.IsSurrogate(r) {
			return i + 6, Escaped
		}
	}
	next, bad, msg := scanEscape(b, i)
	switch {
	case msg != "":
		return i, Broken
	case bad:
		return next, Escaped | BadSurrogate
	}
	return next, Escaped
}

// AppendText appends the text of a scanned string to dst: what stands between the
// quotes, escapes decoded. Unpaired surrogates become U+FFFD.
func AppendText(dst, inner []byte) []byte {
	// An escape is never shorter than what it stands for.
	n := len(dst)
	dst = slices.Grow(dst, len(inner))[:n+len(inner)]
	for i := 0; i < len(inner); {
		if i+8 <= len(inner) {
			w := binary.LittleEndian.Uint64(inner[i:])
			// What is written beyond the backslash is written over.
			binary.LittleEndian.PutUint64(dst[n:], w)
			s := w ^ slants
			at := (s - ones) &^ s & highs
			if at == 0 {
				i, n = i+8, n+8
				continue
			}
			plain := bits.TrailingZeros64(at) >> 3
			i, n = i+plain, n+plain
		} else if inner[i] != '\\' {
			dst[n] = inner[i]
			i, n = i+1, n+1
			continue
		}
		if i+1 < len(inner) && escapes[inner[i+1]] != 0 {
			dst[n] = escapes[inner[i+1]]
			i, n = i+2, n+1
			continue
		}
		var r rune
		r, i, _ = escapedRune(inner, i)
		n += utf8.EncodeRune(dst[n:], r)
	}
	return dst[:n]
}

// Unquote appends the text of a string that nobody has scanned yet: inner is what
// stands between its quotes. ok is false where that is no string, or has half a
// surrogate pair. Only whether it is UTF-8 is left to whoever reads the text.
func Unquote(dst, inner []byte) (text []byte, ok bool) {
	n := len(dst)
	dst = slices.Grow(dst, len(inner))[:n+len(inner)]
	for i := 0; i < len(inner); {
		if i+8 <= len(inner) {
			w := binary.LittleEndian.Uint64(inner[i:])
			binary.LittleEndian.PutUint64(dst[n:], w)
			at := special(w)
			if at == 0 {
				i, n = i+8, n+8
				continue
			}
			plain := bits.TrailingZeros64(at) >> 3
			i, n = i+plain, n+plain
		} else if c := inner[i]; c != '\\' && c != '"' && c >= ' ' {
			dst[n] = c
			i, n = i+1, n+1
			continue
		}
		if inner[i] != '\\' || i+1 == len(inner) {
			return dst[:n], false
		}
		if c := escapes[inner[i+1]]; c != 0 {
			dst[n] = c
			i, n = i+2, n+1
			continue
		}
		next, size := decodeEscape(dst[n:], inner, i)
		if size == 0 {
			return dst[:n], false
		}
		i, n = next, n+size
	}
	return dst[:n], true
}

// decodeEscape writes what the escape at b[i] stands for. size is 0 where it is none,
// or half a surrogate pair.
func decodeEscape(dst, b []byte, i int) (next, size int) {
	next, bad, msg := scanEscape(b, i)
	if bad || msg != "" {
		return i, 0
	}
	r, _, _ := escapedRune(b, i)
	return next, utf8.EncodeRune(dst, r)
}

// escapes are what the escapes of one letter stand for; 0 where a letter is none.
var escapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// NumberForm says how a number is written.
type NumberForm uint8

// The forms. The zero value is an integer literal.
const (
	Fraction NumberForm = 1 << iota
	Exponent
	// BadNumber: the text is no JSON number.
	BadNumber
)

// ScanNumber reads the number whose first byte, a digit or a minus, is at b[i].
func ScanNumber(b []byte, i int) (next int, form NumberForm) {
	if b[i] == '-' {
		i++
	}
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == start || b[start] == '0' && i > start+1 {
		return i, BadNumber
	}
	if i >= len(b) || b[i] != '.' && b[i]|0x20 != 'e' {
		return i, 0
	}
	return scanFraction(b, i)
}

// scanFraction reads what follows the integer of a number, from the point or the
// exponent on.
func scanFraction(b []byte, i int) (next int, form NumberForm) {
	msg := ""
	if b[i] == '.' {
		form = Fraction
		if i, msg = scanDigits(b, i+1); msg != "" {
			return i, BadNumber
		}
	}
	if i >= len(b) || b[i]|0x20 != 'e' {
		return i, form
	}
	if i, msg = scanExponent(b, i); msg != "" {
		return i, BadNumber
	}
	return i, form | Exponent
}

// SkipSpace gives the offset of the first byte from b[i] on that is no white space.
func SkipSpace(b []byte, i int) int { return skipSpace(b, i) }
