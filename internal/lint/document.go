package lint

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/rawjson"
)

// The bounds on documents that are looked at. They are the compiler's own, so that
// whatever compiles is looked at.
const (
	maxDocumentDepth  = jsonschema.MaxSchemaDepth
	maxDocumentValues = 20_000
)

// document is a schema document with all its schema positions.
type document struct {
	root  *rawjson.Value
	draft draft
	nodes []node
	// children are the positions right below each.
	children [][]int
	// at finds the node of a value.
	at      map[*rawjson.Value]int
	anchors map[string]*rawjson.Value
	// embedded says that an $id within the document moves the base of references. They are
	// then not followed: too little is known rather than something wrong.
	embedded bool
	// joined are the locations that references make one, as a union-find forest.
	joined []int
}

// node is one schema position.
type node struct {
	path  string
	value *rawjson.Value
	// parent is the position around it, -1 for the root; keyword is where it hangs there,
	// name the property or pattern that it belongs to.
	parent        int
	keyword, name string
	// location is the first position that applies to the same value as this one does.
	location int
	// negated says that it stands below not, and so asserts the contrary.
	negated bool
	// reached says that something leads here from the root: a definition that nobody
	// refers to says nothing about arguments.
	reached bool
}

// parseDocument reads a document that compiled. nil where it cannot be read.
func parseDocument(text []byte, dialect jsonschema.Dialect) *document {
	root, err := rawjson.Parse(text, rawjson.Limits{MaxDepth: maxDocumentDepth, MaxValues: maxDocumentValues})
	if err != nil {
		return nil
	}
	d := &document{root: root, draft: draftOf(dialect), at: map[*rawjson.Value]int{}, anchors: map[string]*rawjson.Value{}}
	d.walk(root, node{parent: -1})
	if len(d.nodes) == 0 {
		return nil // neither an object nor true or false
	}
	d.reach()
	return d
}

// walk adds a position and those below it.
func (d *document) walk(v *rawjson.Value, n node) {
	if v.Kind != rawjson.Object && v.Kind != rawjson.Bool {
		return
	}
	if _, known := d.at[v]; known {
		return
	}
	id := len(d.nodes)
	n.value, n.location = v, id
	if n.parent >= 0 && inPlace[n.keyword] {
		n.location = d.nodes[n.parent].location
		n.negated = n.negated || n.keyword == "not"
	}
	d.at[v] = id
	d.nodes = append(d.nodes, n)
	d.joined, d.children = append(d.joined, id), append(d.children, nil)
	if n.parent >= 0 {
		d.children[n.parent] = append(d.children[n.parent], id)
	}
	d.name(v, id)
	for _, f := range v.Fields {
		d.walkField(f, id)
	}
}

func (d *document) name(v *rawjson.Value, id int) {
	for _, key := range [...]string{"$anchor", "$dynamicAnchor"} {
		if name := text(v, key); name != "" {
			d.anchors[name] = v
		}
	}
	for _, key := range [...]string{"$id", "id"} {
		if name := text(v, key); strings.HasPrefix(name, "#") {
			d.anchors[name[1:]] = v
		} else if name != "" && id > 0 {
			d.embedded = true
		}
	}
}

func (d *document) walkField(f rawjson.Field, parent int) {
	shape, ok := d.draft.holds(f.Key)
	if !ok {
		return
	}
	above := d.nodes[parent]
	n := node{path: above.path + "/" + rawjson.EscapeToken(f.Key), parent: parent, keyword: f.Key, negated: above.negated}
	switch {
	case f.Value.Kind == rawjson.Array && shape&inList != 0:
		base := n.path
		for i, item := range f.Value.Items {
			n.path = base + "/" + strconv.Itoa(i)
			d.walk(item, n)
		}
	case f.Value.Kind == rawjson.Object && shape&inMap != 0:
		base := n.path
		for _, m := range f.Value.Fields {
			n.path, n.name = base+"/"+rawjson.EscapeToken(m.Key), m.Key
			d.walk(m.Value, n)
		}
	case shape&alone != 0:
		d.walk(f.Value, n)
	}
}

// reach follows what applies to arguments, references among it, and joins the locations
// that references make one.
func (d *document) reach() {
	for todo := []int{0}; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if d.nodes[id].reached {
			continue
		}
		d.nodes[id].reached = true
		for _, keyword := range references {
			if target := d.target(d.nodes[id].value, keyword); target >= 0 {
				d.join(d.nodes[id].location, d.nodes[target].location)
				todo = append(todo, target)
			}
		}
		if d.shadowed(id) {
			continue
		}
		for _, child := range d.children[id] {
			if k := d.nodes[child].keyword; k != "definitions" && k != "$defs" {
				todo = append(todo, child)
			}
		}
	}
}

var references = [...]string{"$ref", "$recursiveRef", "$dynamicRef"}

// shadowed says that a $ref hides what stands beside it.
func (d *document) shadowed(id int) bool {
	return d.draft < draft2019 && text(d.nodes[id].value, "$ref") != ""
}

// target finds the position that a reference leads to, -1 where there is none. A place
// that was no schema position becomes one.
func (d *document) target(v *rawjson.Value, keyword string) int {
	ref := text(v, keyword)
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok || d.embedded || !d.draft.knows(keyword) {
		return -1
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return -1
	}
	to := d.anchors[fragment]
	if fragment == "" || fragment[0] == '/' {
		to = d.root.At(fragment)
	}
	if to == nil {
		return -1
	}
	if _, known := d.at[to]; !known {
		d.walk(to, node{parent: -1, path: fragment})
	}
	if id, known := d.at[to]; known {
		return id
	}
	return -1
}

// join makes two locations one.
func (d *document) join(a, b int) { d.joined[d.locationOf(b)] = d.locationOf(a) }

func (d *document) locationOf(location int) int {
	for d.joined[location] != location {
		d.joined[location] = d.joined[d.joined[location]]
		location = d.joined[location]
	}
	return location
}

// location is the location of a node, after joining.
func (d *document) location(id int) int { return d.locationOf(d.nodes[id].location) }

// text gives a string member, "" where there is none.
func text(v *rawjson.Value, key string) string {
	if m := v.Get(key); m != nil && m.Kind == rawjson.String {
		return m.Text
	}
	return ""
}

func isTrue(v *rawjson.Value) bool  { return v != nil && v.Kind == rawjson.Bool && v.Raw[0] == 't' }
func isFalse(v *rawjson.Value) bool { return v != nil && v.Kind == rawjson.Bool && v.Raw[0] == 'f' }

// lastToken cuts a pointer before its last token.
func lastToken(pointer string) (parent, token string) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", ""
	}
	return pointer[:i], rawjson.UnescapeToken(pointer[i+1:])
}
