package jsonschema

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// reOp says what a node of a parsed pattern is.
type reOp uint8

const (
	reEmpty reOp = iota
	reSet
	reCat
	reAlt
	reRepeat
	reGroup
	reBegin
	reEnd
	reWord
	reNotWord
	reLook
	reBackref
)

// reNode is one node of a parsed pattern.
type reNode struct {
	op       reOp
	set      runeSet
	subs     []*reNode
	min, max int // of reRepeat; max -1 is without bound
	lazy     bool
	group    int // of reGroup, 0 where it does not capture; of reBackref
	name     string
	behind   bool
	negative bool

	size       int // program steps once unrolled
	backtracks bool
}

// unboundedRepeat stands for no upper bound; maxRepeat is where counts saturate.
const (
	unboundedRepeat = -1
	maxRepeat       = 1 << 20
	maxPatternDepth = 200
)

// reParser reads the grammar of ECMA-262 in Unicode mode. Like most validators,
// it also lets pass what only the web's legacy grammar allows and what cannot
// be misread: escaped punctuation, and braces and brackets that open nothing.
type reParser struct {
	src    string
	pos    int
	depth  int
	ranges int // of all sets, which is what they cost to compile
	groups int
	names  map[string]int
	refs   []*reNode
	// cached property sets: they are large, and hostile patterns repeat them.
	properties map[string]runeSet
}

// parsedPattern is the tree of a pattern, with what its compilation needs and
// costs.
type parsedPattern struct {
	*reNode
	groups int
	ranges int
}

func parsePattern(source string) (tree parsedPattern, err error) {
	p := &reParser{src: source, names: map[string]int{}, properties: map[string]runeSet{}}
	root, err := p.alternatives()
	if err != nil {
		return tree, err
	}
	if p.pos < len(p.src) {
		return tree, errors.New("a closing parenthesis has no opening one")
	}
	if err := p.resolve(); err != nil {
		return tree, err
	}
	if root.size > maxPatternSize || p.ranges > maxPatternRanges {
		return tree, errPatternSize()
	}
	return parsedPattern{root, p.groups, p.ranges}, nil
}

func errPatternSize() error {
	return errors.New("the pattern is too large once repetitions are unrolled")
}

// resolve points the back-references to their groups.
func (p *reParser) resolve() error {
	for _, ref := range p.refs {
		if ref.name != "" {
			ref.group = p.names[ref.name]
		}
		if ref.group == 0 || ref.group > p.groups {
			return errors.New("a back-reference names no group")
		}
	}
	return nil
}

func (p *reParser) more() bool { return p.pos < len(p.src) }

func (p *reParser) peek() byte {
	if p.more() {
		return p.src[p.pos]
	}
	return 0
}

func (p *reParser) accept(s string) bool {
	if len(p.src)-p.pos >= len(s) && p.src[p.pos:p.pos+len(s)] == s {
		p.pos += len(s)
		return true
	}
	return false
}

func (p *reParser) next() rune {
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	p.pos += n
	return r
}

func (p *reParser) alternatives() (*reNode, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxPatternDepth {
		return nil, errors.New("groups are nested too deeply")
	}
	alt := &reNode{op: reAlt}
	for {
		sub, err := p.sequence()
		if err != nil {
			return nil, err
		}
		alt.add(sub)
		if !p.accept("|") {
			break
		}
	}
	if len(alt.subs) == 1 {
		return alt.subs[0], nil
	}
	return alt, nil
}

func (n *reNode) add(sub *reNode) {
	n.subs = append(n.subs, sub)
	n.size = min(n.size+sub.size+1, maxPatternSize+1)
	n.backtracks = n.backtracks || sub.backtracks
}

func (p *reParser) sequence() (*reNode, error) {
	cat := &reNode{op: reCat, size: 1}
	for p.more() && p.peek() != '|' && p.peek() != ')' {
		term, err := p.term()
		if err != nil {
			return nil, err
		}
		cat.add(term)
		if cat.size > maxPatternSize || p.ranges > maxPatternRanges {
			return nil, errPatternSize()
		}
	}
	return cat, nil
}

func (p *reParser) term() (*reNode, error) {
	atom, repeatable, err := p.atom()
	if err != nil {
		return nil, err
	}
	lo, hi, ok, err := p.quantifier()
	if err != nil || !ok {
		return atom, err
	}
	if !repeatable {
		return nil, errors.New("a quantifier follows something that cannot be repeated")
	}
	times := hi
	if hi == unboundedRepeat {
		times = lo + 1
	}
	rep := &reNode{op: reRepeat, min: lo, max: hi, subs: []*reNode{atom}, backtracks: atom.backtracks}
	rep.lazy = p.accept("?")
	rep.size = min(atom.size*times+2, maxPatternSize+1)
	return rep, nil
}

// quantifier reads *, +, ?, {n}, {n,} and {n,m}. A brace that is none of them
// is left for the next atom, as a character.
func (p *reParser) quantifier() (lo, hi int, ok bool, err error) {
	switch {
	case p.accept("*"):
		return 0, unboundedRepeat, true, nil
	case p.accept("+"):
		return 1, unboundedRepeat, true, nil
	case p.accept("?"):
		return 0, 1, true, nil
	case p.peek() != '{':
		return 0, 0, false, nil
	}
	start := p.pos
	if lo, hi, ok = p.braces(); !ok {
		p.pos = start
		return 0, 0, false, nil
	}
	if hi != unboundedRepeat && hi < lo {
		return 0, 0, false, errors.New("a repetition has its bounds in the wrong order")
	}
	return lo, hi, true, nil
}

func (p *reParser) braces() (lo, hi int, ok bool) {
	p.pos++
	lo, ok = p.number()
	hi = lo
	if ok && p.accept(",") {
		hi = unboundedRepeat
		if n, ok := p.number(); ok {
			hi = n
		}
	}
	return lo, hi, ok && p.accept("}")
}

// number reads decimal digits, saturating.
func (p *reParser) number() (n int, ok bool) {
	for p.more() && p.peek() >= '0' && p.peek() <= '9' {
		n = min(n*10+int(p.peek()-'0'), maxRepeat)
		p.pos++
		ok = true
	}
	return n, ok
}

// atom reads one term without its quantifier.
func (p *reParser) atom() (n *reNode, repeatable bool, err error) {
	switch c := p.peek(); c {
	case '^':
		p.pos++
		return &reNode{op: reBegin, size: 1}, false, nil
	case '$':
		p.pos++
		return &reNode{op: reEnd, size: 1}, false, nil
	case '(':
		p.pos++
		return p.group()
	case '[':
		p.pos++
		set, err := p.class()
		return p.setNode(set), true, err
	case '.':
		p.pos++
		return p.setNode(dotSet()), true, nil
	case '*', '+', '?':
		return nil, false, errors.New("a quantifier has nothing to repeat")
	case '{':
		if _, _, ok, _ := p.quantifier(); ok {
			return nil, false, errors.New("a quantifier has nothing to repeat")
		}
	case '\\':
		p.pos++
		return p.escape()
	}
	return p.setNode(single(p.next())), true, nil
}

func (p *reParser) setNode(s runeSet) *reNode {
	p.ranges += len(s) / 2
	return &reNode{op: reSet, set: s, size: 1}
}

// group reads what follows an opening parenthesis.
func (p *reParser) group() (*reNode, bool, error) {
	n := &reNode{op: reGroup}
	repeatable := true
	switch {
	case p.accept("?:"):
	case p.accept("?="):
		n.op, n.backtracks, repeatable = reLook, true, false
	case p.accept("?!"):
		n.op, n.backtracks, n.negative, repeatable = reLook, true, true, false
	case p.accept("?<="):
		n.op, n.backtracks, n.behind, repeatable = reLook, true, true, false
	case p.accept("?<!"):
		n.op, n.backtracks, n.behind, n.negative, repeatable = reLook, true, true, true, false
	case p.accept("?<"):
		if err := p.groupName(); err != nil {
			return nil, false, err
		}
		n.group = p.groups
	case p.peek() == '?':
		return nil, false, errors.New("(? opens no group that ECMA-262 knows; inline flags are not part of it")
	default:
		p.groups++
		n.group = p.groups
	}
	sub, err := p.alternatives()
	if err != nil {
		return nil, false, err
	}
	if !p.accept(")") {
		return nil, false, errors.New("a parenthesis is not closed")
	}
	n.add(sub)
	return n, repeatable, nil
}

func (p *reParser) groupName() error {
	name, err := p.name()
	if err != nil {
		return err
	}
	if p.names[name] != 0 {
		return fmt.Errorf("two groups are named %q", name)
	}
	p.groups++
	p.names[name] = p.groups
	return nil
}

// name reads a group name up to its closing angle bracket.
func (p *reParser) name() (string, error) {
	start := p.pos
	for p.more() && p.peek() != '>' {
		r := p.next()
		if !nameRune(r, p.pos == start+1) {
			return "", errors.New("a group name is malformed")
		}
	}
	name := p.src[start:p.pos]
	if name == "" || !p.accept(">") {
		return "", errors.New("a group name is malformed")
	}
	return name, nil
}

func nameRune(r rune, first bool) bool {
	if r == '$' || r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return true
	}
	return r >= 0x80 || !first && r >= '0' && r <= '9'
}
