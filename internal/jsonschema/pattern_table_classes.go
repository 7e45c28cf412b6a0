package jsonschema

import (
	"slices"
	"unicode/utf8"
)

// symbolClasses part the code points: those of one class are in the same sets of a
// pattern, all of them.
type symbolClasses struct {
	starts []rune  // where each interval begins
	class  []uint8 // of each interval
	count  int
	masks  map[*rune]uint64 // the classes of each set, by its first pair
}

// classify parts the code points by the sets of a program. It fails where there are
// more than maxTableClasses, or where that takes too much work.
func (b *tableBuilder) classify() bool {
	sets := b.sets()
	y := &b.symbols
	y.starts = []rune{0, utf8.RuneSelf}
	for _, s := range sets {
		if !b.spend(len(s)) {
			return false
		}
		for i := 0; i+1 < len(s); i += 2 {
			y.starts = append(y.starts, s[i])
			if s[i+1] < maxRune {
				y.starts = append(y.starts, s[i+1]+1)
			}
		}
	}
	slices.Sort(y.starts)
	y.starts = slices.Compact(y.starts)
	y.class = make([]uint8, len(y.starts))
	y.count = 1
	for _, s := range sets {
		if !b.spend(2*len(y.starts)) || !y.refine(s) {
			return false
		}
	}
	y.masks = make(map[*rune]uint64, len(sets))
	for _, s := range sets {
		y.masks[&s[0]] = y.mask(s)
	}
	return true
}

// sets gives the sets of the program, each once although repetitions unroll it.
func (b *tableBuilder) sets() []runeSet {
	var sets []runeSet
	seen := map[*rune]bool{}
	for i := range b.code {
		s := b.code[i].set
		if len(s) == 0 || seen[&s[0]] {
			continue
		}
		seen[&s[0]] = true
		sets = append(sets, s)
	}
	return sets
}

// members calls visit for each interval, in order, with whether the set has it.
func (y *symbolClasses) members(s runeSet, visit func(interval int, member bool)) {
	at := 0
	for i, start := range y.starts {
		for at < len(s) && s[at+1] < start {
			at += 2
		}
		visit(i, at < len(s) && s[at] <= start)
	}
}

// refine splits each class into what is in the set and what is not.
func (y *symbolClasses) refine(s runeSet) bool {
	var ids [maxTableClasses + 1][2]uint8 // one more than the class; 0 is none yet
	count := 0
	y.members(s, func(i int, member bool) {
		id := &ids[y.class[i]][0]
		if member {
			id = &ids[y.class[i]][1]
		}
		if *id == 0 && count <= maxTableClasses {
			count++
			*id = uint8(count) //nolint:gosec // at most 64
		}
		y.class[i] = max(*id, 1) - 1
	})
	y.count = count
	return count <= maxTableClasses
}

func (y *symbolClasses) mask(s runeSet) (mask uint64) {
	y.members(s, func(i int, member bool) {
		if member {
			mask |= 1 << y.class[i]
		}
	})
	return mask
}

// fill writes the classes into a table.
func (y *symbolClasses) fill(t *patternTable) {
	for i := range t.classes {
		t.classes[i] = notASCII
	}
	for i, start := range y.starts {
		if start >= utf8.RuneSelf {
			if n := len(t.boundClasses); n == 0 || t.boundClasses[n-1] != y.class[i] {
				t.bounds = append(t.bounds, start)
				t.boundClasses = append(t.boundClasses, y.class[i])
			}
			continue
		}
		for r := start; r < y.starts[i+1]; r++ {
			t.classes[r] = y.class[i]
		}
	}
	t.beyond = t.boundClasses[0]
	if len(t.bounds) == 1 {
		t.bounds, t.boundClasses = nil, nil
	}
	t.bounds, t.boundClasses = slices.Clip(t.bounds), slices.Clip(t.boundClasses)
	if len(t.bounds) > manyBounds {
		t.pages = pagesOf(t.bounds)
	}
}

// pagesOf gives, for each 256 code points of the first 65536 and then for the rest, the
// last bound that is not after their first.
func pagesOf(bounds []rune) []uint16 {
	pages := make([]uint16, pageCount)
	at := 0
	for i := range pages {
		for at+1 < len(bounds) && int(bounds[at+1]) <= i<<8 {
			at++
		}
		pages[i] = uint16(at)
	}
	return pages
}

// beyondASCII gives the classes that code points beyond ASCII have.
func (y *symbolClasses) beyondASCII() (mask uint64) {
	for i, start := range y.starts {
		if start >= utf8.RuneSelf {
			mask |= 1 << y.class[i]
		}
	}
	return mask
}
