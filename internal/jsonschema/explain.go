package jsonschema

import "slices"

// Explanation says which judge judges what of a schema. Both give the same answer;
// the engine gives it much sooner.
type Explanation struct {
	// Engine lists the keywords that the engine judges, sorted.
	Engine []string
	// Reference lists the places that are left to the reference judge, in the order of
	// the schema. Empty: the engine judges everything.
	Reference []Delegated
}

// Delegated is one place of a schema that the reference judges.
type Delegated struct {
	// Path is the JSON Pointer of the subschema; "" is the root.
	Path string
	// Keyword is what the engine does not judge; "" where it is the whole.
	Keyword string
	// Reason is half a sentence, to go behind "because".
	Reason string
	// Whole says that it makes the reference judge the whole schema, and not just the
	// values to which the subschema applies.
	Whole bool
}

// Explain says which keywords are judged where. The answer is the same every time.
func (c *Compiled) Explain() Explanation {
	x := Explanation{Engine: c.used.names(), Reference: slices.Clone(c.left)}
	if c.opts.NullsAbsent && c.planned != nil {
		x.Reference = append(x.Reference, Delegated{
			Reason: "a null may count as absent, which is settled before anything is judged; calls without a null member are the engine's",
		})
	}
	return x
}

// keywordSet has a bit for each of explainedKeywords.
type keywordSet uint64

// explainedKeywords are those that assert or apply anything, sorted.
var explainedKeywords = [...]string{
	"$dynamicRef", "$recursiveRef", "$ref", "additionalItems", "additionalProperties", "allOf", "anyOf", "const", "contains",
	"dependencies", "dependentRequired", "dependentSchemas", "else", "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "if",
	"items", "maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength",
	"minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern", "patternProperties", "prefixItems", "properties",
	"propertyNames", "required", "then", "type", "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
}

func (k keywordSet) names() []string {
	var list []string
	for i, name := range explainedKeywords {
		if k&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return list
}

func (k *keywordSet) add(name string, used bool) {
	if i, ok := slices.BinarySearch(explainedKeywords[:], name); ok && used {
		*k |= 1 << i
	}
}

// usedKeywords are those of all subschemas.
func usedKeywords(list []*schema) keywordSet {
	var k keywordSet
	for _, s := range list {
		k.add("type", s.types != 0)
		k.add("enum", s.enum != nil)
		k.add("const", s.constant != nil)
		k.add("format", s.format != nil)
		k.add("$ref", s.ref != nil)
		s.keywords(&k)
		if s.str != nil {
			k.add("minLength", s.str.minLength >= 0)
			k.add("maxLength", s.str.maxLength >= 0)
			k.add("pattern", s.str.pattern != nil)
		}
		if s.num != nil {
			s.num.keywords(&k)
		}
		if s.arr != nil {
			s.arr.keywords(&k)
		}
		if s.obj != nil {
			s.obj.keywords(&k)
		}
	}
	return k
}

func (l *logic) keywords(k *keywordSet) {
	k.add("$recursiveRef", l.recursive != nil)
	k.add("$dynamicRef", l.dynamic != nil)
	k.add("allOf", len(l.allOf) > 0)
	k.add("anyOf", len(l.anyOf) > 0)
	k.add("oneOf", len(l.oneOf) > 0)
	k.add("not", l.not != nil)
	k.add("if", l.ifS != nil)
	k.add("then", l.thenS != nil)
	k.add("else", l.elseS != nil)
}

func (r *numberRules) keywords(k *keywordSet) {
	k.add("minimum", r.minimum != nil)
	k.add("maximum", r.maximum != nil)
	k.add("exclusiveMinimum", r.exclusiveMinimum != nil)
	k.add("exclusiveMaximum", r.exclusiveMaximum != nil)
	k.add("multipleOf", r.multipleOf != nil)
}

func (r *arrayRules) keywords(k *keywordSet) {
	k.add("minItems", r.minItems >= 0)
	k.add("maxItems", r.maxItems >= 0)
	k.add("minContains", r.minContains >= 0)
	k.add("maxContains", r.maxContains >= 0)
	k.add("uniqueItems", r.unique)
	k.add("contains", r.contains != nil)
	k.add("unevaluatedItems", r.unevaluated != nil)
	k.add(r.restKeyword, r.rest != nil)
	k.add("prefixItems", len(r.prefix) > 0)
}

func (r *objectRules) keywords(k *keywordSet) {
	k.add("minProperties", r.minProperties >= 0)
	k.add("maxProperties", r.maxProperties >= 0)
	k.add("required", len(r.required) > 0)
	k.add("properties", len(r.properties) > 0)
	k.add("patternProperties", len(r.patterns) > 0)
	k.add("additionalProperties", r.additional != nil)
	k.add("propertyNames", r.names != nil)
	for _, d := range r.dependentRequired {
		k.add(d.keyword, true)
	}
	k.add("dependentSchemas", len(r.dependentSchemas) > 0)
	k.add("unevaluatedProperties", r.unevaluated != nil)
}

// plan makes the engine's form of the schema, and says in the warnings what it leaves
// to the reference.
func (c *Compiled) plan(list []*schema, paths []string, w *problems) {
	planned, left := newProgram(c, list)
	if c.planned = planned; planned != nil {
		c.used = planned.used
	}
	for _, r := range left {
		d := Delegated{Keyword: r.keyword, Reason: r.reason, Whole: planned == nil}
		if r.schema != nil {
			d.Path = paths[r.schema.id]
		}
		if slices.Contains(c.left, d) {
			continue
		}
		c.left = append(c.left, d)
		what := "values here are"
		if d.Whole {
			what = "the whole schema is"
		}
		w.add(d.Path, d.Keyword, "%s judged by the slower of the two judges, because %s; the verdicts are the same", what, d.Reason)
	}
}
