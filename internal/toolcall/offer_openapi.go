package toolcall

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// openAPILimits are those of the schemas that are compiled: what is beyond them does
// not compile either way.
var openAPILimits = rawjson.Limits{MaxDepth: 64, MaxValues: 100_000}

// JSONSchema is the schema as a JSON Schema document: the text itself, or for Gemini's
// subset of OpenAPI what it says in Draft 7. Text that is beyond what a schema may be
// is given as it is.
func (s OfferedSchema) JSONSchema() []byte {
	if s.Language != LanguageOpenAPI {
		return s.Text
	}
	tree, err := rawjson.Parse(s.Text, openAPILimits)
	if err != nil {
		return s.Text
	}
	return appendSchema(nil, tree)
}

// openAPIKeys are the spellings that protobuf's JSON reads besides.
var openAPIKeys = map[string]string{
	"any_of": "anyOf", "max_items": "maxItems", "min_items": "minItems", "max_length": "maxLength", "min_length": "minLength",
	"max_properties": "maxProperties", "min_properties": "minProperties", "additional_properties": "additionalProperties",
	"prefix_items": "prefixItems", "ref": "$ref",
}

// openAPINotes are fields that judge nothing: leaving them out keeps warnings for what
// somebody has to mend.
var openAPINotes = []string{"nullable", "propertyOrdering", "property_ordering", "example"}

// openAPICounts are the fields whose integers protobuf's JSON writes as text.
var openAPICounts = []string{"maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties"}

// openAPIFormats say how wide a number is, which no draft of JSON Schema knows.
var openAPIFormats = []string{"int32", "int64", "float", "double", "enum"}

// appendSchema writes one schema position.
func appendSchema(out []byte, v *rawjson.Value) []byte {
	if v.Kind != rawjson.Object {
		return append(out, v.Raw...)
	}
	nullable := slices.ContainsFunc(v.Fields, func(f rawjson.Field) bool {
		return f.Key == "nullable" && string(f.Value.Raw) == "true"
	})
	out = append(out, '{')
	first := true
	for _, f := range v.Fields {
		key := f.Key
		if known, ok := openAPIKeys[key]; ok {
			key = known
		}
		if slices.Contains(openAPINotes, key) || silent(key, f.Value) {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(rawjson.AppendString(out, key), ':')
		out = appendKeyword(out, key, f.Value, nullable)
	}
	return append(out, '}')
}

// silent says whether a keyword's value says nothing.
func silent(key string, v *rawjson.Value) bool {
	switch {
	case v.Kind == rawjson.Null && key != "default":
		return true // protobuf's JSON takes null for absent
	case key == "type":
		return strings.EqualFold(v.Text, "TYPE_UNSPECIFIED")
	case key == "format":
		return slices.Contains(openAPIFormats, v.Text)
	}
	return false
}

func appendKeyword(out []byte, key string, v *rawjson.Value, nullable bool) []byte {
	switch key {
	case "type":
		return appendType(out, v, nullable)
	case "items", "additionalProperties":
		return appendSchema(out, v)
	}
	switch v.Kind {
	case rawjson.Array:
		return appendListKeyword(out, key, v, nullable)
	case rawjson.Object:
		if slices.Contains(openAPIMaps, key) {
			return appendMap(out, v)
		}
	case rawjson.String:
		if slices.Contains(openAPICounts, key) && v.Text != "" && strings.Trim(v.Text, "0123456789") == "" {
			return append(out, v.Text...)
		}
	}
	return append(out, v.Raw...)
}

// openAPIMaps are the fields that hold schemas by name.
var openAPIMaps = []string{"properties", "defs", "$defs", "definitions"}

func appendListKeyword(out []byte, key string, v *rawjson.Value, nullable bool) []byte {
	more := ""
	switch {
	case key == "prefixItems":
		return appendList(out, v.Items, "", appendSchema)
	case key == "anyOf":
		if nullable {
			more = `{"type":"null"}`
		}
		return appendList(out, v.Items, more, appendSchema)
	case key == "enum" && nullable:
		more = "null"
	}
	return appendList(out, v.Items, more, func(out []byte, item *rawjson.Value) []byte { return append(out, item.Raw...) })
}

func appendType(out []byte, v *rawjson.Value, nullable bool) []byte {
	if v.Kind != rawjson.String {
		return append(out, v.Raw...)
	}
	name := strings.ToLower(v.Text)
	if !nullable || name == "null" {
		return rawjson.AppendString(out, name)
	}
	out = rawjson.AppendString(append(out, '['), name)
	return append(out, `,"null"]`...)
}

func appendList(out []byte, items []*rawjson.Value, more string, write func([]byte, *rawjson.Value) []byte) []byte {
	out = append(out, '[')
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = write(out, item)
	}
	if more != "" {
		if len(items) > 0 {
			out = append(out, ',')
		}
		out = append(out, more...)
	}
	return append(out, ']')
}

func appendMap(out []byte, v *rawjson.Value) []byte {
	out = append(out, '{')
	for i, f := range v.Fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendString(out, f.Key), ':')
		out = appendSchema(out, f.Value)
	}
	return append(out, '}')
}
