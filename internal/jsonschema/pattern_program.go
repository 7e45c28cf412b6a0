package jsonschema

// compileProgram turns a parsed pattern into code for the backtracking engine.
func compileProgram(tree parsedPattern) *program {
	c := &programCompiler{program: &program{registers: 2 * (tree.groups + 1)}}
	c.node(tree.reNode, false)
	c.emit(inst{op: opMatch})
	c.anchored = anchored(tree.reNode)
	return c.program
}

type programCompiler struct{ *program }

// anchored says that every match starts at the start of the text.
func anchored(n *reNode) bool {
	switch n.op {
	case reBegin:
		return true
	case reCat:
		for _, sub := range n.subs {
			if sub.op != reLook {
				return anchored(sub)
			}
		}
		return false
	case reGroup:
		return anchored(n.subs[0])
	case reAlt:
		for _, sub := range n.subs {
			if !anchored(sub) {
				return false
			}
		}
		return true
	}
	return false
}

func (c *programCompiler) emit(in inst) int {
	c.code = append(c.code, in)
	return len(c.code) - 1
}

func (c *programCompiler) node(n *reNode, back bool) {
	switch n.op {
	case reSet:
		c.emit(inst{op: opSet, set: n.set, back: back})
	case reCat:
		c.sequence(n.subs, back)
	case reAlt:
		c.alternatives(n.subs, back)
	case reRepeat:
		c.repeat(n, back)
	case reGroup:
		c.group(n, back)
	case reLook:
		c.look(n)
	case reBackref:
		c.emit(inst{op: opBackref, x: n.group, back: back})
	default:
		c.emit(inst{op: assertion(n.op)})
	}
}

func assertion(op reOp) instOp {
	switch op {
	case reBegin:
		return opBegin
	case reEnd:
		return opEnd
	case reWord:
		return opWord
	}
	return opNotWord
}

// sequence emits the terms in the order in which they are read.
func (c *programCompiler) sequence(subs []*reNode, back bool) {
	for i := range subs {
		if back {
			i = len(subs) - 1 - i
		}
		c.node(subs[i], back)
	}
}

func (c *programCompiler) alternatives(subs []*reNode, back bool) {
	var exits []int
	for i, sub := range subs {
		last := i == len(subs)-1
		split := 0
		if !last {
			split = c.emit(inst{op: opSplit})
			c.code[split].x = len(c.code)
		}
		c.node(sub, back)
		if !last {
			exits = append(exits, c.emit(inst{op: opJump}))
			c.code[split].y = len(c.code)
		}
	}
	for _, e := range exits {
		c.code[e].x = len(c.code)
	}
}

func (c *programCompiler) group(n *reNode, back bool) {
	if n.group == 0 {
		c.node(n.subs[0], back)
		return
	}
	c.emit(inst{op: opSave, x: 2 * n.group})
	c.node(n.subs[0], back)
	c.emit(inst{op: opSave, x: 2*n.group + 1})
}

func (c *programCompiler) look(n *reNode) {
	at := c.emit(inst{op: opLook, negative: n.negative})
	c.node(n.subs[0], n.behind)
	c.emit(inst{op: opMatch})
	c.code[at].x = len(c.code)
}

// repeat unrolls the bounded part; the size of a pattern bounds the result.
func (c *programCompiler) repeat(n *reNode, back bool) {
	body := n.subs[0]
	for range n.min {
		c.iteration(body, back)
	}
	if n.max == unboundedRepeat {
		c.loop(n, back)
		return
	}
	var exits []int
	for range n.max - n.min {
		exits = append(exits, c.split(n.lazy))
		c.iteration(body, back)
	}
	for _, e := range exits {
		c.leave(e, n.lazy)
	}
}

// loop repeats without bound. An iteration that reads nothing fails, as
// ECMA-262 has it, which is also what makes loops end.
func (c *programCompiler) loop(n *reNode, back bool) {
	register := c.registers
	c.registers++
	start := c.split(n.lazy)
	c.emit(inst{op: opSave, x: register})
	c.iteration(n.subs[0], back)
	c.emit(inst{op: opMoved, x: register})
	c.emit(inst{op: opJump, x: start})
	c.leave(start, n.lazy)
}

// split emits the choice between another iteration, which follows, and the
// exit, which leave sets.
func (c *programCompiler) split(lazy bool) int {
	at := c.emit(inst{op: opSplit})
	if lazy {
		c.code[at].y = at + 1
	} else {
		c.code[at].x = at + 1
	}
	return at
}

func (c *programCompiler) leave(split int, lazy bool) {
	if lazy {
		c.code[split].x = len(c.code)
	} else {
		c.code[split].y = len(c.code)
	}
}

// iteration runs the body once, with the groups inside it forgotten.
func (c *programCompiler) iteration(body *reNode, back bool) {
	if lo, hi := body.groupSpan(); lo > 0 {
		c.emit(inst{op: opClear, x: 2 * lo, y: 2*hi + 2})
	}
	c.node(body, back)
}

// groupSpan gives the first and last capturing group inside, 0 for none.
func (n *reNode) groupSpan() (lo, hi int) {
	if n.op == reGroup && n.group > 0 {
		lo, hi = n.group, n.group
	}
	for _, sub := range n.subs {
		if l, h := sub.groupSpan(); l > 0 {
			if lo == 0 {
				lo = l
			}
			hi = max(hi, h)
		}
	}
	return lo, hi
}
