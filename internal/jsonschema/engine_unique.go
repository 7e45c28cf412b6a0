package jsonschema

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// equalityScratch holds the equality keys of the items of one array.
type equalityScratch struct {
	bytes []byte
	// members are those of the objects being read, innermost last.
	members []equalityMember
	sorted  []byte
	items   []equalityItem
	slots   []uint32
}

type equalityItem struct {
	hash       uint64
	start, end int32
}

// equalityMember is where the equality keys of a member stand, that of its key first.
type equalityMember struct{ start, name, nameEnd, end int32 }

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
		if !e.appendItem(i, end) {
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

// appendItem appends the equality key of an item. With repeated keys in it, which is
// rare, the reference says what counts.
func (e *engine) appendItem(i, end int) bool {
	q := &e.equality
	from := len(q.bytes)
	q.members = q.members[:0]
	if e.appendEquality(i) >= 0 {
		return true
	}
	tree, fault := parseTree(e.src[i:end])
	if fault != NoFault {
		e.pass()
		return false
	}
	q.bytes = tree.appendEquality(q.bytes[:from])
	return true
}

// appendEquality appends the equality key of a value that has been read, as
// node.appendEquality does. It gives the offset behind the value, -1 where an object has
// a key twice.
func (e *engine) appendEquality(i int) int {
	q := &e.equality
	switch c := e.src[i]; c {
	case '"':
		text, end := e.textAt(i)
		q.bytes = appendTextKey(q.bytes, asString(text))
		return end
	case '{':
		return e.appendObject(i)
	case '[':
		return e.appendArray(i)
	case 't', 'n':
		q.bytes = append(q.bytes, c)
		return i + len("true")
	case 'f':
		q.bytes = append(q.bytes, c)
		return i + len("false")
	}
	end, _ := rawjson.ScanNumber(e.src, i)
	lit := e.src[i:end]
	if n := readSmall(lit); n.valid {
		q.bytes = n.appendEquality(q.bytes)
	} else {
		q.bytes = appendNumberKey(q.bytes, parseDecimal(string(lit)))
	}
	return end
}

func (e *engine) appendArray(i int) int {
	q := &e.equality
	q.bytes = append(q.bytes, '[')
	for i = rawjson.SkipSpace(e.src, i+1); e.src[i] != ']'; {
		if i = e.appendEquality(i); i < 0 {
			return -1
		}
		if i = rawjson.SkipSpace(e.src, i); e.src[i] == ',' {
			i = rawjson.SkipSpace(e.src, i+1)
		}
	}
	q.bytes = append(q.bytes, ']')
	return i + 1
}

func (e *engine) appendObject(i int) int {
	q := &e.equality
	q.bytes = append(q.bytes, '{')
	outer := len(q.members)
	for i = rawjson.SkipSpace(e.src, i+1); e.src[i] != '}'; {
		text, end := e.textAt(i)
		m := equalityMember{start: int32(len(q.bytes))} //nolint:gosec // some times the source
		q.bytes = appendTextKey(q.bytes, asString(text))
		m.nameEnd = int32(len(q.bytes))       //nolint:gosec // some times the source
		m.name = m.nameEnd - int32(len(text)) //nolint:gosec // at most 512 KiB
		// Behind the colon.
		i = rawjson.SkipSpace(e.src, rawjson.SkipSpace(e.src, end)+1)
		if i = e.appendEquality(i); i < 0 {
			return -1
		}
		m.end = int32(len(q.bytes)) //nolint:gosec // some times the source
		q.members = append(q.members, m)
		if i = rawjson.SkipSpace(e.src, i); e.src[i] == ',' {
			i = rawjson.SkipSpace(e.src, i+1)
		}
	}
	if !q.sortMembers(outer) {
		return -1
	}
	q.bytes = append(q.bytes, '}')
	return i + 1
}

// sortMembers brings the members of the innermost object into the order of their keys.
// It reports false where two have the same.
func (q *equalityScratch) sortMembers(outer int) bool {
	list := q.members[outer:]
	q.members = q.members[:outer]
	byName := func(a, b equalityMember) int {
		return bytes.Compare(q.bytes[a.name:a.nameEnd], q.bytes[b.name:b.nameEnd])
	}
	if !slices.IsSortedFunc(list, byName) {
		from := list[0].start
		slices.SortFunc(list, byName)
		q.sorted = q.sorted[:0]
		for _, m := range list {
			q.sorted = append(q.sorted, q.bytes[m.start:m.end]...)
		}
		// The names move with their members.
		at := from
		for k := range list {
			m := &list[k]
			by := at - m.start
			at += m.end - m.start
			*m = equalityMember{m.start + by, m.name + by, m.nameEnd + by, m.end + by}
		}
		copy(q.bytes[from:], q.sorted)
	}
	for k := 1; k < len(list); k++ {
		if byName(list[k-1], list[k]) == 0 {
			return false
		}
	}
	return true
}
