package jsonschema

// instOp is an instruction of the backtracking engine.
type instOp uint8

const (
	opSet     instOp = iota // one character of set
	opSplit                 // try x first, then y
	opJump                  // go to x
	opSave                  // note the position in register x
	opClear                 // forget registers x to y
	opMoved                 // fail unless the position left register x
	opBegin                 //
	opEnd                   //
	opWord                  //
	opNotWord               //
	opLook                  // run what follows as a look-around, then go to x
	opBackref               // the text of group x
	opMatch                 //
)

type inst struct {
	op       instOp
	back     bool // reads towards the start, inside a look-behind
	negative bool
	x, y     int
	set      runeSet
}

// program is a pattern for the backtracking engine: code, and the number of
// registers for group ends and loop positions.
type program struct {
	code      []inst
	registers int
	anchored  bool
}

// unset is a register that holds no position.
const unset = -1

// frame is an entry of the engine's stack: a place to try again, or, where
// register is set, a register to restore.
type frame struct {
	pc, pos  int
	register int
}

type machine struct {
	*program
	text  []rune
	regs  []int
	stack []frame
	steps int
}

// search looks for a match anywhere. left is what remains of the steps; with
// none left the answer is no.
func (p *program) search(text []rune, steps int) (matched bool, left int) {
	m := &machine{program: p, text: text, regs: make([]int, p.registers), steps: steps}
	for start := 0; start <= len(text) && m.steps > 0; start++ {
		for i := range m.regs {
			m.regs[i] = unset
		}
		m.stack = m.stack[:0]
		m.steps -= len(m.regs) / 16
		if m.run(0, start) {
			return true, m.steps
		}
		if p.anchored {
			break
		}
	}
	return false, max(m.steps, 0)
}

// run executes from pc at pos until a match, or until nothing is left to try
// above the stack that it found.
func (m *machine) run(pc, pos int) bool {
	base := len(m.stack)
	for m.steps > 0 {
		m.steps--
		in := &m.code[pc]
		if in.op == opMatch {
			return true
		}
		ok := true
		switch in.op {
		case opJump:
			pc = in.x
		case opSplit:
			m.stack = append(m.stack, frame{in.y, pos, unset})
			pc = in.x
		case opLook:
			ok = m.look(pc, pos)
			pc = in.x
		default:
			pos, ok = m.step(in, pos)
			pc++
		}
		if !ok {
			if pc, pos, ok = m.retry(base); !ok {
				return false
			}
		}
	}
	m.unwind(base)
	return false
}

// step executes an instruction that goes on to the next.
func (m *machine) step(in *inst, pos int) (int, bool) {
	switch in.op {
	case opSet:
		return m.read(in, pos)
	case opBackref:
		return m.backref(in, pos)
	case opSave:
		m.put(in.x, pos)
	case opClear:
		for i := in.x; i < in.y; i++ {
			m.put(i, unset)
			m.steps--
		}
	case opMoved:
		return pos, m.regs[in.x] != pos
	case opBegin:
		return pos, pos == 0
	case opEnd:
		return pos, pos == len(m.text)
	case opWord:
		return pos, m.word(pos-1) != m.word(pos)
	case opNotWord:
		return pos, m.word(pos-1) == m.word(pos)
	}
	return pos, true
}

func (m *machine) read(in *inst, pos int) (int, bool) {
	at, next := pos, pos+1
	if in.back {
		at, next = pos-1, pos-1
	}
	if at < 0 || at >= len(m.text) || !in.set.has(m.text[at]) {
		return pos, false
	}
	return next, true
}

// backref matches the text of a group again. A group without a match matches
// the empty text.
func (m *machine) backref(in *inst, pos int) (int, bool) {
	from, to := m.regs[2*in.x], m.regs[2*in.x+1]
	if from == unset || to == unset {
		return pos, true
	}
	from, to = min(from, to), max(from, to)
	at, next := pos, pos+to-from
	if in.back {
		at, next = pos-(to-from), pos-(to-from)
	}
	if at < 0 || at+to-from > len(m.text) {
		return pos, false
	}
	m.steps -= to - from
	for i := 0; i < to-from; i++ {
		if m.text[at+i] != m.text[from+i] {
			return pos, false
		}
	}
	return next, true
}

func (m *machine) word(i int) bool {
	return i >= 0 && i < len(m.text) && isWord(m.text[i])
}

func (m *machine) put(register, pos int) {
	m.stack = append(m.stack, frame{pos: m.regs[register], register: register})
	m.regs[register] = pos
}

// retry pops to the last place to try again.
func (m *machine) retry(base int) (pc, pos int, ok bool) {
	for len(m.stack) > base {
		f := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if f.register == unset {
			return f.pc, f.pos, true
		}
		m.regs[f.register] = f.pos
	}
	return 0, 0, false
}

// unwind restores the registers down to base.
func (m *machine) unwind(base int) {
	for ok := true; ok; {
		_, _, ok = m.retry(base)
	}
}

// look runs a look-around. What it found cannot be retried; what it captured
// stays, and is restored when something before it is.
func (m *machine) look(pc, pos int) bool {
	in := &m.code[pc]
	base := len(m.stack)
	matched := m.run(pc+1, pos)
	if !matched || in.negative {
		m.unwind(base)
		return matched != in.negative && m.steps > 0
	}
	kept := m.stack[:base]
	for _, f := range m.stack[base:] {
		if f.register != unset {
			kept = append(kept, f)
		}
	}
	m.stack = kept
	return true
}
