package jsonschema

import (
	"strings"
	"unicode/utf8"
)

// uriForm says which of the four forms of RFC 3986 and RFC 3987 is meant.
type uriForm struct {
	iri       bool // characters beyond ASCII may stand unescaped
	reference bool // the scheme may be missing
}

// match judges a URI or an IRI.
func (f uriForm) match(text string) bool {
	text, fragment, _ := strings.Cut(text, "#")
	text, query, _ := strings.Cut(text, "?")
	if !f.chars(fragment, pathChars|slashes|questions) || !f.query(query) {
		return false
	}
	// A colon before the first slash ends a scheme: the grammar keeps colons out
	// of the first segment of a path that could be taken for one.
	end := strings.IndexAny(text, ":/")
	if end >= 0 && text[end] == ':' {
		if !isScheme(text[:end]) {
			return false
		}
		text = text[end+1:]
	} else if !f.reference {
		return false
	}
	if rest, ok := strings.CutPrefix(text, "//"); ok {
		slash := strings.IndexByte(rest, '/')
		if slash < 0 {
			slash = len(rest)
		}
		if !f.authority(rest[:slash]) {
			return false
		}
		text = rest[slash:]
	}
	return f.chars(text, pathChars|slashes)
}

func isScheme(text string) bool {
	if text == "" || !in(text[0], letters) {
		return false
	}
	for i := range len(text) {
		if !in(text[i], alphanumeric) && text[i] != '+' && text[i] != '-' && text[i] != '.' {
			return false
		}
	}
	return true
}

// authority judges what stands between // and the path.
func (f uriForm) authority(text string) bool {
	if user, host, ok := strings.Cut(text, "@"); ok {
		if !f.chars(user, unreserved|uriDelims|colons) {
			return false
		}
		text = host
	}
	if literal, ok := strings.CutPrefix(text, "["); ok {
		address, port, closed := strings.Cut(literal, "]")
		return closed && (isIPFuture(address) || isIPv6(address)) && // in this order: netip makes an error
			(port == "" || port[0] == ':' && leading(port[1:], digits) == len(port)-1)
	}
	host, port, _ := strings.Cut(text, ":")
	return leading(port, digits) == len(port) && f.chars(host, unreserved|uriDelims)
}

// isIPFuture is IPvFuture of RFC 3986.
func isIPFuture(text string) bool {
	if text == "" || text[0] != 'v' && text[0] != 'V' {
		return false
	}
	version, address, _ := strings.Cut(text[1:], ".")
	return all(version, hexDigits) && all(address, unreserved|uriDelims|colons)
}

// chars says that a text is of a class, escapes and, in an IRI, of characters
// beyond ASCII.
func (f uriForm) chars(text string, class uint16) bool { return f.scan(text, class, false) }

// query is the same for a query, the one part that may have private characters.
func (f uriForm) query(text string) bool { return f.scan(text, pathChars|slashes|questions, f.iri) }

func (f uriForm) scan(text string, class uint16, private bool) bool {
	for i := 0; i < len(text); {
		n := escapeOr(text[i:], class)
		if n == 0 && f.iri {
			n = beyondASCII(text[i:], private)
		}
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// escapeOr gives the length of the escape or of the character of the class that
// a text starts with; 0 is neither.
func escapeOr(text string, class uint16) int {
	switch {
	case in(text[0], class):
		return 1
	case text[0] == '%' && len(text) > 2 && in(text[1], hexDigits) && in(text[2], hexDigits):
		return 3
	}
	return 0
}

// beyondASCII gives the length of the ucschar or iprivate that a text starts
// with; 0 is neither.
func beyondASCII(text string, private bool) int {
	r, n := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError || !isUCSChar(r) && (!private || !isPrivate(r)) {
		return 0
	}
	return n
}

// isUCSChar is ucschar of RFC 3987.
func isUCSChar(r rune) bool {
	switch {
	case r < 0x10000:
		return r >= 0xA0 && r <= 0xD7FF || r >= 0xF900 && r <= 0xFDCF || r >= 0xFDF0 && r <= 0xFFEF
	case r >= 0xE0000 && r < 0xE1000:
		return false
	}
	return r < 0xF0000 && r&0xFFFF < 0xFFFE
}

// isPrivate is iprivate of RFC 3987.
func isPrivate(r rune) bool {
	return r >= 0xE000 && r <= 0xF8FF || r >= 0xF0000 && r&0xFFFF < 0xFFFE
}
