package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// maxExact is the largest integer that every client keeps: kubectl's merges go through
// doubles.
const maxExact = 1 << 53

// parameters says a schema as an object, or as text where an object would come out of the
// API server as another one. why is "" for an object.
func parameters(schema []byte) (keyword string, value any, why string) {
	if why = changes(schema); why == "" {
		var object map[string]any
		if utiljson.Unmarshal(schema, &object) == nil && object != nil {
			return "parameters", object, ""
		}
		why = "it is no object"
	}
	var indented bytes.Buffer
	if json.Indent(&indented, schema, "", "  ") != nil {
		return "parametersJSON", escaped(string(schema)), why
	}
	return "parametersJSON", escaped(strings.TrimSpace(indented.String())) + "\n", why
}

// odd tells characters that YAML writers change or refuse, or that nobody sees.
func odd(r rune) bool {
	return r >= 0x7f && (unicode.IsControl(r) || !unicode.IsPrint(r)) || r == utf8.RuneError
}

// escaped is the same JSON text without odd characters: they stand in strings only.
func escaped(text string) string {
	if !strings.ContainsFunc(text, odd) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !odd(r):
			b.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// changes says what the API server or kubectl would change in a schema, "" if nothing
// that means anything.
func changes(schema []byte) string {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		switch v := token.(type) {
		case nil:
			return "kubectl would drop its nulls"
		case string:
			if v == "<<" {
				return "YAML takes the key << for something else"
			}
			if strings.ContainsFunc(v, odd) {
				return "YAML cannot hold all of its characters"
			}
		case json.Number:
			if !keeps(v.String()) {
				return "the number " + cut(v.String()) + " would be rounded"
			}
		}
	}
}

func cut(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// keeps reports whether a literal is the same number as a double.
func keeps(literal string) bool {
	if i, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return i >= -maxExact && i <= maxExact
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(f, 0) || len(literal) > 400 || strings.ContainsAny(literal, "eE") && math.Abs(f) < 1e-300 {
		return false
	}
	want, ok := new(big.Rat).SetString(literal)
	got, gotOK := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return ok && gotOK && want.Cmp(got) == 0
}
