package jsonschema

import (
	lib "github.com/santhosh-tekuri/jsonschema/v6"
)

// format is a known format. Unknown ones are ignored, and warned of.
type format struct {
	name  string
	match func(text string) bool
}

// formats are the formats of Draft 7 and uuid, but for idn-email and
// idn-hostname, which the library drops as it compiles. They are checked in
// every dialect, because whoever writes a format means it. The library's own
// functions are not used: they let through what the RFCs forbid, and refuse
// URI templates that are fine. Each of these looks at a text once, from left
// to right, so that its cost is the text's length.
var formats = map[string]*format{
	"date":                  {"date", isDate},
	"date-time":             {"date-time", isDateTime},
	"email":                 {"email", isEmail},
	"hostname":              {"hostname", isHostname},
	"ipv4":                  {"ipv4", isIPv4},
	"ipv6":                  {"ipv6", isIPv6},
	"iri":                   {"iri", uriForm{iri: true}.match},
	"iri-reference":         {"iri-reference", uriForm{iri: true, reference: true}.match},
	"json-pointer":          {"json-pointer", isJSONPointer},
	"regex":                 {"regex", validPattern},
	"relative-json-pointer": {"relative-json-pointer", isRelativeJSONPointer},
	"time":                  {"time", isTime},
	"uri":                   {"uri", uriForm{}.match},
	"uri-reference":         {"uri-reference", uriForm{reference: true}.match},
	"uri-template":          {"uri-template", isURITemplate},
	"uuid":                  {"uuid", isUUID},
}

func knownFormat(name string) bool { return formats[name] != nil }

// formatOf gives the rule for a format as the library compiled it; nil where it
// is none that is known.
func formatOf(f *lib.Format) *format {
	if f == nil {
		return nil
	}
	return formats[f.Name]
}

// The classes of ASCII characters that the formats speak of.
const (
	digits = 1 << iota
	hexLetters
	letters
	uriMarks     // the rest of unreserved: - . _ ~
	uriDelims    // sub-delims: ! $ & ' ( ) * + , ; =
	colons       // :
	ats          // @
	slashes      // /
	questions    // ?
	atomMarks    // the atext of RFC 5321 that is neither letter nor digit
	templateMark // the literals of RFC 6570 beyond reserved and unreserved
	operators    // the operators of RFC 6570
	underscores  // _
	hyphens      // -

	alphanumeric = digits | letters
	hexDigits    = digits | hexLetters
	unreserved   = alphanumeric | uriMarks
	pathChars    = unreserved | uriDelims | colons | ats
)

// classes has the classes of each ASCII character, and none of other bytes.
var classes = func() (table [256]uint16) {
	for class, members := range map[uint16]string{
		digits:       "0123456789",
		hexLetters:   "abcdefABCDEF",
		letters:      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
		uriMarks:     "-._~",
		uriDelims:    "!$&'()*+,;=",
		colons:       ":",
		ats:          "@",
		slashes:      "/",
		questions:    "?",
		atomMarks:    "!#$%&'*+-/=?^_`{|}~",
		templateMark: "#[]",
		operators:    "+#./;?&",
		underscores:  "_",
		hyphens:      "-",
	} {
		for i := range len(members) {
			table[members[i]] |= class
		}
	}
	return table
}()

func in(c byte, class uint16) bool { return classes[c]&class != 0 }

// leading counts the bytes of a class that a text starts with.
func leading(text string, class uint16) int {
	n := 0
	for n < len(text) && in(text[n], class) {
		n++
	}
	return n
}

// all says that a text has bytes of a class and no others.
func all(text string, class uint16) bool {
	return text != "" && leading(text, class) == len(text)
}
