package adapter

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/rawjson"
)

var (
	errValueLength  = errors.New("a value of the URL is empty or longer than 512 bytes")
	errValueDots    = errors.New("a value of the URL is a dot segment")
	errValueSlashes = errors.New("a value of a path segment has a slash, a backslash or a control character in it")
)

// refused says why a value cannot be a part of a URL, or nil.
func refused(kind variable, value string) error {
	if value == "" || len(value) > maxValueBytes {
		return errValueLength
	}
	if value == "." || value == ".." {
		return errValueDots
	}
	if kind == inPath {
		return refusedSegment(value)
	}
	return nil
}

// refusedSegment is about backends and proxies that decode a path before they split it,
// or more than once: to them an encoded separator is one. So a value may hold none, nor
// text that becomes one when it is decoded again. Whoever has such names puts them into
// a query value.
func refusedSegment(value string) error {
	for {
		// What decodes to no UTF-8 may be a longer form of a separator.
		if !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return r == '/' || r == '\\' || isControl(r) }) {
			return errValueSlashes
		}
		// Some servers take path parameters, ";name", away first.
		if name, _, _ := strings.Cut(value, ";"); name == "." || name == ".." {
			return errValueDots
		}
		next := decoded(value)
		if next == value {
			return nil
		}
		value = next
	}
}

// decoded decodes what is percent-encoded, and leaves what only looks like it.
func decoded(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, low := hex(s[i+1]), hex(s[i+2])
			if high >= 0 && low >= 0 {
				out = append(out, byte(high<<4|low)) //nolint:gosec // two hexadecimal digits
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

func hex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// appendEncoded percent-encodes all but the unreserved characters (RFC 3986, section
// 2.3), which mean themselves everywhere.
func appendEncoded(dst []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_', c == '~':
			dst = append(dst, c)
		default:
			dst = append(dst, '%', digits[c>>4], digits[c&0xf])
		}
	}
	return dst
}

// appendUnquoted decodes a JSON string that was read.
func appendUnquoted(raw []byte) []byte { return rawjson.AppendText(nil, raw[1:len(raw)-1]) }
