package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const head = `{"apiVersion":"audit.callgate.dev/v1alpha1","kind":"Verdict","caller":{"namespace":"n","serviceAccountName":"s"},`

func TestReaderNamesWhatItCannotRead(t *testing.T) {
	good := head + `"phase":"call","calls":[{"tool":"f"}]}`
	for text, want := range map[string]string{
		good:                                    "",
		head + `"phase":"offer","offer":{}}`:    "",
		"  " + good + "\r":                      "",
		strings.Replace(good, "}]", `},{}]`, 1): "",
		head + `"phase":"call","calls":[{"tool":"f"}],"later":{"version":"has"}}`: "",
		`{"apiVersion":"audit.callgate.dev/v1alpha1","kind":"Gap","dropped":3}`:   "",
		`{"level":"info"}`: "no audit record",
		good[:40]:          "no JSON object",
		"2026-12-01 text":  "no JSON object",
		"[]":               "no JSON object",
		"null":             "no audit record",
		`{"apiVersion":"audit.callgate.dev/v1alpha1","kind":"Other"}`:                "of a kind",
		`{"apiVersion":"audit.callgate.dev/v1alpha1","kind":"Gap","dropped":"many"}`: "wrong type",
		head + `"phase":"call","calls":{}}`:                                          "wrong type",
		head + `"phase":"call","calls":[]}`:                                          "calls",
		head + `"phase":"other","calls":[{}]}`:                                       "phase",
		head + `"phase":"offer"}`:                                                    "no offer",
		head + `"phase":"execution","calls":[{}]}`:                                   "whether it runs",
		head + `"phase":"execution","calls":[{},{}],"execution":{}}`:                 "1 to 1",
		head + `"onBehalfOf":{"namespace":"n"},"phase":"call","calls":[{}]}`:         "onBehalfOf",
		`{"apiVersion":"audit.callgate.dev/v1alpha1","kind":"Verdict"}`:              "no caller",
		strings.Repeat("x", maxLine+1):                                               "MiB",
	} {
		r := NewReader(strings.NewReader("\n" + text + "\n" + good + "\n"))
		l, err := r.Next()
		if err != nil || l.Number != 2 || (l.Fault == "") != (want == "") || !strings.Contains(l.Fault, want) {
			t.Errorf("%.100s: line %d, fault %q, %v; want %q", text, l.Number, l.Fault, err, want)
		}
		if set := (l.Record != nil) != (l.Gap != nil); set != (l.Fault == "") {
			t.Errorf("%.100s: record %v, gap %v, fault %q", text, l.Record != nil, l.Gap != nil, l.Fault)
		}
		if l, err = r.Next(); err != nil || l.Number != 3 || l.Record == nil {
			t.Errorf("%.100s: what follows is not read: %+v, %v", text, l, err)
		}
		if _, err = r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%.100s: the end is %v", text, err)
		}
	}
}

func TestReaderReadsTheLastLineWithoutItsEnd(t *testing.T) {
	r := NewReader(strings.NewReader(head + `"phase":"call","calls":[{}]}`))
	if l, err := r.Next(); err != nil || l.Record == nil {
		t.Errorf("%+v, %v", l, err)
	}
	broken := errors.New("broken disk")
	if _, err := NewReader(iotest.ErrReader(broken)).Next(); !errors.Is(err, broken) {
		t.Errorf("a reader that fails gives %v", err)
	}
}

// Whatever a log holds, reading it ends, and what is read can be written and is the same
// when it is read again.
func FuzzReader(f *testing.F) {
	// Short ones: what is found is made smaller first, and that takes time with long ones.
	f.Add([]byte(head + `"phase":"call","calls":[{"tool":"f","exactName":"\u202ef","errors":["a"],"arguments":"{}"}]}`))
	f.Add([]byte(head + `"phase":"execution","calls":[{"audited":[{}]}],"execution":{"runs":true},"outside":{"access":[{"answer":"granted"}]}}`))
	f.Add([]byte(head + `"phase":"offer","offer":{"entries":[{"index":1,"names":["f"],"fault":"x"}],"chosen":[]}}`))
	f.Add([]byte(head + "\n\n{\"apiVersion\":\"audit.callgate.dev/v1alpha1\",\"kind\":\"Gap\"}"))
	f.Fuzz(func(t *testing.T, log []byte) {
		r := NewReader(bytes.NewReader(log))
		for number := 0; ; {
			l, err := r.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				return
			}
			if l.Number <= number || l.Number > bytes.Count(log, []byte{'\n'})+1 {
				t.Fatalf("line %d follows line %d", l.Number, number)
			}
			number = l.Number
			checkAgain(t, l)
		}
	})
}

func checkAgain(t *testing.T, l Line) {
	t.Helper()
	if l.Record == nil {
		return
	}
	text, err := l.Record.Line()
	if err != nil {
		return // a time beyond the year 9999, or a line that was longer than records are
	}
	again, err := NewReader(bytes.NewReader(text)).Next()
	if err != nil || again.Record == nil {
		t.Fatalf("what was written cannot be read: %v, %q\n%s", err, again.Fault, text)
	}
	twice, err := again.Record.Line()
	if err != nil || !bytes.Equal(text, twice) {
		t.Fatalf("written twice: %v\n%s\n%s", err, text, twice)
	}
}

func BenchmarkRecord(b *testing.B) {
	v := judged(policySet(nil), ticket(), nil)
	key := testKey(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewRecord(v, key, noon).Line(); err != nil {
			b.Fatal(fmt.Errorf("encoding: %w", err))
		}
	}
}
