package jsonschema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// escape reads what follows a backslash outside a class.
func (p *reParser) escape() (n *reNode, repeatable bool, err error) {
	switch c := p.peek(); {
	case c == 'b':
		p.pos++
		return &reNode{op: reWord, size: 1}, false, nil
	case c == 'B':
		p.pos++
		return &reNode{op: reNotWord, size: 1}, false, nil
	case c >= '1' && c <= '9':
		number, _ := p.number()
		return p.reference(&reNode{group: number}), true, nil
	case p.accept("k<"):
		name, err := p.name()
		return p.reference(&reNode{name: name}), true, err
	}
	set, _, err := p.setEscape()
	return p.setNode(set), true, err
}

func (p *reParser) reference(n *reNode) *reNode {
	n.op, n.size, n.backtracks = reBackref, 1, true
	p.refs = append(p.refs, n)
	return n
}

// setEscape reads an escape that stands for a character or a set. isClass says
// that it can be no end of a range.
func (p *reParser) setEscape() (set runeSet, isClass bool, err error) {
	if !p.more() {
		return nil, false, errors.New("a backslash ends the pattern")
	}
	r := p.next()
	switch r {
	case 'd':
		return digitSet(), true, nil
	case 'D':
		return digitSet().not(), true, nil
	case 'w':
		return wordSet(), true, nil
	case 'W':
		return wordSet().not(), true, nil
	case 's':
		return spaceSet(), true, nil
	case 'S':
		return spaceSet().not(), true, nil
	case 'p', 'P':
		set, err := p.property(r == 'P')
		return set, true, err
	}
	r, err = p.charEscape(r)
	return single(r), false, err
}

// property reads {Name} or {Name=Value}.
func (p *reParser) property(negate bool) (runeSet, error) {
	end := strings.IndexByte(p.src[p.pos:], '}')
	if p.peek() != '{' || end < 0 {
		return nil, errors.New(`\p needs a property name in braces`)
	}
	name := p.src[p.pos+1 : p.pos+end]
	p.pos += end + 1
	key := name
	if negate {
		key = "^" + name
	}
	if s, ok := p.properties[key]; ok {
		return s, nil
	}
	set, err := propertySet(name)
	if err == nil && negate {
		set = set.not()
	}
	p.properties[key] = set
	return set, err
}

// charEscape gives the one character that an escape stands for.
func (p *reParser) charEscape(r rune) (rune, error) {
	const letters, controls = "fnrtv", "\f\n\r\t\v"
	if i := strings.IndexRune(letters, r); i >= 0 {
		return rune(controls[i]), nil
	}
	switch r {
	case '0':
		if c := p.peek(); c >= '0' && c <= '9' {
			return 0, errors.New("octal escapes are not part of ECMA-262 in Unicode mode")
		}
		return 0, nil
	case 'c':
		return p.control()
	case 'x':
		return p.hex(2)
	case 'u':
		return p.unicodeEscape()
	}
	if r != '_' && (r >= 0x80 || isWord(r)) {
		return 0, fmt.Errorf(`\%c is no escape of ECMA-262`, r)
	}
	return r, nil
}

// control reads the letter of \cX.
func (p *reParser) control() (rune, error) {
	c := rune(p.peek() | 0x20)
	if c < 'a' || !isWord(c) {
		return 0, errors.New(`\c needs a letter`)
	}
	p.pos++
	return c - 'a' + 1, nil
}

func (p *reParser) hex(digits int) (rune, error) {
	if len(p.src)-p.pos < digits {
		return 0, errors.New("an escape lacks hexadecimal digits")
	}
	n, err := strconv.ParseUint(p.src[p.pos:p.pos+digits], 16, 32)
	if err != nil {
		return 0, errors.New("an escape lacks hexadecimal digits")
	}
	p.pos += digits
	return rune(n), nil //nolint:gosec // of four digits at the most
}

// unicodeEscape reads \uXXXX, a pair of them, or \u{…}.
func (p *reParser) unicodeEscape() (rune, error) {
	if p.accept("{") {
		end := strings.IndexByte(p.src[p.pos:], '}')
		if end < 0 {
			return 0, errors.New(`\u{ is not closed`)
		}
		digits := strings.TrimLeft(p.src[p.pos:p.pos+end], "0")
		n, err := strconv.ParseUint("0"+digits, 16, 64)
		if err != nil || end == 0 || n > maxRune {
			return 0, errors.New(`\u{…} is no code point`)
		}
		p.pos += end + 1
		return rune(n), nil
	}
	r, err := p.hex(4)
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	start := p.pos
	if p.accept(`\u`) {
		if low, err := p.hex(4); err == nil {
			if pair := utf16.DecodeRune(r, low); pair != unicode.ReplacementChar {
				return pair, nil
			}
		}
	}
	p.pos = start
	return r, nil
}

// class reads what follows an opening bracket.
func (p *reParser) class() (runeSet, error) {
	negate := p.accept("^")
	var set runeSet
	for !p.accept("]") {
		if !p.more() {
			return nil, errors.New("a character class is not closed")
		}
		part, err := p.classRange()
		if err != nil {
			return nil, err
		}
		set = append(set, part...)
		if len(set) > 64*maxPatternSize {
			return nil, errPatternSize()
		}
	}
	set = set.normal()
	if negate {
		set = set.not()
	}
	return set, nil
}

// classRange reads one character, class or range. A dash beside a class is a
// character, as the legacy grammar has it.
func (p *reParser) classRange() (runeSet, error) {
	low, isClass, err := p.classAtom()
	if err != nil || isClass || p.peek() != '-' {
		return low, err
	}
	start := p.pos
	p.pos++
	if !p.more() || p.peek() == ']' {
		p.pos = start
		return low, nil
	}
	high, isClass, err := p.classAtom()
	switch {
	case err != nil:
		return nil, err
	case isClass:
		return append(append(runeSet{'-', '-'}, low...), high...), nil
	case high[0] < low[0]:
		return nil, errors.New("a range has its ends in the wrong order")
	}
	return runeSet{low[0], high[0]}, nil
}

func (p *reParser) classAtom() (set runeSet, isClass bool, err error) {
	if !p.accept(`\`) {
		return single(p.next()), false, nil
	}
	if p.accept("b") {
		return single('\b'), false, nil
	}
	if p.accept("-") {
		return single('-'), false, nil
	}
	return p.setEscape()
}
