package expr

import (
	"math"
	"math/bits"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// The cost of a call, in Kubernetes' units: one is about 100 ns, looking at ten
// bytes of text costs one.
//
// The library's own costs are not enough here. It charges after a call, so that
// one call may cost anything: replace can make 60 GiB of two arguments that were
// allowed. Where an operand is dyn, as arguments are, it charges one unit
// whatever the size. And deep comparison, distinct, and patterns with counted
// repetition cost far more than it charges. So each call's cost is computed here,
// from the values, and before the call.
//
// Measured on one core (BenchmarkLimit): 1,000,000 units take 4 to 250 ms.

// unaffordable is more than any evaluation may cost.
const unaffordable = math.MaxUint64

// costs are what calls cost at most beyond the one unit that each call costs, by
// the name of the function: overloads are not known where an operand is dyn. A
// function that is not named does a bounded amount of work.
var costs = map[string]func([]ref.Val) uint64{
	"_==_": comparing, "_!=_": comparing,
	"_<_": comparing, "_<=_": comparing, "_>_": comparing, "_>=_": comparing,
	"_+_": adding,
	"@in": searching, "_in_": searching, "in": searching, "includes": searching,
	"indexOf": finding, "lastIndexOf": finding,

	// Reading the first operand once.
	"size": reading, "string": reading, "bytes": reading, "int": reading, "uint": reading, "double": reading,
	"bool": reading, "timestamp": reading, "duration": reading,
	"startsWith": comparing, "endsWith": comparing, "lowerAscii": reading, "upperAscii": reading, "trim": reading,
	"charAt": reading, "substring": reading, "strings.quote": reading, "url": reading, "isURL": reading,
	"ip": reading, "isIP": reading, "ip.isCanonical": reading, "cidr": reading, "isCIDR": reading,
	"containsIP": readingAll, "containsCIDR": readingAll,
	"semver": versions, "isSemver": versions, "sum": reading, "min": reading, "max": reading, "isSorted": reading,
	"flatten": reading, "reverse": elements, "slice": elements, "first": elements, "last": elements,
	"getQuery": reading, "getEscapedPath": reading, "getScheme": reading, "getHost": reading,
	"getHostname": reading, "getPort": reading, "cel.@mapInsert": inserting,

	"contains": containing, "replace": replacing, "split": splitting, "join": joining, "format": formatting,
	"matches": matching, "find": matching, "findAll": matching, "validate": validating,
	"quantity": quantities, "isQuantity": quantities,
	"lists.range": ranging, "sort": sorting, "@sortByAssociatedKeys": sorting, "distinct": distinguishing,
	"sets.contains": pairing, "sets.intersects": pairing, "sets.equivalent": pairing,

	// With the name of a time zone these read a file of the host.
	"getFullYear": zoned, "getMonth": zoned, "getDate": zoned, "getDayOfMonth": zoned, "getDayOfWeek": zoned,
	"getDayOfYear": zoned, "getHours": zoned, "getMinutes": zoned, "getSeconds": zoned, "getMilliseconds": zoned,
}

func reading(args []ref.Val) uint64 { return weight(args[0]) }

func readingAll(args []ref.Val) uint64 {
	sum := uint64(0)
	for _, a := range args {
		sum = plus(sum, weight(a))
	}
	return sum
}

// comparing stops at the end of the smaller operand. Of what an expression
// computed the weight is known only after a walk, which costs as much.
func comparing(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	if computed(args[0]) || computed(args[1]) {
		return readingAll(args)
	}
	return min(weight(args[0]), weight(args[1]))
}

// computed says that a value has to be walked to be weighed.
func computed(v ref.Val) bool {
	switch v.(type) {
	case *list, *dict, *record:
		return false
	case traits.Lister, traits.Mapper, *types.Optional:
		return true
	}
	return false
}

// adding copies texts. Computed lists are linked, arguments are copied.
func adding(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	sum := uint64(0)
	for _, a := range args {
		switch v := a.(type) {
		case types.String, types.Bytes:
			sum = plus(sum, weight(v))
		case *list:
			sum = plus(sum, uint64(v.len())) //nolint:gosec // a length
		}
	}
	return sum
}

// searching compares a value with each element of a list.
func searching(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	needle, hay := args[0], args[1]
	if _, ok := hay.(traits.Lister); !ok {
		needle, hay = hay, needle
	}
	if _, ok := hay.(traits.Lister); !ok {
		return comparing(args)
	}
	n := size(hay)
	if computed(hay) {
		return plus(n, readingAll(args))
	}
	return plus(n, min(weight(hay), times(n, weight(needle))))
}

// finding looks for a text in a text, naively, or for a value in a list.
func finding(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	if _, ok := args[0].(traits.Lister); ok {
		return searching([]ref.Val{args[1], args[0]})
	}
	return plus(weight(args[0]), tenth(times(size(args[0]), size(args[1]))))
}

// containing is linear: Go's search is, whatever Kubernetes charges.
func containing(args []ref.Val) uint64 { return readingAll(args) }

func replacing(args []ref.Val) uint64 {
	if len(args) < 3 {
		return 0
	}
	s, ok1 := args[0].(types.String)
	old, ok2 := args[1].(types.String)
	by, ok3 := args[2].(types.String)
	if !ok1 || !ok2 || !ok3 {
		return 0
	}
	n := uint64(strings.Count(string(s), string(old))) //nolint:gosec // a count
	return plus(2*weight(s), tenth(times(n, uint64(len(by)))))
}

func splitting(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	s, ok1 := args[0].(types.String)
	by, ok2 := args[1].(types.String)
	if !ok1 || !ok2 {
		return 0
	}
	return plus(2*weight(s), uint64(strings.Count(string(s), string(by)))) //nolint:gosec // a count
}

func joining(args []ref.Val) uint64 {
	out := times(2, weight(args[0]))
	if len(args) > 1 {
		out = plus(out, tenth(times(size(args[0]), size(args[1]))))
	}
	return out
}

// formatting writes each argument at most twice, and as many digits as the
// format's own numbers ask for.
func formatting(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	f, ok := args[0].(types.String)
	if !ok {
		return 0
	}
	return plus(plus(weight(f), times(4, weight(args[1]))), widths(string(f)))
}

// widths is the sum of the numbers in a format.
func widths(f string) uint64 {
	sum, n := uint64(0), uint64(0)
	for i := range len(f) {
		if c := f[i]; c >= '0' && c <= '9' {
			n = plus(times(n, 10), uint64(c-'0'))
			continue
		}
		sum, n = plus(sum, n), 0
	}
	return plus(sum, n)
}

// validating matches the patterns of a named format, which are short.
func validating(args []ref.Val) uint64 { return times(4, readingAll(args)) }

// maxExactBytes bounds the texts of quantities and versions. What they become is
// compared at one unit, however long it is, and none has a hundred characters.
const maxExactBytes = 128

// maxQuantityExponent bounds the exponent of a quantity. To compare quantities
// the library writes the exponent out in digits, so that 1e9999999 takes it
// seconds. The largest suffix of Kubernetes, E, is 1e18.
const maxQuantityExponent = 100

func quantities(args []ref.Val) uint64 {
	s, ok := args[0].(types.String)
	if !ok {
		return 0
	}
	if i := strings.LastIndexAny(string(s), "eE"); i >= 0 && widths(string(s[i+1:])) > maxQuantityExponent {
		return unaffordable
	}
	return versions(args)
}

func versions(args []ref.Val) uint64 {
	// Parsing takes some 100 ns a byte, as numbers of any length are exact.
	n := size(args[0])
	if n > maxExactBytes {
		return unaffordable
	}
	return n
}

// inserting puts one member, or all of a map, into a map, which is copied unless
// it is a comprehension's own.
func inserting(args []ref.Val) uint64 {
	sum := uint64(0)
	for i, a := range args {
		if _, own := a.(traits.MutableMapper); i > 0 || !own {
			sum = plus(sum, size(a))
		}
	}
	return tenth(sum)
}

func ranging(args []ref.Val) uint64 {
	n, ok := args[0].(types.Int)
	if !ok || n < 0 {
		return 0
	}
	return uint64(n)
}

// sorting compares n log n times.
func sorting(args []ref.Val) uint64 {
	w := readingAll(args)
	return times(w, uint64(bits.Len64(size(args[0])))) //nolint:gosec // at most 64
}

// distinguishing compares each with each.
func distinguishing(args []ref.Val) uint64 { return times(size(args[0]), weight(args[0])) }

// pairing compares each element of one list with each of the other, both ways.
func pairing(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	n, m := size(args[0]), size(args[1])
	return plus(times(2, times(n, m)), plus(times(n, weight(args[1])), times(m, weight(args[0]))))
}

// zoned: opening and reading a zone's file takes some 20 microseconds.
func zoned(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	return plus(200, readingAll(args[1:]))
}

func elements(args []ref.Val) uint64 { return size(args[0]) }

// size is how many elements a value has, or bytes.
func size(v ref.Val) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(len(v))
	case types.Bytes:
		return uint64(len(v))
	case traits.Sizer:
		if n, ok := v.Size().(types.Int); ok && n > 0 {
			return uint64(n)
		}
	}
	return 0
}

// weight is what it costs to look at a whole value once. What arguments weigh is
// known; what an expression computed is walked, but no further than an evaluation
// may cost.
func weight(v ref.Val) uint64 {
	w := weigher{left: PerEvaluationLimit}
	w.add(v)
	return PerEvaluationLimit - max(w.left, 0)
}

type weigher struct{ left uint64 }

func (w *weigher) take(n uint64) { w.left -= min(n, w.left) }

func (w *weigher) add(v ref.Val) {
	if w.left == 0 {
		return
	}
	w.take(1)
	switch v := v.(type) {
	case types.String:
		w.take(uint64(len(v)) / 10)
	case types.Bytes:
		w.take(uint64(len(v)) / 10)
	case *list:
		w.take(uint64(v.node.weight))
	case *dict:
		w.take(uint64(v.node.weight))
	case apiservercel.URL:
		w.take(uint64(len(v.RawQuery)+len(v.Path)+len(v.Host)+len(v.Opaque)) / 10)
	case *types.Optional:
		if v.HasValue() {
			w.add(v.GetValue())
		}
	case traits.Lister:
		w.elements(v)
	case traits.Mapper:
		w.members(v)
	}
}

func (w *weigher) elements(l traits.Lister) {
	for it := l.Iterator(); w.left > 0 && it.HasNext() == types.True; {
		w.add(it.Next())
	}
}

func (w *weigher) members(m traits.Mapper) {
	for it := m.Iterator(); w.left > 0 && it.HasNext() == types.True; {
		k := it.Next()
		w.add(k)
		member, _ := m.Find(k)
		w.add(member)
	}
}

func tenth(n uint64) uint64 { return n/10 + 1 }

// plus and times saturate.
func plus(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return unaffordable
	}
	return sum
}

func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return unaffordable
	}
	return low
}
