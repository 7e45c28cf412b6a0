package jsonschema

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/shown"
)

// expected says what the schema wants, in words and values of its author.
func (f *finding) expected() string {
	text := f.wanted()
	if len(text) > maxShown {
		text = cutBytes(text, maxShown)
	}
	return text
}

func (f *finding) wanted() string {
	s := f.schema
	switch f.code {
	case CodeDuplicate:
		return "each key once"
	case CodeUnexpected:
		return f.wantedKey()
	case CodeType:
		if f.keyword == "type" {
			return s.types.String()
		}
		return s.branchTypes(f.keyword).String()
	case CodeEnum:
		if f.keyword == "const" {
			return shown.Escape(s.constant.shown)
		}
		return "one of " + shown.Escape(s.enum.shown)
	case CodePattern:
		return "a match of " + shown.Escape(s.str.pattern.String())
	case CodeFormat:
		return "a string of format " + shown.Escape(s.format.name)
	case CodeMissing:
		return "a value"
	}
	return f.wantedSize()
}

func (f *finding) wantedKey() string {
	switch f.keyword {
	case "propertyNames":
		return "a property name that the schema allows"
	case "items", "additionalItems", "unevaluatedItems":
		return "no further items"
	}
	return "only declared properties"
}

func (f *finding) wantedSize() string {
	s := f.schema
	switch f.keyword {
	case "minLength":
		return atLeast(s.str.minLength, "character")
	case "maxLength":
		return atMost(s.str.maxLength, "character")
	case "minItems":
		return atLeast(s.arr.minItems, "item")
	case "maxItems":
		return atMost(s.arr.maxItems, "item")
	case "uniqueItems":
		return "distinct items"
	case "contains":
		return "at least 1 item that matches contains"
	case "minContains":
		return atLeast(s.arr.minContains, "item") + " that match contains"
	case "maxContains":
		return atMost(s.arr.maxContains, "item") + " that match contains"
	case "minProperties":
		return atLeast(s.obj.minProperties, "property")
	case "maxProperties":
		return atMost(s.obj.maxProperties, "property")
	}
	return f.wantedRest()
}

func (f *finding) wantedRest() string {
	switch f.keyword {
	case "minimum":
		return "at least " + f.schema.num.minimum.String()
	case "maximum":
		return "at most " + f.schema.num.maximum.String()
	case "exclusiveMinimum":
		return "more than " + f.schema.num.exclusiveMinimum.String()
	case "exclusiveMaximum":
		return "less than " + f.schema.num.exclusiveMaximum.String()
	case "multipleOf":
		return "a multiple of " + f.schema.num.multipleOf.String()
	case "not":
		return "a value that does not match the schema under not"
	case "oneOf":
		return "a value that matches exactly one branch of oneOf"
	case "anyOf":
		return "a value that matches a branch of anyOf"
	}
	if f.code == CodeRange {
		return "a number of at most 1000 digits, with an exponent within 9999"
	}
	return "no value"
}

func atLeast(n int, what string) string { return "at least " + count(n, what) }

func atMost(n int, what string) string { return "at most " + count(n, what) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		what = stem + "ie"
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// message is one sentence for whoever made the call. It names the location and
// what the schema wants, never the value.
func (v Violation) message() string {
	return string(appendMessage(nil, &v))
}

// appendMessage appends the message of a violation that has everything else.
func appendMessage(dst []byte, v *Violation) []byte {
	if v.Location == "" && v.Pointer == "" {
		dst = append(dst, "the arguments"...)
	} else {
		dst = appendQuoted(dst, v.Location)
	}
	switch v.Code {
	case CodeDuplicate:
		return append(dst, " is given more than once"...)
	case CodeMissing:
		return append(dst, " is required"...)
	case CodeUnexpected:
		return append(dst, " is not expected here"...)
	case CodeType:
		dst = append(append(dst, " must be "...), v.Expected...)
		return append(append(dst, ", not "...), v.Actual...)
	case CodeSchema:
		if v.Keyword == "" {
			return append(dst, " is not allowed by the schema"...)
		}
	case CodeItems, CodeLength, CodeProperties:
		return append(append(dst, " must have "...), v.Expected...)
	}
	return append(append(dst, " must be "...), v.Expected...)
}

// appendQuoted appends s in quotation marks that nothing in it can close: the model chose
// the keys of a location.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for {
		i := strings.IndexAny(s, `"\`)
		if i < 0 {
			return append(append(dst, s...), '"')
		}
		dst = append(append(append(dst, s[:i]...), '\\'), s[i])
		s = s[i+1:]
	}
}

// branchTypes are all kinds that the branches of a union admit by type.
func (s *schema) branchTypes(keyword string) kinds {
	list := s.anyOf
	if keyword == "oneOf" {
		list = s.oneOf
	}
	seen := map[*schema]bool{s: true}
	var all kinds
	for _, b := range list {
		all |= b.admits(seen)
	}
	return all
}

// admits are the kinds that a schema names, through references and unions.
func (s *schema) admits(seen map[*schema]bool) kinds {
	if s == nil || seen[s] {
		return 0
	}
	seen[s] = true
	all := s.types | s.ref.admits(seen)
	for _, list := range [][]*schema{s.allOf, s.anyOf, s.oneOf} {
		for _, sub := range list {
			all |= sub.admits(seen)
		}
	}
	return all
}

// cutBytes cuts a text to at most limit bytes, at a code point, and says so.
func cutBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const ellipsis = "…"
	n := limit - len(ellipsis)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + ellipsis
}
