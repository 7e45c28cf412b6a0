package adapter

import (
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/rawjson"
)

func TestTemplates(t *testing.T) {
	const arguments = `{"a":{"b-c":7},"b":true,"id":"TKT-104","list":["x"],"n":1.50,"q":"a b&c=d#e+f;é","z":null}`
	for name, tc := range map[string]struct{ template, want string }{
		"segments":         {"https://h.example/v1/{tenant}/tickets/{args.id}", "https://h.example/v1/alpha/tickets/TKT-104"},
		"a query":          {"https://h.example/t?tenant={tenant}&q={args.q}&v=1", "https://h.example/t?tenant=alpha&q=a%20b%26c%3Dd%23e%2Bf%3B%C3%A9&v=1"},
		"no path":          {"http://t.support.svc?t={tenant}", "http://t.support.svc?t=alpha"},
		"a port":           {"http://t.support.svc:8080/{tenant}", "http://t.support.svc:8080/alpha"},
		"an address":       {"https://[2001:db8::1]:8443/{tenant}", "https://[2001:db8::1]:8443/alpha"},
		"nested":           {"https://h.example/{tenant}/{args.a.b-c}", "https://h.example/alpha/7"},
		"a number":         {"https://h.example/{tenant}/{args.n}/x", "https://h.example/alpha/1.50/x"},
		"a boolean":        {"https://h.example/{tenant}/{args.b}", "https://h.example/alpha/true"},
		"twice":            {"https://h.example/{args.id}/{args.id}?t={tenant}", "https://h.example/TKT-104/TKT-104?t=alpha"},
		"literal escapes":  {"https://h.example/a%2Fb/{tenant}/'()*!?x=%26", "https://h.example/a%2Fb/alpha/'()*!?x=%26"},
		"an empty segment": {"https://h.example//{tenant}/", "https://h.example//alpha/"},
		"no variable":      {"https://h.example", "https://h.example"},
	} {
		tm, err := parseTemplate(tc.template)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		u, f := tm.expand("alpha", []byte(arguments))
		if f != nil || u.String() != tc.want {
			t.Errorf("%s: got %v %+v, want %s", name, u, f, tc.want)
		}
	}
}

func TestTemplatesThatAreNone(t *testing.T) {
	for _, text := range []string{
		"", "h.example/x", "ftp://h.example/", "HTTPS://h.example/", "https://", "https:///x", "//h.example/",
		"https://{tenant}.example/", "https://{args.host}/x", "https://h.example:{args.port}/", "https://user@h.example/", "https://{tenant}@h.example/",
		"https://h.example:/x", "https://h.example:123456/", "https://h_.example-/", "https://h.example\\x/",
		"https://h.example/x{tenant}", "https://h.example/{tenant}x", "https://h.example/{tenant}{args.id}", "https://h.example/{Tenant}",
		"https://h.example/{args}", "https://h.example/{args.}", "https://h.example/{args.a b}", "https://h.example/{args.é}", "https://h.example/{context.tenant}",
		"https://h.example/{tenant", "https://h.example/tenant}", "https://h.example/{}", "https://h.example/{{tenant}}",
		"https://h.example/?{tenant}=x", "https://h.example/?{tenant}", "https://h.example/?a={tenant}x", "https://h.example/?a", "https://h.example/?", "https://h.example/?a=1&&b=2", "https://h.example/?=x",
		"https://h.example/#x", "https://h.example/{tenant}#x", "https://h.example/a b", "https://h.example/%zz", "https://h.example/%2", "https://h.example/é", "https://h.example/\n",
		"https://h.example/../x", "https://h.example/./x", "https://h.example/a/%2e%2E/x", "https://h.example/.%2e", "https://h.example/..?a=1",
		"https://h.example/" + strings.Repeat("x", maxTemplateBytes),
	} {
		if tm, err := parseTemplate(text); err == nil {
			t.Errorf("%q was read as %+v", text, tm)
		}
	}
}

func TestValuesThatAreRefused(t *testing.T) {
	argument := func(s string) []byte { return append(rawjson.AppendString([]byte(`{"v":`), s), '}') }
	for name, tc := range map[string]struct {
		value       string
		path, query bool // taken there
	}{
		"plain":                   {"TKT-104", true, true},
		"512 bytes":               {strings.Repeat("x", 512), true, true},
		"513 bytes":               {strings.Repeat("x", 513), false, false},
		"too long in bytes":       {strings.Repeat("é", 257), false, false},
		"empty":                   {"", false, false},
		"a dot":                   {".", false, false},
		"two dots":                {"..", false, false},
		"three dots":              {"...", true, true},
		"dots in it":              {"a..b", true, true},
		"a slash":                 {"a/b", false, true},
		"up and over":             {"../beta", false, true},
		"a backslash":             {`a\b`, false, true},
		"NUL":                     {"a\x00b", false, true},
		"a line":                  {"a\r\nHost: x", false, true},
		"a C1 control":            {"a\u0085", false, true},
		"encoded dots":            {"%2e%2e", false, true},
		"encoded dots, twice":     {"%252e%252E", false, true},
		"encoded slash":           {"a%2fb", false, true},
		"encoded slash, 3 times":  {"a%25252Fb", false, true},
		"encoded backslash":       {"a%5Cb", false, true},
		"encoded NUL":             {"a%00", false, true},
		"a long form of a slash":  {"a%c0%afb", false, true},
		"a percent sign":          {"100%", true, true},
		"a percent sign and more": {"100%zz%2", true, true},
		"encoded plain":           {"%41", true, true},
		"path parameters":         {"..;x=1", false, true},
		"a semicolon":             {"a;b", true, true},
		"a query":                 {"a?b=c#d", true, true},
		"a fragment":              {"#", true, true},
		"user information":        {"a@b:c", true, true},
		"a whole URL":             {"https:x", true, true},
		"another script":          {"билет", true, true},
		"a space":                 {" ", true, true},
		"braces":                  {"{tenant}", true, true},
	} {
		for place, want := range map[string]bool{"https://h.example/a/{args.v}/b?t={tenant}": tc.path, "https://h.example/{tenant}/b?q={args.v}": tc.query} {
			tm, err := parseTemplate(place)
			if err != nil {
				t.Fatal(err)
			}
			u, f := tm.expand("alpha", argument(tc.value))
			if (f == nil) != want {
				t.Errorf("%s in %s: got %v %+v", name, place, u, f)
			}
			if f != nil && (f.Code != "not_found" || f.Cause != CauseRefusedValue) {
				t.Errorf("%s in %s: got %+v", name, place, f)
			}
		}
	}
}

func TestArgumentsThatMakeNoURL(t *testing.T) {
	tm, err := parseTemplate("https://h.example/{tenant}/{args.v.w}")
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]Cause{
		`{}`: CauseRefusedValue, `{"v":1}`: CauseRefusedValue, `{"v":{"w":null}}`: CauseRefusedValue,
		`{"v":{"w":{}}}`: CauseRefusedValue, `{"v":{"w":["a"]}}`: CauseRefusedValue, `{"w":"a"}`: CauseRefusedValue, `{"v":{"W":"a"}}`: CauseRefusedValue,
		`{"v":{"w":"a","w":"b"}}`: CauseBadCall, `[]`: CauseBadCall, ``: CauseBadCall, `{"v":{"w":"\ud800"}}`: CauseBadCall,
	} {
		if u, f := tm.expand("alpha", []byte(arguments)); f == nil || f.Cause != want {
			t.Errorf("%s: got %v %+v, want %s", arguments, u, f, want)
		}
	}
	if u, f := tm.expand("", []byte(`{"v":{"w":"a"}}`)); f == nil || f.Cause != CauseBadCall {
		t.Errorf("no tenant: got %v %+v", u, f)
	}
	long, err := parseTemplate("https://h.example/{tenant}" + strings.Repeat("/{args.v}", 32))
	if err != nil {
		t.Fatal(err)
	}
	if u, f := long.expand("alpha", []byte(`{"v":"`+strings.Repeat("x", 300)+`"}`)); f == nil {
		t.Errorf("got a URL of %d bytes", len(u.String()))
	}
}

// FuzzTemplate: whatever the values are, host, depth of the path and keys of the query
// stay, and each value comes out as it went in.
func FuzzTemplate(f *testing.F) {
	for _, v := range []string{"TKT-104", "../beta", "%2e%2e", "a&tenant=beta", "a\x00", "//evil.example", "@evil.example", "?x", "..;", "%", "a/../../b", "\\..\\"} {
		f.Add("https://h.example/v1/{tenant}/{args.v}/x?q={args.v}&tenant={tenant}", v)
		f.Add("http://t.support.svc:8080/{args.v}?t={tenant}", v)
	}
	f.Fuzz(func(t *testing.T, template, value string) {
		tm, err := parseTemplate(template)
		if err != nil {
			return
		}
		plain, failure := tm.expand("alpha", filled(tm, "x"))
		if failure != nil {
			if strings.Contains(template, "args") && failure.Cause == CauseRefusedValue {
				// A variable below another: no arguments fill both.
				return
			}
			t.Fatalf("%q: %+v", template, failure)
		}
		u, failure := tm.expand("alpha", filled(tm, value))
		if failure != nil {
			return
		}
		again, err := url.Parse(u.String())
		if err != nil || *again != *u {
			t.Fatalf("%q reads as %v", u, again)
		}
		if u.Host != plain.Host || u.Scheme != plain.Scheme || u.User != nil || u.Fragment != "" {
			t.Fatalf("%q with %q leads to %s", template, value, u)
		}
		if strings.Count(u.EscapedPath(), "/") != strings.Count(plain.EscapedPath(), "/") || strings.Count(u.Path, "/") != strings.Count(plain.Path, "/") {
			t.Fatalf("%q with %q has another depth: %s", template, value, u)
		}
		if got, want := strings.Count(path.Clean(u.Path), "/"), strings.Count(path.Clean(plain.Path), "/"); got != want {
			t.Fatalf("%q with %q climbs: %s", template, value, path.Clean(u.Path))
		}
		got, want := strings.Split(u.RawQuery, "&"), strings.Split(plain.RawQuery, "&")
		if len(got) != len(want) {
			t.Fatalf("%q with %q has other parameters: %s", template, value, u)
		}
		for i := range got {
			name, v, _ := strings.Cut(got[i], "=")
			wantName, wantV, _ := strings.Cut(want[i], "=")
			if name != wantName || strings.ContainsAny(v, "&#;+ ") && v != wantV {
				t.Fatalf("%q with %q: %s", template, value, u)
			}
		}
	})
}

// filled is arguments that have the value at every place that a template reads.
func filled(tm *template, value string) []byte { return fill(nil, tm.wanted.root, value) }

func fill(dst []byte, n *node, value string) []byte {
	if len(n.children) == 0 && n.leaf {
		return rawjson.AppendString(dst, strings.ToValidUTF8(value, "?"))
	}
	dst = append(dst, '{')
	for i, c := range n.children {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendString(dst, c.key), ':')
		dst = fill(dst, c.node, value)
	}
	return append(dst, '}')
}
