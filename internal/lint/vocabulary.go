package lint

import "github.com/callgate/callgate/internal/jsonschema"

// draft orders the drafts of JSON Schema.
type draft int

// The drafts, by the number or the year in their names.
const (
	draft4    draft = 4
	draft6    draft = 6
	draft7    draft = 7
	draft2019 draft = 2019
	draft2020 draft = 2020
)

func draftOf(d jsonschema.Dialect) draft {
	switch d {
	case jsonschema.Draft4:
		return draft4
	case jsonschema.Draft6:
		return draft6
	case jsonschema.Draft2019:
		return draft2019
	case jsonschema.Draft2020:
		return draft2020
	}
	return draft7
}

// String is the draft's name as status has it.
func (d draft) String() string {
	switch d {
	case draft4:
		return string(jsonschema.Draft4)
	case draft6:
		return string(jsonschema.Draft6)
	case draft2019:
		return string(jsonschema.Draft2019)
	case draft2020:
		return string(jsonschema.Draft2020)
	}
	return string(jsonschema.Draft7)
}

// shape says how a keyword holds schemas.
type shape uint8

const (
	alone shape = 1 << iota
	inList
	inMap
)

// keyword is what is known of a keyword of JSON Schema.
type keyword struct {
	// first and last are the drafts that have it.
	first, last draft
	// asserts says that leaving it unread lets more values pass.
	asserts bool
	holds   shape
}

var vocabulary = map[string]keyword{
	"$schema": {draft4, draft2020, false, 0}, "id": {draft4, draft4, false, 0}, "$id": {draft6, draft2020, false, 0},
	"$comment": {draft7, draft2020, false, 0}, "$anchor": {draft2019, draft2020, false, 0},
	"$vocabulary": {draft2019, draft2020, false, 0}, "$recursiveAnchor": {draft2019, draft2019, false, 0},
	"$dynamicAnchor": {draft2020, draft2020, false, 0},
	"title":          {draft4, draft2020, false, 0}, "description": {draft4, draft2020, false, 0},
	"default": {draft4, draft2020, false, 0}, "examples": {draft6, draft2020, false, 0},
	"readOnly": {draft7, draft2020, false, 0}, "writeOnly": {draft7, draft2020, false, 0},
	"deprecated": {draft2019, draft2020, false, 0}, "contentMediaType": {draft7, draft2020, false, 0},
	"contentEncoding": {draft7, draft2020, false, 0}, "contentSchema": {draft2019, draft2020, false, alone},
	"definitions": {draft4, draft2020, false, inMap}, "$defs": {draft2019, draft2020, false, inMap},

	"$ref": {draft4, draft2020, true, 0}, "$recursiveRef": {draft2019, draft2019, true, 0},
	"$dynamicRef": {draft2020, draft2020, true, 0},
	"type":        {draft4, draft2020, true, 0}, "enum": {draft4, draft2020, true, 0}, "const": {draft6, draft2020, true, 0},
	"format": {draft4, draft2020, true, 0}, "pattern": {draft4, draft2020, true, 0},
	"minLength": {draft4, draft2020, true, 0}, "maxLength": {draft4, draft2020, true, 0},
	"multipleOf": {draft4, draft2020, true, 0}, "minimum": {draft4, draft2020, true, 0}, "maximum": {draft4, draft2020, true, 0},
	"exclusiveMinimum": {draft4, draft2020, true, 0}, "exclusiveMaximum": {draft4, draft2020, true, 0},
	"items": {draft4, draft2020, true, alone | inList}, "additionalItems": {draft4, draft2019, true, alone},
	"prefixItems": {draft2020, draft2020, true, inList}, "contains": {draft6, draft2020, true, alone},
	"minContains": {draft2019, draft2020, true, 0}, "maxContains": {draft2019, draft2020, true, 0},
	"minItems": {draft4, draft2020, true, 0}, "maxItems": {draft4, draft2020, true, 0}, "uniqueItems": {draft4, draft2020, true, 0},
	"unevaluatedItems": {draft2019, draft2020, true, alone},
	"properties":       {draft4, draft2020, true, inMap}, "patternProperties": {draft4, draft2020, true, inMap},
	"additionalProperties": {draft4, draft2020, true, alone}, "unevaluatedProperties": {draft2019, draft2020, true, alone},
	"propertyNames": {draft6, draft2020, true, alone}, "required": {draft4, draft2020, true, 0},
	"minProperties": {draft4, draft2020, true, 0}, "maxProperties": {draft4, draft2020, true, 0},
	// 2019-09 renamed dependencies, and the judge still heeds it.
	"dependencies": {draft4, draft2020, true, inMap}, "dependentRequired": {draft2019, draft2020, true, 0},
	"dependentSchemas": {draft2019, draft2020, true, inMap},
	"allOf":            {draft4, draft2020, true, inList}, "anyOf": {draft4, draft2020, true, inList}, "oneOf": {draft4, draft2020, true, inList},
	"not": {draft4, draft2020, true, alone}, "if": {draft7, draft2020, true, alone},
	"then": {draft7, draft2020, true, alone}, "else": {draft7, draft2020, true, alone},
}

// inPlace are the keywords whose schemas apply to the very value that the schema around
// them applies to.
var inPlace = map[string]bool{
	"allOf": true, "anyOf": true, "oneOf": true, "not": true, "if": true, "then": true, "else": true,
	"dependentSchemas": true, "dependencies": true,
}

// newer are the keywords that drafts before 2019-09 silently ignore. Where nobody chose
// the draft they do not compile; where somebody did, compiling warns of them.
var newer = map[string]bool{
	"prefixItems": true, "$dynamicRef": true, "dependentRequired": true, "dependentSchemas": true, "unevaluatedProperties": true,
	"unevaluatedItems": true, "minContains": true, "maxContains": true, "$anchor": true, "$recursiveRef": true,
}

func (d draft) knows(name string) bool {
	k, ok := vocabulary[name]
	return ok && k.first <= d && d <= k.last
}

func (d draft) holds(name string) (shape, bool) {
	k := vocabulary[name]
	return k.holds, k.holds != 0 && d.knows(name)
}
