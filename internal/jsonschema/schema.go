package jsonschema

import "strings"

// kinds is a set of JSON kinds. Integer is a kind of its own beside number.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBoolean
	kindInteger
	kindNumber
	kindString
	kindArray
	kindObject
)

// kindNames are in the order in which messages list them.
var kindNames = [...]struct {
	kind kinds
	name string
}{
	{kindString, "string"}, {kindInteger, "integer"}, {kindNumber, "number"},
	{kindBoolean, "boolean"}, {kindArray, "array"}, {kindObject, "object"}, {kindNull, "null"},
}

func kindOf(name string) kinds {
	for _, k := range kindNames {
		if k.name == name {
			return k.kind
		}
	}
	return 0
}

// String lists the kinds as a sentence wants them: "string or null".
func (k kinds) String() string { return kindSentences[k] }

// kindSentences has every set of kinds, because nearly every blocked call names one.
var kindSentences = func() (texts [1 << len(kindNames)]string) {
	for k := range texts {
		var names []string
		for _, n := range kindNames {
			if kinds(k)&n.kind != 0 {
				names = append(names, n.name)
			}
		}
		texts[k] = strings.Join(names, " or ")
	}
	return texts
}()

// schema is one subschema as the judge walks it: the library's compiled form
// with references resolved, numbers exact and everything in a fixed order, and
// without what a judge never reads, because a policy keeps thousands of them.
type schema struct {
	*logic
	id     int32
	draft  int16
	types  kinds // 0: no type keyword
	always *bool // a boolean schema, or the empty one

	enum     *enum
	constant *enum
	format   *format
	ref      *schema
	str      *stringRules
	num      *numberRules
	arr      *arrayRules
	obj      *objectRules
}

// logic is what few subschemas have: the rest share an empty one, never nil.
type logic struct {
	recursive       *schema // $recursiveRef
	recursiveAnchor bool    // $recursiveAnchor: true
	dynamic         *dynamicRef
	resource        *resource
	allOf           []*schema
	anyOf           []*schema
	oneOf           []*schema
	not             *schema
	ifS             *schema
	thenS           *schema
	elseS           *schema
	limited         []limit // of a branch of anyOf or oneOf
}

func (l *logic) empty() bool {
	return l.recursive == nil && !l.recursiveAnchor && l.dynamic == nil && l.not == nil && l.ifS == nil &&
		len(l.allOf) == 0 && len(l.anyOf) == 0 && len(l.oneOf) == 0
}

type stringRules struct {
	minLength, maxLength int // -1: none
	pattern              *pattern
}

type numberRules struct {
	minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf *decimal
}

// arrayRules hold both tuple forms: prefix are the schemas by position, rest
// applies to the items behind them.
type arrayRules struct {
	minItems, maxItems       int // -1: none
	minContains, maxContains int // -1: none
	unique                   bool
	prefix                   []*schema
	rest                     *schema
	restKeyword              string // "items" or "additionalItems"
	contains                 *schema
	unevaluated              *schema
}

type objectRules struct {
	minProperties, maxProperties int  // -1: none
	lists                        bool // has properties or patternProperties
	required                     []string
	properties                   map[string]*schema
	order                        []string // the keys of properties as the document has them
	patterns                     []patternSchema
	additional                   *schema
	names                        *schema
	dependentRequired            []dependentKeys
	dependentSchemas             []dependentSchema
	weight                       int // units of work to look through the lists of keys
	unevaluated                  *schema
}

type patternSchema struct {
	pattern *pattern
	schema  *schema
}

type dependentKeys struct {
	key     string
	needs   []string
	keyword string
}

type dependentSchema struct {
	key    string
	schema *schema
}

// dynamicRef is a $dynamicRef; anchor is "" where it acts as a plain $ref.
type dynamicRef struct {
	target *schema
	anchor string
}

// resource is a schema resource: what an $id delimits. Only schemas that use
// dynamic references keep them.
type resource struct {
	root      *schema
	recursive bool
	anchors   map[string]*schema
}

// closed says that the schema admits no value at all by being false.
func (s *schema) closed() bool { return s != nil && s.always != nil && !*s.always }
