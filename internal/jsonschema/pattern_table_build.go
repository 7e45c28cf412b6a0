package jsonschema

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// The first two states of every table: nothing can match, and everything has.
const (
	stateDead = iota
	stateMatched
	stateStart
)

// tableBuilder builds a table by subset construction from the code of the backtracking
// engine. What that has beside sets, choices and anchors serves groups, which decide
// nothing here, and loops that read nothing: those lead to where the loop was entered,
// which the subset has already.
type tableBuilder struct {
	*program
	symbols symbolClasses
	work    int // visits left
	states  int // how many fit

	lives [][]uint16        // the live instructions of each state, sorted
	ends  []bool            // the text may end in the state
	goals []uint16          // the state that stands for each, once they are settled
	next  []uint16          // a row of symbols.count for each state
	known map[string]uint16 // states by their live instructions

	seen  []uint32 // the round in which each instruction was visited last
	round uint32
	stack []uint16
	live  []uint16
	key   []byte
}

// newPatternTable builds the table of a pattern; nil where it is too large, or has what
// a table cannot do.
func newPatternTable(tree parsedPattern) *patternTable {
	if tree.backtracks || tree.size > maxTableSize {
		return nil
	}
	b := &tableBuilder{
		program: compileProgram(tree), known: map[string]uint16{},
		work: tableWork + tableWorkPerStep*tree.size + tableWorkPerRange*tree.ranges,
	}
	if !b.usable() || !b.classify() {
		return nil
	}
	b.states = b.room(tree)
	b.seen = make([]uint32, len(b.code))
	if !b.construct() {
		return nil
	}
	return b.table()
}

// usable says that the code has nothing that looks around, and that its places fit a
// state's list of them.
func (b *tableBuilder) usable() bool {
	if len(b.code) > 1<<16 {
		return false
	}
	for i := range b.code {
		switch b.code[i].op {
		case opWord, opNotWord, opLook, opBackref:
			return false
		}
	}
	return true
}

// spend takes visits off what is left of them.
func (b *tableBuilder) spend(visits int) bool {
	b.work -= visits
	return b.work >= 0
}

// shift gives the length of a row as a power of two.
func (b *tableBuilder) shift() int { return bits.Len(uint(b.symbols.count - 1)) }

// room gives the number of states for which a table may have room.
func (b *tableBuilder) room(tree parsedPattern) int {
	allowed := min(maxTableBytes, tableBytes+tableBytesPerStep*tree.size+tableBytesPerRange*tree.ranges)
	allowed -= 256 + 5*len(b.symbols.starts)
	if len(b.symbols.starts) > manyBounds {
		allowed -= 2 * pageCount
	}
	return allowed / (2<<b.shift() + 8)
}

// construct finds the states and their rows.
func (b *tableBuilder) construct() bool {
	b.lives, b.ends = make([][]uint16, stateStart), make([]bool, stateStart)
	b.ends[stateMatched] = true
	b.begin()
	matched := b.visit(0, true, false)
	b.add(true)
	b.next = make([]uint16, stateStart*b.symbols.count, 8*b.symbols.count)
	for c := range b.symbols.count {
		b.next[stateMatched*b.symbols.count+c] = stateMatched
	}
	if matched {
		// The empty text matches, and so does every text around it.
		b.ends[stateStart] = true
		b.next = append(b.next, b.next[stateMatched*b.symbols.count:]...)
		return len(b.lives) <= b.states
	}
	for s := stateStart; s < len(b.lives); s++ {
		if len(b.lives) > b.states || !b.row(b.lives[s]) {
			return false
		}
	}
	return true
}

// row adds the row of the state with the live instructions given.
func (b *tableBuilder) row(live []uint16) bool {
	var reads uint64
	for _, pc := range live {
		reads |= b.classesOf(pc)
	}
	miss := -1 // all classes that no live instruction reads lead to the same state
	for c := range b.symbols.count {
		if reads>>c&1 == 0 && miss >= 0 {
			b.next = append(b.next, uint16(miss))
			continue
		}
		to, ok := b.step(live, c)
		if !ok {
			return false
		}
		if reads>>c&1 == 0 {
			miss = int(to)
		}
		b.next = append(b.next, to)
	}
	return true
}

func (b *tableBuilder) classesOf(pc uint16) uint64 {
	in := &b.code[pc]
	if in.op != opSet || len(in.set) == 0 {
		return 0
	}
	return b.symbols.masks[&in.set[0]]
}

// step gives the state after a symbol of the class. A match may begin at every place,
// so the start of the program is always among what is alive.
func (b *tableBuilder) step(live []uint16, class int) (to uint16, ok bool) {
	b.begin()
	matched := !b.anchored && b.visit(0, false, false)
	for _, pc := range live {
		if b.classesOf(pc)>>class&1 != 0 {
			matched = b.visit(pc+1, false, false) || matched
		}
	}
	if !b.spend(len(live)+len(b.live)) || len(b.lives) > b.states {
		return 0, false
	}
	switch {
	case matched:
		return stateMatched, true
	case len(b.live) == 0:
		return stateDead, true
	}
	return b.add(false), true
}

// begin starts a new set of live instructions.
func (b *tableBuilder) begin() {
	b.live = b.live[:0]
	b.round++
}

// add gives the state of the live instructions that were visited. The start is a state
// of its own: an instruction that is alive there may still meet the begin of the text.
func (b *tableBuilder) add(start bool) uint16 {
	slices.Sort(b.live)
	b.key = b.key[:0]
	for _, pc := range b.live {
		b.key = binary.LittleEndian.AppendUint16(b.key, pc)
	}
	if s, ok := b.known[string(b.key)]; ok {
		return s
	}
	live := slices.Clone(b.live)
	s := uint16(len(b.lives)) //nolint:gosec // bounded by the room for states
	b.lives = append(b.lives, live)
	if !start {
		b.known[string(b.key)] = s
	}
	b.begin()
	ends := false
	for _, pc := range live {
		if b.code[pc].op == opEnd {
			ends = b.visit(pc+1, start, true) || ends
		}
	}
	b.ends = append(b.ends, ends)
	return s
}

// visit notes as live the instructions that are reached from one without reading, and
// reports whether the match is among them. begin and end say whether the place is the
// begin of the text, and whether it is its end.
func (b *tableBuilder) visit(pc uint16, begin, end bool) (matched bool) {
	b.stack = append(b.stack[:0], pc)
	for len(b.stack) > 0 {
		pc := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		if b.seen[pc] == b.round {
			continue
		}
		b.seen[pc] = b.round
		b.work--
		in := &b.code[pc]
		switch {
		case in.op == opMatch:
			matched = true
		case in.op == opSplit:
			b.stack = append(b.stack, uint16(in.x), uint16(in.y)) //nolint:gosec // places in the code
		case in.op == opJump:
			b.stack = append(b.stack, uint16(in.x)) //nolint:gosec // a place in the code
		case in.op == opSet, in.op == opEnd && !end:
			b.live = append(b.live, pc)
		case in.op != opBegin || begin:
			b.stack = append(b.stack, pc+1)
		}
	}
	return matched
}
