package jsonschema

import "slices"

// rule is what a value broke, and by which subschema's word. It is small, because
// every fault noted holds one.
type rule struct {
	schema  *schema // nil: the envelope's own
	code    codeID
	keyword keywordID
}

// codeID ranks the codes as codeOrder does: the least is reported.
type codeID uint8

const (
	idDuplicate codeID = iota
	idUnexpected
	idType
	idEnum
	idPattern
	idFormat
	idLength
	idRange
	idItems
	idProperties
	idSchema
	idMissing
)

// keywordID is a place in keywordNames, which are sorted, so that ids compare as
// their names do.
type keywordID uint8

var keywordNames = [...]string{
	"", "additionalItems", "additionalProperties", "anyOf", "const", "contains", "dependencies", "dependentRequired",
	"enum", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxContains", "maxItems", "maxLength",
	"maxProperties", "maximum", "minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf",
	"not", "oneOf", "pattern", "propertyNames", "required", "type", "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
}

const (
	kwNone keywordID = iota
	kwAdditionalItems
	kwAdditionalProperties
	kwAnyOf
	kwConst
	kwContains
	kwDependencies
	kwDependentRequired
	kwEnum
	kwExclusiveMaximum
	kwExclusiveMinimum
	kwFormat
	kwItems
	kwMaxContains
	kwMaxItems
	kwMaxLength
	kwMaxProperties
	kwMaximum
	kwMinContains
	kwMinItems
	kwMinLength
	kwMinProperties
	kwMinimum
	kwMultipleOf
	kwNot
	kwOneOf
	kwPattern
	kwPropertyNames
	kwRequired
	kwType
	kwUnevaluatedItems
	kwUnevaluatedProperties
	kwUniqueItems
)

// keywordNamed gives the id of a keyword that the engine notes.
func keywordNamed(name string) keywordID {
	i, _ := slices.BinarySearch(keywordNames[:], name)
	return keywordID(i) //nolint:gosec // a few dozen
}

// finding is the rule as messages are made from it.
func (r rule) finding() finding {
	return finding{code: codeOrder[r.code], keyword: keywordNames[r.keyword], schema: r.schema}
}

// hidesBelow says that a location that breaks the rule reports nothing below it.
func (r rule) hidesBelow() bool { return r.code <= idType }

// graver says which of two rules broken at one location is reported: the first code,
// then the first keyword, then the first expectation.
func (r rule) graver(other rule) bool {
	if r.code != other.code {
		return r.code < other.code
	}
	if r.keyword != other.keyword {
		return r.keyword < other.keyword
	}
	if r.schema == other.schema {
		return false
	}
	f, g := r.finding(), other.finding()
	return f.expected() < g.expected()
}
