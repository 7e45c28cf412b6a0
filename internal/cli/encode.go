package cli

import (
	"bytes"
	"encoding/json"
	"strings"
)

// encode is json.Marshal without its escapes for HTML, which would make a quoted
// request look different from what was asked.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func trimSpace(b []byte) []byte { return bytes.Trim(b, " \t\r\n") }

func splitLines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

func encodeIndented(v any) ([]byte, error) {
	text, err := encode(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
