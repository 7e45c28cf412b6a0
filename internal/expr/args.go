package expr

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/callgate/callgate/internal/rawjson"
)

// The bounds on a tree. They are those of the judge of arguments, which has
// judged what comes here; they are held again so that a caller who forgot to
// judge first cannot make a review expensive. Attributes come in the review
// itself, whose body has at most 1 MiB.
const (
	maxTreeBytes  = 1 << 20
	maxTreeValues = 100_000
	maxTreeDepth  = 128
)

// kind is the kind of a node.
type kind uint8

const (
	null kind = iota
	boolFalse
	boolTrue
	integer
	double
	// unsupported is a number that neither int64 nor float64 stands for well enough.
	unsupported
	text
	array
	object
)

// node is one value. What a and b mean depends on the kind: the halves of a
// number's bits, a span of the text for a string, the first child and the
// number of children for a container. Children stand side by side.
type node struct {
	a, b uint32
	// keyAt and keyEnd are the member's key, a span of the text.
	keyAt, keyEnd uint32
	// weight is what it costs to look at the whole value once: one unit a value,
	// and a tenth of one a byte of text, as Kubernetes has it for strings.
	weight uint32
	kind   kind
}

func (n *node) bits() uint64 { return uint64(n.a)<<32 | uint64(n.b) }

func (n *node) setBits(v uint64) {
	n.a, n.b = uint32(v>>32), uint32(v&math.MaxUint32)
}

// Args is a tree of JSON values as CEL reads them. The text is parsed at the
// first reading, once; after that the tree is immutable. Safe for concurrent
// use.
//
// Numbers: integral within int64 is an int, whatever the notation (1.0, 1e3);
// an integer literal beyond int64 is unsupported, as the nearest double could be
// another number than the one that the tool reads; any other is the nearest double.
// One beyond the doubles is unsupported, and so is a fraction that its nearest double
// would make an integer, zero among them. An expression that reads an unsupported
// number is false.
type Args struct {
	raw  []byte
	once sync.Once
	err  error
	// text is the JSON text, and behind it the decoded strings that have escapes.
	text  string
	nodes []node
	root  int32
}

// NewArgs takes the canonical JSON text of an object. It must not change while
// the Args are in use. A text that is no JSON, has a duplicate key or is over a
// bound makes every expression that reads it fail.
func NewArgs(canonical []byte) *Args { return &Args{raw: canonical} }

var (
	errTree   = errors.New("the text is no JSON object without duplicate keys")
	errBounds = errors.New("the text is over a bound")
)

// load parses the text, if nobody has yet.
func (a *Args) load() error {
	a.once.Do(func() {
		if len(a.raw) > maxTreeBytes {
			a.err = errBounds
			return
		}
		p := &parser{in: a.raw, out: slices.Clone(a.raw)}
		root := p.document()
		if a.err = p.err; a.err != nil {
			return
		}
		p.nodes = append(p.nodes, root)
		a.root = int32(len(p.nodes) - 1) //nolint:gosec // at most maxTreeValues
		a.text, a.nodes = string(p.out), p.nodes
	})
	return a.err
}

// parser reads a text into nodes. Containers are written when they close, so that
// the children of one stand side by side.
type parser struct {
	in    []byte
	at    int
	depth int
	// values counts those met so far.
	values int
	// out is the text, and behind it the decoded strings.
	out   []byte
	nodes []node
	// open are the children of the containers that are open.
	open []node
	err  error
}

func (p *parser) document() node {
	p.space()
	if !p.next('{') {
		p.fail(errTree)
		return node{}
	}
	n := p.container(object, '}')
	if p.space(); p.at != len(p.in) {
		p.fail(errTree)
	}
	return n
}

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *parser) space() { p.at = rawjson.SkipSpace(p.in, p.at) }

// next consumes c if it is there.
func (p *parser) next(c byte) bool {
	if p.at < len(p.in) && p.in[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value() node {
	if p.values++; p.values > maxTreeValues {
		p.fail(errBounds)
		return node{}
	}
	if p.at >= len(p.in) {
		p.fail(errTree)
		return node{}
	}
	switch c := p.in[p.at]; c {
	case '{':
		p.at++
		return p.container(object, '}')
	case '[':
		p.at++
		return p.container(array, ']')
	case '"':
		at, end := p.string()
		return node{kind: text, a: at, b: end, weight: 1 + (end-at)/10}
	case 't':
		return p.word("true", boolTrue)
	case 'f':
		return p.word("false", boolFalse)
	case 'n':
		return p.word("null", null)
	}
	return p.number()
}

func (p *parser) word(w string, k kind) node {
	if len(p.in)-p.at < len(w) || string(p.in[p.at:p.at+len(w)]) != w {
		p.fail(errTree)
	}
	p.at += len(w)
	return node{kind: k, weight: 1}
}

func (p *parser) number() node {
	start := p.at
	if c := p.in[start]; c != '-' && (c < '0' || c > '9') {
		p.fail(errTree)
		return node{}
	}
	end, form := rawjson.ScanNumber(p.in, start)
	if form&rawjson.BadNumber != 0 {
		p.fail(errTree)
		return node{}
	}
	p.at = end
	n := numberOf(p.in[start:end], form)
	n.weight = 1
	return n
}

// string reads a string and gives its span of the text, escapes decoded.
func (p *parser) string() (at, end uint32) {
	start := p.at
	next, form := rawjson.ScanString(p.in, start)
	if form >= rawjson.BadSurrogate {
		p.fail(errTree)
		return 0, 0
	}
	p.at = next
	inner := p.in[start+1 : next-1]
	if form&rawjson.Escaped == 0 {
		return uint32(start + 1), uint32(next - 1) //nolint:gosec // within maxTreeBytes
	}
	from := len(p.out)
	p.out = rawjson.AppendText(p.out, inner)
	return uint32(from), uint32(len(p.out)) //nolint:gosec // within twice maxTreeBytes
}

// container reads the children of a container whose bracket is read.
func (p *parser) container(k kind, bracket byte) node {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxTreeDepth {
		p.fail(errBounds)
	}
	first := len(p.open)
	for p.space(); p.err == nil && !p.next(bracket); p.space() {
		if len(p.open) > first && !p.next(',') {
			p.fail(errTree)
			break
		}
		p.space()
		p.child(k)
	}
	if p.err != nil {
		return node{}
	}
	return p.close(k, first)
}

func (p *parser) child(k kind) {
	var at, end uint32
	if k == object {
		if p.at >= len(p.in) || p.in[p.at] != '"' {
			p.fail(errTree)
			return
		}
		at, end = p.string()
		if p.space(); !p.next(':') {
			p.fail(errTree)
			return
		}
		p.space()
	}
	if p.err != nil {
		return
	}
	n := p.value()
	n.keyAt, n.keyEnd = at, end
	p.open = append(p.open, n)
}

// close writes the open children from first on, members in the order of their
// keys.
func (p *parser) close(k kind, first int) node {
	children := p.open[first:]
	n := node{kind: k, a: uint32(len(p.nodes)), b: uint32(len(children)), weight: 1} //nolint:gosec // within maxTreeValues
	if k == object {
		p.order(children)
	}
	for i := range children {
		n.weight += children[i].weight + (children[i].keyEnd-children[i].keyAt)/10
	}
	p.nodes = append(p.nodes, children...)
	p.open = p.open[:first]
	return n
}

// order sorts members by key. Canonical text has them sorted, so that this is
// one comparison a member.
func (p *parser) order(members []node) {
	compare := func(a, b node) int {
		return cmp.Compare(string(p.out[a.keyAt:a.keyEnd]), string(p.out[b.keyAt:b.keyEnd]))
	}
	if !slices.IsSortedFunc(members, compare) {
		slices.SortFunc(members, compare)
	}
	for i := 1; i < len(members); i++ {
		if compare(members[i-1], members[i]) == 0 {
			p.fail(errTree)
		}
	}
}
