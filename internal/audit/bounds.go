package audit

import (
	"unicode/utf8"
)

const (
	// MaxBytes bounds one line: sixteen of the largest fit into the queue's 16 MiB, and
	// one holds the arguments of any ordinary review whole.
	MaxBytes = 1 << 20
	// fixedBytes is what the names of members and the numbers take at most: some 450 bytes
	// for each of 128 calls, and a few hundred once. What there may be more of is counted.
	fixedBytes = 64 << 10
	// textBytes is what all texts together may take, and listBytes what they may but for
	// the arguments, so that many errors do not drive the arguments out.
	textBytes = MaxBytes - fixedBytes
	listBytes = textBytes / 2
)

// room is what is left for texts in a record. It counts them as they are written.
type room struct {
	left int
	// cut counts what did not fit.
	cut int
}

const (
	// elementBytes is what an element of a list of objects takes besides its texts.
	elementBytes = 200
	// accessBytes is what a question of access takes with its texts, which are names of
	// objects: two of 63 bytes and two of 253 at most.
	accessBytes = 900
)

// take makes room for so many bytes, if there is any.
func (r *room) take(n int) bool {
	if r.left < n {
		r.cut++
		return false
	}
	r.left -= n
	return true
}

// text gives the text if it fits, else nothing.
func (r *room) text(s string) string {
	if n := written(s); n <= r.left {
		r.left -= n
		return s
	}
	r.cut++
	return ""
}

// list gives as many texts as fit, from the first. It is never nil.
func (r *room) list(texts []string) []string {
	kept := make([]string, 0, len(texts))
	for i, s := range texts {
		n := written(s)
		if n > r.left {
			r.cut += len(texts) - i
			return kept
		}
		r.left -= n
		kept = append(kept, s)
	}
	return kept
}

// optional is list, and nil where there is nothing.
func (r *room) optional(texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	return r.list(texts)
}

// beginning gives as much of a text as fits, and says whether that is not all. What is no
// UTF-8 ends it: JSON could not hold it.
func (r *room) beginning(text []byte) (s string, cut bool) {
	end, n := 0, quotes
	for end < len(text) {
		c, size := utf8.DecodeRune(text[end:])
		if c == utf8.RuneError && size == 1 || n+runeWritten(c, size) > r.left {
			cut = true
			r.cut++
			break
		}
		n += runeWritten(c, size)
		end += size
	}
	r.left -= min(n, r.left)
	return string(text[:end]), cut
}

// quotes is what a text takes besides its own characters: two quotes and a comma.
const quotes = 3

// written is what a text takes in a line, at most.
func written(s string) int {
	n := quotes
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		n += runeWritten(c, size)
		i += size
	}
	return n
}

// runeWritten is what a code point takes, at most: as it is, or escaped as one or two
// UTF-16 units.
func runeWritten(c rune, size int) int {
	switch {
	case c == '"' || c == '\\':
		return 2
	case 0x20 <= c && c < 0x7f:
		return 1
	case c > 0xffff:
		return 12
	}
	return max(6, size)
}
