package expr

import (
	"strconv"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/callgate/callgate/internal/rawjson"
)

// ArgsType is what is known of the arguments of a tool, or of several: which
// names exist, and which types values have that passed the schema. It is
// immutable.
type ArgsType struct {
	root *shape
	env  func() (*cel.Env, error)
}

// Closed says which objects take no other properties than those declared, by the
// settings of the tool (spec.arguments.undeclared). An object whose schema says
// additionalProperties: false takes none in any case.
type Closed uint8

const (
	// FollowSchema closes nothing more.
	FollowSchema Closed = iota
	// ClosedRoot closes the root.
	ClosedRoot
	// ClosedNested closes every object whose schema lists properties.
	ClosedNested
)

// shape is what is known of one value. The zero value knows nothing.
type shape struct {
	// scalar is string, bool or int; nil otherwise.
	scalar *types.Type
	// fields are those of a closed object, nil otherwise.
	fields map[string]*shape
	// element is that of a list, nil otherwise.
	element *shape
	// optional says that it is known of the value of an optional.
	optional bool
}

// maybe is what is known of an optional of the value.
func (s *shape) maybe() *shape {
	out := *s
	out.optional = true
	return &out
}

var anything = &shape{}

// The bounds on what is looked at of a schema; beyond them nothing is known. Real
// tools have some 10 properties, and nest 3 deep.
const (
	maxShapes     = 2_000
	maxShapeDepth = 8
	maxSchemaText = 192 << 10
)

// ArgsTypeOf reads what a JSON Schema document declares. It knows less rather than
// anything wrong: what is not closed and plain is dyn. nil: nothing is known.
func ArgsTypeOf(schema []byte, closed Closed) *ArgsType {
	if len(schema) > maxSchemaText {
		return nil
	}
	doc, err := rawjson.Parse(schema, rawjson.Limits{MaxDepth: 64, MaxValues: maxTreeValues})
	if err != nil {
		return nil
	}
	r := &schemaReader{closed: closed}
	root := r.object(doc, closed >= ClosedRoot)
	if root.fields == nil || r.count > maxShapes {
		return nil
	}
	return newArgsType(root)
}

// CommonArgs is what holds for the arguments of every one of several tools. nil,
// where nothing is known of one of them.
func CommonArgs(tools ...*ArgsType) *ArgsType {
	if len(tools) == 0 {
		return nil
	}
	var root *shape
	for _, t := range tools {
		switch {
		case t == nil:
			return nil
		case root == nil:
			root = t.root
		default:
			root = commonShape(root, t.root)
		}
	}
	if len(tools) == 1 {
		return tools[0]
	}
	if root.fields == nil {
		return nil
	}
	return newArgsType(root)
}

// commonShape is what holds for a value of either shape. Of closed objects the names
// add up: an expression that asks has() first may name what only one tool has.
func commonShape(a, b *shape) *shape {
	switch {
	case a == b:
		return a
	case a.scalar != nil && a.scalar == b.scalar:
		return a
	case a.element != nil && b.element != nil:
		return &shape{element: commonShape(a.element, b.element)}
	case a.fields == nil || b.fields == nil:
		return anything
	}
	out := &shape{fields: make(map[string]*shape, len(a.fields)+len(b.fields))}
	for name, s := range a.fields {
		out.fields[name] = s
	}
	for name, s := range b.fields {
		if other, ok := out.fields[name]; ok {
			s = commonShape(other, s)
		}
		out.fields[name] = s
	}
	return out
}

// schemaReader reads shapes out of a schema.
type schemaReader struct {
	closed Closed
	count  int
	depth  int
}

// keywords are the members of a schema that is an object without duplicate keys.
func keywords(v *rawjson.Value) map[string]*rawjson.Value {
	if v.Kind != rawjson.Object {
		return nil
	}
	out := make(map[string]*rawjson.Value, len(v.Fields))
	for _, f := range v.Fields {
		if _, twice := out[f.Key]; twice {
			return nil
		}
		out[f.Key] = f.Value
	}
	return out
}

// references change what the keywords beside them mean, or who is asked.
var references = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// applicators may declare properties in place, which open what is closed by a
// setting. additionalProperties: false looks at the properties beside it alone.
var applicators = []string{
	"allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies", "unevaluatedProperties",
}

func has(k map[string]*rawjson.Value, names []string) bool {
	for _, name := range names {
		if _, ok := k[name]; ok {
			return true
		}
	}
	return false
}

// scalars are the JSON Schema types whose values all have one CEL type.
var scalars = map[string]*types.Type{"string": types.StringType, "boolean": types.BoolType, "integer": types.IntType}

func (r *schemaReader) shape(v *rawjson.Value) *shape {
	r.count++
	k := keywords(v)
	if r.count > maxShapes || r.depth >= maxShapeDepth || k == nil || has(k, references) {
		return anything
	}
	t := k["type"]
	if t == nil {
		return anything
	}
	r.depth++
	defer func() { r.depth-- }()
	// A list of types has no text. A "number" is an int or a double, whichever the
	// value is.
	if scalar := scalars[t.Text]; scalar != nil {
		return &shape{scalar: scalar}
	}
	switch t.Text {
	case "array":
		return &shape{element: r.elements(k)}
	case "object":
		// A setting closes nested objects only where they list properties.
		return r.object(v, r.closed == ClosedNested && k["properties"] != nil)
	}
	return anything
}

func (r *schemaReader) elements(k map[string]*rawjson.Value) *shape {
	items := k["items"]
	if items == nil || has(k, []string{"prefixItems", "additionalItems"}) {
		return anything
	}
	return r.shape(items)
}

func (r *schemaReader) object(v *rawjson.Value, closed bool) *shape {
	k := keywords(v)
	if k == nil || has(k, references) || !takesOnlyDeclared(k, closed) {
		return anything
	}
	out := &shape{fields: map[string]*shape{}}
	properties := k["properties"]
	if properties == nil {
		return out
	}
	if keywords(properties) == nil {
		return anything
	}
	for _, f := range properties.Fields {
		out.fields[f.Key] = r.shape(f.Value)
	}
	return out
}

// takesOnlyDeclared says that the properties that the schema lists are all that an
// object may have.
func takesOnlyDeclared(k map[string]*rawjson.Value, closed bool) bool {
	if has(k, []string{"patternProperties"}) {
		return false
	}
	if additional := k["additionalProperties"]; additional != nil {
		return string(additional.Raw) == "false"
	}
	return closed && !has(k, applicators)
}

// newArgsType prepares the environment that knows the shape, when it is first
// asked for.
func newArgsType(root *shape) *ArgsType {
	return &ArgsType{root: root, env: sync.OnceValues(func() (*cel.Env, error) {
		envs, err := newEnvironments()
		if err != nil {
			return nil, err
		}
		objects := map[string]map[string]*types.Type{}
		t := declare(root, objects)
		return envs.withoutArgs.Extend(
			cel.CustomTypeProvider(&provider{Provider: envs.withoutArgs.CELTypeProvider(), objects: objects}),
			cel.Variable("args", t),
		)
	})}
}

// declare gives a shape's type, and declares the objects in it.
func declare(s *shape, objects map[string]map[string]*types.Type) *types.Type {
	switch {
	case s.scalar != nil:
		return s.scalar
	case s.element != nil:
		return types.NewListType(declare(s.element, objects))
	case s.fields == nil:
		return types.DynType
	}
	name := "callgate.dev/Args" + strconv.Itoa(len(objects))
	fields := make(map[string]*types.Type, len(s.fields))
	objects[name] = fields
	for field, of := range s.fields {
		fields[field] = declare(of, objects)
	}
	return types.NewObjectType(name)
}
