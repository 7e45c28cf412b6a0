// Package shown prepares text that a model chose for people and logs: cut,
// then escaped (design section 4), so that no name can forge a line, hide
// characters or fill a screen.
package shown

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The cuts, in code points, before escaping.
const (
	MaxName = 128
	MaxPath = 256
)

const ellipsis = "…"

// Name cuts a name at MaxName code points and escapes it.
func Name(s string) string { return Escape(Cut(s, MaxName)) }

// Path cuts a whole path at MaxPath code points and escapes it.
func Path(s string) string { return Escape(Cut(s, MaxPath)) }

// Cut shortens s to limit code points and says so with an ellipsis.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + ellipsis
		}
		n++
	}
	return s
}

// Escape writes code points of the general categories Cc, Cf, Zl, Zp, Co and
// Cn as \uXXXX, in lower case, as a UTF-16 pair beyond the BMP. Bytes that are
// no UTF-8 become \ufffd.
func Escape(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && s[i] >= 0x20 && s[i] < 0x7f {
			i++
		}
		b.WriteString(s[start:i])
		if i == len(s) {
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b.WriteString(`\ufffd`)
		} else if hidden(r) {
			writeEscape(&b, r)
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// assigned covers every general category but those escaped; what is in none of
// the tables is unassigned (Cn).
var assigned = []*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs}

func hidden(r rune) bool { return !unicode.IsOneOf(assigned, r) }

func writeEscape(b *strings.Builder, r rune) {
	if r1, r2 := utf16.EncodeRune(r); r1 != unicode.ReplacementChar {
		writeUnit(b, r1)
		writeUnit(b, r2)
		return
	}
	writeUnit(b, r)
}

func writeUnit(b *strings.Builder, r rune) {
	const digits = "0123456789abcdef"
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(digits[(r>>shift)&0xf])
	}
}
