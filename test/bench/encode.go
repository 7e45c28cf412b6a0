package main

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/rawjson"
)

// style is how a client writes JSON.
type style struct {
	comma, colon string
	ascii        bool // everything else is escaped
}

// style gives one of those that common clients have: with white space or
// without, with UTF-8 or with escapes.
func (g generator) style() style {
	s := style{comma: ",", colon: ":", ascii: g.chance(30)}
	if g.chance(50) {
		s.comma, s.colon = ", ", ": "
	}
	return s
}

// encode appends the JSON text of v.
func (s style) encode(dst []byte, v any) []byte {
	switch v := v.(type) {
	case object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, s.comma...)
			}
			dst = append(s.text(dst, m.key), s.colon...)
			dst = s.encode(dst, m.value)
		}
		return append(dst, '}')
	case list:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, s.comma...)
			}
			dst = s.encode(dst, item)
		}
		return append(dst, ']')
	case string:
		return s.text(dst, v)
	case literal:
		return append(dst, v...)
	}
	panic(fmt.Sprintf("the generator made a %T", v))
}

func (s style) text(dst []byte, text string) []byte {
	if !s.ascii {
		return rawjson.AppendString(dst, text)
	}
	for _, r := range string(rawjson.AppendString(nil, text)) {
		switch {
		case r < utf8.RuneSelf:
			dst = append(dst, byte(r))
		case r < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		}
	}
	return dst
}
