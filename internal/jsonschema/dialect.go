package jsonschema

import (
	"slices"
	"strings"

	lib "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callgate/callgate/internal/rawjson"
)

// dialectURLs are the values of $schema that are supported, without scheme and
// without the empty fragment.
var dialectURLs = map[string]Dialect{
	"json-schema.org/draft-04/schema":      Draft4,
	"json-schema.org/draft-06/schema":      Draft6,
	"json-schema.org/draft-07/schema":      Draft7,
	"json-schema.org/draft/2019-09/schema": Draft2019,
	"json-schema.org/draft/2020-12/schema": Draft2020,
}

// year orders the dialects as the library numbers them.
func (d Dialect) year() int {
	switch d {
	case Draft4:
		return 4
	case Draft6:
		return 6
	case Draft7:
		return 7
	case Draft2019:
		return 2019
	case Draft2020:
		return 2020
	}
	return 0
}

func (d Dialect) library() *lib.Draft {
	switch d {
	case Draft4:
		return lib.Draft4
	case Draft6:
		return lib.Draft6
	case Draft2019:
		return lib.Draft2019
	case Draft2020:
		return lib.Draft2020
	}
	return lib.Draft7
}

// idKeyword is the keyword that names a resource in the dialect.
func (d Dialect) idKeyword() string {
	if d == Draft4 {
		return "id"
	}
	return "$id"
}

// parseSchemaURL resolves a $schema.
func parseSchemaURL(url string) (Dialect, bool) {
	url = strings.TrimSuffix(url, "#")
	rest, ok := strings.CutPrefix(url, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(url, "http://")
	}
	d, known := dialectURLs[rest]
	return d, ok && known
}

// chooseDialect settles by which draft the document is read: $schema, then the
// options, then Draft 7. It reports whether there is one.
func (d *document) chooseDialect() bool {
	d.dialect, d.explicit = Draft7, d.opts.Dialect != Unspecified
	if d.explicit {
		d.dialect = d.opts.Dialect
		if d.dialect.year() == 0 {
			d.problems.add("", "", "the dialect %q is not known; use Draft7 or Draft2020-12", string(d.dialect))
			return false
		}
	}
	s := d.tree.Get("$schema")
	if s == nil {
		return true
	}
	dialect, ok := parseSchemaURL(s.Text)
	if s.Kind != rawjson.String || !ok {
		d.problems.add("/$schema", "$schema",
			"this dialect is not supported; use draft-04, draft-06, draft-07, 2019-09 or 2020-12, or leave $schema out")
		return false
	}
	d.dialect, d.explicit = dialect, true
	return true
}

// newerKeywords are what Draft 7 silently ignores, with the dialect that has it.
var newerKeywords = map[string]Dialect{
	"prefixItems":           Draft2020,
	"$dynamicRef":           Draft2020,
	"dependentRequired":     Draft2020,
	"dependentSchemas":      Draft2020,
	"unevaluatedProperties": Draft2020,
	"unevaluatedItems":      Draft2020,
	"minContains":           Draft2020,
	"maxContains":           Draft2020,
	"$anchor":               Draft2020,
	"$recursiveRef":         Draft2019,
}

// checkDialect looks for what an older draft silently ignores: a problem where
// nobody chose the draft, a warning where somebody did.
func (d *document) checkDialect(pl place) {
	if d.dialect.year() >= Draft2019.year() || pl.value.Kind != rawjson.Object {
		return
	}
	for _, f := range pl.value.Fields {
		if newer, ok := newerKeywords[f.Key]; ok {
			d.ignoredKeyword(pl, f.Key, newer)
		}
	}
	ref := pl.value.Get("$ref")
	if ref == nil || ref.Kind != rawjson.String {
		return
	}
	for _, f := range pl.value.Fields {
		if f.Key != "$ref" && newerKeywords[f.Key] == "" && d.asserts(f) {
			d.ignoredSibling(pl, f.Key)
		}
	}
}

func (d *document) ignoredKeyword(pl place, key string, newer Dialect) {
	at := pl.path + "/" + rawjson.EscapeToken(key)
	if d.explicit {
		d.warnings.add(at, key, "%s ignores %s, so it checks nothing; %s has it", d.dialect, key, newer)
		return
	}
	d.problems.add(at, key, "Draft7 ignores %s; set spec.dialect or $schema to %s", key, howToSet(newer))
}

func (d *document) ignoredSibling(pl place, key string) {
	at := pl.path + "/" + rawjson.EscapeToken(key)
	if d.explicit {
		d.warnings.add(at, key, "%s ignores %s beside $ref, so it checks nothing; %s heeds it", d.dialect, key, Draft2020)
		return
	}
	d.problems.add(at, key, "Draft7 ignores %s beside $ref; set spec.dialect or $schema to %s, or put both in an allOf",
		key, howToSet(Draft2020))
}

func howToSet(d Dialect) string {
	if d == Draft2019 {
		return `Draft2019-09 ("https://json-schema.org/draft/2019-09/schema")`
	}
	return `Draft2020-12 ("https://json-schema.org/draft/2020-12/schema")`
}

// assertions are the keywords that assert something or apply subschemas, with
// the first and, where one dropped it, the last draft that knows them.
var assertions = map[string][2]int{
	"type": {4, 2020}, "enum": {4, 2020}, "const": {6, 2020}, "multipleOf": {4, 2020},
	"maximum": {4, 2020}, "exclusiveMaximum": {4, 2020}, "minimum": {4, 2020}, "exclusiveMinimum": {4, 2020},
	"maxLength": {4, 2020}, "minLength": {4, 2020}, "pattern": {4, 2020},
	"items": {4, 2020}, "additionalItems": {4, 2019}, "prefixItems": {2020, 2020},
	"maxItems": {4, 2020}, "minItems": {4, 2020}, "uniqueItems": {4, 2020},
	"contains": {6, 2020}, "unevaluatedItems": {2019, 2020},
	"maxProperties": {4, 2020}, "minProperties": {4, 2020}, "required": {4, 2020},
	"properties": {4, 2020}, "patternProperties": {4, 2020}, "additionalProperties": {4, 2020},
	"propertyNames": {6, 2020}, "dependencies": {4, 2020}, "dependentRequired": {2019, 2020},
	"dependentSchemas": {2019, 2020}, "unevaluatedProperties": {2019, 2020},
	"allOf": {4, 2020}, "anyOf": {4, 2020}, "oneOf": {4, 2020}, "not": {4, 2020},
	"if": {7, 2020}, "$ref": {4, 2020}, "$recursiveRef": {2019, 2019}, "$dynamicRef": {2020, 2020},
	"minContains": {2019, 2020}, "maxContains": {2019, 2020},
}

// asserts says that a member of a schema object asserts or applies something in
// the document's dialect. A format does where it is known and checked.
func (d *document) asserts(f rawjson.Field) bool {
	if f.Key == "format" {
		return !d.opts.AnnotateFormats && f.Value.Kind == rawjson.String && knownFormat(f.Value.Text, d.dialect)
	}
	span, ok := assertions[f.Key]
	return ok && span[0] <= d.dialect.year() && d.dialect.year() <= span[1]
}

// checkBranch refuses a branch of a union that accepts everything, or warns of it, because it
// makes the union accept everything: it is what is left of "const": null after
// a tool dropped the null.
func (d *document) checkBranch(pl place) {
	if !pl.union {
		return
	}
	v := pl.value
	open := v.Kind == rawjson.Bool && v.Raw[0] == 't'
	if v.Kind == rawjson.Object {
		open = !slices.ContainsFunc(v.Fields, d.asserts)
	}
	if open {
		told := d.problems
		if d.opts.OpenBranches {
			told = d.warnings
		}
		told.add(pl.path, unionKeyword(pl.path),
			`this branch accepts everything; say what it accepts (was it "const": null? write "type": "null")`)
	}
}

// unionKeyword is the last but one step of a branch's path.
func unionKeyword(path string) string {
	steps := strings.Split(path, "/")
	return steps[len(steps)-2]
}
