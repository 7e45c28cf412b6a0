package manifest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// Key names one object.
type Key struct{ Kind, Namespace, Name string }

// String is "ToolSchema namespace/name", "Namespace name", or the kind alone where no
// name is known.
func (k Key) String() string {
	switch {
	case k.Name == "":
		return k.Kind
	case k.Namespace == "":
		return k.Kind + " " + k.Name
	}
	return k.Kind + " " + k.Namespace + "/" + k.Name
}

// entry is one object that was read, and where.
type entry struct {
	file    string
	at      *place
	encoded []byte
	// inner gives the places in the text of spec.parametersJSON, which are asked for only
	// where there is something to say of it.
	inner func() *place
}

// Position finds a JSON Pointer of an object in its file, or the nearest value
// around it. An object that was not read has no position.
func (s *Set) Position(key Key, pointer string) Position {
	o, ok := s.objects[key]
	if !ok {
		return Position{}
	}
	at := o.at.pointer(pointer)
	return Position{File: o.file, Line: at.line, Column: at.column}
}

// SchemaPosition finds a JSON Pointer of a ToolSchema's document, which stands in
// spec.parameters or is the text of spec.parametersJSON. Inside of a text it is
// exact where the text is a YAML block ("|") or one line without escapes, else the
// text's own position.
func (s *Set) SchemaPosition(name types.NamespacedName, pointer string) Position {
	key := Key{Kind: KindToolSchema, Namespace: name.Namespace, Name: name.Name}
	o, ok := s.objects[key]
	if !ok {
		return Position{}
	}
	const text = "/spec/parametersJSON"
	at := o.at.pointer(text)
	if at == o.at.pointer("/spec") {
		at = o.at.pointer("/spec/parameters" + pointer)
	} else if at.text != nil {
		inner := o.inner().pointer(pointer)
		return at.text.within(o.file, inner.line, inner.column)
	}
	return Position{File: o.file, Line: at.line, Column: at.column}
}

// TextPosition finds a line and column, from 1, of the text that a field of an object
// holds, such as an expression: exact where the text is a YAML block ("|") or one line
// without escapes, else the field's own position.
func (s *Set) TextPosition(key Key, pointer string, line, column int) Position {
	o, ok := s.objects[key]
	if !ok {
		return Position{}
	}
	if at := o.at.pointer(pointer); at.text != nil {
		return at.text.within(o.file, line, column)
	}
	return s.Position(key, pointer)
}

func (t *textPlace) within(file string, line, column int) Position {
	return Position{File: file, Line: t.line + line - 1, Column: t.column + column - 1}
}

// textPlaces finds the places in the text of spec.parametersJSON. A text that is no JSON
// has problems, but none with a pointer.
func (o *entry) textPlaces() *place {
	var decoded struct {
		Spec struct {
			ParametersJSON string `json:"parametersJSON"`
		} `json:"spec"`
	}
	if json.Unmarshal(o.encoded, &decoded) != nil {
		return &place{line: 1, column: 1}
	}
	text := []byte(decoded.Spec.ParametersJSON)
	return readJSON(text, 0, len(text), newLines(text), &findings{})
}

// Stored is the JSON text in which a client would read the object from the API
// server, but for what the server makes up (UID, resourceVersion, times).
func (s *Set) Stored(key Key) []byte {
	if o, ok := s.objects[key]; ok {
		return bytes.Clone(o.encoded)
	}
	return nil
}

// object is a pointer to an API type.
type object[T any] interface {
	*T
	metav1.Object
}

func byName[T any, P object[T]](list []P) {
	slices.SortFunc(list, func(a, b P) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
}

// admit puts one object of our group through the rules of its kind.
func (l *loader) admit(d document, kind string, obj map[string]any) {
	r, ok := l.rules[kind]
	if !ok {
		l.refuse(RuleUnknownKind, d, "/kind", fmt.Sprintf("%q is no kind of %s: it has %s", kind, callgatev1alpha1.GroupVersion, l.kinds()))
		return
	}
	l.store(d, kind, obj, r.admit)
}

// store keeps one object if admit, which uses it up, has nothing against it. That is
// asked when many objects are together.
func (l *loader) store(d document, kind string, obj map[string]any, admit func(context.Context, map[string]any, string) ([]byte, []fault)) {
	c := &candidate{document: d, key: l.keyOf(kind, obj), content: obj, judge: admit}
	l.warn(d, c.key)
	l.pending = append(l.pending, c)
}

// kinds lists our own kinds for people.
func (l *loader) kinds() string {
	kinds := slices.Sorted(maps.Keys(l.rules))
	last := len(kinds) - 1
	return strings.Join(kinds[:last], ", ") + " and " + kinds[last]
}

func (l *loader) keyOf(kind string, obj map[string]any) Key {
	key := Key{Kind: kind}
	meta, _ := obj["metadata"].(map[string]any)
	key.Name, _ = meta["name"].(string)
	if clusterScoped(kind) {
		return key
	}
	if key.Namespace, _ = meta["namespace"].(string); key.Namespace == "" {
		key.Namespace = l.opts.DefaultNamespace
	}
	return key
}

func (l *loader) objectProblem(d document, key Key, f fault) {
	path := f.path
	if path == "<nil>" {
		path = ""
	}
	ptr, at := d.at.path(path)
	l.add(Diagnostic{Position: Position{d.file, at.line, at.column}, Rule: f.rule, Object: key.String(), Path: ptr, Message: message(f.text)})
}

// contentUID stands in for the UID that an API server would make up. A compile
// takes over what it knows by UID and generation, and files count no generations:
// an object that says something else must be another object.
func contentUID(encoded []byte) types.UID {
	sum := sha256.Sum256(encoded)
	return types.UID("file-" + hex.EncodeToString(sum[:16]))
}
