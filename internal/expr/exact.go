package expr

import (
	"cmp"
	"math"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// CEL compares an integer with a double by making a double of the integer, so that
// 9007199254740993 <= 9007199254740992.0 is true. A rule that bounds an argument so would
// allow what it forbids. Here the two are compared as the numbers that they are.

const (
	// exactDouble is where doubles begin to leave integers out.
	exactDouble = 1 << 53
	// beyondInt64 and beyondUint64 are the least doubles that are too large.
	beyondInt64, beyondUint64 = 1 << 63, 1 << 64
)

// compareMixed orders two numbers of which exactly one is a double. ok is false where that
// is not what they are, or where the double is no number.
func compareMixed(a, b ref.Val) (order int, ok bool) {
	if d, isDouble := b.(types.Double); isDouble {
		return compareToDouble(a, float64(d))
	}
	if d, isDouble := a.(types.Double); isDouble {
		order, ok = compareToDouble(b, float64(d))
		return -order, ok
	}
	return 0, false
}

func compareToDouble(v ref.Val, d float64) (order int, ok bool) {
	if math.IsNaN(d) {
		return 0, false
	}
	whole := math.Trunc(d)
	switch v := v.(type) {
	case types.Int:
		switch {
		case d >= beyondInt64:
			return -1, true
		case d < -beyondInt64:
			return 1, true
		}
		return cmp.Or(cmp.Compare(int64(v), int64(whole)), cmp.Compare(whole, d)), true
	case types.Uint:
		switch {
		case d >= beyondUint64:
			return -1, true
		case d < 0:
			return 1, true
		}
		return cmp.Or(cmp.Compare(uint64(v), uint64(whole)), cmp.Compare(whole, d)), true
	}
	return 0, false
}

// exact makes a call compare numbers exactly, where the library's function does not.
func exact(name string, c *call) {
	wanted, orders := orders[name]
	switch {
	case orders:
		c.do = ordered(wanted, c.do)
	case name == operators.In || name == operators.OldIn || name == "in":
		c.do = within(c.do)
	case comparers[name]:
		c.do = exactly(c.do)
		if cost := c.cost; cost != nil {
			c.cost = func(v []ref.Val) uint64 { return plus(cost(v), readingAll(v)) }
		}
	}
}

// orders are the operators that order, by what they want the order to be.
var orders = map[string]func(int) bool{
	operators.Less:          func(o int) bool { return o < 0 },
	operators.LessEquals:    func(o int) bool { return o <= 0 },
	operators.Greater:       func(o int) bool { return o > 0 },
	operators.GreaterEquals: func(o int) bool { return o >= 0 },
}

// ordered orders an integer and a double exactly, and leaves the rest to the library.
func ordered(wanted func(int) bool, library func([]ref.Val) ref.Val) func([]ref.Val) ref.Val {
	return func(v []ref.Val) ref.Val {
		if len(v) == 2 {
			if order, ok := compareMixed(v[0], v[1]); ok {
				return types.Bool(wanted(order))
			}
		}
		return library(v)
	}
}

// same is the library's equality, but for an integer and a double, at any depth.
func same(a, b ref.Val) ref.Val {
	if order, ok := compareMixed(a, b); ok {
		return types.Bool(order == 0)
	}
	if x, ok := a.(traits.Lister); ok {
		if y, ok := b.(traits.Lister); ok {
			return sameElements(x, y)
		}
	}
	if x, ok := untyped(a); ok {
		if y, ok := untyped(b); ok {
			return sameMembers(x, y)
		}
	}
	if x, ok := a.(*types.Optional); ok && x.HasValue() {
		if y, ok := b.(*types.Optional); ok && y.HasValue() {
			return same(x.GetValue(), y.GetValue())
		}
	}
	return types.Equal(a, b)
}

// untyped gives a map that is no object of one of the environment's types, which equal
// nothing of another type.
func untyped(v ref.Val) (traits.Mapper, bool) {
	if _, typed := v.(*record); typed {
		return nil, false
	}
	m, ok := v.(traits.Mapper)
	return m, ok
}

func sameElements(a, b traits.Lister) ref.Val {
	if a.Size() != b.Size() {
		return types.False
	}
	x, y := a.Iterator(), b.Iterator()
	for x.HasNext() == types.True && y.HasNext() == types.True {
		if equal := same(x.Next(), y.Next()); equal != types.True {
			return equal
		}
	}
	return types.True
}

// sameMembers asks an argument first: it knows which of its numbers may not be read.
func sameMembers(a, b traits.Mapper) ref.Val {
	if _, argument := b.(*dict); argument {
		a, b = b, a
	}
	if a.Size() != b.Size() {
		return types.False
	}
	for it := a.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		other, found := b.Find(key)
		if !found {
			return types.False
		}
		if equal := same(a.Get(key), other); equal != types.True {
			return equal
		}
	}
	return types.True
}

// within is v in list, and leaves maps to the library.
func within(library func([]ref.Val) ref.Val) func([]ref.Val) ref.Val {
	return func(v []ref.Val) ref.Val {
		if len(v) == 2 {
			if l, ok := v[1].(traits.Lister); ok {
				return contains(l, v[0])
			}
		}
		return library(v)
	}
}

func contains(l traits.Lister, v ref.Val) ref.Val {
	for it := l.Iterator(); it.HasNext() == types.True; {
		if equal := same(it.Next(), v); equal != types.False {
			return equal
		}
	}
	return types.False
}

// comparers are the functions whose library code compares elements with one another.
var comparers = map[string]bool{
	"indexOf": true, "lastIndexOf": true, "includes": true, "distinct": true,
	"sets.contains": true, "sets.equivalent": true, "sets.intersects": true,
	"min": true, "max": true, "isSorted": true, "sort": true, "@sortByAssociatedKeys": true,
}

// exactly ends the evaluation where the library might compare an integer and a double that
// doubles cannot tell apart: a rule that cannot be evaluated exactly is false. It looks at
// each operand once.
func exactly(library func([]ref.Val) ref.Val) func([]ref.Val) ref.Val {
	return func(v []ref.Val) ref.Val {
		var seen largeNumbers
		for _, operand := range v {
			seen.look(operand)
		}
		if seen.integer && seen.double {
			panic(unsupportedRead{})
		}
		return library(v)
	}
}

// largeNumbers says which kinds of numbers beyond exactDouble were seen.
type largeNumbers struct{ integer, double bool }

func (n *largeNumbers) look(v ref.Val) {
	switch v := v.(type) {
	case types.Int:
		n.integer = n.integer || v > exactDouble || v < -exactDouble
	case types.Uint:
		n.integer = n.integer || v > exactDouble
	case types.Double:
		n.double = n.double || math.Abs(float64(v)) >= exactDouble
	case *types.Optional:
		n.look(v.GetValue()) // an error where there is none, which has no number
	case traits.Lister:
		n.lookAt(v.Iterator(), func(element ref.Val) ref.Val { return element })
	case traits.Mapper:
		n.lookAt(v.Iterator(), v.Get)
	}
}

func (n *largeNumbers) lookAt(it traits.Iterator, value func(ref.Val) ref.Val) {
	for it.HasNext() == types.True {
		n.look(value(it.Next()))
	}
}
