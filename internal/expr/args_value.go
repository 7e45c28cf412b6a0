package expr

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// unread is the error of arguments that are absent or cannot be read. It is made
// anew each time, as the library writes into errors.
func unread() ref.Val { return types.NewErrFromString(string(ArgumentsUnread)) }

// value is the tree as CEL reads it, charged to a meter.
func (a *Args) value(m *meter) ref.Val {
	if a == nil || a.load() != nil {
		return unread()
	}
	return container{a, nil, m}.at(&a.nodes[a.root])
}

func (a *Args) str(at, end uint32) types.String { return types.String(a.text[at:end]) }

// container is what lists and objects have in common. It is printed without its
// content: the library puts values into the texts of errors, at a cost that
// nothing bounds.
type container struct {
	args  *Args
	node  *node
	meter *meter
}

// at is the value of a node. Reading an unsupported number does not return; has()
// reads none.
func (c container) at(n *node) ref.Val {
	switch n.kind {
	case null:
		return types.NullValue
	case boolFalse:
		return types.False
	case boolTrue:
		return types.True
	case integer:
		return types.Int(n.bits()) //nolint:gosec // the bits of an int64
	case double:
		return types.Double(math.Float64frombits(n.bits()))
	case text:
		return c.args.str(n.a, n.b)
	case array:
		return &list{container{c.args, n, c.meter}}
	case object:
		return &dict{container{c.args, n, c.meter}}
	}
	if c.meter.testing {
		return types.NullValue
	}
	panic(unsupportedRead{})
}

func (c container) child(i int) ref.Val { return c.at(&c.args.nodes[int(c.node.a)+i]) }
func (c container) key(i int) types.String {
	n := &c.args.nodes[int(c.node.a)+i]
	return c.args.str(n.keyAt, n.keyEnd)
}
func (c container) len() int          { return int(c.node.b) }
func (c container) Size() ref.Val     { return types.Int(c.len()) }
func (c container) Value() any        { return c }
func (c container) IsZeroValue() bool { return c.len() == 0 }
func (c container) String() string    { return "value" }

// list is a JSON array as a CEL list.
type list struct{ container }

var _ traits.Lister = (*list)(nil)

func (l *list) Type() ref.Type { return types.ListType }

func (l *list) Get(index ref.Val) ref.Val {
	i, err := types.IndexOrError(index)
	if err != nil {
		return types.NewErrFromString("no such overload")
	}
	if i < 0 || i >= l.len() {
		return types.NewErrFromString("index out of range")
	}
	return l.child(i)
}

func (l *list) Contains(v ref.Val) ref.Val { return contains(l, v) }

func (l *list) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.False
	}
	return sameElements(l, o)
}

// Add appends: the library's own lists know how to stand in front of another.
func (l *list) Add(other ref.Val) ref.Val {
	if _, ok := other.(traits.Lister); !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	values := make([]ref.Val, l.len())
	for i := range values {
		values[i] = l.child(i)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, values).Add(other)
}

func (l *list) Iterator() traits.Iterator { return &iterator{size: l.len(), get: l.child} }

func (l *list) ConvertToType(t ref.Type) ref.Val { return convert(l, types.ListType, t) }

func (l *list) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() == reflect.Interface && reflect.TypeOf(l).Implements(t) {
		return l, nil
	}
	return nil, errNative
}

// dict is a JSON object as a CEL map.
type dict struct{ container }

var _ traits.Mapper = (*dict)(nil)

func (d *dict) Type() ref.Type { return types.MapType }

// find is the place of a member among the members, which are in order.
func (d *dict) find(key string) (int, bool) {
	low, high := 0, d.len()
	for low < high {
		mid := int(uint(low+high) >> 1)
		switch c := strings.Compare(string(d.key(mid)), key); {
		case c == 0:
			return mid, true
		case c < 0:
			low = mid + 1
		default:
			high = mid
		}
	}
	return 0, false
}

func (d *dict) Find(key ref.Val) (ref.Val, bool) {
	if types.IsUnknownOrError(key) {
		return key, false
	}
	k, ok := key.(types.String)
	if !ok {
		return nil, false
	}
	tooLong(k)
	i, ok := d.find(string(k))
	if !ok {
		return nil, false
	}
	return d.child(i), true
}

func (d *dict) Get(key ref.Val) ref.Val {
	if v, ok := d.Find(key); ok {
		return v
	}
	return types.NewErrFromString("no such key")
}

// Contains looks only for the key: has() and in read no value.
func (d *dict) Contains(key ref.Val) ref.Val {
	k, ok := key.(types.String)
	if !ok {
		return types.False
	}
	tooLong(k)
	_, found := d.find(string(k))
	return types.Bool(found)
}

func (d *dict) Equal(other ref.Val) ref.Val {
	o, ok := untyped(other)
	if !ok {
		return types.False
	}
	return sameMembers(d, o)
}

func (d *dict) Iterator() traits.Iterator {
	return &iterator{size: d.len(), get: func(i int) ref.Val { return d.key(i) }}
}

func (d *dict) ConvertToType(t ref.Type) ref.Val { return convert(d, types.MapType, t) }

func (d *dict) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() == reflect.Interface && reflect.TypeOf(d).Implements(t) {
		return d, nil
	}
	return nil, errNative
}

var errNative = fmt.Errorf("no such conversion")

// convert gives a value as its own type, or its type.
func convert(v ref.Val, own *types.Type, to ref.Type) ref.Val {
	switch to {
	case own:
		return v
	case types.TypeType:
		return own
	}
	return types.NewErrFromString("type conversion error")
}

// iterator walks elements or keys.
type iterator struct {
	size, at int
	get      func(int) ref.Val
}

func (it *iterator) HasNext() ref.Val { return types.Bool(it.at < it.size) }

func (it *iterator) Next() ref.Val {
	if it.at >= it.size {
		return nil
	}
	it.at++
	return it.get(it.at - 1)
}

func (it *iterator) Type() ref.Type                            { return types.IteratorType }
func (it *iterator) Value() any                                { return nil }
func (it *iterator) Equal(ref.Val) ref.Val                     { return types.False }
func (it *iterator) ConvertToNative(reflect.Type) (any, error) { return nil, errNative }
func (it *iterator) ConvertToType(ref.Type) ref.Val {
	return types.NewErrFromString("type conversion error")
}
