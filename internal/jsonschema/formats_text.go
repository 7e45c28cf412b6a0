package jsonschema

import "strings"

// isURITemplate is URI-Template of RFC 6570. The apostrophe is a literal: the
// RFC leaves it out by an error that its errata admit.
func isURITemplate(text string) bool {
	for i := 0; i < len(text); {
		n := escapeOr(text[i:], pathChars|slashes|questions|templateMark)
		if n == 0 {
			n = beyondASCII(text[i:], true)
		}
		if n == 0 && text[i] == '{' {
			n = expression(text[i:])
		}
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// expression gives the length of the expression that a text starts with; 0 is
// none. Operators that the RFC only reserves have no meaning yet, so they are
// none.
func expression(text string) int {
	i := 1
	if i < len(text) && in(text[i], operators) {
		i++
	}
	for i < len(text) {
		n := variable(text[i:])
		i += n
		if n == 0 || i == len(text) {
			return 0
		}
		switch text[i] {
		case '}':
			return i + 1
		case ',':
			i++
		default:
			return 0
		}
	}
	return 0
}

// variable gives the length of the varspec that a text starts with; 0 is none.
func variable(text string) int {
	i := variableName(text)
	if i == 0 {
		return 0
	}
	switch text[i] {
	case '*':
		return i + 1
	case ':':
		n := leading(text[i+1:], digits)
		if n == 0 || n > 4 || text[i+1] == '0' {
			return 0
		}
		return i + 1 + n
	}
	return i
}

// variableName gives the length of the varname that a text starts with; 0 is none,
// nor is there one where nothing follows it.
func variableName(text string) int {
	i, dot := 0, true // no dot may come first, last or twice
	for i < len(text) {
		n := escapeOr(text[i:], alphanumeric|underscores)
		switch {
		case n > 0:
			i, dot = i+n, false
		case text[i] == '.' && !dot:
			i, dot = i+1, true
		case dot:
			return 0
		default:
			return i
		}
	}
	return 0
}

// isJSONPointer is json-pointer of RFC 6901.
func isJSONPointer(text string) bool {
	if text != "" && text[0] != '/' {
		return false
	}
	for {
		tilde := strings.IndexByte(text, '~')
		if tilde < 0 {
			return true
		}
		text = text[tilde+1:]
		if text == "" || text[0] != '0' && text[0] != '1' {
			return false
		}
	}
}

// isRelativeJSONPointer is a relative JSON pointer as Draft 7 knows it: without
// a shift of the index.
func isRelativeJSONPointer(text string) bool {
	n := leading(text, digits)
	if n == 0 || n > 1 && text[0] == '0' {
		return false
	}
	return text[n:] == "#" || isJSONPointer(text[n:])
}

// isUUID is the text form of RFC 4122, in either case.
func isUUID(text string) bool {
	if len(text) != len("00000000-0000-0000-0000-000000000000") {
		return false
	}
	for i := range len(text) {
		switch i {
		case 8, 13, 18, 23:
			if text[i] != '-' {
				return false
			}
		default:
			if !in(text[i], hexDigits) {
				return false
			}
		}
	}
	return true
}
