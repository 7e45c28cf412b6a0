package adapter

import (
	"hash/maphash"
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// The bounds on a document that is read.
const (
	// maxRecordDepth: real records nest some 5 deep; a schema's document has 64 too.
	maxRecordDepth = 64
	// maxArgumentsDepth and maxValues are the bounds on a call's arguments (design
	// section 4). A record has no reason for more.
	maxArgumentsDepth = 128
	maxValues         = 100_000
)

// fault is why a document cannot be read.
type fault uint8

const (
	sound fault = iota
	notJSON
	notObject
	tooMany
	duplicate
)

// shape is what was found at a node of the tree of wanted places.
type shape uint8

const (
	absent shape = iota
	scalar
	// scalars is a list of scalars.
	scalars
	// object and array have wanted places below them.
	object
	array
)

// place is what a document has at a wanted place.
type place struct {
	shape      shape
	start, end int
}

// reader finds the wanted places of a document in one pass, without a tree: what it
// holds in memory is eight bytes for each key of the objects that are open, so that no
// answer can be made large by its form.
type reader struct {
	in     []byte
	at     int
	values int
	fault  fault
	places []place
	seed   maphash.Seed
	// hashes are those of the keys met in the objects that are open.
	hashes []uint64
	key    []byte
}

// read finds the places that wanted has ids for, count of them. A key that occurs twice
// in any object is a fault, wanted or not: readers differ on which one counts.
func read(text []byte, depth int, wanted *node, count int) (*reader, fault) {
	if bad, err := rawjson.Check(text, depth); err != nil || bad {
		return nil, notJSON
	}
	if rawjson.KindOf(text) != rawjson.Object {
		return nil, notObject
	}
	r := &reader{in: text, places: make([]place, count), seed: maphash.MakeSeed()}
	r.value(wanted)
	return r, r.fault
}

func (r *reader) fail(f fault) {
	if r.fault == sound {
		r.fault = f
	}
}

// peek gives the next byte that is no white space; 0 at the end or after a fault.
func (r *reader) peek() byte {
	r.at = rawjson.SkipSpace(r.in, r.at)
	if r.at >= len(r.in) || r.fault != sound {
		r.fail(notJSON)
		return 0
	}
	return r.in[r.at]
}

// value reads a value. The depth of its recursion is that of the document, which was
// checked.
func (r *reader) value(n *node) {
	if r.values++; r.values > maxValues {
		r.fail(tooMany)
	}
	c := r.peek()
	start := r.at
	switch c {
	case 0:
	case '{':
		r.note(n, object, start)
		r.object(n)
	case '[':
		r.note(n, array, start)
		if r.array(n) && n != nil && n.leaf {
			r.note(n, scalars, start)
		}
	default:
		r.scalar(c)
		if n != nil && n.leaf {
			r.note(n, scalar, start)
		}
	}
}

func (r *reader) note(n *node, s shape, start int) {
	if n != nil {
		r.places[n.id] = place{shape: s, start: start, end: r.at}
	}
}

func (r *reader) object(n *node) {
	base := len(r.hashes)
	r.at++
	for c := r.peek(); c != '}'; c = r.peek() {
		if c == ',' {
			r.at++
		}
		child := r.member(n)
		if r.fault != sound {
			return
		}
		r.value(child)
	}
	r.at++
	own := r.hashes[base:]
	slices.Sort(own)
	for i := 1; i < len(own); i++ {
		if own[i] == own[i-1] {
			r.fail(duplicate)
		}
	}
	r.hashes = r.hashes[:base]
}

// member reads a key and its colon, and gives the node that is wanted there, if any.
func (r *reader) member(n *node) *node {
	if r.peek() != '"' {
		r.fail(notJSON)
		return nil
	}
	end, form := rawjson.ScanString(r.in, r.at)
	if form >= rawjson.BadSurrogate {
		r.fail(notJSON)
		return nil
	}
	key := r.in[r.at+1 : end-1]
	if form&rawjson.Escaped != 0 {
		r.key = rawjson.AppendText(r.key[:0], key)
		key = r.key
	}
	r.hashes = append(r.hashes, maphash.Bytes(r.seed, key))
	r.at = end
	if r.peek() != ':' {
		r.fail(notJSON)
		return nil
	}
	r.at++
	if n == nil {
		return nil
	}
	return n.byKey[string(key)]
}

// array reads an array, and reports whether all its elements are scalars.
func (r *reader) array(n *node) (flat bool) {
	flat = true
	r.at++
	for i := 0; r.peek() != ']'; i++ {
		if r.fault == sound && r.in[r.at] == ',' {
			r.at++
		}
		if c := r.peek(); c == '{' || c == '[' {
			flat = false
		}
		r.value(n.element(i))
		if r.fault != sound {
			return false
		}
	}
	r.at++
	return flat
}

func (r *reader) scalar(c byte) {
	switch {
	case c == '"':
		end, form := rawjson.ScanString(r.in, r.at)
		if form >= rawjson.BadSurrogate {
			r.fail(notJSON)
			return
		}
		r.at = end
	case c == '-' || '0' <= c && c <= '9':
		end, form := rawjson.ScanNumber(r.in, r.at)
		if form&rawjson.BadNumber != 0 {
			r.fail(notJSON)
			return
		}
		r.at = end
	case c == 't' || c == 'n':
		r.at = min(r.at+len("true"), len(r.in))
	case c == 'f':
		r.at = min(r.at+len("false"), len(r.in))
	default:
		r.fail(notJSON)
	}
}
