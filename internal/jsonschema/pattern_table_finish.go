package jsonschema

import "math"

// table numbers the states as a table has them, without those that decide nothing.
func (b *tableBuilder) table() *patternTable {
	b.goals = make([]uint16, len(b.ends))
	for s := range b.goals {
		b.goals[s] = uint16(s)
	}
	b.settle(stateDead, func(s int) bool { return b.ends[s] })
	b.settle(stateMatched, func(s int) bool { return !b.ends[s] })
	order, accepting := b.order()
	shift := b.shift()
	number := make([]uint16, len(b.ends))
	for i, s := range order {
		number[s] = uint16(i << shift) //nolint:gosec // an index of next, which maxTableBytes bounds
	}
	t := &patternTable{
		next: make([]uint16, len(order)<<shift), loops: make([]uint64, len(order)), shift: uint8(shift), //nolint:gosec // at most 6
		start: number[b.goals[stateStart]], matched: 1 << shift, accepting: math.MaxUint32,
	}
	if accepting < len(order) {
		t.accepting = uint32(accepting << shift) //nolint:gosec // as above
	}
	beyond := b.symbols.beyondASCII()
	for i, s := range order {
		for c, to := range b.rowOf(s) {
			to := number[b.goals[to]]
			t.next[i<<shift|c] = to
			if to == number[s] {
				t.loops[i] |= 1 << c
			}
		}
		// Bytes that are no ASCII are code points beyond it, however many each takes.
		if t.loops[i]&beyond == beyond {
			t.loops[i] |= 1 << notASCII
		}
	}
	b.symbols.fill(t)
	return t
}

func (b *tableBuilder) rowOf(s int) []uint16 {
	return b.next[s*b.symbols.count : (s+1)*b.symbols.count]
}

// settle makes every state that cannot reach a state of which other holds the same as
// the sink given.
func (b *tableBuilder) settle(sink uint16, other func(int) bool) {
	from := make([][]uint16, len(b.ends))
	for s := range b.ends {
		for _, to := range b.rowOf(s) {
			from[to] = append(from[to], uint16(s))
		}
	}
	reaches := make([]bool, len(b.ends))
	var stack []int
	for s := range b.ends {
		if other(s) {
			reaches[s] = true
			stack = append(stack, s)
		}
	}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, p := range from[s] {
			if !reaches[p] {
				reaches[p] = true
				stack = append(stack, int(p))
			}
		}
	}
	for s := stateStart; s < len(b.ends); s++ {
		if !reaches[s] {
			b.goals[s] = sink
		}
	}
}

// order lists the states that are left as a table has them, and says where those begin
// at which the text may end.
func (b *tableBuilder) order() (order []int, accepting int) {
	order = append(order, stateDead, stateMatched)
	for _, ends := range []bool{false, true} {
		accepting = len(order)
		for s := stateStart; s < len(b.ends); s++ {
			if int(b.goals[s]) == s && b.ends[s] == ends {
				order = append(order, s)
			}
		}
	}
	return order, accepting
}
