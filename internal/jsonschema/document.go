package jsonschema

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/callgate/callgate/internal/rawjson"
)

// The bounds on a schema document beyond its bytes and levels. Together they
// keep the worst compile near a second: the library looks a subschema up by
// scanning all of them, copies its index for each reference to a place that is
// no schema position of the draft, and validates what stands there once more.
const (
	maxSchemaValues   = 20_000
	maxSubschemas     = 4_096
	maxOddTargets     = 512
	maxOddValues      = 2 * maxSchemaValues
	maxResources      = 64
	maxSchemaDigits   = 400
	maxSchemaExponent = 400
	maxChain          = 256
	maxPathBytes      = 8 << 20
)

// document is a schema document on its way through Compile.
type document struct {
	raw      []byte
	opts     Options
	tree     *rawjson.Value
	dialect  Dialect
	explicit bool // the dialect was named by $schema or by the options
	places   []place
	problems *problems
	warnings *problems

	patterns                   map[string]*pattern
	patternSize, patternRanges int
	resources                  map[string]*docResource
	library                    *library
}

// place is a schema position of the document.
type place struct {
	path  string
	value *rawjson.Value
	home  *docResource
	union bool // a branch of anyOf or oneOf
}

func numberOf(v *rawjson.Value) json.Number { return json.Number(v.Raw) }

// readDocument parses the document and checks what needs no schema knowledge.
// It returns nil where nothing more can be said.
func readDocument(doc []byte, opts Options, p, w *problems) *document {
	if len(doc) > MaxSchemaBytes {
		p.add("", "", "the schema has %d bytes, over the limit of %d; shorten it", len(doc), MaxSchemaBytes)
		return nil
	}
	tree, err := rawjson.Parse(doc, rawjson.Limits{MaxDepth: MaxSchemaDepth, MaxValues: maxSchemaValues})
	switch {
	case errors.Is(err, rawjson.ErrTooDeep):
		p.add("", "", "the schema is nested deeper than %d levels; move inner schemas to definitions", MaxSchemaDepth)
		return nil
	case errors.Is(err, rawjson.ErrTooMany):
		p.add("", "", "the schema has more than %d values; shorten it", maxSchemaValues)
		return nil
	case err != nil:
		p.add("", "", "the schema is not JSON: %v", err)
		return nil
	}
	if pathBytes(tree, 0) > maxPathBytes {
		p.add("", "", "the names are too long for as many values as are below them; shorten the names")
		return nil
	}
	d := &document{raw: doc, opts: opts, tree: tree, problems: p, warnings: w, patterns: map[string]*pattern{}}
	d.checkValue(tree, "")
	if tree.Kind != rawjson.Object && tree.Kind != rawjson.Bool {
		p.add("", "", "a schema is an object, or true or false; this document is neither")
		return nil
	}
	if !d.chooseDialect() || p.any() {
		return nil
	}
	return d
}

// pathBytes sums the lengths of the pointers to all values: the library keeps
// one for every subschema, and a long name counts for each value below it.
func pathBytes(v *rawjson.Value, prefix int) int {
	n := prefix
	for i, item := range v.Items {
		n += pathBytes(item, prefix+1+len(strconv.Itoa(i)))
	}
	for _, f := range v.Fields {
		n += pathBytes(f.Value, prefix+1+len(f.Key))
	}
	return n
}

// checkValue refuses duplicate keys, and numbers that no schema needs and that
// would cost more than they are worth.
func (d *document) checkValue(v *rawjson.Value, path string) {
	switch v.Kind {
	case rawjson.Number:
		if oversized(string(v.Raw), maxSchemaDigits, maxSchemaExponent) {
			keyword, _ := lastKeyword(path)
			d.problems.add(path, keyword, "the number is beyond %d digits or an exponent of %d; write a smaller one",
				maxSchemaDigits, maxSchemaExponent)
		}
	case rawjson.Array:
		for i, item := range v.Items {
			d.checkValue(item, path+"/"+strconv.Itoa(i))
		}
	case rawjson.Object:
		seen := make(map[string]struct{}, len(v.Fields))
		for _, f := range v.Fields {
			at := path + "/" + rawjson.EscapeToken(f.Key)
			if _, ok := seen[f.Key]; ok {
				d.problems.add(at, "", "the key %q occurs twice in one object; keep one", f.Key)
			}
			seen[f.Key] = struct{}{}
			d.checkValue(f.Value, at)
		}
	}
}

// textField gives a string member; "" where there is none.
func textField(v *rawjson.Value, key string) string {
	if f := v.Get(key); f != nil && f.Kind == rawjson.String {
		return f.Text
	}
	return ""
}
