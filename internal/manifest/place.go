package manifest

import (
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// place is where a value stands in a file, and where what it holds stands. The
// place of a member is that of its key: that is the line people look for.
//
// YAML aliases make two places share what they hold, so a place is never changed
// once it is built.
type place struct {
	line, column int
	fields       []fieldPlace
	items        []*place
	// text is where the text of a string stands whose lines are as in the file: of a YAML
	// block, and of one line without escapes where somebody may ask for it.
	text *textPlace
}

// keepsText says that a member of the name may hold a text with positions of its own: a
// schema, an expression.
func keepsText(key string) bool {
	switch key {
	case "parametersJSON", "expression", "messageExpression", "key", "url":
		return true
	}
	return false
}

type textPlace struct{ line, column int }

type fieldPlace struct {
	key string
	at  *place
}

// moved is the same value as seen from another position, such as its key.
func (p *place) moved(line, column int) *place {
	return &place{line: line, column: column, fields: p.fields, items: p.items, text: p.text}
}

func (p *place) field(key string) *place {
	for i := range p.fields {
		if p.fields[i].key == key {
			return p.fields[i].at
		}
	}
	return nil
}

func (p *place) item(i int) *place {
	if i < 0 || i >= len(p.items) {
		return nil
	}
	return p.items[i]
}

// pointer finds the place of a JSON Pointer, or of the nearest value around it:
// what is missing is reported where it should be.
func (p *place) pointer(ptr string) *place {
	at := p
	for ptr != "" {
		var token string
		token, ptr = rawjson.CutToken(ptr)
		next := at.field(token)
		if next == nil {
			if i, err := strconv.Atoi(token); err == nil {
				next = at.item(i)
			}
		}
		if next == nil {
			return at
		}
		at = next
	}
	return at
}

// path turns a field path of the API server's ("spec.rules[0].name") into a JSON
// Pointer and its place. The API server does not escape keys, so that a label key
// reads like several fields: the longest key that is really there wins.
func (p *place) path(path string) (ptr string, at *place) {
	at = p
	path = strings.TrimPrefix(path, ".")
	for path != "" {
		token, rest, next := at.step(path)
		if next == nil {
			return absent(ptr, path), at
		}
		ptr = rawjson.AppendToken(ptr, token)
		at, path = next, strings.TrimPrefix(rest, ".")
	}
	return ptr, at
}

// step takes the first part of an API server path: an index, or the longest key.
func (p *place) step(path string) (token, rest string, next *place) {
	if inner, ok := strings.CutPrefix(path, "["); ok {
		index, after, _ := strings.Cut(inner, "]")
		if i, err := strconv.Atoi(index); err == nil && p.item(i) != nil {
			return index, after, p.item(i)
		}
	}
	for _, f := range p.fields {
		if after, ok := cutKey(path, f.key); ok && (next == nil || len(f.key) > len(token)) {
			token, rest, next = f.key, after, f.at
		}
	}
	return token, rest, next
}

// cutKey cuts a key off a path, in either of the forms that the API server writes.
func cutKey(path, key string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, key)
	if !ok || key == "" {
		rest, ok = strings.CutPrefix(path, "["+key+"]")
	}
	return rest, ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// absent appends the parts of a path that nothing in the file stands for.
func absent(ptr, path string) string {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		ptr = rawjson.AppendToken(ptr, part)
	}
	return ptr
}
