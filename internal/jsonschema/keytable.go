package jsonschema

import (
	"encoding/binary"
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
	// seed is of the hash of few texts.
	seed uint64
}

// maxKeys is what a slot can count. A schema document of 192 KiB has fewer names.
const maxKeys = 1<<16 - 2

func newKeyTable(texts []string) keyTable {
	t := keyTable{texts: texts}
	if len(texts) == 0 {
		return t
	}
	size := 1 << bits.Len(uint(2*len(texts)-1))
	if len(texts) > fewTexts {
		t.fill(size)
		return t
	}
	// A text in its first slot saves a branch that nobody can predict. Some seed puts
	// most small sets so.
	best, least := uint64(0), len(texts)*len(texts)
	for t.seed = range uint64(maxSeeds) {
		if steps := t.fill(2 * size); steps < least {
			best, least = t.seed, steps
		}
		if least == 0 {
			return t
		}
	}
	t.seed = best
	t.fill(2 * size)
	return t
}

// maxSeeds is how many seeds are tried: twenty-four texts in 128 slots need some ten.
const maxSeeds = 32

// fill puts the texts into slots, and gives how many steps they are from their first ones.
func (t *keyTable) fill(size int) (steps int) {
	t.slots = make([]uint16, size)
	t.mask = uint32(size - 1) //nolint:gosec // at most 2^18
	for i, text := range t.texts {
		at := t.hash([]byte(text)) & t.mask
		for t.slots[at] != 0 {
			at = (at + 1) & t.mask
			steps++
		}
		t.slots[at] = uint16(i + 1)
	}
	return steps
}

// find gives the place of a text; -1 where it is not there.
func (t *keyTable) find(text []byte) int {
	if len(t.slots) == 0 {
		return -1
	}
	at := t.hash(text) & t.mask
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

// fewTexts is up to how many texts a cheap hash is good enough: whoever chooses names
// that hash alike makes a search through them all, and that is as many comparisons.
const fewTexts = 24

func (t *keyTable) hash(s []byte) uint32 {
	if len(t.texts) <= fewTexts {
		return mixEnds(s, t.seed)
	}
	// Seeded: the author of a schema shares the process with others.
	return uint32(maphash.Bytes(keySeed, s)) //nolint:gosec // the lower half
}

// mixEnds mixes the length and the first and the last bytes, sixteen at most.
func mixEnds(s []byte, seed uint64) uint32 {
	const k1, k2 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	var a, b uint64
	n := len(s)
	switch {
	case n >= 8:
		a, b = binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[n-8:])
	case n >= 4:
		a, b = uint64(binary.LittleEndian.Uint32(s)), uint64(binary.LittleEndian.Uint32(s[n-4:]))
	case n > 0:
		a = uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	return uint32(((a+uint64(n)+seed)*k1 ^ bits.RotateLeft64(b, 29)*k2) >> 32)
}
