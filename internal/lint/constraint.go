package lint

import (
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// constraints asks of schemas whether they let every value pass.
type constraints struct {
	*document
	// formats says that format is checked.
	formats bool
	// known are the answers for positions; one that is being asked about counts as a
	// constraint, because a circle alone asserts nothing that could be told.
	known map[int]bool
}

func (d *document) constraints(formats bool) *constraints {
	return &constraints{document: d, formats: formats, known: map[int]bool{}}
}

// any reports whether the schema at a position refuses any value.
func (c *constraints) any(id int) bool {
	if answer, ok := c.known[id]; ok {
		return answer
	}
	c.known[id] = true
	answer := c.ask(id)
	c.known[id] = answer
	return answer
}

func (c *constraints) ask(id int) bool {
	v := c.nodes[id].value
	if v.Kind == rawjson.Bool {
		return isFalse(v)
	}
	shadowed := c.shadowed(id)
	for _, f := range v.Fields {
		if shadowed && f.Key != "$ref" {
			continue
		}
		if k := vocabulary[f.Key]; k.asserts && c.draft.knows(f.Key) && c.field(id, f) {
			return true
		}
	}
	return false
}

// field reports whether one keyword refuses any value.
func (c *constraints) field(id int, f rawjson.Field) bool {
	switch f.Key {
	case "$ref", "$recursiveRef", "$dynamicRef":
		target := c.target(c.nodes[id].value, f.Key)
		return target < 0 || c.any(target)
	case "anyOf":
		return c.all(c.below(id, f.Key))
	case "then", "else":
		return len(c.below(id, "if")) > 0 && slices.ContainsFunc(c.below(id, f.Key), c.any)
	case "if", "minContains", "maxContains":
		return false // by themselves; what they go with is asked about
	case "format":
		return c.formats
	case "type":
		return !allKinds(f.Value.Items)
	}
	return c.holds(id, f)
}

// holds reports whether a keyword refuses any value by what it holds.
func (c *constraints) holds(id int, f rawjson.Field) bool {
	if asBelow[f.Key] {
		return slices.ContainsFunc(c.below(id, f.Key), c.any)
	}
	return !emptiable[f.Key] || !trivial(f.Value)
}

func (c *constraints) all(ids []int) bool {
	return !slices.ContainsFunc(ids, func(id int) bool { return !c.any(id) })
}

// asBelow are the keywords that refuse something if what they hold does, and emptiable
// those whose least value refuses nothing.
var (
	asBelow = map[string]bool{
		"allOf": true, "items": true, "prefixItems": true, "additionalItems": true, "unevaluatedItems": true,
		"additionalProperties": true, "unevaluatedProperties": true, "propertyNames": true,
	}
	emptiable = map[string]bool{
		"required": true, "uniqueItems": true, "minLength": true, "minItems": true, "minProperties": true, "properties": true,
		"patternProperties": true, "dependencies": true, "dependentRequired": true, "dependentSchemas": true,
	}
)

// trivial values assert nothing under keywords that count, list or switch.
func trivial(v *rawjson.Value) bool {
	switch v.Kind {
	case rawjson.Number:
		return string(v.Raw) == "0"
	case rawjson.Bool:
		return isFalse(v)
	}
	return len(v.Items) == 0 && len(v.Fields) == 0
}

// allKinds says that a list of types names all that JSON has.
func allKinds(items []*rawjson.Value) bool {
	has := map[string]bool{}
	for _, item := range items {
		has[item.Text] = true
	}
	for _, kind := range [...]string{"null", "boolean", "number", "string", "array", "object"} {
		if !has[kind] {
			return false
		}
	}
	return true
}

// below lists the positions that a keyword of a position holds.
func (d *document) below(id int, keyword string) []int {
	var list []int
	for _, child := range d.children[id] {
		if d.nodes[child].keyword == keyword {
			list = append(list, child)
		}
	}
	return list
}
