package adapter

import (
	"crypto/sha256"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/rawjson"
)

const (
	// maxFields and maxFieldLength are the API's bounds on spec.result.fields.
	maxFields      = 128
	maxFieldLength = 512
	// maxResultBytes bounds a result: as much as a call's arguments may have. A model
	// reads it whole.
	maxResultBytes = 512 << 10
)

// Projection says which fields of a record may leave. It is immutable and safe for
// concurrent use. A nil one lets nothing leave: its result is {}.
//
// A field's place is where its pointer says and nowhere else: the same name deeper or
// higher is another place. What is there is copied, byte for byte, if it is a text, a
// number, a boolean, a null, or a list of such; anything else is left out, and so is an
// object or a list of which nothing is left. What is inside of objects stays inside of
// them, in the order in which the fields are declared. An index in a pointer leads into
// a list (RFC 6901); of that list, the elements with something to copy stay, in their
// order and without gaps.
type Projection struct {
	root   *node
	count  int
	digest [sha256.Size]byte
}

// NewProjection compiles spec.result.fields. Where a pointer is at fault there is no
// projection; the problems' paths point into the ToolSchema.
func NewProjection(fields []callgatev1alpha1.ResultField) (*Projection, []Problem) {
	var problems []Problem
	const path = "/spec/result/fields"
	if len(fields) > maxFields {
		return nil, []Problem{invalid(path, "there are more than 128 fields; name fewer")}
	}
	t, h := newTree(), sha256.New()
	for i, field := range fields {
		at := path + "/" + strconv.Itoa(i)
		keys, err := parsePointer(string(field))
		if err != nil {
			problems = append(problems, invalid(at, err.Error()))
			continue
		}
		if _, fresh := t.add(keys); !fresh {
			problems = append(problems, invalid(at, "the field is named twice; leave one out"))
		}
		// No pointer holds a line feed.
		_, _ = h.Write([]byte(field + "\n"))
	}
	if len(problems) > 0 {
		return nil, problems
	}
	p := &Projection{root: t.root, count: t.count}
	h.Sum(p.digest[:0])
	return p, nil
}

var (
	errPointerWhole  = errors.New("the whole result cannot be named; write a JSON Pointer to a field, such as /title")
	errPointerStart  = errors.New("a JSON Pointer begins with a slash, such as /title")
	errPointerEscape = errors.New("write ~1 for a slash in a key, and ~0 for a tilde")
	errPointerText   = errors.New("a JSON Pointer here has at most 512 characters, none of them a control character")
)

// parsePointer gives the keys of a JSON Pointer (RFC 6901).
func parsePointer(pointer string) ([]string, error) {
	switch {
	case pointer == "":
		return nil, errPointerWhole
	case pointer[0] != '/':
		return nil, errPointerStart
	case !utf8.ValidString(pointer) || utf8.RuneCountInString(pointer) > maxFieldLength || strings.ContainsFunc(pointer, isControl):
		return nil, errPointerText
	}
	keys := strings.Split(pointer[1:], "/")
	for i, key := range keys {
		if strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(key), "~") {
			return nil, errPointerEscape
		}
		keys[i] = rawjson.UnescapeToken(key)
	}
	return keys, nil
}

func isControl(r rune) bool { return r < 0x20 || 0x7f <= r && r <= 0x9f }

// digestOf tells projections apart.
func (p *Projection) digestOf() [sha256.Size]byte {
	if p == nil {
		return [sha256.Size]byte{}
	}
	return p.digest
}

// Apply copies the fields out of a record: JSON text of an object without a key that
// occurs twice, at most 64 levels deep, with at most 100,000 values. It neither keeps
// nor changes the record. The cause is "" if there is a result.
func (p *Projection) Apply(record []byte) (result []byte, cause Cause) {
	if p == nil {
		p = &Projection{root: &node{}, count: 1}
	}
	r, f := read(record, maxRecordDepth, p.root, p.count)
	switch f {
	case sound:
	case duplicate:
		return nil, CauseAmbiguous
	default:
		return nil, CauseBadRecord
	}
	w := &writer{reader: r}
	if w.members(p.root); w.over {
		return nil, CauseTooLarge
	}
	return w.out, ""
}

// writer copies what a reader found.
type writer struct {
	*reader
	out  []byte
	over bool
}

func (w *writer) append(b ...byte) {
	if w.over = w.over || len(w.out)+len(b) > maxResultBytes; !w.over {
		w.out = append(w.out, b...)
	}
}

// value writes what is at a node, and reports whether there was anything to write.
func (w *writer) value(n *node) bool {
	p := w.places[n.id]
	switch p.shape {
	case scalar:
		w.append(w.in[p.start:p.end]...)
		return true
	case scalars:
		w.list(p)
		return true
	case object:
		return w.members(n)
	case array:
		return w.elements(n)
	}
	return false
}

// part writes one member or element, with what separates it from the one before; or
// nothing, if there is none.
func (w *writer) part(first bool, key []byte, n *node) bool {
	before := len(w.out)
	if !first {
		w.append(',')
	}
	w.append(key...)
	if !w.value(n) {
		w.out = w.out[:min(before, len(w.out))]
		return false
	}
	return true
}

func (w *writer) members(n *node) bool {
	w.append('{')
	some := false
	for _, c := range n.children {
		some = w.part(!some, append(rawjson.AppendString(nil, c.key), ':'), c.node) || some
	}
	w.append('}')
	return some
}

func (w *writer) elements(n *node) bool {
	w.append('[')
	some := false
	for _, e := range n.elements {
		some = w.part(!some, nil, e.node) || some
	}
	w.append(']')
	return some
}

// list writes a list of scalars without the white space between them.
func (w *writer) list(p place) {
	r := &reader{in: w.in[:p.end], at: p.start + 1}
	w.append('[')
	for first := true; r.peek() != ']' && r.fault == sound; first = false {
		if r.in[r.at] == ',' {
			r.at++
			w.append(',')
		} else if !first {
			return
		}
		c := r.peek()
		start := r.at
		r.scalar(c)
		w.append(r.in[start:r.at]...)
	}
	w.append(']')
}
