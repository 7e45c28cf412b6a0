package rawjson

import "testing"

func TestPointers(t *testing.T) {
	v, err := Parse([]byte(`{"a":[1,{"b/c":2,"~1":3,"":4}],"0":5}`), Limits{MaxDepth: 8, MaxValues: 100})
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"": string(v.Raw), "/a/0": "1", "/a/1/b~1c": "2", "/a/1/~01": "3", "/a/1/": "4", "/0": "5",
		"/a/2": "", "/a/-1": "", "/a/x": "", "/a/0/b": "", "/x/y": "", "/a/1/b": "",
	} {
		got := ""
		if at := v.At(pointer); at != nil {
			got = string(at.Raw)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", pointer, got, want)
		}
	}
	if (*Value)(nil).Get("a") != nil || (*Value)(nil).At("/a") != nil {
		t.Error("nothing has a member")
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("a/b", "~1")
	f.Add("~01", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		first, rest := CutToken(AppendToken(AppendToken("", a), b))
		second, end := CutToken(rest)
		if first != a || second != b || end != "" {
			t.Errorf("%q, %q come back as %q, %q and %q", a, b, first, second, end)
		}
	})
}
