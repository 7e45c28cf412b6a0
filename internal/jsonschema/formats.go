package jsonschema

import (
	"errors"

	lib "github.com/santhosh-tekuri/jsonschema/v6"
)

// format is a known format. Unknown ones are ignored, and warned of.
type format struct {
	name  string
	match func(text string) bool
	since Dialect // the first that has it; empty where every dialect checks it
}

// formats are the formats of Draft 7 but for idn-hostname, uuid and duration.
// They are checked in every dialect, because whoever writes a format means it;
// but duration, of which Draft 7 knows nothing and which is a name that other
// notations go by, only where it is defined. The library's own
// functions are not used: they let through what the RFCs forbid, and refuse
// URI templates that are fine. Each of these looks at a text once, from left
// to right, so that its cost is the text's length.
var formats = map[string]*format{
	"date":                  {name: "date", match: isDate},
	"date-time":             {name: "date-time", match: isDateTime},
	"duration":              {name: "duration", match: isDuration, since: Draft2019},
	"email":                 {name: "email", match: isEmail},
	"hostname":              {name: "hostname", match: isHostname},
	"idn-email":             {name: "idn-email", match: isIDNEmail},
	"ipv4":                  {name: "ipv4", match: isIPv4},
	"ipv6":                  {name: "ipv6", match: isIPv6},
	"iri":                   {name: "iri", match: uriForm{iri: true}.match},
	"iri-reference":         {name: "iri-reference", match: uriForm{iri: true, reference: true}.match},
	"json-pointer":          {name: "json-pointer", match: isJSONPointer},
	"regex":                 {name: "regex", match: validPattern},
	"relative-json-pointer": {name: "relative-json-pointer", match: isRelativeJSONPointer},
	"time":                  {name: "time", match: isTime},
	"uri":                   {name: "uri", match: uriForm{}.match},
	"uri-reference":         {name: "uri-reference", match: uriForm{reference: true}.match},
	"uri-template":          {name: "uri-template", match: isURITemplate},
	"uuid":                  {name: "uuid", match: isUUID},
}

// formatNamed gives the rule for a format in a dialect; nil where it has none.
func formatNamed(name string, d Dialect) *format {
	f := formats[name]
	if f == nil || f.since.year() > d.year() {
		return nil
	}
	return f
}

func knownFormat(name string, d Dialect) bool { return formatNamed(name, d) != nil }

// formatOf gives the rule for a format as the library compiled it; nil where it
// is none that is known.
func formatOf(f *lib.Format, d Dialect) *format {
	if f == nil {
		return nil
	}
	return formatNamed(f.Name, d)
}

// registerFormats gives the library the formats of this package: it drops those
// that it does not know as it compiles.
func registerFormats(c *lib.Compiler) {
	for name, f := range formats {
		c.RegisterFormat(&lib.Format{Name: name, Validate: func(v any) error {
			if text, ok := v.(string); ok && !f.match(text) {
				return errNoFormat
			}
			return nil
		}})
	}
}

var errNoFormat = errors.New("not of this format")

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
