package rawjson

import "strings"

// Limits bound a parsed document. They are taken literally, so that a forgotten
// one refuses instead of admitting everything.
type Limits struct {
	// MaxDepth is how deep containers may nest; a root object is depth 1. Beyond
	// MaxNesting it counts as MaxNesting.
	MaxDepth int
	// MaxValues is how many values the document may have, containers and
	// scalars alike. Keys do not count.
	MaxValues int
}

// Parse reads a document whole. It is as strict as Check and refuses unpaired
// surrogate escapes as well, in keys and strings. Duplicate keys are kept.
//
// The tree refers to b, which must not change while the tree is in use. Of
// several faults the first in the text is the answer: a *SyntaxError,
// ErrTooDeep or ErrTooMany.
func Parse(b []byte, l Limits) (*Value, error) {
	s := scanner{b: b, strict: true, maxDepth: min(l.MaxDepth, MaxNesting), maxValues: l.MaxValues}
	if err := s.scan(); err != nil {
		return nil, err
	}
	t := builder{
		b: b,
		// One copy serves every string without an escape.
		text:   string(b),
		values: make([]Value, s.values),
		fields: make([]Field, s.members),
		items:  make([]*Value, s.elements),
	}
	return t.build(), nil
}

// builder makes the tree of a text that passed the scanner, from slabs of the
// very sizes that the scanner counted. Nothing in it can fail.
type builder struct {
	b      []byte
	text   string
	values []Value
	fields []Field
	items  []*Value

	open []frame
	// The members and elements of the open containers. A closing container
	// takes its own from the end.
	openFields []Field
	openItems  []*Value
}

// frame is an open container and where its contents begin.
type frame struct {
	value *Value
	start int
	base  int
}

func (t *builder) build() *Value {
	root, i := t.value(skipSpace(t.b, 0))
	for len(t.open) > 0 {
		i = t.step(skipSpace(t.b, i))
	}
	return root
}

func (t *builder) step(i int) int {
	top := t.open[len(t.open)-1]
	switch t.b[i] {
	case '}', ']':
		t.close(top, i+1)
		return i + 1
	case ',':
		i = skipSpace(t.b, i+1)
	}
	if top.value.Kind == Array {
		// The place comes first: what the element holds goes behind it.
		at := len(t.openItems)
		t.openItems = append(t.openItems, nil)
		t.openItems[at], i = t.value(i)
		return i
	}
	end := skipString(t.b, i)
	at := len(t.openFields)
	t.openFields = append(t.openFields, Field{Key: t.string(i, end)})
	t.openFields[at].Value, i = t.value(skipSpace(t.b, skipSpace(t.b, end)+1))
	return i
}

func (t *builder) close(top frame, end int) {
	v := top.value
	v.Raw = t.b[top.start:end:end]
	if v.Kind == Object {
		own := t.openFields[top.base:]
		n := copy(t.fields, own)
		v.Fields, t.fields = t.fields[:n:n], t.fields[n:]
		t.openFields = t.openFields[:top.base]
	} else {
		own := t.openItems[top.base:]
		n := copy(t.items, own)
		v.Items, t.items = t.items[:n:n], t.items[n:]
		t.openItems = t.openItems[:top.base]
	}
	t.open = t.open[:len(t.open)-1]
}

// value makes the value at b[i] and returns where to go on: behind a scalar, or
// inside a container.
func (t *builder) value(i int) (*Value, int) {
	v := &t.values[0]
	t.values = t.values[1:]
	v.Kind = kindOf(t.b[i])
	switch v.Kind {
	case Object:
		t.open = append(t.open, frame{value: v, start: i, base: len(t.openFields)})
		return v, i + 1
	case Array:
		t.open = append(t.open, frame{value: v, start: i, base: len(t.openItems)})
		return v, i + 1
	}
	end := skipValue(t.b, i)
	v.Raw = t.b[i:end:end]
	if v.Kind == String {
		v.Text = t.string(i, end)
	}
	return v, end
}

// string is the text of the string in b[i:end].
func (t *builder) string(i, end int) string {
	s := t.text[i+1 : end-1]
	if strings.IndexByte(s, '\\') >= 0 {
		s, _ = unquote(t.b[i+1 : end-1])
	}
	return s
}
