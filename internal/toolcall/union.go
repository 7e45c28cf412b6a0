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

// kindOf says what a part is. The part is unknown if none of its keys is known, if
// one of them resembles another, or if one that is not known might be a call's.
// ran are the members that say what the provider has run.
func (u union) kindOf(raw []byte) (kind itemKind, ran []rawjson.Member) {
	members, err := rawjson.Members(raw, maxMembers)
	if err != nil {
		return kindUnknown, nil
	}
	if len(members) == 0 {
		kind = kindPlain
	}
	for _, m := range members {
		switch {
		case m.BadKey:
			return kindUnknown, nil
		case slices.Contains(u.call, m.Key):
			kind = kindFunction
		case slices.Contains(u.executed, m.Key):
			kind = max(kind, kindExecuted)
			if !isNull(m.Value) {
				ran = append(ran, m)
			}
		case slices.Contains(u.plain, m.Key):
			kind = max(kind, kindPlain)
		case callLike(m.Key), u.resembles(m.Key), besideCall(m.Key):
			return kindUnknown, nil
		}
	}
	return kind, ran
}

// besideCall says whether a key would make another call of the part, for a reader
// that looks for name and arguments in the part itself.
func besideCall(key string) bool {
	_, ok := resembled(key, innerKeys)
	return ok
}

func (u union) resembles(key string) bool {
	for _, keys := range [][]string{u.plain, u.executed, u.call} {
		if _, ok := resembled(key, keys); ok {
			return true
		}
	}
	return false
}
