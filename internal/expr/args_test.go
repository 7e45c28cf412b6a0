package expr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// read gives the member "a" of a text, or what happened instead.
func read(raw string) (out any) {
	defer func() {
		if cause := recover(); cause != nil {
			out = fmt.Sprintf("%T", cause)
		}
	}()
	v := NewArgs([]byte(raw)).value(&meter{limit: PerEvaluationLimit})
	d, ok := v.(*dict)
	if !ok {
		return v.(*types.Err).Error()
	}
	got, _ := d.Find(types.String("a"))
	return got
}

func TestNumbers(t *testing.T) {
	const beyond = "expr.unsupportedRead"
	for literal, want := range map[string]any{
		"0": types.Int(0), "-0": types.Int(0), "-0.0": types.Int(0), "0e999999999999": types.Int(0), "0.0e-5": types.Int(0),
		"1": types.Int(1), "1.0": types.Int(1), "1e3": types.Int(1000), "1E+3": types.Int(1000), "1000e-3": types.Int(1),
		"1.50e1": types.Int(15), "-12.5e1": types.Int(-125), "0.001e3": types.Int(1), "100.00": types.Int(100),
		"9007199254740993.0":             types.Int(9007199254740993),
		"9223372036854775807":            types.Int(9223372036854775807),
		"-9223372036854775808":           types.Int(-9223372036854775808),
		"9.223372036854775807e18":        types.Int(9223372036854775807),
		"-9223372036854775808.000":       types.Int(-9223372036854775808),
		"0.5":                            types.Double(0.5),
		"-1.25e-2":                       types.Double(-0.0125),
		"1e19":                           types.Double(1e19),
		"1.5e300":                        types.Double(1.5e300),
		"9223372036854775808.0":          types.Double(9223372036854775808),
		"1e-300":                         types.Double(1e-300),
		"9223372036854775808":            beyond,
		"100.00000000000000001":          beyond,
		"-0.99999999999999999999":        beyond,
		"1.00000000000000000001e2":       beyond,
		"9007199254740993.5":             beyond,
		"100.5":                          types.Double(100.5),
		"-9223372036854775809":           beyond,
		"12345678901234567890":           beyond,
		"1e400":                          beyond,
		"-1e400":                         beyond,
		"1e-400":                         beyond,
		"1e99999999999999999999":         beyond,
		"1e-99999999999999999999":        beyond,
		"1" + strings.Repeat("0", 5000):  beyond,
		"1." + strings.Repeat("0", 5000): types.Int(1),
		"0." + strings.Repeat("0", 300) + "1e301": types.Int(1),
	} {
		if got := read(`{"a": ` + literal + `}`); got != want {
			t.Errorf("%.40s is %T %v, want %T %v", literal, got, got, want, want)
		}
	}
}

func TestUnreadTexts(t *testing.T) {
	for _, raw := range []string{
		"", " ", "null", "[]", "1", `"a"`, "{", "}", "{}{}", "{} 1", `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{"a":1 "b":2}`, `{a:1}`,
		`{"a":01}`, `{"a":+1}`, `{"a":1.}`, `{"a":.5}`, `{"a":tru}`, `{"a":truex}`, `{"a":nul`, `{"a":"\x"}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}",
		"{\"a\":\"\n\"}", `{"a":[1,]}`, `{"a":[,1]}`, `{"a":[1 2]}`, `{"a":1]`, `{"a":1,"a":2}`, `{"a":{"b":1,"c":2,"b":1}}`, `{"a":1,"\u0061":2}`,
		`{"a":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}`,
		`{"a":` + numbersJSON(maxTreeValues) + `}`,
		`{"a":"` + strings.Repeat("a", maxTreeBytes) + `"}`,
	} {
		if got := read(raw); got != string(ArgumentsUnread) {
			t.Errorf("%.60q is read as %v", raw, got)
		}
	}
	for _, raw := range []string{
		" {\n\"a\" : true ,\t\"b\":[ ] } ", `{"b":{},"a":true}`, `{"\u0061":true}`, `{"aa":1,"a":true,"":2}`,
		`{"a":true,"b":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`,
	} {
		if got := read(raw); got != types.True {
			t.Errorf("%.60q: a is %v", raw, got)
		}
	}
}

// native is the same value made of the library's own lists and maps.
func native(v ref.Val) ref.Val {
	switch v := v.(type) {
	case *list:
		out := make([]ref.Val, v.len())
		for i := range out {
			out[i] = native(v.child(i))
		}
		return types.NewRefValList(types.DefaultTypeAdapter, out)
	case *dict:
		out := map[ref.Val]ref.Val{}
		for i := range v.len() {
			out[v.key(i)] = native(v.child(i))
		}
		return types.NewRefValMap(types.DefaultTypeAdapter, out)
	}
	return v
}

// TestValuesAreThoseOfTheLibrary holds lists and objects to the library's own.
func TestValuesAreThoseOfTheLibrary(t *testing.T) {
	raws := []string{
		`{}`, `{"a": 1}`, `{"a": [1, 2.5, "x", null, true, [], {}]}`, `{"a": {"b": {"c": [1]}}, "z": "\u00fc"}`, `{"b": 1}`, `{"a": [1]}`, `{"a": [2]}`, `{"a": {"b": 2}}`,
	}
	values := make([]ref.Val, 0, 2*len(raws))
	for _, raw := range raws {
		v := NewArgs([]byte(raw)).value(&meter{limit: PerEvaluationLimit})
		values = append(values, v)
		if a, ok := v.(traits.Mapper).Find(types.String("a")); ok {
			values = append(values, a)
		}
	}
	keys := []ref.Val{types.Int(0), types.Int(-1), types.Int(9), types.Double(0), types.Double(0.5), types.String("a"), types.String("zz"), types.NullValue}
	for _, v := range values {
		n := native(v)
		for _, w := range values {
			if got, want := types.Equal(v, w), types.Equal(n, native(w)); got != want {
				t.Errorf("%v equals: %v, want %v", native(v), got, want)
			}
			if types.Equal(v, native(w)) != types.Equal(native(w), v) {
				t.Errorf("equality of %v and %v is not symmetric", n, native(w))
			}
		}
		if v.Type() != n.Type() {
			t.Errorf("%v has the type %v", n, v.Type())
		}
		i, ok := v.(traits.Indexer)
		if !ok {
			continue
		}
		if v.(traits.Sizer).Size() != n.(traits.Sizer).Size() {
			t.Errorf("the size of %v", n)
		}
		for _, k := range keys {
			got, want := i.Get(k), n.(traits.Indexer).Get(k)
			if types.IsError(got) != types.IsError(want) || !types.IsError(got) && types.Equal(got, want) != types.True {
				t.Errorf("%v[%v] is %v, want %v", n, k, got, want)
			}
			if got, want := v.(traits.Container).Contains(k), n.(traits.Container).Contains(k); got != want {
				t.Errorf("%v in %v is %v, want %v", k, n, got, want)
			}
		}
	}
}

func TestValuesPrintNothing(t *testing.T) {
	v := NewArgs([]byte(`{"a": ["secret"]}`)).value(&meter{limit: PerEvaluationLimit})
	a, _ := v.(*dict).Find(types.String("a"))
	if s := fmt.Sprintf("%v %v %s", v, a, a); strings.Contains(s, "secret") {
		t.Errorf("values print as %s", s)
	}
}
