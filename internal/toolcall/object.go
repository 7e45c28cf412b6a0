package toolcall

import (
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// maxMembers bounds the members of one envelope object. The widest object that
// a provider is known to send has fewer than 40; the bound keeps a body of empty
// keys from costing forty times its size.
const maxMembers = 1024

// object holds the members of an envelope object whose keys decide something,
// in document order, and those that some reader would take for them.
type object struct {
	found []member
	// badKey: a key holds an unpaired surrogate, which readers replace, drop or
	// keep, so that nobody can say which key it is.
	badKey bool
}

// member is a member under the deciding key that its own key is, or resembles.
type member struct {
	key   string
	exact bool
	value []byte
}

// readObject reads the deciding keys of a checked JSON object and tolerates all
// others. It fails if raw is no object or has more than maxMembers members.
func readObject(raw []byte, keys ...string) (object, error) {
	members, err := rawjson.Members(raw, maxMembers)
	if err != nil {
		return object{}, err
	}
	var o object
	for _, m := range members {
		if m.BadKey {
			o.badKey = true
			continue
		}
		if key, ok := resembled(m.Key, keys); ok {
			o.found = append(o.found, member{key: key, exact: key == m.Key, value: m.Value})
		}
	}
	return o, nil
}

// alias takes members of key other for members of key, because the shape allows
// both spellings. Both at once are ambiguous then.
func (o object) alias(other, key string) {
	for i := range o.found {
		if o.found[i].key == other {
			o.found[i].key = key
		}
	}
}

// spelt says whether a member has exactly one of the keys as its own.
func (o object) spelt(keys ...string) bool {
	return slices.ContainsFunc(o.found, func(m member) bool { return m.exact && slices.Contains(keys, m.key) })
}

// value is what the first member of that key holds, nil if there is none.
func (o object) value(key string) []byte {
	for _, m := range o.found {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// set says whether a member of that key holds anything but null.
func (o object) set(keys ...string) bool {
	for _, m := range o.found {
		if slices.Contains(keys, m.key) && !isNull(m.value) {
			return true
		}
	}
	return false
}

// has says whether there is a member of one of the keys, null or not.
func (o object) has(keys ...string) bool {
	return slices.ContainsFunc(o.found, func(m member) bool { return slices.Contains(keys, m.key) })
}

// ambiguous says whether two readers could take different members for one of
// the keys; without keys, for any deciding key.
func (o object) ambiguous(keys ...string) bool {
	if o.badKey {
		return true
	}
	for i, m := range o.found {
		if len(keys) > 0 && !slices.Contains(keys, m.key) {
			continue
		}
		again := slices.ContainsFunc(o.found[:i], func(other member) bool { return other.key == m.key })
		if !m.exact || again {
			return true
		}
	}
	return false
}

func isNull(raw []byte) bool { return rawjson.KindOf(raw) == rawjson.Null }

// resembled finds the key among keys that name is, or that a lenient reader
// takes it for.
func resembled(name string, keys []string) (string, bool) {
	if name == "" {
		return "", false
	}
	if slices.Contains(keys, name) {
		return name, true
	}
	for _, key := range keys {
		if resembles(name, key) {
			return key, true
		}
	}
	return "", false
}

// resembles compares as the most lenient readers do, all at once: without case
// (including the letters beyond ASCII that fold to one within: Go folds ſ and
// the Kelvin sign, Java the dotless and the dotted i), without underscores and
// dashes (protobuf's camelCase, Go's second JSON package), and up to a NUL (C).
func resembles(name, key string) bool {
	at := 0
	for _, r := range name {
		if r == 0 {
			break
		}
		if r == '_' || r == '-' {
			continue
		}
		at = skipJoiners(key, at)
		if at == len(key) || foldRune(r) != foldRune(rune(key[at])) {
			return false
		}
		at++
	}
	return skipJoiners(key, at) == len(key)
}

// skipJoiners works by bytes, because the keys that decide are ASCII.
func skipJoiners(key string, at int) int {
	for at < len(key) && (key[at] == '_' || key[at] == '-') {
		at++
	}
	return at
}

func foldRune(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r == '\u017f':
		return 's'
	case r == '\u212a':
		return 'k'
	case r == '\u0130', r == '\u0131':
		return 'i'
	}
	return r
}
