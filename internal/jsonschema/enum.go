package jsonschema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// enum is a set of allowed values, by equality key.
type enum struct {
	keys map[string]struct{}
	// shown lists the values for messages, cut.
	shown string
}

// maxShown bounds the text of Violation.Expected, in bytes.
const maxShown = 256

func newEnum(values []any) *enum {
	e := &enum{keys: make(map[string]struct{}, len(values))}
	var b strings.Builder
	for i, v := range values {
		e.keys[string(appendEqualityOf(nil, v))] = struct{}{}
		if b.Len() < maxShown {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(compact(v))
		}
	}
	e.shown = strings.Clone(cutBytes(b.String(), maxShown))
	return e
}

// compact gives the JSON text of a value.
func compact(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (e *enum) has(n *node) bool {
	_, ok := e.keys[n.equalityKey()]
	return ok
}

// equalityKey is equal for two values exactly where JSON Schema calls them
// equal: numbers by value, objects whatever the order of their keys.
func (n *node) equalityKey() string {
	if n.equality == "" {
		n.equality = string(n.appendEquality(nil))
	}
	return n.equality
}

func (n *node) appendEquality(b []byte) []byte {
	switch n.kind {
	case rawjson.Null:
		return append(b, 'n')
	case rawjson.Bool:
		return append(b, n.raw[0])
	case rawjson.String:
		return appendTextKey(b, n.text)
	case rawjson.Number:
		return appendNumberKey(b, n.number())
	case rawjson.Array:
		b = append(b, '[')
		for _, item := range n.items {
			b = item.appendEquality(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for _, m := range n.sortedMembers() {
		b = m.appendEquality(appendTextKey(b, m.key))
	}
	return append(b, '}')
}

func (n *node) sortedMembers() []*node {
	sorted := slices.Clone(n.members)
	slices.SortFunc(sorted, func(a, b *node) int { return strings.Compare(a.key, b.key) })
	return sorted
}

// appendEqualityOf is appendEquality for a value of the schema document.
func appendEqualityOf(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case bool:
		return append(b, strconv.FormatBool(v)[0])
	case string:
		return appendTextKey(b, v)
	case json.Number:
		return appendNumberKey(b, parseDecimal(v.String()))
	case []any:
		b = append(b, '[')
		for _, item := range v {
			b = appendEqualityOf(b, item)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for _, key := range sortedKeys(v) {
			b = appendEqualityOf(appendTextKey(b, key), v[key])
		}
		return append(b, '}')
	}
	return b
}

func appendTextKey(b []byte, s string) []byte {
	b = append(b, 's')
	b = strconv.AppendInt(b, int64(len(s)), 10)
	b = append(b, ':')
	return append(b, s...)
}

func appendNumberKey(b []byte, d decimal) []byte {
	b = append(b, 'd')
	if d.neg {
		b = append(b, '-')
	}
	b = append(b, d.digits...)
	b = append(b, '^')
	b = strconv.AppendInt(b, d.exp, 10)
	return append(b, ';')
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
