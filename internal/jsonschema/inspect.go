package jsonschema

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// docResource is a part of the document that an $id names, or the whole.
type docResource struct {
	url     string
	path    string
	value   *rawjson.Value
	anchors map[string]string // to paths
	dynamic []string          // names among anchors that are dynamic
}

// inspector walks the schema positions of a document: those that its draft
// knows, and those that a reference makes one.
type inspector struct {
	*document
	visited  map[string]bool
	refs     []docReference
	oddNodes int
	odd      int
}

// docReference is a reference as it stands in the document.
type docReference struct {
	path, keyword, target string
	home                  *docResource
}

// inspect does what the library does not do, or does only for the first fault:
// dialect traps, branches that accept everything, patterns, references.
func (d *document) inspect() {
	d.resources = map[string]*docResource{}
	in := &inspector{document: d, visited: map[string]bool{}}
	in.walk(d.tree, "", nil, false)
	for i := 0; i < len(in.refs); i++ {
		in.resolve(in.refs[i])
	}
	if len(d.places) > maxSubschemas {
		d.problems.add("", "", "the schema has %d subschemas, over the limit of %d; shorten it", len(d.places), maxSubschemas)
	}
	if len(d.resources) > maxResources {
		d.problems.add("", d.dialect.idKeyword(), "the schema has %d embedded resources, over the limit of %d; leave out %s",
			len(d.resources), maxResources, d.dialect.idKeyword())
	}
	if in.odd > maxOddTargets || in.oddNodes > maxOddValues {
		d.problems.add("", "$ref", "too many references lead to places that are no schema positions; use definitions")
	}
	if d.overBounds() {
		return
	}
	for _, pl := range d.places {
		d.checkDialect(pl)
		d.checkBranch(pl)
		d.checkPatterns(pl)
		d.checkSizes(pl)
	}
}

// walk visits a schema position and those below it.
func (in *inspector) walk(v *rawjson.Value, path string, home *docResource, union bool) {
	if in.visited[path] || v.Kind != rawjson.Object && v.Kind != rawjson.Bool {
		return
	}
	in.visited[path] = true
	home = in.enter(v, path, home)
	in.places = append(in.places, place{path: path, value: v, home: home, union: union})
	if v.Kind != rawjson.Object || len(in.places) > maxSubschemas {
		return
	}
	for _, keyword := range [...]string{"$ref", "$recursiveRef", "$dynamicRef"} {
		if target := v.Get(keyword); target != nil && target.Kind == rawjson.String && in.knowsRef(keyword) {
			in.refs = append(in.refs, docReference{path, keyword, target.Text, home})
		}
	}
	for _, f := range v.Fields {
		in.walkField(f, path+"/"+rawjson.EscapeToken(f.Key), home)
	}
}

func (in *inspector) knowsRef(keyword string) bool {
	span := assertions[keyword]
	return span[0] <= in.dialect.year() && in.dialect.year() <= span[1]
}

// position says what a keyword holds: one schema, a list, a map of them, or
// several of these.
type position uint8

const (
	onePosition position = 1 << iota
	listPosition
	mapPosition
)

// positions are the keywords that hold schemas, with the first draft that knows
// them as such.
var positions = map[string]struct {
	since int
	holds position
}{
	"definitions": {4, mapPosition}, "not": {4, onePosition}, "allOf": {4, listPosition}, "anyOf": {4, listPosition},
	"oneOf": {4, listPosition}, "properties": {4, mapPosition}, "additionalProperties": {4, onePosition},
	"patternProperties": {4, mapPosition}, "items": {4, onePosition | listPosition}, "additionalItems": {4, onePosition},
	"dependencies": {4, mapPosition}, "propertyNames": {6, onePosition}, "contains": {6, onePosition},
	"if": {7, onePosition}, "then": {7, onePosition}, "else": {7, onePosition}, "$defs": {2019, mapPosition},
	"dependentSchemas": {2019, mapPosition}, "unevaluatedProperties": {2019, onePosition},
	"unevaluatedItems": {2019, onePosition}, "contentSchema": {2019, onePosition}, "prefixItems": {2020, listPosition},
}

func (in *inspector) walkField(f rawjson.Field, path string, home *docResource) {
	pos, ok := positions[f.Key]
	if !ok || pos.since > in.dialect.year() {
		return
	}
	union := f.Key == "anyOf" || f.Key == "oneOf"
	switch f.Value.Kind {
	case rawjson.Array:
		if pos.holds&listPosition != 0 {
			for i, item := range f.Value.Items {
				in.walk(item, path+"/"+strconv.Itoa(i), home, union)
			}
		}
	case rawjson.Object, rawjson.Bool:
		if pos.holds&mapPosition != 0 {
			for _, m := range f.Value.Fields {
				in.walk(m.Value, path+"/"+rawjson.EscapeToken(m.Key), home, false)
			}
		} else if pos.holds&onePosition != 0 {
			in.walk(f.Value, path, home, false)
		}
	}
}

// enter gives the resource that a position belongs to, and notes its anchors.
func (in *inspector) enter(v *rawjson.Value, path string, home *docResource) *docResource {
	in.checkEmbedded(v, path)
	id, fragment := in.idOf(v)
	if home == nil || id != "" {
		home = in.addResource(v, path, home, id)
	}
	if in.dialect.year() < Draft2019.year() {
		in.anchor(home, fragment, path, in.dialect.idKeyword())
		return home
	}
	in.anchor(home, textField(v, "$anchor"), path, "$anchor")
	if name := textField(v, "$dynamicAnchor"); name != "" && in.dialect == Draft2020 {
		in.anchor(home, name, path, "$dynamicAnchor")
		home.dynamic = append(home.dynamic, name)
	}
	return home
}

// checkEmbedded refuses a change of dialect within the document: half of the
// checks would read it by the wrong one.
func (in *inspector) checkEmbedded(v *rawjson.Value, path string) {
	s := v.Get("$schema")
	if path == "" || s == nil {
		return
	}
	if d, ok := parseSchemaURL(s.Text); !ok || d != in.dialect {
		in.problems.add(path+"/$schema", "$schema", "the document is read as %s; leave out $schema here", in.dialect)
	}
}

func (in *inspector) anchor(r *docResource, name, path, keyword string) {
	if name == "" {
		return
	}
	if plain, err := url.PathUnescape(name); err != nil {
		in.problems.add(path+"/"+keyword, keyword, "the name %q is badly escaped", name)
	} else if keyword == in.dialect.idKeyword() {
		name = plain
	}
	if other, ok := r.anchors[name]; ok && other != path {
		in.problems.add(path+"/"+keyword, keyword, "the name %q is taken by the schema at %q", name, other)
		return
	}
	r.anchors[name] = path
}

// idOf gives the $id in two parts. Before 2019-09, one beside $ref is ignored.
func (in *inspector) idOf(v *rawjson.Value) (id, fragment string) {
	if in.dialect.year() < Draft2019.year() && v.Get("$ref") != nil {
		return "", ""
	}
	id, fragment, _ = strings.Cut(textField(v, in.dialect.idKeyword()), "#")
	return id, fragment
}

func (in *inspector) addResource(v *rawjson.Value, path string, home *docResource, id string) *docResource {
	base := in.baseURL()
	if home != nil {
		base = home.url
	}
	r := &docResource{url: joinURL(base, id), path: path, value: v, anchors: map[string]string{}}
	if path == "" {
		// The document answers to its own URL as well as to its $id.
		in.resources[in.baseURL()] = r
	}
	keyword := in.dialect.idKeyword()
	if _, err := url.Parse(id); err != nil {
		in.problems.add(path+"/"+keyword, keyword, "%s must be a URL reference", keyword)
	}
	if other := in.resources[r.url]; other != nil && other != r {
		in.problems.add(path+"/"+keyword, keyword, "the URL %q is taken by the schema at %q", id, other.path)
		return r
	}
	in.resources[r.url] = r
	return r
}

// baseURL is where the document pretends to live: hierarchical, because opaque
// bases resolve relative references to themselves.
func (d *document) baseURL() string {
	return "https://tool.invalid/" + strings.TrimPrefix(hashOf(d.raw, Options{}), "sha256:") + ".json"
}

func joinURL(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	resolved := b.ResolveReference(r)
	if !r.IsAbs() && b.Opaque != "" {
		resolved.Opaque = b.Opaque
	}
	return resolved.String()
}

// resolve checks that a reference stays in the document and leads somewhere,
// and makes its target a schema position.
func (in *inspector) resolve(ref docReference) {
	target, fragment, _ := strings.Cut(ref.target, "#")
	full := joinURL(ref.home.url, target)
	at := ref.path + "/" + rawjson.EscapeToken(ref.keyword)
	res := in.resources[full]
	if target != "" && opaque(ref.home.url) && !absolute(target) {
		// Such a base has no folder; the library would take the base itself.
		res, full = nil, target
	}
	if res == nil {
		if !builtIn(full) {
			in.problems.add(at, ref.keyword, "%q leads out of the document, and nothing is ever fetched; copy its target in", ref.target)
		}
		return
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		in.problems.add(at, ref.keyword, "%q is no reference: its fragment is badly escaped", ref.target)
		return
	}
	if fragment == "" || fragment[0] == '/' {
		in.resolvePointer(ref, at, res, fragment)
	} else if _, ok := res.anchors[fragment]; !ok {
		in.problems.add(at, ref.keyword, "%q leads nowhere: no schema has the anchor %q", ref.target, fragment)
	}
}

func (in *inspector) resolvePointer(ref docReference, at string, res *docResource, pointer string) {
	v := res.value.At(pointer)
	if v == nil {
		in.problems.add(at, ref.keyword, "%q leads nowhere; a pointer starts at the root of the document", ref.target)
		return
	}
	path := res.path + pointer
	if in.visited[path] {
		return
	}
	in.odd++
	in.oddNodes += countValues(v)
	if in.odd <= maxOddTargets && in.oddNodes <= maxOddValues {
		in.walk(v, path, res, false)
	}
}

func opaque(u string) bool {
	parsed, err := url.Parse(u)
	return err == nil && parsed.Opaque != ""
}

func absolute(u string) bool {
	parsed, err := url.Parse(u)
	return err == nil && parsed.IsAbs()
}

// builtIn says that a URL may be one of the meta-schemas, which are embedded.
func builtIn(u string) bool {
	return strings.HasPrefix(u, "http://json-schema.org/") || strings.HasPrefix(u, "https://json-schema.org/")
}

func countValues(v *rawjson.Value) int {
	n := 1
	for _, item := range v.Items {
		n += countValues(item)
	}
	for _, f := range v.Fields {
		n += countValues(f.Value)
	}
	return n
}
