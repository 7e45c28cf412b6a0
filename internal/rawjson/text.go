package rawjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Text decodes a JSON string that passed Check; white space around it is
// allowed. Each unpaired surrogate becomes U+FFFD, and badSurrogate says that
// there was one. What is no string gives "".
func Text(raw []byte) (s string, badSurrogate bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '"' {
		return "", false
	}
	end := skipString(raw, i)
	if end < i+2 || raw[end-1] != '"' {
		return "", false
	}
	return unquote(raw[i+1 : end-1])
}

// Bytes decodes a JSON string that passed Check into bytes, in one pass; white space
// around it is allowed. A string without escapes is not copied: the text is then a part
// of raw. ok is false where there is an unpaired surrogate, or no string.
func Bytes(raw []byte) (text []byte, ok bool) {
	raw = bytes.Trim(raw, " \t\r\n")
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return nil, false
	}
	inner := raw[1 : len(raw)-1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	return Unquote(nil, inner)
}

// unquote decodes what stands between the quotes of a checked string.
func unquote(inner []byte) (s string, badSurrogate bool) {
	at := bytes.IndexByte(inner, '\\')
	if at < 0 {
		return string(inner), false
	}
	// An escape is never shorter than what it stands for.
	out := make([]byte, 0, len(inner))
	for at >= 0 {
		out = append(out, inner[:at]...)
		r, next, bad := escapedRune(inner, at)
		badSurrogate = badSurrogate || bad
		out = utf8.AppendRune(out, r)
		inner = inner[next:]
		at = bytes.IndexByte(inner, '\\')
	}
	return string(append(out, inner...)), badSurrogate
}

// escapedRune decodes the escape whose backslash is at b[i]; a surrogate pair
// counts as one. Text that never passed Check gives U+FFFD.
func escapedRune(b []byte, i int) (r rune, next int, badSurrogate bool) {
	if i+1 >= len(b) {
		return utf8.RuneError, len(b), false
	}
	switch c := b[i+1]; c {
	case 'b':
		r = '\b'
	case 'f':
		r = '\f'
	case 'n':
		r = '\n'
	case 'r':
		r = '\r'
	case 't':
		r = '\t'
	case 'u':
		return escapedUnit(b, i)
	default:
		r = rune(c)
	}
	return r, i + 2, false
}

// escapedUnit decodes \uXXXX at b[i], and the one behind it if both make a pair.
func escapedUnit(b []byte, i int) (r rune, next int, badSurrogate bool) {
	r, next = hex4(b, i+2), i+6
	if r < 0 {
		return utf8.RuneError, len(b), false
	}
	if !utf16.IsSurrogate(r) {
		return r, next, false
	}
	if next+1 < len(b) && b[next] == '\\' && b[next+1] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(b, next+2)); pair != utf8.RuneError {
			return pair, next + 6, false
		}
	}
	return utf8.RuneError, next, true
}

// AppendString appends s as a JSON string with the fewest escapes: quote,
// backslash and the control characters below U+0020, in the short forms where
// there are any, else as \u00xx in lower case. Bytes that are no UTF-8 become
// U+FFFD, so that the result always passes Check.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, s[start:i]...), c)
			start = i + 1
		}
		i++
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\t':
		return append(dst, `\t`...)
	case '\n':
		return append(dst, `\n`...)
	case '\f':
		return append(dst, `\f`...)
	case '\r':
		return append(dst, `\r`...)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
}
