package jsonschema

import (
	"strings"
)

// deviationKind says in what a group of the suite fares otherwise than it wants.
type deviationKind uint8

const (
	// refuses: the schema is a compile problem, so that no test of the group runs.
	refuses deviationKind = iota + 1
	// accepts: every value fits, so that all tests of the group fail which want
	// a value refused, and only these.
	accepts
)

// deviation is one group of the suite, in every draft that has it, that fares
// otherwise than the suite wants.
type deviation struct {
	// file is the name below tests/<draft>/, without .json.
	file string
	// group is its description; "" stands for every group of the file.
	group  string
	kind   deviationKind
	reason *deviationReason
}

// deviationReason is why, in words; a section of docs/conformance.md.
type deviationReason struct{ title, words string }

var (
	remote = &deviationReason{"References that lead out of the document",
		"A `$ref` never leaves its document and nothing is ever fetched: a schema comes from whoever may write a ToolSchema, " +
			"and must mean the same on every replica, today and tomorrow. Such a reference is a compile problem with its place. " +
			"Copy its target into the document. References to the meta-schemas of the five drafts resolve, as they are built in."}
	custom = &deviationReason{"Meta-schemas of one's own",
		"`$schema` may name the five drafts. Another meta-schema stands outside the document and would have to be fetched, " +
			"and the vocabularies that it switches on or off would change what a schema means. It is a compile problem."}
	unknownIDN = &deviationReason{"`idn-hostname` is not checked",
		"The format is not among those that are known. It is ignored, as JSON Schema wants it for an unknown format, and " +
			"the ToolSchema's status warns of it. What the names of hosts beyond ASCII may hold depends on the version of Unicode."}
	aLabels = &deviationReason{"Punycode in `hostname` is not decoded",
		"A label that starts with `xn--` is held to the rules of RFC 1123 as any other is; whether what it encodes is a label " +
			"by RFC 5891 is not checked. `docs/formats.md` says so too."}
	content = &deviationReason{"`contentEncoding` and `contentMediaType` assert nothing",
		"Draft 7 leaves it to the implementation; the drafts after it made them annotations. Callgate treats them as " +
			"annotations in every draft, as it does `contentSchema`."}
	floats = &deviationReason{"`1.0` in Draft 4",
		"The test is for languages whose integers are a type of their own. The settings of these tables take `1.0` for an " +
			"integer in every draft, because the later ones demand it. The default setting, `integers: Lexical`, judges as the test wants."}
)

// deviationReasons are in the order of the document.
var deviationReasons = []*deviationReason{remote, custom, unknownIDN, aLabels, content, floats}

// deviations are all that fares otherwise than the suite wants. What is not
// listed and fails, fails the test; what is listed and passes fails it too.
var deviations = []deviation{
	{"refRemote", "", refuses, remote},
	{"dynamicRef", "strict-tree schema, guards against misspelled properties", refuses, remote},
	{"dynamicRef", "tests for implementation dynamic anchor and reference link", refuses, remote},
	{"dynamicRef", "$ref and $dynamicAnchor are independent of order - $defs first", refuses, remote},
	{"dynamicRef", "$ref and $dynamicAnchor are independent of order - $ref first", refuses, remote},
	{"dynamicRef", "$ref to $dynamicRef finds detached $dynamicAnchor", refuses, remote},
	{"optional/cross-draft", "", refuses, remote},
	{"vocabulary", "schema that uses custom metaschema with with no validation vocabulary", refuses, custom},
	{"vocabulary", "ignore unrecognized optional vocabulary", refuses, custom},
	{"optional/format-assertion", "", refuses, custom},
	{"optional/format/idn-hostname", "validation of internationalized host names", accepts, unknownIDN},
	{"optional/format/idn-hostname", "validation of separators in internationalized host names", accepts, unknownIDN},
	{"optional/format/hostname", "validation of A-label (punycode) host names", accepts, aLabels},
	{"optional/content", "", accepts, content},
	{"optional/zeroTerminatedFloats", "", accepts, floats},
}

// deviationOf gives the index of the deviation that a group is, or -1. name is
// "<draft>/<file>".
func deviationOf(name, group string) int {
	file := name[strings.IndexByte(name, '/')+1:]
	for i, d := range deviations {
		if d.file == file && (d.group == "" || d.group == group) {
			return i
		}
	}
	return -1
}
