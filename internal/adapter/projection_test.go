package adapter

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

func fields(pointers ...string) []callgatev1alpha1.ResultField {
	var out []callgatev1alpha1.ResultField
	for _, p := range pointers {
		out = append(out, callgatev1alpha1.ResultField(p))
	}
	return out
}

func mustProject(t testing.TB, pointers ...string) *Projection {
	t.Helper()
	p, problems := NewProjection(fields(pointers...))
	if len(problems) > 0 {
		t.Fatalf("%v: %v", pointers, problems)
	}
	return p
}

func TestProjection(t *testing.T) {
	for name, tc := range map[string]struct {
		fields []string
		record string
		want   string
	}{
		"the declared order":       {[]string{"/id", "/title", "/status"}, `{"status":"open","secret":1,"title":"T","id":"TKT-104"}`, `{"id":"TKT-104","title":"T","status":"open"}`},
		"every scalar, as written": {[]string{"/a", "/b", "/c", "/d", "/e"}, `{"a":1.50e+2,"b":true,"c":null,"d":"\u00e9\/","e":-0}`, `{"a":1.50e+2,"b":true,"c":null,"d":"\u00e9\/","e":-0}`},
		"absent":                   {[]string{"/a", "/b"}, `{"b":1}`, `{"b":1}`},
		"nothing left":             {[]string{"/a"}, `{"b":1}`, `{}`},
		"an object":                {[]string{"/a"}, `{"a":{"secret":1}}`, `{}`},
		"an empty object":          {[]string{"/a"}, `{"a":{}}`, `{}`},
		"a list of scalars":        {[]string{"/a"}, `{"a": [ 1 , "x, ]" , null,true ] }`, `{"a":[1,"x, ]",null,true]}`},
		"an empty list":            {[]string{"/a"}, `{"a":[ ]}`, `{"a":[]}`},
		"a list with an object":    {[]string{"/a"}, `{"a":[1,{"secret":1}]}`, `{}`},
		"a list with a list":       {[]string{"/a"}, `{"a":[1,[2]]}`, `{}`},
		"nested":                   {[]string{"/a/b/c", "/d", "/a/e"}, `{"d":4,"a":{"x":0,"e":5,"b":{"c":3,"y":0}}}`, `{"a":{"b":{"c":3},"e":5},"d":4}`},
		"nothing left below":       {[]string{"/a/b/c", "/d"}, `{"d":4,"a":{"b":{"y":0}}}`, `{"d":4}`},
		"through a scalar":         {[]string{"/a/b"}, `{"a":1}`, `{}`},
		"through a list by name":   {[]string{"/a/b"}, `{"a":[{"b":1}]}`, `{}`},
		"through a list by index":  {[]string{"/a/1/b"}, `{"a":[{"b":1},{"b":2,"s":3},{"b":3}]}`, `{"a":[{"b":2}]}`},
		"elements in their order":  {[]string{"/a/2", "/a/0", "/a/9"}, `{"a":[1,2,{"b":1}]}`, `{"a":[1]}`},
		"an index as a key":        {[]string{"/a/0"}, `{"a":{"0":"x","1":"y"}}`, `{"a":{"0":"x"}}`},
		"an index with a zero":     {[]string{"/a/01", "/a/-", "/a/+1", "/a/1e0"}, `{"a":[1,2,3]}`, `{}`},
		"the same name deeper":     {[]string{"/id"}, `{"x":{"id":"secret"},"y":[{"id":"secret"}]}`, `{}`},
		"the same name higher":     {[]string{"/x/id"}, `{"id":"secret","x":{"id":1},"id2":{"x":{"id":"secret"}}}`, `{"x":{"id":1}}`},
		"a place and one below":    {[]string{"/a", "/a/b"}, `{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`},
		"a list and one below":     {[]string{"/a/0", "/a"}, `{"a":[1,2]}`, `{"a":[1,2]}`},
		"a mixed list, one below":  {[]string{"/a", "/a/0"}, `{"a":[1,{"b":2}]}`, `{"a":[1]}`},
		"tilde and slash":          {[]string{"/a~1b", "/m~0n", "/~01"}, `{"a/b":1,"m~n":2,"~1":3,"/":4}`, `{"a/b":1,"m~n":2,"~1":3}`},
		"an empty key":             {[]string{"/", "/a/"}, `{"":1,"a":{"":2}}`, `{"":1,"a":{"":2}}`},
		"a key with escapes":       {[]string{"/id"}, `{"\u0069d":"x"}`, `{"id":"x"}`},
		"a key to be escaped":      {[]string{`/a"b`}, `{"a\"b":1}`, `{"a\"b":1}`},
		"case":                     {[]string{"/id"}, `{"ID":"secret"}`, `{}`},
		"other letters alike":      {[]string{"/\u00e9"}, `{"e\u0301":"secret"}`, `{}`},
		"no fields":                {nil, `{"id":1}`, `{}`},
	} {
		got, cause := mustProject(t, tc.fields...).Apply([]byte(tc.record))
		if string(got) != tc.want || cause != "" {
			t.Errorf("%s: got %s %q, want %s", name, got, cause, tc.want)
		}
	}
	if got, cause := (*Projection)(nil).Apply([]byte(`{"id":1}`)); string(got) != `{}` || cause != "" {
		t.Errorf("no projection gives %s %q", got, cause)
	}
}

func TestProjectionRefusesRecords(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for name, tc := range map[string]struct {
		record string
		want   Cause
	}{
		"twice":                    {`{"id":1,"id":2}`, CauseAmbiguous},
		"twice in another writing": {`{"id":1,"\u0069d":2}`, CauseAmbiguous},
		"twice, not wanted":        {`{"x":1,"x":2,"id":3}`, CauseAmbiguous},
		"twice, deep":              {`{"id":1,"x":[{"y":{"z":1,"z":1}}]}`, CauseAmbiguous},
		"same key, other objects":  {`{"id":1,"x":{"id":1},"y":[{"id":2},{"id":2}]}`, ""},
		"a list":                   {`[1]`, CauseBadRecord},
		"a text":                   {`"x"`, CauseBadRecord},
		"null":                     {`null`, CauseBadRecord},
		"empty":                    {``, CauseBadRecord},
		"cut":                      {`{"id":1`, CauseBadRecord},
		"two":                      {`{"id":1}{"id":2}`, CauseBadRecord},
		"a page":                   {`<html>`, CauseBadRecord},
		"half a surrogate pair":    {`{"id":"\ud800"}`, CauseBadRecord},
		"no UTF-8":                 {"{\"id\":\"\xff\"}", CauseBadRecord},
		"64 levels":                {deep(64), ""},
		"65 levels":                {deep(65), CauseBadRecord},
		"100,000 values":           {`{"id":1,"x":[` + strings.Repeat("0,", 99_996) + `0]}`, ""},
		"100,001 values":           {`{"id":1,"x":[` + strings.Repeat("0,", 99_997) + `0]}`, CauseBadRecord},
		"a result as large":        {`{"id":"` + strings.Repeat("x", maxResultBytes-10) + `"}`, ""},
		"a result too large":       {`{"id":"` + strings.Repeat("x", maxResultBytes) + `"}`, CauseTooLarge},
	} {
		got, cause := mustProject(t, "/id").Apply([]byte(tc.record))
		if cause != tc.want || (got == nil) != (tc.want != "") {
			t.Errorf("%s: got %.40s %q, want %q", name, got, cause, tc.want)
		}
	}
}

func TestProjectionKeepsNothingOfTheRecord(t *testing.T) {
	record := []byte(`{"id":"TKT-104","secret":"x"}`)
	before := string(record)
	got, _ := mustProject(t, "/id").Apply(record)
	if string(record) != before {
		t.Error("the record was changed")
	}
	for i := range record {
		record[i] = '#'
	}
	if string(got) != `{"id":"TKT-104"}` {
		t.Errorf("the result changed with the record: %s", got)
	}
}

func TestProjectionProblems(t *testing.T) {
	for name, tc := range map[string]struct {
		fields []string
		want   []string
	}{
		"the whole":      {[]string{"/a", ""}, []string{"/spec/result/fields/1"}},
		"no slash":       {[]string{"a"}, []string{"/spec/result/fields/0"}},
		"a fragment":     {[]string{"#/a"}, []string{"/spec/result/fields/0"}},
		"a bare tilde":   {[]string{"/a~", "/~2", "/~~0"}, []string{"/spec/result/fields/0", "/spec/result/fields/1", "/spec/result/fields/2"}},
		"a control":      {[]string{"/a\nb", "/a\u0085"}, []string{"/spec/result/fields/0", "/spec/result/fields/1"}},
		"twice":          {[]string{"/a", "/b", "/a"}, []string{"/spec/result/fields/2"}},
		"too long":       {[]string{"/" + strings.Repeat("é", 512)}, []string{"/spec/result/fields/0"}},
		"as long as can": {[]string{"/" + strings.Repeat("é", 511)}, nil},
		"too many":       {strings.Split(strings.Repeat("/a ", 129), " ")[:129], []string{"/spec/result/fields"}},
	} {
		p, problems := NewProjection(fields(tc.fields...))
		var got []string
		for _, problem := range problems {
			got = append(got, problem.Path)
		}
		if !reflect.DeepEqual(got, tc.want) || (p == nil) != (tc.want != nil) {
			t.Errorf("%s: got %v, want %v", name, problems, tc.want)
		}
	}
}

func TestProjectionMemory(t *testing.T) {
	p := mustProject(t, "/id")
	record := []byte(`{"id":1,"x":[` + strings.Repeat("0,", 99_000) + `0],"y":"` + strings.Repeat("x", 3<<20) + `"}`)
	got := testing.AllocsPerRun(10, func() { _, _ = p.Apply(record) })
	if got > 30 {
		t.Errorf("%v allocations for one field of a large record", got)
	}
}

// FuzzProjection holds the projection to a plain reading of the same rules by
// encoding/json: what it gives out is in the record at that very place.
func FuzzProjection(f *testing.F) {
	f.Add("/id", "/a/b", []byte(`{"id":1,"a":{"b":[1,2]}}`))
	f.Add("/a/0/b", "/a", []byte(`{"a":[{"b":"\u00e9"},[]]}`))
	f.Add("/~01", "/", []byte(`{"~1":null,"":{"":1}}`))
	f.Add("/id", "/x/id", []byte(`{"x":{"id":1,"id":2}}`))
	f.Fuzz(func(t *testing.T, one, two string, record []byte) {
		p, problems := NewProjection(fields(one, two))
		if len(problems) > 0 {
			return
		}
		got, cause := p.Apply(record)
		if cause != "" {
			if got != nil {
				t.Fatalf("cause %q with a result", cause)
			}
			return
		}
		if len(got) > maxResultBytes {
			t.Fatalf("%d bytes", len(got))
		}
		var whole, part any
		if err := json.Unmarshal(record, &whole); err != nil {
			t.Fatalf("a record that is no JSON was read: %v", err)
		}
		if err := json.Unmarshal(got, &part); err != nil {
			t.Fatalf("the result %s: %v", got, err)
		}
		want := map[string]any{}
		for _, pointer := range []string{one, two} {
			keys, _ := parsePointer(pointer)
			if v, ok := plainly(whole, keys); ok && objectsOnly(whole, keys) {
				put(want, keys, v)
			}
		}
		if objectsOnly(whole, mustKeys(one)) && objectsOnly(whole, mustKeys(two)) && !reflect.DeepEqual(part, any(want)) {
			t.Fatalf("%q %q of %s:\ngot  %s\nwant %s", one, two, record, got, fmt.Sprint(want))
		}
		for _, s := range scalarsOf(part) {
			if !holds(whole, s) {
				t.Fatalf("%v is in the result and not in the record", s)
			}
		}
	})
}

func mustKeys(pointer string) []string {
	keys, _ := parsePointer(pointer)
	return keys
}

// plainly follows a pointer, and takes scalars and lists of them.
func plainly(v any, keys []string) (any, bool) {
	for _, key := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[key]; !ok {
			return nil, false
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return nil, false
	case []any:
		for _, e := range v {
			switch e.(type) {
			case map[string]any, []any:
				return nil, false
			}
		}
	}
	return v, true
}

// objectsOnly says that a pointer meets no list before its end.
func objectsOnly(v any, keys []string) bool {
	for _, key := range keys {
		if _, ok := v.([]any); ok {
			return false
		}
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return true
}

func put(m map[string]any, keys []string, v any) {
	for _, key := range keys[:len(keys)-1] {
		next, ok := m[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			m[key] = next
		}
		m = next
	}
	m[keys[len(keys)-1]] = v
}

func scalarsOf(v any) (out []any) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			out = append(out, scalarsOf(e)...)
		}
		return out
	case []any:
		for _, e := range v {
			out = append(out, scalarsOf(e)...)
		}
		return out
	}
	return []any{v}
}

func holds(v, s any) bool {
	for _, e := range scalarsOf(v) {
		if e == s {
			return true
		}
	}
	return false
}
