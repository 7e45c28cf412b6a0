package jsonschema

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// formatDeviations are the tests of the suite that are judged otherwise, with
// the reason: a file, or a group of one after a colon.
var formatDeviations = map[string]string{
	"idn-hostname": "not known: ignored, and warned of",
	"hostname: validation of A-label (punycode) host names": "an A-label is a label like any other; it is not decoded",
}

func formatDeviation(file, group string) string {
	if reason := formatDeviations[file]; reason != "" {
		return reason
	}
	return formatDeviations[file+": "+group]
}

// readFormats visits the groups of the suite's tests of formats.
func readFormats(t testing.TB, visit func(dir, file string, g suiteGroup)) {
	t.Helper()
	files, err := filepath.Glob("testdata/formats/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no suite", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var groups []suiteGroup
		if err := json.Unmarshal(text, &groups); err != nil {
			t.Fatal(path, err)
		}
		for _, g := range groups {
			visit(filepath.Base(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".json"), g)
		}
	}
}

func TestFormatSuite(t *testing.T) {
	passed, deviating := map[string]int{}, map[string]int{}
	readFormats(t, func(dir, file string, g suiteGroup) {
		name, d := dir+"/"+file, suiteDirs[dir]
		opts := conformance(d)
		opts.AnnotateFormats = false
		var p, w problems
		c := compile(g.Schema, openly(opts), &p, &w)
		if p.any() {
			t.Errorf("%s: %s: %v", name, g.Description, p.list)
			return
		}
		reason := formatDeviation(file, g.Description)
		ignored := strings.HasPrefix(reason, "not known")
		if ignored != (len(w.list) > 0) && file != "unknown" {
			t.Errorf("%s: %s: warnings %v", name, g.Description, w.list)
		}
		for _, tt := range g.Tests {
			res := c.judgeValue(tt.Data)
			switch {
			case res.OK() == tt.Valid && res.Judged:
				passed[dir]++
			case reason == "" || ignored && !res.OK():
				t.Errorf("%s: %s: %s: got %v, want valid=%t", name, g.Description, tt.Description, errorsOf(res), tt.Valid)
			default:
				deviating[dir]++
			}
		}
	})
	t.Log("passed", passed, "deviating", deviating)
}

func TestFormats(t *testing.T) {
	long := strings.Repeat("a", 63)
	tests := []struct {
		format      string
		good, wrong []string
	}{
		{"date", []string{"2024-02-29", "2000-02-29", "0000-01-01"},
			[]string{"", "2023-02-29", "1900-02-29", "2024-00-01", "2024-13-01", "2024-04-31", "2024-1-001", "+024-01-01", "2024-01-00"}},
		{"time", []string{"00:00:00Z", "23:59:60.5Z", "00:59:60+01:00"},
			[]string{"", "00:00:00", "00:00:00.", "00:00:00.Z", "00:00:61Z", "00:00:60Z", "00:00:00+0100", "00-00-00Z", "00:00:0", "00:00:00-"}},
		{"date-time", []string{"2024-02-29T00:00:00Z"}, []string{"2024-02-29 00:00:00Z", "2024-02-29T", "2024-02-29"}},
		{"duration", []string{"P1Y2M3DT4H5M6S", "PT0S", "P2W"}, []string{"", "P", "PT", "P1", "1D", "P1DT", "P1Y2D", "PT1H2S", "P1W1D", "-P1D", "P1.5D", "p1d"}},
		{"idn-email", []string{"é@é.é", "\"é\"@b", "a@b"}, []string{"", "é", "é@", "é@é.", "é@-é", "é@é_é", "\xff@b", "é@é\u3002é"}},
		{"email", []string{"a@b", `"a\"b"@c`, `""@c`, "a@[IPv6:::1]", "a@[ipv6:::1]", "a@[1.2.3.4]", strings.Repeat("a", 64) + "@b"},
			[]string{"", "@", "a@", "@b", `"@c`, `"a"b"@c`, `"a\"@c`, `"a"x@c`, "a@[::1]", "a@[IPv6:]", "a@[x:y]", "a@[1.2.3.4",
				"a@b.", "é@b", "\"é\"@b", "a@b\n", strings.Repeat("a", 65) + "@b"}},
		{"hostname", []string{"a", "A-1.b", strings.Repeat(long+".", 3) + long[:61]},
			[]string{"", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", "é", long + "a", strings.Repeat(long+".", 3) + long[:62]}},
		{"ipv4", []string{"0.0.0.0", "255.255.255.255"}, []string{"", "+1.2.3.4", "1.2.3", "01.2.3.4", "256.1.1.1", "1.2.3.4 ", "::1", "1.2.3.4.5", "0x1.2.3.4"}},
		{"ipv6", []string{"::", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"}, []string{"", "1.2.3.4", "::1%eth0", "::1%", "[::1]", "1::2::3", "::01.2.3.4"}},
		{"uri", []string{"a:", "a:b", "http://[::1]:80/", "http://[v1.a:b]", "http://h:", "file:///x", "urn:a:b?c#d/?", "a://b@c", "x:%2f"},
			[]string{"", ":", ":a", "a", "//h", "1a:b", "https://example.org/foo bar.txt", `a:"`, "a:<", "a:>", `a:\`, "a:^", "a:{", "a:|", "a:}", "a:`",
				"http:/[::1]", "a:#b#c", "a:%", "a:%0", "a:%zz", "http://h:8x", "http://[::1", "http://[::1]x", "http://[::1%25e]", "http://[v.a]",
				"http://[v1.]", "http://a@b@c", "http://a:b:c", "a:\n", "a:é", "é:a", "a:\x7f", "a:[", "a://b?c[d]"}},
		{"uri-reference", []string{"", "#", "?", "/", "//", "a/b:c", "./a:b", "?a:b", "a"}, []string{"a%", "1:b", ":", "é", "//[", "a b"}},
		{"iri", []string{"a:é", "http://é.é/é?\ue000#é", "a:\U00010000"}, []string{"é", "a:\ue000", "a:#\ue000", "a:\u0080", "a:\uffff", "a:\ufffd", "a:\xff", "a:\U000e0000", "a: "}},
		{"iri-reference", []string{"", "é", "é/a:b"}, []string{"é:b", "\xff", "a b"}},
		{"uri-template", []string{"{?var}", "{/var}", "{#var}", "{v:1000}", "a{+b,c*}[d]", "é", "{%41.b_}"},
			[]string{"{", "}", "{}", "{?}", "{a", "{a,", "{a,}", "a b", "{a:}", "{a:0}", "{a:10000}", "{a:1*}", "{=a}", "{a.}", "{.}", "{é}", "{%4}", "%", "<", "\xff", "|", "{{a}}"}},
		{"json-pointer", []string{"", "/", "/a~0~1/é", "//"}, []string{"a", "/~", "/~2", "/a~", "#/a"}},
		{"relative-json-pointer", []string{"0", "10/a", "1#"}, []string{"", "#", "/a", "01", "-1", "0##", "0a", "0+1", "1/~"}},
		{"regex", []string{"", "(?=a)", `\d`}, []string{"(", `\a`, "[b-a]"}},
		{"uuid", []string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-42661417400F"},
			[]string{"", "123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-42661417400}", "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a4-56426614174000"}},
	}
	if len(tests) != len(formats) {
		t.Errorf("%d formats tested of %d", len(tests), len(formats))
	}
	for _, tt := range tests {
		for _, text := range tt.good {
			if !formats[tt.format].match(text) {
				t.Errorf("%s refuses %q", tt.format, text)
			}
		}
		for _, text := range tt.wrong {
			if formats[tt.format].match(text) {
				t.Errorf("%s accepts %q", tt.format, text)
			}
		}
	}
}

// TestFormatsAllocateNothing keeps the formats from copying what they judge. A regex is
// parsed, which takes a tree.
func TestFormatsAllocateNothing(t *testing.T) {
	texts := map[string][]string{
		"date":                  {"2024-02-29"},
		"date-time":             {"2024-02-29T00:00:00.5+01:00", "2024-02-29t23:59:60z"},
		"duration":              {"P1Y2M3DT4H5M6S", "P2W", "PT0S"},
		"email":                 {"somebody.somewhere+tag@example.org", `"a b"@[IPv6:::1]`, "a@[1.2.3.4]"},
		"hostname":              {"web-0.web.default.svc", strings.Repeat("a.", 120) + "a"},
		"idn-email":             {"é.日本@müller.example", "\"é\"@b"},
		"ipv4":                  {"192.168.100.200"},
		"ipv6":                  {"2001:db8::8a2e:370:7334", "::ffff:1.2.3.4"},
		"iri":                   {"http://é/é?é#é", "https://example.org/日本?a=b"},
		"iri-reference":         {"../é?x#y", "é/a:b"},
		"json-pointer":          {strings.Repeat("/~0", 99), "/a/b~1c/0"},
		"relative-json-pointer": {"1/a/b", "10#"},
		"time":                  {"23:59:60.123Z", "00:00:00+01:00"},
		"uri":                   {"http://u@[::1]:80/a/b?c#d", "https://example.org/a%20b?c=d&e=f#g", "http://[v1.a:b]/", "urn:a:b"},
		"uri-reference":         {"/a/b?c#d", "//example.org:80/a", "a/b:c"},
		"uri-template":          {strings.Repeat("{?a*,b:3}é", 99), "https://example.org/{id}/x{?q}"},
		"uuid":                  {"123e4567-e89b-12d3-a456-426614174000"},
	}
	for name, f := range formats {
		if name == "regex" {
			continue
		}
		if len(texts[name]) == 0 {
			t.Errorf("%s has no texts", name)
		}
		for _, text := range texts[name] {
			if n := testing.AllocsPerRun(10, func() {
				if !f.match(text) {
					t.Errorf("%s refuses %q", name, text)
				}
			}); n > 0 {
				t.Errorf("%s allocates %v times on %q", name, n, text)
			}
		}
	}
}

func FuzzFormats(f *testing.F) {
	readFormats(f, func(_, _ string, g suiteGroup) {
		for _, tt := range g.Tests {
			var text string
			if json.Unmarshal(tt.Data, &text) == nil {
				f.Add(text)
			}
		}
	})
	// Whatever the narrower format accepts, the wider does too.
	within := map[string]string{
		"uri": "iri", "uri-reference": "iri-reference", "iri": "iri-reference", "ipv4": "hostname", "email": "idn-email",
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := map[string]bool{}
		for name, f := range formats {
			got[name] = f.match(text)
		}
		for narrow, wide := range within {
			if got[narrow] && !got[wide] {
				t.Errorf("%q is of %s and not of %s", text, narrow, wide)
			}
		}
		if got["uri"] != (got["uri-reference"] && hasScheme(text)) {
			t.Errorf("%q: uri %t, uri-reference %t", text, got["uri"], got["uri-reference"])
		}
		if utf8.ValidString(text) && !strings.ContainsAny(text, "\"{|}") && got["iri-reference"] && !got["uri-template"] {
			t.Errorf("%q is of iri-reference and not of uri-template", text)
		}
		a, err := netip.ParseAddr(text)
		if got["ipv4"] != (err == nil && a.Is4()) || got["ipv6"] != (err == nil && a.Is6() && a.Zone() == "") {
			t.Errorf("%q: ipv4 %t, ipv6 %t, netip %v", text, got["ipv4"], got["ipv6"], a)
		}
	})
}

func hasScheme(text string) bool {
	end := strings.IndexAny(text, ":/?#")
	return end > 0 && text[end] == ':'
}
