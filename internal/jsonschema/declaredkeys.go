package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// The bounds on DeclaredKeys: more names than these are no help to anybody, and more
// subschemas at one location than these only a hostile schema has.
const (
	maxDeclaredKeys = 512
	maxKeySchemas   = 512
)

// DeclaredKeys gives the names that the schema declares at a location of the arguments,
// whichever branches of unions and conditions apply: sorted, at most 512. pointer is a
// JSON Pointer into arguments ("" is the root; list indices are numbers). It serves
// suggestions, and decides nothing.
func (c *Compiled) DeclaredKeys(pointer string) []string {
	at := mayApply([]*schema{c.root})
	for _, token := range splitPointer(pointer) {
		var next []*schema
		for _, s := range at {
			next = append(next, s.childrenAt(token)...)
		}
		at = mayApply(next)
	}
	var keys []string
	for _, s := range at {
		if s.obj == nil {
			continue
		}
		for _, key := range s.obj.order {
			if len(keys) < maxDeclaredKeys && !s.obj.properties[key].closed() {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func splitPointer(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = rawjson.UnescapeToken(token)
	}
	return tokens
}

// mayApply adds the subschemas that may be in place with those given.
func mayApply(list []*schema) []*schema {
	seen := map[*schema]bool{}
	var all []*schema
	for len(list) > 0 && len(all) < maxKeySchemas {
		s := list[0]
		list = list[1:]
		if s == nil || seen[s] {
			continue
		}
		seen[s] = true
		all = append(all, s)
		for _, next := range s.here() {
			if next != s.not {
				list = append(list, next)
			}
		}
	}
	return all
}

// childrenAt are the subschemas that the schema applies to a member or an item.
func (s *schema) childrenAt(token string) []*schema {
	var list []*schema
	if s.obj != nil {
		if sub := s.obj.properties[token]; sub != nil {
			list = append(list, sub)
		} else if s.obj.additional != nil {
			list = append(list, s.obj.additional)
		}
	}
	if s.arr != nil {
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(s.arr.prefix) {
			list = append(list, s.arr.prefix[i])
		} else if err == nil && s.arr.rest != nil {
			list = append(list, s.arr.rest)
		}
	}
	return list
}
