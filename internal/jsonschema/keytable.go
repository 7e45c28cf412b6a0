package jsonschema

import (
	"hash/maphash"
	"math/bits"
)

// keyTable finds a text among a few that the schema's author wrote, without
// allocating: property names, and the strings of an enum. It is immutable.
type keyTable struct {
	texts []string
	// slots hold the place in texts plus one, by hash, linear probing. At most
	// half are taken, so that a text that is not there is soon known not to be.
	slots []uint16
	mask  uint32
}

// maxKeys is what a slot can count. A schema document of 192 KiB has fewer names.
const maxKeys = 1<<16 - 2

func newKeyTable(texts []string) keyTable {
	t := keyTable{texts: texts}
	if len(texts) == 0 {
		return t
	}
	size := 1 << bits.Len(uint(2*len(texts)-1))
	t.slots = make([]uint16, size)
	t.mask = uint32(size - 1) //nolint:gosec // at most 2^18
	for i, text := range texts {
		at := hashText([]byte(text)) & t.mask
		for t.slots[at] != 0 {
			at = (at + 1) & t.mask
		}
		t.slots[at] = uint16(i + 1)
	}
	return t
}

// find gives the place of a text; -1 where it is not there.
func (t *keyTable) find(text []byte) int {
	if len(t.slots) == 0 {
		return -1
	}
	at := hashText(text) & t.mask
	for {
		i := t.slots[at&uint32(len(t.slots)-1)] //nolint:gosec // a power of two
		if i == 0 {
			return -1
		}
		if t.texts[i-1] == string(text) {
			return int(i) - 1
		}
		at = (at + 1) & t.mask
	}
}

// hashText is seeded: the author of a schema shares the process with others, and must
// not be able to choose names that hash alike.
func hashText(s []byte) uint32 { return uint32(maphash.Bytes(keySeed, s)) } //nolint:gosec // the lower half
