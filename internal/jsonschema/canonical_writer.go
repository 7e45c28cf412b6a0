package jsonschema

import (
	"bytes"
	"slices"
	"sync"

	"github.com/callgate/callgate/internal/rawjson"
)

// canonicalWriter writes the canonical form while it reads, without a tree. Members
// are written as they come, and put in order where they are not.
type canonicalWriter struct {
	src, out []byte
	text     []byte
	keys     []byte // decoded keys
	members  []canonicalMember
	sorted   []byte
	depth    int
	values   int
	// nulls: a null member may have to go, which takes the schema to say.
	nulls   bool
	unknown bool
}

// canonicalMember is one written member.
type canonicalMember struct {
	key        keyRef
	start, end int // in out
}

var writers = sync.Pool{New: func() any { return new(canonicalWriter) }}

// write appends the canonical form to dst. known is false where only the reference
// can tell.
func (w *canonicalWriter) write(dst []byte, in Input, nulls bool) (out []byte, ok, known bool) {
	w.src, w.out, w.depth, w.values, w.nulls, w.unknown = in.Raw, dst, 0, MaxArgumentValues, nulls, false
	w.keys, w.members = w.keys[:0], w.members[:0]
	i := rawjson.SkipSpace(w.src, 0)
	if len(w.src) > MaxArgumentBytes || i >= len(w.src) || w.src[i] != '{' {
		return dst, false, true
	}
	end := w.value(i)
	if w.unknown {
		return dst, false, false
	}
	if end < 0 || rawjson.SkipSpace(w.src, end) < len(w.src) {
		return dst, false, true
	}
	return w.out, true, true
}

func (w *canonicalWriter) release() {
	w.src, w.out = nil, nil
	if cap(w.text)+cap(w.keys)+cap(w.sorted) > keptBytes || cap(w.members) > keptEntries {
		*w = canonicalWriter{}
	}
	writers.Put(w)
}

// value writes the value at i and gives the offset behind it; -1 where there is none.
func (w *canonicalWriter) value(i int) int {
	if i >= len(w.src) {
		return -1
	}
	switch c := w.src[i]; {
	case c == '"':
		end, _ := w.string(i)
		return w.count(end)
	case c == '{':
		return w.container(i, w.object)
	case c == '[':
		return w.container(i, w.array)
	case c-'0' <= 9 || c == '-':
		end, form := rawjson.ScanNumber(w.src, i)
		if form >= rawjson.BadNumber {
			return -1
		}
		w.out = append(w.out, w.src[i:end]...)
		return w.count(end)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(w.src[i:], []byte(word)) {
			w.out = append(w.out, word...)
			return w.count(i + len(word))
		}
	}
	return -1
}

func (w *canonicalWriter) count(end int) int {
	if w.values--; w.values < 0 {
		return -1
	}
	return end
}

// string writes a string and says whether it was written with escapes.
func (w *canonicalWriter) string(i int) (end int, escaped bool) {
	end, form := rawjson.ScanString(w.src, i)
	switch {
	case form >= rawjson.BadSurrogate:
		return -1, false
	case form&rawjson.Escaped == 0:
		w.out = append(w.out, w.src[i:end]...)
		return end, false
	}
	w.text = rawjson.AppendText(w.text[:0], w.src[i+1:end-1])
	w.out = rawjson.AppendString(w.out, asString(w.text))
	return end, true
}

func (w *canonicalWriter) container(i int, read func(int) int) int {
	if w.depth >= MaxArgumentDepth {
		return -1
	}
	w.depth++
	end := read(rawjson.SkipSpace(w.src, i+1))
	w.depth--
	return w.count(end)
}

func (w *canonicalWriter) array(i int) int {
	w.out = append(w.out, '[')
	if i < len(w.src) && w.src[i] == ']' {
		w.out = append(w.out, ']')
		return i + 1
	}
	for {
		if i = w.value(i); i < 0 {
			return -1
		}
		end, more := w.next(i, ']')
		if !more {
			return end
		}
		i = end
	}
}

// next writes what follows an element: a comma, or the closing bracket.
func (w *canonicalWriter) next(i int, closing byte) (end int, more bool) {
	i = rawjson.SkipSpace(w.src, i)
	switch {
	case i >= len(w.src):
	case w.src[i] == closing:
		w.out = append(w.out, closing)
		return i + 1, false
	case w.src[i] == ',':
		w.out = append(w.out, ',')
		return rawjson.SkipSpace(w.src, i+1), true
	}
	return -1, false
}

func (w *canonicalWriter) object(i int) int {
	w.out = append(w.out, '{')
	if i < len(w.src) && w.src[i] == '}' {
		w.out = append(w.out, '}')
		return i + 1
	}
	first := len(w.members)
	for {
		m := canonicalMember{start: len(w.out)}
		if i = w.member(i, &m); i < 0 {
			return -1
		}
		m.end = len(w.out)
		w.members = append(w.members, m)
		end, more := w.next(i, '}')
		if end < 0 {
			return -1
		}
		if !more {
			ok := w.order(w.members[first:])
			w.members = w.members[:first]
			if !ok {
				return -1
			}
			return end
		}
		i = end
	}
}

func (w *canonicalWriter) member(i int, m *canonicalMember) int {
	if i >= len(w.src) || w.src[i] != '"' {
		return -1
	}
	end, escaped := w.string(i)
	if end < 0 {
		return -1
	}
	m.key = keyRef{start: int32(i + 1), end: int32(end - 1)} //nolint:gosec // at most 512 KiB
	if escaped {
		start := len(w.keys)
		w.keys = append(w.keys, w.text...)
		m.key = keyRef{start: int32(start), end: int32(len(w.keys)), decoded: true} //nolint:gosec // at most 512 KiB
	}
	i = rawjson.SkipSpace(w.src, end)
	if i >= len(w.src) || w.src[i] != ':' {
		return -1
	}
	w.out = append(w.out, ':')
	i = rawjson.SkipSpace(w.src, i+1)
	if w.nulls && i < len(w.src) && w.src[i] == 'n' {
		w.unknown = true
		return -1
	}
	return w.value(i)
}

func (w *canonicalWriter) key(m canonicalMember) []byte {
	if m.key.decoded {
		return w.keys[m.key.start:m.key.end]
	}
	return w.src[m.key.start:m.key.end]
}

// order puts the members of an object in order, which have just been written up to
// the closing brace. UTF-8 sorts by bytes as by code points. ok is false where a key
// occurs twice.
func (w *canonicalWriter) order(members []canonicalMember) (ok bool) {
	compare := func(a, b canonicalMember) int { return bytes.Compare(w.key(a), w.key(b)) }
	inOrder := true
	for k := 1; k < len(members) && inOrder; k++ {
		inOrder = compare(members[k-1], members[k]) < 0
	}
	if inOrder {
		return true
	}
	from := members[0].start
	slices.SortFunc(members, compare)
	w.sorted = w.sorted[:0]
	for k, m := range members {
		if k > 0 {
			if compare(members[k-1], m) == 0 {
				return false
			}
			w.sorted = append(w.sorted, ',')
		}
		w.sorted = append(w.sorted, w.out[m.start:m.end]...)
	}
	copy(w.out[from:], w.sorted)
	return true
}
