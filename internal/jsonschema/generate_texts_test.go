package jsonschema

// someTexts are strings that readers of strings stumble over.
var someTexts = []string{
	"", "a", "b", "A", "abc", "red", "green", "x", "null", "true", "1", "1.0", "ä", "a\u0308", "😀", "😀😀", "a😀", "\u0000", "\u001f",
	"\"", "\\", "/", "\u2028", "\ufffd", "\uffff", "\U0010ffff", "\u007f", "line\nbreak", "tab\t", "é", "e\u0301", "ＡＢ", "aaaaaaaaaaaaaaaa",
	"0123456789abcdef0123456789abcdef", "a b", " a", "a ", "constructor", "__proto__", "2026-01-01", "a@b.example", "\U0001F468\u200D\U0001F469",
}

// someFormats have texts that are and that are not of them. The last is unknown.
var someFormats = []struct {
	name      string
	good, bad []string
}{
	{"date", []string{"2026-01-31", "2024-02-29"}, []string{"2026-02-29", "2026-1-1", "today"}},
	{"date-time", []string{"2026-01-31T12:00:00Z", "2026-01-31t12:00:00.5+01:00"}, []string{"2026-01-31 12:00", "2026-01-31T25:00:00Z"}},
	{"time", []string{"12:00:00Z", "23:59:60Z"}, []string{"12:00", "24:00:00Z"}},
	{"email", []string{"a@b.example", "a.b+c@d.example"}, []string{"a", "@b", "a@"}},
	{"idn-email", []string{"ä@ö.example"}, []string{"ä"}},
	{"hostname", []string{"a.example", "x"}, []string{"-a", "a_b", ""}},
	{"ipv4", []string{"127.0.0.1"}, []string{"256.0.0.1", "1.2.3", "01.2.3.4"}},
	{"ipv6", []string{"::1", "fe80::1"}, []string{"1::2::3", "g::"}},
	{"uri", []string{"https://a.example/b?c#d", "urn:x:y"}, []string{"/a", "a b", ""}},
	{"uri-reference", []string{"/a", "", "#x"}, []string{"\\", "a b"}},
	{"iri", []string{"https://ä.example/"}, []string{"ä"}},
	{"uuid", []string{"2eb8aa08-aa98-11ea-b4aa-73b441d16380"}, []string{"2eb8aa08aa9811eab4aa73b441d16380", "x"}},
	{"json-pointer", []string{"", "/a~0b"}, []string{"a", "/~2"}},
	{"relative-json-pointer", []string{"0", "1/a"}, []string{"/a", "01"}},
	{"regex", []string{"^a$", ""}, []string{"(", "a{2,1}"}},
	{"uri-template", []string{"https://a.example/{b}"}, []string{"{"}},
	{"color", []string{"anything"}, nil},
}
