package rawjson

import "bytes"

// The functions of this file read one level of a text that passed Check. They
// trust its syntax: on other text they may answer nonsense, but they neither
// panic nor read beyond it.

// KindOf is the kind of the value in raw, by its first byte; Invalid if raw is
// blank or begins like no value.
func KindOf(raw []byte) Kind {
	i := skipSpace(raw, 0)
	if i >= len(raw) {
		return Invalid
	}
	return kindOf(raw[i])
}

func kindOf(c byte) Kind {
	switch {
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == '"':
		return String
	case c == 't', c == 'f':
		return Bool
	case c == 'n':
		return Null
	case c == '-', '0' <= c && c <= '9':
		return Number
	}
	return Invalid
}

// Members are the members of a checked object in document order, duplicates
// kept. More than limit of them are ErrTooMany; what is no object is a
// *SyntaxError. Values refer to raw.
func Members(raw []byte, limit int) ([]Member, error) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return nil, &SyntaxError{Offset: i, Msg: msgObject}
	}
	var out []Member
	for i = skipSpace(raw, i+1); ; i = skipSpace(raw, i+1) {
		if i < len(raw) && raw[i] == '}' && len(out) == 0 {
			return nil, nil
		}
		if len(out) == limit {
			return nil, ErrTooMany
		}
		m, next, err := member(raw, i)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
		if i = skipSpace(raw, next); i >= len(raw) || raw[i] != ',' {
			break
		}
	}
	return out, closed(raw, i, '}')
}

// member reads the member whose key begins at raw[i].
func member(raw []byte, i int) (m Member, next int, err error) {
	if i >= len(raw) || raw[i] != '"' {
		return m, 0, &SyntaxError{Offset: i, Msg: msgKey}
	}
	end := skipString(raw, i)
	m.Key, m.BadKey = Text(raw[i:end])
	i = skipSpace(raw, end)
	if i >= len(raw) || raw[i] != ':' {
		return m, 0, &SyntaxError{Offset: i, Msg: msgColon}
	}
	m.Value, next, err = span(raw, skipSpace(raw, i+1))
	return m, next, err
}

// Elements are the elements of a checked array, as written. More than limit of
// them are ErrTooMany; what is no array is a *SyntaxError. They refer to raw.
func Elements(raw []byte, limit int) ([][]byte, error) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return nil, &SyntaxError{Offset: i, Msg: msgArray}
	}
	var out [][]byte
	for i = skipSpace(raw, i+1); ; i = skipSpace(raw, i+1) {
		if i < len(raw) && raw[i] == ']' && len(out) == 0 {
			return nil, nil
		}
		if len(out) == limit {
			return nil, ErrTooMany
		}
		v, next, err := span(raw, i)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		if i = skipSpace(raw, next); i >= len(raw) || raw[i] != ',' {
			break
		}
	}
	return out, closed(raw, i, ']')
}

// closed says whether the container ends at raw[i].
func closed(raw []byte, i int, bracket byte) error {
	if i >= len(raw) {
		return &SyntaxError{Offset: i, Msg: msgEnd}
	}
	if raw[i] != bracket {
		return &SyntaxError{Offset: i, Msg: msgComma}
	}
	return nil
}

// span is the value that begins at raw[i]. Its capacity is its length, so that
// appending to it cannot overwrite the text behind it.
func span(raw []byte, i int) (v []byte, next int, err error) {
	if i >= len(raw) || kindOf(raw[i]) == Invalid {
		return nil, 0, &SyntaxError{Offset: i, Msg: msgValue}
	}
	next = skipValue(raw, i)
	return raw[i:next:next], next, nil
}

// skipValue is the offset behind the checked value at b[i].
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\r', '\t':
			// Only ever met inside a container.
			i++
			continue
		default:
			i = skipWord(b, i)
		}
		if depth <= 0 {
			return i
		}
	}
	return i
}

// skipWord is the offset behind the number or literal at b[i].
func skipWord(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case ',', '}', ']', ':', ' ', '\n', '\r', '\t':
			return i
		}
	}
	return i
}

// skipString is the offset behind the checked string at b[i].
func skipString(b []byte, i int) int {
	i++
	for {
		n := bytes.IndexByte(b[min(i, len(b)):], '"')
		if n < 0 {
			return len(b)
		}
		slashes := 0
		for at := i + n; at-slashes > i && b[at-slashes-1] == '\\'; {
			slashes++
		}
		if i += n + 1; slashes%2 == 0 {
			return i
		}
	}
}
