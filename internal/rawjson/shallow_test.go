package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"
)

func TestMembers(t *testing.T) {
	got, err := Members([]byte(` {"a" : {"x":["}",1]} , "\u0061":"\\\"" ,"\ud800":-1.5e3, "":null } `), 4)
	if err != nil {
		t.Fatal(err)
	}
	want := []Member{
		{Key: "a", Value: []byte(`{"x":["}",1]}`)},
		{Key: "a", Value: []byte(`"\\\""`)},
		{Key: "\ufffd", BadKey: true, Value: []byte(`-1.5e3`)},
		{Key: "", Value: []byte(`null`)},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d members", len(got))
	}
	for i, w := range want {
		if g := got[i]; g.Key != w.Key || g.BadKey != w.BadKey || !bytes.Equal(g.Value, w.Value) {
			t.Errorf("member %d: %q %v %s", i, g.Key, g.BadKey, g.Value)
		}
	}
	if _, err := Members([]byte(`{"a":1,"b":2}`), 1); !errors.Is(err, ErrTooMany) {
		t.Errorf("two with room for one: %v", err)
	}
	if got, err := Members([]byte(" { } "), 0); err != nil || len(got) != 0 {
		t.Errorf("empty object: %v %v", got, err)
	}
	if _, err := Members([]byte(`[]`), 1); !errors.Is(err, ErrSyntax) {
		t.Errorf("array: %v", err)
	}
}

func TestElements(t *testing.T) {
	got, err := Elements([]byte(` [1 ,"],", [ [] ],{"a":1},null]`), 5)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`1`, `"],"`, `[ [] ]`, `{"a":1}`, `null`}
	for i, w := range want {
		if i >= len(got) || string(got[i]) != w {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	if _, err := Elements([]byte(`[1,2]`), 1); !errors.Is(err, ErrTooMany) {
		t.Errorf("two with room for one: %v", err)
	}
	if got, err := Elements([]byte("[\n]"), 0); err != nil || len(got) != 0 {
		t.Errorf("empty array: %v %v", got, err)
	}
	if _, err := Elements([]byte(`{}`), 1); !errors.Is(err, ErrSyntax) {
		t.Errorf("object: %v", err)
	}
}

func TestKindOf(t *testing.T) {
	for text, want := range map[string]Kind{
		`{}`: Object, ` [1]`: Array, `"x"`: String, `-1`: Number, `0`: Number,
		`true`: Bool, `false`: Bool, "\tnull": Null, ``: Invalid, ` `: Invalid, `x`: Invalid, "\xef": Invalid,
	} {
		if got := KindOf([]byte(text)); got != want {
			t.Errorf("KindOf(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestText(t *testing.T) {
	tests := []struct {
		raw, want string
		bad       bool
	}{
		{`""`, "", false},
		{` "a" `, "a", false},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", false},
		{`"\u0000\u00e9\u20AC\ud83d\ude00"`, "\x00é€😀", false},
		{`"\ud800"`, "\ufffd", true},
		{`"\ud800\ud83d\ude00"`, "\ufffd😀", true},
		{`"\ude00\ud83d"`, "\ufffd\ufffd", true},
		{`"\ud800x\udc00"`, "\ufffdx\ufffd", true},
		{`"\ufffd"`, "\ufffd", false},
		{`"\\ud800"`, `\ud800`, false},
		{`12`, "", false},
		{`"open`, "", false},
		{`"`, "", false},
		{``, "", false},
	}
	for _, tt := range tests {
		if got, bad := Text([]byte(tt.raw)); got != tt.want || bad != tt.bad {
			t.Errorf("Text(%s) = %q, %v, want %q, %v", tt.raw, got, bad, tt.want, tt.bad)
		}
	}
}

func TestAppendString(t *testing.T) {
	tests := []struct{ s, want string }{
		{"", `""`},
		{"plain é😀\u2028</script>&\x7f/", "\"plain é😀\u2028</script>&\x7f/\""},
		{"\"\\\b\t\n\f\r", `"\"\\\b\t\n\f\r"`},
		{"\x00\x01\x1f", `"\u0000\u0001\u001f"`},
		{"a\xffb\xc0", "\"a\ufffdb\ufffd\""},
	}
	for _, tt := range tests {
		if got := string(AppendString([]byte("x"), tt.s)); got != "x"+tt.want {
			t.Errorf("AppendString(%q) = %s, want %s", tt.s, got, tt.want)
		}
	}
}

func FuzzMembers(f *testing.F) {
	for _, tt := range texts {
		f.Add([]byte(tt.text))
	}
	f.Add([]byte(` {"a" : {"x":["}",1]} , "\u0061":"\\\"" ,"\ud800":-1.5e3, "":null } `))
	f.Fuzz(func(t *testing.T, b []byte) {
		members, merr := Members(b, 1000)
		elements, eerr := Elements(b, 1000)
		text, bad := Text(b)
		if bad, err := Check(b, testDepth); err != nil || bad {
			return // no panic was all there was to promise
		}
		v, err := Parse(b, Limits{testDepth, 1000})
		if err != nil {
			return
		}
		if KindOf(b) != v.Kind {
			t.Errorf("KindOf = %v, want %v", KindOf(b), v.Kind)
		}
		if (merr == nil) != (v.Kind == Object) || (eerr == nil) != (v.Kind == Array) {
			t.Fatalf("kind %v: %v, %v", v.Kind, merr, eerr)
		}
		if len(members) != len(v.Fields) || len(elements) != len(v.Items) || text != v.Text || bad {
			t.Fatal("shallow and deep reading differ")
		}
		for i, m := range members {
			if m.Key != v.Fields[i].Key || m.BadKey || !bytes.Equal(m.Value, v.Fields[i].Value.Raw) {
				t.Errorf("member %d: %q %s", i, m.Key, m.Value)
			}
		}
		for i, e := range elements {
			if !bytes.Equal(e, v.Items[i].Raw) {
				t.Errorf("element %d: %s", i, e)
			}
		}
	})
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\x00\xff😀")
	f.Fuzz(func(t *testing.T, s string) {
		b := AppendString(nil, s)
		if bad, err := Check(b, 0); bad || err != nil {
			t.Fatalf("%s: %v %v", b, bad, err)
		}
		got, _ := Text(b)
		var std string
		if err := json.Unmarshal(b, &std); err != nil || std != got {
			t.Fatalf("%q, encoding/json %q %v", got, std, err)
		}
		if utf8.ValidString(s) && got != s {
			t.Fatalf("%q came back as %q", s, got)
		}
	})
}
