package jsonschema

import (
	"bytes"
	"hash/maphash"

	"github.com/callgate/callgate/internal/rawjson"
)

// equalityScratch holds the equality keys of the items of one array.
type equalityScratch struct {
	bytes []byte
	items []equalityItem
	slots []uint32
}

type equalityItem struct {
	hash       uint64
	start, end int32
}

// distinctItems says that no two items of an array that has been read are equal:
// numbers by value, objects whatever the order of their keys.
func (e *engine) distinctItems(start, count int) bool {
	q := &e.equality
	q.bytes, q.items = q.bytes[:0], q.items[:0]
	i := start
	for n := range count {
		i = e.itemAt(i, n)
		end := e.skip(i)
		from := len(q.bytes)
		if !e.appendEquality(i, end) {
			return false
		}
		q.items = append(q.items, equalityItem{maphash.Bytes(keySeed, q.bytes[from:]), int32(from), int32(len(q.bytes))}) //nolint:gosec // some times the source
		i = end
	}
	if !e.spend(len(q.bytes) / 250) {
		return false
	}
	size := 16
	for size < 2*count {
		size *= 2
	}
	if cap(q.slots) < size {
		q.slots = make([]uint32, size)
	}
	q.slots = q.slots[:size]
	clear(q.slots)
	for n, item := range q.items {
		at := item.hash & uint64(size-1)                         //nolint:gosec // positive
		for ; q.slots[at] != 0; at = (at + 1) & uint64(size-1) { //nolint:gosec // positive
			other := q.items[q.slots[at]-1]
			if other.hash == item.hash && bytes.Equal(q.bytes[other.start:other.end], q.bytes[item.start:item.end]) {
				return false
			}
		}
		q.slots[at] = uint32(n + 1)
	}
	return true
}

// appendEquality appends the equality key of a scalar; that of a container is the
// reference's, which is rare enough to allocate.
func (e *engine) appendEquality(i, end int) bool {
	q := &e.equality
	raw := e.src[i:end]
	switch c := raw[0]; c {
	case '"':
		q.bytes = append(q.bytes, 's')
		if bytes.IndexByte(raw, '\\') < 0 {
			q.bytes = append(q.bytes, raw[1:len(raw)-1]...)
		} else {
			q.bytes = rawjson.AppendText(q.bytes, raw[1:len(raw)-1])
		}
		return true
	case '{', '[':
		tree, fault := parseTree(raw)
		if fault != NoFault {
			e.pass()
			return false
		}
		q.bytes = tree.appendEquality(q.bytes)
		return true
	case 't', 'f', 'n':
		q.bytes = append(q.bytes, c)
		return true
	}
	n := readSmall(raw)
	if !n.valid {
		q.bytes = appendNumberKey(q.bytes, parseDecimal(string(raw)))
		return true
	}
	q.bytes = n.appendEquality(q.bytes)
	return true
}
