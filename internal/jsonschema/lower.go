package jsonschema

import (
	"math/big"
	"slices"
	"strings"

	lib "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callgate/callgate/internal/rawjson"
)

// lowering turns the library's compiled schema into the judge's form.
type lowering struct {
	doc     *document
	opts    Options
	known   map[*lib.Schema]*schema
	list    []*schema
	paths   []string // by schema.id
	places  map[string]*rawjson.Value
	unions  []*schema
	none    *logic // shared by all that have none
	dynamic bool
}

func newLowering(d *document, opts Options) *lowering {
	return &lowering{doc: d, opts: opts, known: map[*lib.Schema]*schema{}, none: &logic{}}
}

// schema lowers one subschema and everything that it leads to. Each is lowered
// once, so cycles through properties and items are no trouble.
func (l *lowering) schema(s *lib.Schema) *schema {
	if s == nil {
		return nil
	}
	if out := l.known[s]; out != nil {
		return out
	}
	out := &schema{logic: l.none, id: int32(len(l.list)), draft: int16(s.DraftVersion), always: s.Bool} //nolint:gosec // both are small
	l.known[s] = out
	l.list = append(l.list, out)
	l.paths = append(l.paths, l.pathOf(s))
	if s.Bool != nil {
		return out
	}
	l.values(s, out)
	l.logic(s, out)
	out.str = l.strings(s)
	out.num = l.numbers(s)
	out.arr = l.arrays(s)
	out.obj = l.objects(s)
	return out
}

// pathOf gives the pointer of a subschema; one of a meta-schema keeps its URL.
func (l *lowering) pathOf(s *lib.Schema) string {
	if u, _, _ := strings.Cut(s.Location, "#"); u != l.doc.library.url {
		return s.Location
	}
	return fragmentOf(s.Location)
}

func (l *lowering) values(s *lib.Schema, out *schema) {
	if s.Types != nil {
		for _, name := range s.Types.ToStrings() {
			out.types |= kindOf(name)
		}
	}
	if s.Enum != nil {
		out.enum = newEnum(s.Enum.Values)
	}
	if s.Const != nil {
		out.constant = newEnum([]any{*s.Const})
	}
	if !l.opts.AnnotateFormats {
		out.format = formatOf(s.Format, l.doc.dialect)
	}
}

func (l *lowering) logic(s *lib.Schema, out *schema) {
	out.ref = l.schema(s.Ref)
	lg := &logic{
		recursive: l.schema(s.RecursiveRef), recursiveAnchor: s.RecursiveAnchor, dynamic: l.dynamicRef(s.DynamicRef),
		allOf: l.schemas(s.AllOf), anyOf: l.schemas(s.AnyOf), oneOf: l.schemas(s.OneOf),
		not: l.schema(s.Not), ifS: l.schema(s.If), thenS: l.schema(s.Then), elseS: l.schema(s.Else),
	}
	if lg.empty() {
		return
	}
	out.logic = lg
	l.dynamic = l.dynamic || lg.recursive != nil || lg.dynamic != nil
	l.unions = append(append(l.unions, lg.anyOf...), lg.oneOf...)
}

func (l *lowering) dynamicRef(d *lib.DynamicRef) *dynamicRef {
	if d == nil {
		return nil
	}
	out := &dynamicRef{target: l.schema(d.Ref)}
	// Without the anchor at its target it acts as a plain reference.
	if d.Anchor != "" && d.Ref.DynamicAnchor == d.Anchor {
		out.anchor = d.Anchor
	}
	return out
}

// own gives the schema a logic of its own, in place of the shared one.
func (s *schema) own(shared *logic) *logic {
	if s.logic == shared {
		s.logic = &logic{}
	}
	return s.logic
}

func (l *lowering) schemas(list []*lib.Schema) []*schema {
	if len(list) == 0 {
		return nil
	}
	out := make([]*schema, len(list))
	for i, s := range list {
		out[i] = l.schema(s)
	}
	return out
}

func (l *lowering) strings(s *lib.Schema) *stringRules {
	if s.MinLength == nil && s.MaxLength == nil && s.Pattern == nil {
		return nil
	}
	r := &stringRules{minLength: orNone(s.MinLength), maxLength: orNone(s.MaxLength)}
	if s.Pattern != nil {
		r.pattern, _ = s.Pattern.(*pattern)
	}
	return r
}

func orNone(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

func (l *lowering) numbers(s *lib.Schema) *numberRules {
	r := numberRules{
		minimum: bound(s.Minimum), maximum: bound(s.Maximum), exclusiveMinimum: bound(s.ExclusiveMinimum),
		exclusiveMaximum: bound(s.ExclusiveMaximum), multipleOf: bound(s.MultipleOf),
	}
	if r == (numberRules{}) {
		return nil
	}
	return &r
}

func bound(r *big.Rat) *decimal {
	if r == nil {
		return nil
	}
	d := decimalOf(r)
	return &d
}

func (l *lowering) arrays(s *lib.Schema) *arrayRules {
	r := &arrayRules{
		minItems: orNone(s.MinItems), maxItems: orNone(s.MaxItems),
		minContains: orNone(s.MinContains), maxContains: orNone(s.MaxContains),
		unique: s.UniqueItems, contains: l.schema(s.Contains), unevaluated: l.schema(s.UnevaluatedItems),
	}
	if s.DraftVersion >= 2020 {
		r.prefix, r.rest, r.restKeyword = l.schemas(s.PrefixItems), l.schema(s.Items2020), "items"
	} else {
		l.olderItems(s, r)
	}
	if r.empty() {
		return nil
	}
	return r
}

func (r *arrayRules) empty() bool {
	return r.minItems < 0 && r.maxItems < 0 && !r.unique && r.contains == nil &&
		r.unevaluated == nil && r.rest == nil && len(r.prefix) == 0
}

// olderItems reads the tuple form from before 2020-12. additionalItems counts
// only behind a tuple.
func (l *lowering) olderItems(s *lib.Schema, r *arrayRules) {
	switch items := s.Items.(type) {
	case *lib.Schema:
		r.rest, r.restKeyword = l.schema(items), "items"
	case []*lib.Schema:
		r.prefix = l.schemas(items)
		r.rest, r.restKeyword = l.either(s.AdditionalItems), "additionalItems"
	}
}

// either lowers what is a schema or a bool.
func (l *lowering) either(v any) *schema {
	switch v := v.(type) {
	case *lib.Schema:
		return l.schema(v)
	case bool:
		out := &schema{logic: l.none, id: int32(len(l.list)), always: &v} //nolint:gosec // it is small
		l.list = append(l.list, out)
		l.paths = append(l.paths, "")
		return out
	}
	return nil
}

func (l *lowering) objects(s *lib.Schema) *objectRules {
	r := &objectRules{
		minProperties: orNone(s.MinProperties), maxProperties: orNone(s.MaxProperties),
		lists: s.Properties != nil || s.PatternProperties != nil, required: s.Required,
		additional: l.either(s.AdditionalProperties), names: l.schema(s.PropertyNames),
		unevaluated: l.schema(s.UnevaluatedProperties),
	}
	if len(s.Properties) > 0 {
		r.properties = make(map[string]*schema, len(s.Properties))
		r.order = l.propertyOrder(s)
		for _, key := range r.order {
			r.properties[key] = l.schema(s.Properties[key])
		}
	}
	l.patternProperties(s, r)
	l.dependents(s, r)
	r.weigh()
	if r.empty() {
		return nil
	}
	return r
}

// propertyOrder gives the keys of properties in the order of the document, which is
// the order in which models tend to write arguments.
func (l *lowering) propertyOrder(s *lib.Schema) []string {
	if l.places == nil {
		l.places = make(map[string]*rawjson.Value, len(l.doc.places))
		for _, p := range l.doc.places {
			l.places[p.path] = p.value
		}
	}
	list := l.places[l.pathOf(s)].Get("properties")
	if list == nil || len(list.Fields) != len(s.Properties) {
		return sortedKeys(s.Properties)
	}
	keys := make([]string, 0, len(list.Fields))
	for _, f := range list.Fields {
		if s.Properties[f.Key] == nil {
			return sortedKeys(s.Properties)
		}
		keys = append(keys, f.Key)
	}
	return keys
}

// keysPerUnit is how many keys of a list are looked up for a unit of work.
const keysPerUnit = 8

func (r *objectRules) weigh() {
	n := len(r.required) + len(r.dependentRequired) + len(r.dependentSchemas)
	for _, d := range r.dependentRequired {
		n += len(d.needs)
	}
	r.weight = n / keysPerUnit
}

func (r *objectRules) empty() bool {
	return r.minProperties < 0 && r.maxProperties < 0 && !r.lists && len(r.required) == 0 && r.additional == nil &&
		r.names == nil && r.unevaluated == nil && len(r.dependentRequired) == 0 && len(r.dependentSchemas) == 0
}

func (l *lowering) patternProperties(s *lib.Schema, r *objectRules) {
	for re := range s.PatternProperties {
		if p, ok := re.(*pattern); ok {
			r.patterns = append(r.patterns, patternSchema{pattern: p})
		}
	}
	slices.SortFunc(r.patterns, func(a, b patternSchema) int {
		return strings.Compare(a.pattern.source, b.pattern.source)
	})
	for i := range r.patterns {
		r.patterns[i].schema = l.schema(s.PatternProperties[r.patterns[i].pattern])
	}
}

func (l *lowering) dependents(s *lib.Schema, r *objectRules) {
	for _, key := range sortedKeys(s.Dependencies) {
		switch dep := s.Dependencies[key].(type) {
		case []string:
			r.dependentRequired = append(r.dependentRequired, dependentKeys{key, dep, "dependencies"})
		case *lib.Schema:
			r.dependentSchemas = append(r.dependentSchemas, dependentSchema{key, l.schema(dep)})
		}
	}
	for _, key := range sortedKeys(s.DependentRequired) {
		r.dependentRequired = append(r.dependentRequired, dependentKeys{key, s.DependentRequired[key], "dependentRequired"})
	}
	for _, key := range sortedKeys(s.DependentSchemas) {
		r.dependentSchemas = append(r.dependentSchemas, dependentSchema{key, l.schema(s.DependentSchemas[key])})
	}
}

// finish adds what can only be known once everything is lowered.
func (l *lowering) finish() {
	if l.dynamic {
		l.lowerResources()
	}
	for _, branch := range l.unions {
		if limited := branch.limitedProperties(); limited != nil {
			branch.own(l.none).limited = limited
		}
	}
}
