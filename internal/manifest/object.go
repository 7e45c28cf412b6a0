package manifest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// The kinds that are read.
const (
	KindToolPolicy = "ToolPolicy"
	KindToolSchema = "ToolSchema"
)

// Key names one object.
type Key struct{ Kind, Namespace, Name string }

// String is "ToolSchema namespace/name", or the kind alone where no name is known.
func (k Key) String() string {
	if k.Name == "" {
		return k.Kind
	}
	return k.Kind + " " + k.Namespace + "/" + k.Name
}

// object is one object that was read, and where.
type object struct {
	file    string
	at      *place
	encoded []byte
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
// exact where the text is a YAML block ("|"), else the text's own position.
func (s *Set) SchemaPosition(name types.NamespacedName, pointer string) Position {
	key := Key{Kind: KindToolSchema, Namespace: name.Namespace, Name: name.Name}
	o, ok := s.objects[key]
	if !ok {
		return Position{}
	}
	const text = "/spec/parametersJSON"
	at := o.at.pointer(text)
	if at != o.at.pointer("/spec") {
		if at.text != nil {
			return o.inText(at.text, pointer)
		}
	} else {
		at = o.at.pointer("/spec/parameters" + pointer)
	}
	return Position{File: o.file, Line: at.line, Column: at.column}
}

// inText finds a JSON Pointer in the text of spec.parametersJSON.
func (o *object) inText(block *textPlace, pointer string) Position {
	var decoded struct {
		Spec struct {
			ParametersJSON string `json:"parametersJSON"`
		} `json:"spec"`
	}
	at := &place{line: 1, column: 1}
	if json.Unmarshal(o.encoded, &decoded) == nil {
		text := []byte(decoded.Spec.ParametersJSON)
		// A text that is no JSON has problems, but none with a pointer.
		at = readJSON(text, 0, len(text), newLines(text), &findings{}).pointer(pointer)
	}
	return Position{File: o.file, Line: block.line + at.line - 1, Column: block.column + at.column - 1}
}

// Stored is the JSON text in which a client would read the object from the API
// server, but for what the server makes up (UID, resourceVersion, times).
func (s *Set) Stored(key Key) []byte {
	if o, ok := s.objects[key]; ok {
		return bytes.Clone(o.encoded)
	}
	return nil
}

func (s *Set) sort() {
	slices.SortFunc(s.Schemas, func(a, b *callgatev1alpha1.ToolSchema) int { return compareMeta(&a.ObjectMeta, &b.ObjectMeta) })
	slices.SortFunc(s.Policies, func(a, b *callgatev1alpha1.ToolPolicy) int { return compareMeta(&a.ObjectMeta, &b.ObjectMeta) })
	s.Notes = sortNotes(s.Notes)
}

func compareMeta(a, b *metav1.ObjectMeta) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// admit puts one object of our group through the rules of its kind.
func (l *loader) admit(d document, kind string, obj map[string]any) {
	r, ok := l.rules[kind]
	if !ok {
		l.problem(d, "/kind", fmt.Sprintf("%q is no kind of %s: it has %s", kind, callgatev1alpha1.GroupVersion, strings.Join(l.kinds(), " and ")))
		return
	}
	key := l.keyOf(kind, obj)
	if text, err := utiljson.Marshal(obj); err != nil || len(text) > MaxObjectBytes {
		l.objectProblem(d, key, fault{"", fmt.Sprintf("larger than %d MiB, which the API server refuses", MaxObjectBytes>>20)})
		return
	}
	encoded, faults := r.admit(l.ctx, obj, l.opts.DefaultNamespace)
	for i, f := range faults {
		if i == maxProblems {
			l.objectProblem(d, key, fault{"", "there are more problems, which are not shown"})
			break
		}
		l.objectProblem(d, key, f)
	}
	if len(faults) > 0 {
		return
	}
	if _, ok := l.set.objects[key]; ok {
		l.objectProblem(d, key, fault{"", "this object was already read at " + l.set.Position(key, "").String()})
		return
	}
	l.set.objects[key] = &object{file: d.file, at: d.at, encoded: encoded}
	if err := l.set.append(kind, encoded); err != nil {
		l.objectProblem(d, key, fault{"", err.Error()})
	}
}

func (l *loader) kinds() []string {
	kinds := make([]string, 0, len(l.rules))
	for kind := range l.rules {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

func (l *loader) keyOf(kind string, obj map[string]any) Key {
	key := Key{Kind: kind, Namespace: l.opts.DefaultNamespace}
	if meta, ok := obj["metadata"].(map[string]any); ok {
		key.Name, _ = meta["name"].(string)
		if ns, _ := meta["namespace"].(string); ns != "" {
			key.Namespace = ns
		}
	}
	return key
}

func (l *loader) objectProblem(d document, key Key, f fault) {
	path := f.path
	if path == "<nil>" {
		path = ""
	}
	ptr, at := d.at.path(path)
	l.add(Diagnostic{Position: Position{d.file, at.line, at.column}, Object: key.String(), Path: ptr, Message: message(f.text)})
}

// append decodes an admitted object into its Go type.
func (s *Set) append(kind string, encoded []byte) error {
	switch kind {
	case KindToolSchema:
		var o callgatev1alpha1.ToolSchema
		if err := json.Unmarshal(encoded, &o); err != nil {
			return err
		}
		o.UID = contentUID(encoded)
		s.Schemas = append(s.Schemas, &o)
	case KindToolPolicy:
		var o callgatev1alpha1.ToolPolicy
		if err := json.Unmarshal(encoded, &o); err != nil {
			return err
		}
		o.UID = contentUID(encoded)
		s.Policies = append(s.Policies, &o)
	}
	return nil
}

// contentUID stands in for the UID that an API server would make up. A compile
// takes over what it knows by UID and generation, and files count no generations:
// an object that says something else must be another object.
func contentUID(encoded []byte) types.UID {
	sum := sha256.Sum256(encoded)
	return types.UID("file-" + hex.EncodeToString(sum[:16]))
}
