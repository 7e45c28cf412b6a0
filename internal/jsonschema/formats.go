package jsonschema

import (
	"slices"

	lib "github.com/santhosh-tekuri/jsonschema/v6"
)

// format is a known format. Unknown ones are ignored, and warned of.
type format struct {
	name     string
	validate func(any) error // nil for regex
}

// formatNames are the formats of Draft 7 and uuid, but for idn-email and
// idn-hostname, which the library does not know. They are checked in every
// dialect, because whoever writes a format means it.
var formatNames = [...]string{
	"date", "date-time", "email", "hostname", "ipv4", "ipv6", "iri", "iri-reference",
	"json-pointer", "regex", "relative-json-pointer", "time", "uri",
	"uri-reference", "uri-template", "uuid",
}

func knownFormat(name string) bool { return slices.Contains(formatNames[:], name) }

func (f *format) match(text string) bool {
	if f.validate == nil {
		return validPattern(text)
	}
	return f.validate(text) == nil
}

// formatOf gives the rule for a format as the library compiled it.
func formatOf(f *lib.Format) *format {
	if f == nil || !knownFormat(f.Name) {
		return nil
	}
	if f.Name == "regex" {
		return &format{name: f.Name}
	}
	return &format{name: f.Name, validate: f.Validate}
}
