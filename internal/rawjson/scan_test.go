package rawjson

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestScanTokens compares the fast scanners with the plain ones, which go byte by
// byte and know the place of a fault.
func compareScanners(t *testing.T, b []byte) {
	t.Helper()
	for i, c := range b {
		switch {
		case c == '"':
			next, form := ScanString(b, i)
			slow, badAt, msg := scanFaulty(b, i)
			if (form&Broken != 0) != (msg != "") || msg == "" && (next != slow || (form&BadSurrogate != 0) != (badAt >= 0)) {
				t.Errorf("ScanString(%q, %d) = %d, %b; byte by byte %d, %d, %q", b, i, next, form, slow, badAt, msg)
			}
			if msg == "" {
				checkForm(t, b[i+1:next-1], form)
			}
			checkUnquote(t, b[i+1:])
		case c == '-' || c >= '0' && c <= '9':
			next, form := ScanNumber(b, i)
			slow, msg := scanNumber(b, i)
			// A digit behind a leading zero is the next token's fault there.
			leading := form == BadNumber && msg == ""
			if leading && !strings.HasPrefix(strings.TrimPrefix(string(b[i:]), "-"), "0") ||
				!leading && ((form&BadNumber != 0) != (msg != "") || msg == "" && next != slow) {
				t.Errorf("ScanNumber(%q, %d) = %d, %b; byte by byte %d, %q", b, i, next, form, slow, msg)
			}
		}
	}
}

// checkUnquote holds Unquote to the scanner: what it takes is a string but for UTF-8.
func checkUnquote(t *testing.T, inner []byte) {
	t.Helper()
	text, ok := Unquote([]byte(">"), inner)
	quoted := append(append([]byte{'"'}, inner...), '"')
	next, form := ScanString(quoted, 0)
	proper := form < BadSurrogate && next == len(quoted)
	if utf8.Valid(inner) && ok != proper || ok && proper && string(text) != ">"+string(AppendText(nil, inner)) {
		t.Errorf("Unquote(%q) = %q, %t; scanned %t", inner, text, ok, proper)
	}
}

func checkForm(t *testing.T, inner []byte, form StringForm) {
	t.Helper()
	text, bad := unquote(inner)
	quoted := []byte(" \"" + string(inner) + "\"\n")
	if got, ok := Bytes(quoted); ok == bad || ok && string(got) != text {
		t.Errorf("Bytes(%s) = %q, %t, want %q, %t", quoted, got, ok, text, !bad)
	}
	if got := string(AppendText(nil, inner)); got != text {
		t.Errorf("AppendText(%q) = %q, want %q", inner, got, text)
	}
	if bad != (form&BadSurrogate != 0) || (form&Escaped == 0 && text != string(inner)) {
		t.Errorf("%q: form %b", inner, form)
	}
	if form&NonASCII == 0 && strings.IndexFunc(string(inner), func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		t.Errorf("%q: not said to have more than ASCII", inner)
	}
}

func TestScanTokens(t *testing.T) {
	for _, tt := range texts {
		for pad := range 9 {
			compareScanners(t, []byte(tt.text))
			compareScanners(t, []byte(strings.Repeat("x", pad)+tt.text+strings.Repeat(" ", 9)))
			compareScanners(t, []byte(`"`+strings.Repeat("é", pad)+strings.Trim(tt.text, `"`)+`"       `))
		}
	}
}

func FuzzScanTokens(f *testing.F) {
	for _, tt := range texts {
		f.Add([]byte(tt.text))
	}
	f.Add([]byte(`"\ud83d\ude00 and some more than eight bytes of it é"-12.5e+7`))
	f.Fuzz(compareScanners)
}

func BenchmarkScanString(b *testing.B) {
	text := []byte(`"controller-runtime",                  `)
	for b.Loop() {
		if _, form := ScanString(text, 0); form != 0 {
			b.Fatal(form)
		}
	}
}
