package jsonschema

import (
	"strings"
)

// lowerResources gives every schema its resource, for dynamic scopes. The
// library keeps them to itself, so they come from the document: a subschema
// belongs to the resource whose path is the longest prefix of its own.
func (l *lowering) lowerResources() {
	byPath := map[string]*resource{}
	for _, path := range l.resourcePaths() {
		l.addResource(path, byPath)
	}
	// Adding resources may have lowered more schemas, so this comes after.
	for i := 0; i < len(l.list); i++ {
		l.list[i].own(l.none).resource = l.resourceOf(l.paths[i], byPath)
	}
}

func (l *lowering) resourcePaths() []string {
	byPath := map[string]struct{}{}
	for _, r := range l.doc.resources {
		byPath[r.path] = struct{}{}
	}
	return sortedKeys(byPath)
}

func (l *lowering) addResource(path string, byPath map[string]*resource) {
	res := &resource{anchors: map[string]*schema{}}
	byPath[path] = res
	res.root = l.at(path)
	res.recursive = res.root != nil && res.root.recursiveAnchor
	for _, r := range l.doc.resources {
		if r.path != path {
			continue
		}
		for _, name := range r.dynamic {
			if s := l.at(r.anchors[name]); s != nil {
				res.anchors[name] = s
			}
		}
	}
}

// at lowers the schema at a pointer of the document.
func (l *lowering) at(path string) *schema {
	return l.compiled(l.doc.library.url + "#" + encodeFragment(path))
}

func (l *lowering) compiled(url string) *schema {
	s, err := l.doc.library.compiler.Compile(url)
	if err != nil {
		return nil
	}
	return l.schema(s)
}

// encodeFragment escapes a pointer so that unescaping gives it back.
func encodeFragment(pointer string) string {
	return strings.NewReplacer("%", "%25", "#", "%23").Replace(pointer)
}

func (l *lowering) resourceOf(path string, byPath map[string]*resource) *resource {
	if u, _, ok := strings.Cut(path, "#"); ok && !strings.HasPrefix(path, "/") {
		return l.metaResource(u, byPath)
	}
	for {
		if res := byPath[path]; res != nil {
			return res
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return byPath[""]
		}
		path = path[:i]
	}
}

// metaResource is the resource of an embedded meta-schema; all of them have the
// one dynamic anchor meta, or in 2019-09 are recursive.
func (l *lowering) metaResource(url string, byPath map[string]*resource) *resource {
	if res := byPath[url]; res != nil {
		return res
	}
	res := &resource{anchors: map[string]*schema{}}
	byPath[url] = res
	res.root = l.compiled(url)
	if res.root == nil {
		return res
	}
	res.recursive = res.root.recursiveAnchor
	if meta := l.compiled(url + "#meta"); meta != nil {
		res.anchors["meta"] = meta
	}
	return res
}
