package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseTree(t *testing.T) {
	text := []byte(` { "a" : [1.0, [] , {"x":{}, "y":[[2]]}], "b\n":"\u00e9", "a":-1e3, "":true} `)
	v, err := Parse(text, Limits{MaxDepth: 5, MaxValues: 100})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(text)); string(v.Raw) != got {
		t.Errorf("Raw = %s", v.Raw)
	}
	var keys []string
	for _, f := range v.Fields {
		keys = append(keys, f.Key)
	}
	if want := []string{"a", "b\n", "a", ""}; !reflect.DeepEqual(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	list := v.Fields[0].Value
	if list.Kind != Array || len(list.Items) != 3 || string(list.Items[0].Raw) != "1.0" {
		t.Errorf("list: %+v", list)
	}
	inner := list.Items[2]
	if len(inner.Fields) != 2 || inner.Fields[1].Key != "y" || string(inner.Fields[1].Value.Items[0].Items[0].Raw) != "2" {
		t.Errorf("inner: %+v", inner)
	}
	if got := v.Fields[1].Value; got.Kind != String || got.Text != "é" || string(got.Raw) != `"\u00e9"` {
		t.Errorf("string: %+v", got)
	}
	if got := v.Fields[2].Value; got.Kind != Number || string(got.Raw) != "-1e3" {
		t.Errorf("number: %+v", got)
	}
	if got := v.Fields[3].Value; got.Kind != Bool || string(got.Raw) != "true" {
		t.Errorf("bool: %+v", got)
	}
}

func TestParseLimits(t *testing.T) {
	tests := []struct {
		text string
		l    Limits
		want error
	}{
		{`1`, Limits{}, ErrTooMany},
		{`1`, Limits{0, 1}, nil},
		{`[1,2]`, Limits{1, 3}, nil},
		{`[1,2]`, Limits{1, 2}, ErrTooMany},
		{`{"a":1,"a":2}`, Limits{1, 3}, nil},
		{`{"a":1,"a":2}`, Limits{1, 2}, ErrTooMany},
		{`[1,2,x`, Limits{1, 2}, ErrTooMany},
		{`[1,x,2`, Limits{1, 2}, ErrSyntax},
		{`[[1`, Limits{1, 1}, ErrTooDeep},
	}
	for _, tt := range tests {
		if _, err := Parse([]byte(tt.text), tt.l); !errors.Is(err, tt.want) {
			t.Errorf("Parse(%s, %+v): %v, want %v", tt.text, tt.l, err, tt.want)
		}
	}
}

func TestParseMemory(t *testing.T) {
	text := []byte("[" + strings.Repeat(`{"k":"v"},`, 1000) + "1]")
	if n := testing.AllocsPerRun(10, func() {
		if _, err := Parse(text, Limits{10, 1 << 20}); err != nil {
			t.Fatal(err)
		}
	}); n > 32 {
		t.Errorf("%v allocations for 2,000 values", n)
	}
}

// plain is the tree as encoding/json would have it, to compare against it.
func plain(v *Value) any {
	switch v.Kind {
	case Null:
		return nil
	case Bool:
		return v.Raw[0] == 't'
	case Number:
		return json.Number(v.Raw)
	case String:
		return v.Text
	case Array:
		out := []any{}
		for _, item := range v.Items {
			out = append(out, plain(item))
		}
		return out
	}
	out := map[string]any{}
	for _, f := range v.Fields {
		out[f.Key] = plain(f.Value)
	}
	return out
}

func FuzzParse(f *testing.F) {
	for _, tt := range texts {
		f.Add([]byte(tt.text))
	}
	f.Add([]byte(`{"a":[{"b":[1,{"c":[]}]},2],"d":{"e":{}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Parse(b, Limits{testDepth, 1 << 16})
		if err != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := plain(v); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v, want %#v", got, want)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text := []byte("[" + strings.Repeat(`{"name":"get_weather","n":12345,"s":"\u00e9 text"},`, 5000) + "1]")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text, Limits{testDepth, 1 << 20}); err != nil {
			b.Fatal(err)
		}
	}
}
