package rawjson

import (
	"strconv"
	"strings"
)

// Get is the value of the first member of that key, nil where v is nil, no object, or has
// none.
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	for _, f := range v.Fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// At is the value of a JSON Pointer (RFC 6901), nil where there is none. The empty pointer
// is v itself; any other begins with a slash.
func (v *Value) At(pointer string) *Value {
	for pointer != "" && v != nil {
		var token string
		token, pointer = CutToken(pointer)
		if v.Kind != Array {
			v = v.Get(token)
			continue
		}
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(v.Items) {
			return nil
		}
		v = v.Items[i]
	}
	return v
}

// CutToken cuts the first token off a JSON Pointer, and gives it as the key that it stands
// for. rest begins with a slash again, or is empty.
func CutToken(pointer string) (token, rest string) {
	pointer = strings.TrimPrefix(pointer, "/")
	if i := strings.IndexByte(pointer, '/'); i >= 0 {
		pointer, rest = pointer[:i], pointer[i:]
	}
	return UnescapeToken(pointer), rest
}

// AppendToken appends a key to a JSON Pointer.
func AppendToken(pointer, key string) string { return pointer + "/" + EscapeToken(key) }

// EscapeToken is a key as a JSON Pointer has it. Hardly any needs an escape.
func EscapeToken(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// UnescapeToken is the key that a token of a JSON Pointer stands for: ~01 stands for ~1.
func UnescapeToken(token string) string {
	if strings.IndexByte(token, '~') < 0 {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
