package manifest

import (
	"os"
	"strings"
	"testing"
)

// A stream from Windows says the same, at the same places.
func TestLineEndsChangeNothing(t *testing.T) {
	text, err := os.ReadFile("testdata/load/streams.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, files := sections(string(text))
	stream := files["-stdin"]
	load := func(stream string) string {
		set, problems := Load(t.Context(), Options{Stdin: strings.NewReader(stream)}, Source{Path: Stdin})
		return strings.ReplaceAll(outcome(set, problems), `\r\n`, `\n`)
	}
	want := load(stream)
	for name, other := range map[string]string{
		"CRLF":              strings.ReplaceAll(stream, "\n", "\r\n"),
		"a byte order mark": "\ufeff" + stream,
		"no last line end":  strings.TrimSuffix(stream, "\n"),
	} {
		if got := load(other); got != want {
			t.Errorf("with %s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestTextPositions(t *testing.T) {
	set, problems := loadText(t, `apiVersion: callgate.dev/v1alpha1
kind: ToolPolicy
metadata: {name: p, namespace: ns}
spec:
  subjects: {serviceAccountNames: [a]}
  declaredTools: [t]
  rules:
  - name: block
    expression: |

      args.a == 1 &&
        args.b == 2
  - {name: plain, expression: args.a == 1}
  - name: quoted
    expression: 'args.a == "größer" && args.b'
  - name: escaped
    expression: "args.a == \"x\""
  - name: folded
    expression: >
      args.a ==
      1
`)
	wantProblems(t, problems)
	key := Key{KindToolPolicy, "ns", "p"}
	for _, tc := range []struct {
		name         string
		rule         string
		line, column int
		want         string
	}{
		{"a line of a block", "0", 3, 3, "f.yaml:12:9"},
		{"the empty line before it", "0", 1, 1, "f.yaml:10:7"},
		{"a plain text", "1", 1, 8, "f.yaml:13:38"},
		{"a quoted text", "2", 1, 23, "f.yaml:15:40"},
		{"with escapes, the key", "3", 1, 8, "f.yaml:17:5"},
		{"folded, the key", "4", 1, 8, "f.yaml:19:5"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := set.TextPosition(key, "/spec/rules/"+tc.rule+"/expression", tc.line, tc.column)
			if got.String() != tc.want {
				t.Errorf("position = %s, want %s", got, tc.want)
			}
		})
	}
	if got := set.TextPosition(Key{}, "", 1, 1); got != (Position{}) {
		t.Errorf("position in an object that was not read = %s", got)
	}
}

func TestTextPositionsInJSON(t *testing.T) {
	set, problems := Load(t.Context(), Options{FS: mapFS(map[string]string{"f.json": `{"apiVersion": "callgate.dev/v1alpha1", "kind": "ToolSchema",
 "metadata": {"name": "ä", "name": "a"}}
{"apiVersion": "callgate.dev/v1alpha1", "kind": "ToolAdapter", "metadata": {"name": "a"},
 "spec": {"toolName": "größer", "key": "tenant + args.x", "records": {"configMapKeyRef": {"name": "c", "key": "\u006b"}}}}`})}, Source{Path: "f.json"})
	wantProblems(t, problems, "f.json:2:28: /metadata/name: duplicate key: keep one of them")
	key := Key{KindToolAdapter, "default", "a"}
	if got := set.TextPosition(key, "/spec/key", 1, 10).String(); got != "f.json:4:50" {
		t.Errorf("position in a text = %s", got)
	}
	if got := set.TextPosition(key, "/spec/records/configMapKeyRef/key", 1, 1).String(); got != "f.json:4:104" {
		t.Errorf("position of a text with escapes = %s", got)
	}
}

// What is known of keys without asking is what the converter says.
func TestKeysReadAsTheConverterHasThem(t *testing.T) {
	keys := &plainKeys{known: map[string]string{}}
	for _, key := range []string{
		"type", "a", "y", "Y", "yes", "Yes", "no", "N", "on", "ON", "off", "Off", "true", "TRUE", "False", "null", "Null", "NULL", "nULL",
		"nan", "inf", "e1", "E1", "x0", "_", "_1", "$ref", "$1", "a b", "a-b", "0x10", "010", "1_0", "1.0", "1e3", "~", ".5", "+1", "2020-01-01", "ja", "yess", "none",
	} {
		if got, want := keys.read(key), converted(key); got != want {
			t.Errorf("the key %s reads as %q, want %q", key, got, want)
		}
	}
}
