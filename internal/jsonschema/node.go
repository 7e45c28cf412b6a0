package jsonschema

import (
	"unicode/utf8"

	"github.com/callgate/callgate/internal/rawjson"
)

// node is one location of the arguments: a value, or the place of a property
// that is absent.
type node struct {
	parent *node
	key    string // in an object
	index  int    // in an array; -1 in an object or at the root

	kind rawjson.Kind
	raw  []byte
	text string

	members []*node // distinct keys, in document order
	byKey   map[string]*node
	items   []*node

	// duplicate says that the key of this member occurs again.
	duplicate bool
	num       *decimal
	runes     int // length in code points, -1 until counted

	equality string // equalityKey, "" until asked for
	keyNode  *node  // name, nil until asked for

	// findings are what was found wrong here.
	findings []finding
	// missing are the absent properties that were reported, by key.
	missing map[string]*node
	// inPlace are the outcomes of the subschemas in place at this location.
	inPlace []*outcome
}

// indexAbove is the number of members up to which a scan beats a map.
const indexAbove = 8

func newTree(v *rawjson.Value) *node { return buildNode(v, nil, "", -1) }

func buildNode(v *rawjson.Value, parent *node, key string, index int) *node {
	n := &node{parent: parent, key: key, index: index, kind: v.Kind, raw: v.Raw, text: v.Text, runes: -1}
	switch v.Kind {
	case rawjson.Object:
		n.addMembers(v.Fields)
	case rawjson.Array:
		n.items = make([]*node, len(v.Items))
		for i, item := range v.Items {
			n.items[i] = buildNode(item, n, "", i)
		}
	}
	return n
}

func (n *node) addMembers(fields []rawjson.Field) {
	if len(fields) > indexAbove {
		n.byKey = make(map[string]*node, len(fields))
	}
	for _, f := range fields {
		if m := n.member(f.Key); m != nil {
			m.duplicate = true
			continue
		}
		m := buildNode(f.Value, n, f.Key, -1)
		n.members = append(n.members, m)
		if n.byKey != nil {
			n.byKey[f.Key] = m
		}
	}
}

// member finds a member by key; nil where there is none.
func (n *node) member(key string) *node {
	if n.byKey != nil {
		return n.byKey[key]
	}
	for _, m := range n.members {
		if m.key == key {
			return m
		}
	}
	return nil
}

// remove takes the members away for which drop says so.
func (n *node) remove(drop func(*node) bool) {
	kept := n.members[:0]
	for _, m := range n.members {
		if drop(m) {
			delete(n.byKey, m.key)
			continue
		}
		kept = append(kept, m)
	}
	n.members = kept
}

// absent gives the location of a property that is not there.
func (n *node) absent(key string) *node {
	if m := n.missing[key]; m != nil {
		return m
	}
	if n.missing == nil {
		n.missing = map[string]*node{}
	}
	m := &node{parent: n, key: key, index: -1}
	n.missing[key] = m
	return m
}

func (n *node) length() int {
	if n.runes < 0 {
		n.runes = utf8.RuneCountInString(n.text)
	}
	return n.runes
}

func (n *node) number() decimal {
	if n.num == nil {
		d := parseDecimal(string(n.raw))
		n.num = &d
	}
	return *n.num
}

// actual names the kind of the value for people; "absent" where there is none.
func (n *node) actual() string {
	switch n.kind {
	case rawjson.Null:
		return "null"
	case rawjson.Bool:
		return "boolean"
	case rawjson.Number:
		if lexicalInteger(n.raw) {
			return "integer"
		}
		return "number"
	case rawjson.String:
		return "string"
	case rawjson.Array:
		return "array"
	case rawjson.Object:
		return "object"
	}
	return "absent"
}

// lexicalInteger says that a number literal has neither fraction nor exponent.
func lexicalInteger(raw []byte) bool {
	for _, c := range raw {
		if c == '.' || c == 'e' || c == 'E' {
			return false
		}
	}
	return true
}
