package toolcall

import (
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// union says what the keys of a part are that has one key for what it is, as
// Gemini's and Bedrock's have.
type union struct {
	// plain keys hold no call, executed ones what the provider has run, and call ones
	// a call, each in every spelling that the shape allows.
	plain, executed, call []string
}

// kindOf says what a part is. The part is unknown if none of its keys is, if one
// of them resembles another, or if one that is not known might be a call's.
func (u union) kindOf(raw []byte) itemKind {
	members, err := rawjson.Members(raw, maxMembers)
	if err != nil {
		return kindUnknown
	}
	kind := kindUnknown
	if len(members) == 0 {
		kind = kindPlain
	}
	for _, m := range members {
		switch {
		case m.BadKey:
			return kindUnknown
		case slices.Contains(u.call, m.Key):
			kind = kindFunction
		case slices.Contains(u.executed, m.Key):
			kind = max(kind, kindExecuted)
		case slices.Contains(u.plain, m.Key):
			kind = max(kind, kindPlain)
		case callLike(m.Key), u.resembles(m.Key):
			return kindUnknown
		}
	}
	return kind
}

func (u union) resembles(key string) bool {
	for _, keys := range [][]string{u.plain, u.executed, u.call} {
		if _, ok := resembled(key, keys); ok {
			return true
		}
	}
	return false
}

// ranKeys gives the keys of a part that say what the provider ran.
func (u union) ranKeys(raw []byte) []string {
	members, _ := rawjson.Members(raw, maxMembers)
	var keys []string
	for _, m := range members {
		if slices.Contains(u.executed, m.Key) && !isNull(m.Value) {
			keys = append(keys, m.Key)
		}
	}
	return keys
}
