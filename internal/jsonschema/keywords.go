package jsonschema

import (
	"errors"
	"strings"

	lib "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callgate/callgate/internal/rawjson"
)

// checkPatterns compiles the patterns at a position.
func (d *document) checkPatterns(pl place) {
	if v := pl.value.Get("pattern"); v != nil && v.Kind == rawjson.String {
		d.checkPattern(pl.path+"/pattern", "pattern", v.Text)
	}
	props := pl.value.Get("patternProperties")
	if props == nil || props.Kind != rawjson.Object {
		return
	}
	for _, f := range props.Fields {
		d.checkPattern(pl.path+"/patternProperties/"+rawjson.EscapeToken(f.Key), "patternProperties", f.Key)
	}
}

func (d *document) checkPattern(path, keyword, source string) {
	p, err := d.pattern(source)
	switch {
	case err != nil:
		d.problems.add(path, keyword, "%q is no regular expression of ECMA-262: %v", cutBytes(source, 128), err)
	case p.backtracking():
		d.warnings.add(path, keyword,
			"%q needs a backtracking engine; it has a hard budget, past which a value is refused", cutBytes(source, 128))
	}
}

// pattern compiles a pattern once for the document.
func (d *document) pattern(source string) (*pattern, error) {
	if p := d.patterns[source]; p != nil {
		return p, nil
	}
	if d.patternSize > maxPatternTotal || d.patternRanges > maxPatternRanges {
		return nil, errors.New("the patterns of this schema are too large together")
	}
	p, err := newPattern(source)
	if err != nil {
		return nil, err
	}
	d.patternSize += p.size
	d.patternRanges += p.ranges
	d.patterns[source] = p
	return p, nil
}

// engine gives the library the same patterns.
func (d *document) engine(source string) (lib.Regexp, error) {
	p, err := d.pattern(source)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// sizeKeywords hold counts; the library would wrap one beyond 64 bits.
var sizeKeywords = [...]string{
	"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
}

// maxSize is the largest count that a keyword may hold.
const maxSize = "9223372036854775807"

func (d *document) checkSizes(pl place) {
	for _, keyword := range sizeKeywords {
		v := pl.value.Get(keyword)
		if v != nil && v.Kind == rawjson.Number && parseDecimal(string(v.Raw)).cmp(parseDecimal(maxSize)) > 0 {
			d.problems.add(pl.path+"/"+keyword, keyword, "the count is beyond %s; leave it out or write a smaller one", maxSize)
		}
	}
}

// lastKeyword is the last step of a path that is a keyword of JSON Schema
// rather than a name of the author's; last says that nothing follows it.
func lastKeyword(path string) (keyword string, last bool) {
	steps := stepsOf(path)
	for n := len(steps); n > 0; n-- {
		if _, ok := shapes[steps[n-1]]; ok && !underMap(steps[:n]) {
			return steps[n-1], n == len(steps)
		}
	}
	return "", false
}

// stepsOf splits a pointer; names stay escaped.
func stepsOf(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path[1:], "/")
}

// shapes say what each keyword must hold.
var shapes = map[string]string{
	"$schema": "the URL of a dialect", "$id": "a URL reference", "id": "a URL reference", "$ref": "a URL reference",
	"$anchor": "a name", "$comment": "a string", "$defs": "an object of schemas", "definitions": "an object of schemas",
	"title": "a string", "description": "a string; leave it out rather than null", "examples": "a list",
	"type": `one of "array", "boolean", "integer", "null", "number", "object", "string", or a list of these without repetition`,
	"enum": "a list of values", "multipleOf": "a number greater than 0",
	"maximum": "a number", "exclusiveMaximum": "a number (true and false belong to draft-04)",
	"minimum": "a number", "exclusiveMinimum": "a number (true and false belong to draft-04)",
	"maxLength": "a whole number, 0 or more", "minLength": "a whole number, 0 or more",
	"pattern": "a regular expression of ECMA-262", "format": "a string", "default": "any value",
	"items": "a schema, or in drafts before 2020-12 a list of schemas", "additionalItems": "a schema",
	"prefixItems": "a list of at least one schema", "maxItems": "a whole number, 0 or more",
	"minItems": "a whole number, 0 or more", "uniqueItems": "true or false", "contains": "a schema",
	"minContains": "a whole number, 0 or more", "maxContains": "a whole number, 0 or more",
	"maxProperties": "a whole number, 0 or more", "minProperties": "a whole number, 0 or more",
	"required":   "a list of distinct property names, on the object that has the properties",
	"properties": "an object of schemas", "patternProperties": "an object of schemas by regular expression",
	"additionalProperties": "a schema, true or false", "propertyNames": "a schema",
	"dependencies": "an object of schemas or lists of names", "dependentRequired": "an object of lists of names",
	"dependentSchemas": "an object of schemas", "unevaluatedProperties": "a schema", "unevaluatedItems": "a schema",
	"allOf": "a list of at least one schema", "anyOf": "a list of at least one schema",
	"oneOf": "a list of at least one schema", "not": "a schema", "if": "a schema", "then": "a schema", "else": "a schema",
	"readOnly": "true or false", "writeOnly": "true or false", "deprecated": "true or false", "const": "any value",
	"contentMediaType": "a string", "contentEncoding": "a string", "contentSchema": "a schema",
}
