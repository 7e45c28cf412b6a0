package expr

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// TestMixedNumbersCompareExactly holds comparisons to arithmetic without rounding, most of
// all where doubles are sparse.
func TestMixedNumbersCompareExactly(t *testing.T) {
	const seed = 20261201
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		whole, double := numbersThatAreClose(r)
		exact := new(big.Float).SetPrec(200)
		switch v := whole.(type) {
		case types.Int:
			exact.SetInt64(int64(v))
		case types.Uint:
			exact.SetUint64(uint64(v))
		}
		want := exact.Cmp(new(big.Float).SetPrec(200).SetFloat64(float64(double)))
		if got, ok := compareMixed(whole, double); !ok || got != want {
			t.Fatalf("seed %d: %v and %v: order %d, %t, want %d", seed, whole, double, got, ok, want)
		}
		if got, ok := compareMixed(double, whole); !ok || got != -want {
			t.Fatalf("seed %d: %v and %v: order %d, %t, want %d", seed, double, whole, got, ok, -want)
		}
	}
}

// numbersThatAreClose are an integer and a double, mostly next to it.
func numbersThatAreClose(r *rand.Rand) (ref.Val, types.Double) {
	bits := r.Uint64() >> r.UintN(64)
	if r.UintN(4) == 0 {
		bits = math.MaxUint64 - bits%3
	}
	var whole ref.Val = types.Uint(bits)
	near := float64(bits)
	if r.UintN(3) > 0 {
		whole, near = types.Int(bits), float64(int64(bits))
	}
	switch r.UintN(5) {
	case 0:
		near = math.Nextafter(near, math.Inf(1))
	case 1:
		near = math.Nextafter(near, math.Inf(-1))
	case 2:
		near += r.Float64() - 0.5
	case 3:
		near = math.Inf(1 - 2*int(r.UintN(2)))
	}
	return whole, types.Double(near)
}

func TestWhatIsNoNumberIsLeftToTheLibrary(t *testing.T) {
	for _, pair := range [][2]ref.Val{
		{types.Int(1), types.Double(math.NaN())}, {types.Double(1), types.Double(2)}, {types.Int(1), types.Uint(1)},
		{types.String("1"), types.Double(1)}, {types.Double(1), types.NullValue},
	} {
		if _, ok := compareMixed(pair[0], pair[1]); ok {
			t.Errorf("%v and %v are no integer and double", pair[0], pair[1])
		}
	}
}

// TestExactWithDeclaredTypes: the checker then chooses the overload, not the values.
func TestExactWithDeclaredTypes(t *testing.T) {
	args := ArgsTypeOf([]byte(`{"type":"object","properties":{"v":{"type":"integer"},"d":{"type":"number"}}}`), ClosedRoot)
	for _, c := range []struct {
		rule, args string
		want       Kind
	}{
		{"args.v <= 9007199254740992.0", `{"v": 9007199254740993}`, False},
		{"args.v >= 9007199254740993.0", `{"v": 9007199254740991}`, False},
		{"args.v == 9007199254740992.0", `{"v": 9007199254740993}`, False},
		{"args.d <= 9223372036854775807", `{"d": 9223372036854775808.0}`, False},
		{"args.d <= 9223372036854775807", `{"d": 9223372036854775807.0}`, True},
		{"double(args.v) <= 9007199254740992.0", `{"v": 9007199254740993}`, True}, // asked to round
	} {
		t.Run(fmt.Sprintf("%s with %s", c.rule, c.args), func(t *testing.T) {
			p, issues := Compile(c.rule, Options{Variables: RuleVariables, Args: args})
			if p == nil {
				t.Fatal(issues)
			}
			if out := p.Eval(argsOf(c.args), nil); out.Kind != c.want {
				t.Errorf("%#v %q, want %#v", out.Kind, out.Reason, c.want)
			}
		})
	}
}
