package rawjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

const testDepth = 160

// texts are documents with the answer of Check and Parse: valid, bad (valid but
// for an unpaired surrogate) or the offset at which they stop being JSON.
var texts = []struct {
	name, text string
	bad        bool
	offset     int // -1: valid
}{
	{"object", `{"a":[1,2.5e-3,true,false,null,"x"],"":{}}`, false, -1},
	{"spaces", " \t\r\n[ 1 , 2 ] \n", false, -1},
	{"scalar", `0`, false, -1},
	{"minus zero", `-0.0E+00`, false, -1},
	{"long number", "1" + strings.Repeat("0", 2000), false, -1},
	{"escapes", `"\"\\\/\b\f\n\r\t\u0000\uABcd"`, false, -1},
	{"pair", `"\ud83d\uDE00"`, false, -1},
	{"DEL is no control character", "\"\x7f\"", false, -1},
	{"line separator", "\"\u2028\"", false, -1},
	{"duplicate keys", `{"a":1,"a":2}`, false, -1},
	{"lone high", `"\ud800"`, true, -1},
	{"lone low", `"\udc00"`, true, -1},
	{"reversed pair", `"\udc00\ud800"`, true, -1},
	{"two highs", `"\ud800\ud800\udc00"`, true, -1},
	{"high then letter", `"\ud800A"`, true, -1},
	{"high then escape", `"\ud800\n"`, true, -1},
	{"high then other unit", `"\ud800\u0041"`, true, -1},
	{"lone in key", `{"\udfff":1}`, true, -1},
	{"empty", ``, false, 0},
	{"blank", " \n", false, 2},
	{"byte order mark", "\ufeff{}", false, 0},
	{"byte order mark behind", "{}\ufeff", false, 2},
	{"form feed", "\f{}", false, 0},
	{"no-break space", "\u00a0{}", false, 0},
	{"NUL", "\x00", false, 0},
	{"NUL behind", "{}\x00", false, 2},
	{"NUL in string", "\"a\x00b\"", false, 2},
	{"newline in string", "\"a\nb\"", false, 2},
	{"trailing value", `{} {}`, false, 3},
	{"trailing comma", `[1,]`, false, 3},
	{"trailing comma in object", `{"a":1,}`, false, 7},
	{"leading comma", `[,1]`, false, 1},
	{"leading comma in object", `{,}`, false, 1},
	{"two commas", `[1,,2]`, false, 3},
	{"no comma", `[1 2]`, false, 3},
	{"no colon", `{"a" 1}`, false, 5},
	{"no value", `{"a":}`, false, 5},
	{"key without quotes", `{a:1}`, false, 1},
	{"key is number", `{1:1}`, false, 1},
	{"single quotes", `{'a':1}`, false, 1},
	{"comment", `{/**/}`, false, 1},
	{"wrong bracket", `[1}`, false, 2},
	{"wrong brace", `{"a":1]`, false, 6},
	{"closing first", `]`, false, 0},
	{"open", `[[]`, false, 3},
	{"leading zero", `01`, false, 1},
	{"minus leading zero", `-01`, false, 2},
	{"no fraction", `1.`, false, 2},
	{"no fraction in list", `[1.]`, false, 3},
	{"no integer", `.5`, false, 0},
	{"minus", `-`, false, 1},
	{"minus letter", `-a`, false, 1},
	{"plus", `+1`, false, 0},
	{"no exponent", `1e`, false, 2},
	{"no exponent digits", `1e+`, false, 3},
	{"hexadecimal", `0x10`, false, 1},
	{"NaN", `NaN`, false, 0},
	{"Infinity", `-Infinity`, false, 1},
	{"upper case", `True`, false, 0},
	{"half a word", `tru`, false, 3},
	{"wrong word", `nulL`, false, 3},
	{"word and more", `nullx`, false, 4},
	{"open string", `"abc`, false, 4},
	{"open escape", `"abc\`, false, 5},
	{"unknown escape", `"\x41"`, false, 2},
	{"escaped quote ends nothing", `"\"`, false, 3},
	{"bad hex", `"\u00zz"`, false, 5},
	{"short hex", `"\u00"`, false, 5},
	{"cut hex", `"\u00`, false, 5},
	{"upper U", `"\U0041"`, false, 2},
	{"bad hex in second half", `"\ud800\uzz"`, true, 9},
	{"lone continuation", "\"\x80\"", false, 1},
	{"overlong slash", "\"\xc0\xaf\"", false, 1},
	{"overlong NUL", "\"\xc0\x80\"", false, 1},
	{"overlong three", "\"\xe0\x80\xaf\"", false, 1},
	{"CESU-8 surrogate", "\"\xed\xa0\xbd\xed\xb8\x80\"", false, 1},
	{"beyond U+10FFFF", "\"\xf4\x90\x80\x80\"", false, 1},
	{"cut UTF-8", "\"\xe2\x82\"", false, 1},
	{"invalid UTF-8 in key", "{\"\xff\":1}", false, 2},
	{"Latin-1", "\"\xe9t\xe9\"", false, 1},
	{"UTF-16", "[\x00]\x00", false, 1},
}

func TestTexts(t *testing.T) {
	for _, tt := range texts {
		t.Run(tt.name, func(t *testing.T) {
			bad, err := Check([]byte(tt.text), testDepth)
			wantOffset(t, "Check", err, tt.offset)
			if bad != tt.bad {
				t.Errorf("Check: badSurrogates = %v, want %v", bad, tt.bad)
			}
			v, err := Parse([]byte(tt.text), Limits{MaxDepth: testDepth, MaxValues: 100})
			if !tt.bad {
				wantOffset(t, "Parse", err, tt.offset)
			} else if !errors.Is(err, ErrSyntax) {
				t.Errorf("Parse: %v, want a syntax error", err)
			}
			if (v == nil) != (err != nil) {
				t.Errorf("Parse: value %v with error %v", v, err)
			}
		})
	}
}

func wantOffset(t *testing.T, what string, err error, offset int) {
	t.Helper()
	if offset < 0 {
		if err != nil {
			t.Errorf("%s: %v, want no error", what, err)
		}
		return
	}
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || !errors.Is(err, ErrSyntax) {
		t.Errorf("%s: %v, want a syntax error", what, err)
	} else if syntax.Offset != offset {
		t.Errorf("%s: %v, want offset %d", what, err, offset)
	}
}

func TestTruncatedEverywhere(t *testing.T) {
	const text = `{"a":[-1.5e+3,{"\u00e9\ud83d\ude00":"ü"},true,false,null],"b":{}}`
	for n := range len(text) {
		if _, err := Check([]byte(text[:n]), testDepth); !errors.Is(err, ErrSyntax) {
			t.Errorf("Check(%q): %v", text[:n], err)
		}
		if _, err := Parse([]byte(text[:n]), Limits{testDepth, 100}); !errors.Is(err, ErrSyntax) {
			t.Errorf("Parse(%q): %v", text[:n], err)
		}
	}
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func TestDepth(t *testing.T) {
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	tests := []struct {
		name, text string
		depth      int
		want       error
	}{
		{"scalar at nought", `1`, 0, nil},
		{"object at nought", `{}`, 0, ErrTooDeep},
		{"negative", `{}`, -1, ErrTooDeep},
		{"root counts one", `{}`, 1, nil},
		{"at the bound", nested(160), 160, nil},
		{"one over", nested(161), 160, ErrTooDeep},
		{"objects at the bound", objects(160), 160, nil},
		{"objects one over", objects(161), 160, ErrTooDeep},
		{"breadth is no depth", "[" + strings.Repeat("[],{},", 1000) + "1]", 2, nil},
		{"all that can be followed", nested(MaxNesting), 1 << 30, nil},
		{"more than can be followed", nested(MaxNesting + 1), 1 << 30, ErrTooDeep},
		{"ten thousand", strings.Repeat("[", 10000), 160, ErrTooDeep},
		{"syntax error first", `[x` + nested(200), 160, ErrSyntax},
		{"depth first", nested(200) + `x`, 160, ErrTooDeep},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Check([]byte(tt.text), tt.depth); !errors.Is(err, tt.want) {
				t.Errorf("Check: %v, want %v", err, tt.want)
			}
			if _, err := Parse([]byte(tt.text), Limits{tt.depth, 1 << 20}); !errors.Is(err, tt.want) {
				t.Errorf("Parse: %v, want %v", err, tt.want)
			}
		})
	}
}

func TestCheckAllocatesNothing(t *testing.T) {
	text := []byte(`{"a":[1,2,{"b":"\ud800\u00e9"}],"c":"ü"}`)
	deep := []byte(strings.Repeat("[", 10000))
	if n := testing.AllocsPerRun(100, func() {
		if bad, err := Check(text, testDepth); !bad || err != nil {
			t.Fatal(bad, err)
		}
		if _, err := Check(deep, testDepth); !errors.Is(err, ErrTooDeep) {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzCheck(f *testing.F) {
	for _, tt := range texts {
		f.Add([]byte(tt.text))
	}
	f.Add([]byte(nested(161)))
	f.Fuzz(func(t *testing.T, b []byte) {
		bad, err := Check(b, testDepth)
		if errors.Is(err, ErrTooDeep) {
			if strings.Count(string(b), "[")+strings.Count(string(b), "{") <= testDepth {
				t.Error("too deep without enough brackets")
			}
			return
		}
		// Stricter than encoding/json in nothing but UTF-8.
		if want := json.Valid(b) && utf8.Valid(b); (err == nil) != want {
			t.Fatalf("Check: %v, want valid %v", err, want)
		}
		_, perr := Parse(b, Limits{testDepth, 1 << 20})
		if (perr == nil) != (err == nil && !bad) {
			t.Fatalf("Parse: %v, Check: %v %v", perr, bad, err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	text := []byte("[" + strings.Repeat(`{"name":"get_weather","n":12345,"s":"\u00e9 text"},`, 5000) + "1]")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Check(text, testDepth); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleCheck() {
	_, err := Check([]byte(`{"a":1,}`), 160)
	fmt.Println(err)
	// Output: invalid JSON at byte 7: key expected
}
