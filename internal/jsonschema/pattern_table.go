package jsonschema

import (
	"unicode/utf16"
	"unicode/utf8"
)

// The bounds on a table. All of them are counts, so that whether a pattern has a table
// never depends on the machine.
const (
	// maxTableBytes is the usual size of a first-level data cache: a table that does
	// not fit costs as much a byte as the engines that it is to replace.
	maxTableBytes = 32 << 10
	// A table may take tableBytesPerStep for each step of its pattern and
	// tableBytesPerRange for each range: an instruction of RE2 with its share of the
	// rest takes as much, and a range is two bounds with their classes. So the bounds on
	// the patterns of a schema bound its tables: 8 MB for the steps and 3 MB for the
	// ranges. tableBytes are the struct itself and a few states.
	tableBytes         = 1 << 10
	tableBytesPerStep  = 64
	tableBytesPerRange = 10
	// Building visits the instructions that are alive in each state for each class, 5
	// to 50 for each step of a usual pattern, and the bounds of all sets for each set.
	// tableWork is for small patterns. A visit takes some 15 ns, so that a schema that is
	// all patterns without a table, of maxPatternTotal steps, loses some 150 ms by that.
	tableWork         = 1 << 12
	tableWorkPerStep  = 64
	tableWorkPerRange = 32
	// maxTableClasses leaves one of the 64 bits of a set of classes for the bytes that
	// are no ASCII.
	maxTableClasses = 63
	notASCII        = maxTableClasses
	// Class and state fit a uint16 by maxTableBytes; the steps of the program fit one by
	// this bound, which is twice the states that maxTableBytes leaves room for.
	maxTableSize = 1 << 12
	// Up to manyBounds a search takes four steps at the most, and pages would gain nothing.
	manyBounds = 16
	pageCount  = 1<<16>>8 + 1 // those of two bytes each, and the rest
)

// patternTable is a pattern as a deterministic automaton over classes of code points:
// one look-up for each code point of a text, no allocation, and no steps to count.
//
// A state is the index of its row in next. Row 0 is where nothing can match any more,
// the row after it where the text has matched whatever follows. They, and the states
// at which the text may not end, come before those at which it may.
type patternTable struct {
	next      []uint16
	loops     []uint64 // for each row, the classes of bytes that stay in it
	start     uint16
	matched   uint16
	accepting uint32
	shift     uint8 // rows are 1<<shift long

	beyond       uint8  // the class of every code point beyond ASCII, where bounds is empty
	bounds       []rune // where the classes beyond ASCII begin, from 0x80 on
	boundClasses []uint8
	pages        []uint16 // of many bounds: where each 256 code points begin among them

	classes [256]uint8 // of each byte; notASCII for those that are none
}

// match reports whether the text contains a match. The text is read as UTF-8; what is
// none counts as U+FFFD, as in RE2.
func (t *patternTable) match(text string) bool { return runTable(t, text) }

// matchBytes is match for bytes.
func (t *patternTable) matchBytes(text []byte) bool { return runTable(t, text) }

func runTable[T string | []byte](t *patternTable, text T) bool {
	next, classes, matched := t.next, &t.classes, uint(t.matched)
	state := uint(t.start)
	for i := 0; i < len(text) && state > matched; {
		class := uint(classes[text[i]])
		if class == notASCII {
			r, n := decodeBeyond(text, i)
			class = t.classBeyond(r)
			i += n
		} else {
			i++
		}
		to := uint(next[state|class])
		if to == state {
			// Runs of one class are most of a text, and need no row but this one.
			stay := t.loops[state>>(t.shift&15)]
			for i < len(text) && stay>>(classes[text[i]]&63)&1 != 0 {
				i++
			}
		}
		state = to
	}
	return state == matched || state >= uint(t.accepting)
}

// decodeBeyond reads the code point at i, which is not ASCII. Two and three bytes are
// read here, because that is twice as fast as the library's way.
func decodeBeyond[T string | []byte](text T, i int) (r rune, n int) {
	if i+2 < len(text) && text[i]>>4 == 0b1110 {
		x, y := text[i+1]^0x80, text[i+2]^0x80
		r = rune(text[i]&0x0F)<<12 | rune(x)<<6 | rune(y)
		if x|y < 0x40 && r >= 0x800 && !utf16.IsSurrogate(r) {
			return r, 3
		}
	} else if i+1 < len(text) && text[i]>>5 == 0b110 {
		x := text[i+1] ^ 0x80
		r = rune(text[i]&0x1F)<<6 | rune(x)
		if x < 0x40 && r >= utf8.RuneSelf {
			return r, 2
		}
	}
	// The conversion of a few bytes stays on the stack.
	return utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
}

// classBeyond gives the class of a code point beyond ASCII.
func (t *patternTable) classBeyond(r rune) uint {
	if len(t.bounds) == 0 {
		return uint(t.beyond)
	}
	lo, hi := 0, len(t.bounds)
	if len(t.pages) > 0 {
		page := min(int(r)>>8, len(t.pages)-1)
		lo = int(t.pages[page])
		if page+1 < len(t.pages) {
			hi = int(t.pages[page+1]) + 1
		}
	}
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if r < t.bounds[mid] {
			hi = mid
		} else {
			lo = mid
		}
	}
	return uint(t.boundClasses[lo])
}

// cost gives the units of work of a match on a text of n bytes. A unit is a microsecond,
// and a byte of ASCII takes up to 2 ns, of other text up to 4, or 15 where its code
// points have to be looked up.
func (t *patternTable) cost(n int) int {
	if len(t.bounds) == 0 {
		return 1 + n/256
	}
	return 1 + n/64
}
