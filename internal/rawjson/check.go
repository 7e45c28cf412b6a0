package rawjson

import "bytes"

// MaxNesting is the deepest nesting that Check and Parse can follow: a bound
// beyond it counts as it. It keeps the record of open brackets, one bit each,
// in 256 bytes on the stack. The deepest bound asked for is 160.
const MaxNesting = 2048

// Check reads the whole text once, without allocating, and says whether it is
// JSON: RFC 8259 syntax in valid UTF-8, no byte order mark, one value, nested at
// most maxDepth containers deep (a root object counts 1).
//
// Unpaired surrogate escapes are allowed, in keys and strings, and reported.
// Of several faults the first in the text is the answer: ErrTooDeep at the
// bracket that opens a level too many, else a *SyntaxError.
func Check(b []byte, maxDepth int) (badSurrogates bool, err error) {
	s := scanner{b: b, maxDepth: min(maxDepth, MaxNesting), maxValues: len(b)}
	err = s.scan()
	return s.bad, err
}

// scanner follows the grammar without recursion: nesting costs a bit a level,
// so that ten thousand brackets are an answer and no stack.
type scanner struct {
	b         []byte
	strict    bool // an unpaired surrogate is a fault
	maxDepth  int  // at most MaxNesting
	maxValues int

	depth int
	fresh bool // the innermost container has nothing in it yet
	// open has a bit per level, set for an object.
	open [MaxNesting / 64]uint64

	bad                       bool
	values, members, elements int
}

func (s *scanner) scan() error {
	if bytes.HasPrefix(s.b, []byte("\xef\xbb\xbf")) {
		return &SyntaxError{Offset: 0, Msg: msgBOM}
	}
	i, err := s.value(skipSpace(s.b, 0))
	for err == nil && s.depth > 0 {
		i, err = s.step(skipSpace(s.b, i))
	}
	if err != nil {
		return err
	}
	if i = skipSpace(s.b, i); i < len(s.b) {
		return &SyntaxError{Offset: i, Msg: msgTrailing}
	}
	return nil
}

// step reads what follows inside the innermost container: its end, or one more
// member or element.
func (s *scanner) step(i int) (int, error) {
	if i >= len(s.b) {
		return 0, &SyntaxError{Offset: len(s.b), Msg: msgEnd}
	}
	object := s.inObject()
	if c := s.b[i]; c == '}' && object || c == ']' && !object {
		s.depth--
		s.fresh = false
		return i + 1, nil
	}
	if !s.fresh {
		if s.b[i] != ',' {
			return 0, &SyntaxError{Offset: i, Msg: msgComma}
		}
		i = skipSpace(s.b, i+1)
	}
	s.fresh = false
	if !object {
		s.elements++
		return s.value(i)
	}
	s.members++
	i, err := s.key(i)
	if err != nil {
		return 0, err
	}
	return s.value(i)
}

// key reads a key and its colon, and stops at the value.
func (s *scanner) key(i int) (int, error) {
	if i >= len(s.b) {
		return 0, &SyntaxError{Offset: len(s.b), Msg: msgEnd}
	}
	if s.b[i] != '"' {
		return 0, &SyntaxError{Offset: i, Msg: msgKey}
	}
	next, badAt, msg := scanString(s.b, i)
	if err := s.token(next, badAt, msg); err != nil {
		return 0, err
	}
	next = skipSpace(s.b, next)
	if next >= len(s.b) {
		return 0, &SyntaxError{Offset: next, Msg: msgEnd}
	}
	if s.b[next] != ':' {
		return 0, &SyntaxError{Offset: next, Msg: msgColon}
	}
	return skipSpace(s.b, next+1), nil
}

// value reads a scalar, or the opening bracket of a container.
func (s *scanner) value(i int) (int, error) {
	if i >= len(s.b) {
		return 0, &SyntaxError{Offset: len(s.b), Msg: msgEnd}
	}
	if c := s.b[i]; c == '{' || c == '[' {
		if s.depth >= s.maxDepth {
			return 0, ErrTooDeep
		}
		s.push(c == '{')
		return i + 1, s.count()
	}
	next, badAt, msg := scanScalar(s.b, i)
	if err := s.token(next, badAt, msg); err != nil {
		return 0, err
	}
	return next, s.count()
}

// token turns the outcome of a scan function into the scanner's.
func (s *scanner) token(next, badAt int, msg string) error {
	if badAt >= 0 {
		s.bad = true
		if s.strict {
			return &SyntaxError{Offset: badAt, Msg: msgSurrogate}
		}
	}
	if msg != "" {
		return &SyntaxError{Offset: next, Msg: msg}
	}
	return nil
}

func (s *scanner) count() error {
	if s.values++; s.values > s.maxValues {
		return ErrTooMany
	}
	return nil
}

func (s *scanner) push(object bool) {
	bit := uint64(1) << (s.depth % 64)
	if object {
		s.open[s.depth/64] |= bit
	} else {
		s.open[s.depth/64] &^= bit
	}
	s.depth++
	s.fresh = true
}

func (s *scanner) inObject() bool {
	level := s.depth - 1
	return s.open[level/64]&(1<<(level%64)) != 0
}
