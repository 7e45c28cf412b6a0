package jsonschema

import (
	"regexp"
	"strconv"
	"strings"
)

// re2Text spells a parsed pattern for RE2. Only sets, anchors and structure are
// left by then, so nothing can mean something else there.
func re2Text(n *reNode) string {
	var b strings.Builder
	writeRE2(&b, n)
	return b.String()
}

func writeRE2(b *strings.Builder, n *reNode) {
	switch n.op {
	case reSet:
		writeSet(b, n.set)
	case reCat, reGroup:
		writeGroup(b, n.subs, "")
	case reAlt:
		writeGroup(b, n.subs, "|")
	case reRepeat:
		writeGroup(b, n.subs, "")
		writeQuantifier(b, n)
	case reBegin:
		b.WriteString(`\A`)
	case reEnd:
		b.WriteString(`\z`)
	case reWord:
		b.WriteString(`\b`)
	case reNotWord:
		b.WriteString(`\B`)
	}
}

func writeGroup(b *strings.Builder, subs []*reNode, separator string) {
	b.WriteString("(?:")
	for i, sub := range subs {
		if i > 0 {
			b.WriteString(separator)
		}
		writeRE2(b, sub)
	}
	b.WriteByte(')')
}

// writeQuantifier leaves laziness out: it decides where a match ends, never
// whether there is one.
func writeQuantifier(b *strings.Builder, n *reNode) {
	switch {
	case n.min == 0 && n.max == unboundedRepeat:
		b.WriteByte('*')
	case n.min == 1 && n.max == unboundedRepeat:
		b.WriteByte('+')
	case n.min == 0 && n.max == 1:
		b.WriteByte('?')
	case n.max == unboundedRepeat:
		b.WriteString("{" + strconv.Itoa(n.min) + ",}")
	default:
		b.WriteString("{" + strconv.Itoa(n.min) + "," + strconv.Itoa(n.max) + "}")
	}
}

func writeSet(b *strings.Builder, s runeSet) {
	if len(s) == 2 && s[0] == s[1] && s[0] < 0xd800 {
		b.WriteString(regexp.QuoteMeta(string(s[0])))
		return
	}
	if len(s) == 0 {
		b.WriteString(`[^\x{0}-\x{10ffff}]`)
		return
	}
	b.WriteByte('[')
	for i := 0; i+1 < len(s); i += 2 {
		writeCodePoint(b, s[i])
		if s[i] != s[i+1] {
			b.WriteByte('-')
			writeCodePoint(b, s[i+1])
		}
	}
	b.WriteByte(']')
}

func writeCodePoint(b *strings.Builder, r rune) {
	b.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + "}")
}
