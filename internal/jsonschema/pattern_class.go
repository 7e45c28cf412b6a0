package jsonschema

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// runeSet is a set of code points: sorted, disjoint pairs of first and last.
type runeSet []rune

const maxRune = unicode.MaxRune

func single(r rune) runeSet { return runeSet{r, r} }

// normal sorts and merges the pairs.
func (s runeSet) normal() runeSet {
	pairs := make([][2]rune, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		pairs = append(pairs, [2]rune{s[i], s[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0]) - int(b[0]) })
	var out runeSet
	for _, p := range pairs {
		if n := len(out); n > 0 && p[0] <= out[n-1]+1 {
			out[n-1] = max(out[n-1], p[1])
			continue
		}
		out = append(out, p[0], p[1])
	}
	return out
}

// not gives the complement of a normal set.
func (s runeSet) not() runeSet {
	var out runeSet
	next := rune(0)
	for i := 0; i+1 < len(s); i += 2 {
		if s[i] > next {
			out = append(out, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= maxRune {
		out = append(out, next, maxRune)
	}
	return out
}

func (s runeSet) has(r rune) bool {
	lo, hi := 0, len(s)/2
	for lo < hi {
		mid := (lo + hi) / 2
		switch {
		case r < s[2*mid]:
			hi = mid
		case r > s[2*mid+1]:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}

func digitSet() runeSet { return runeSet{'0', '9'} }

func wordSet() runeSet { return runeSet{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'} }

// isWord says that a character is in wordSet.
func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// spaceSet is ECMA-262's WhiteSpace and LineTerminator, not RE2's ASCII set.
func spaceSet() runeSet {
	return runeSet{
		'\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029,
		0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
	}
}

// dotSet is everything but the line terminators.
func dotSet() runeSet {
	return runeSet{'\n', '\n', '\r', '\r', 0x2028, 0x2029}.not()
}

func tableSet(tables ...*unicode.RangeTable) runeSet {
	var s runeSet
	for _, t := range tables {
		for _, r := range t.R16 {
			s = appendStride(s, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			s = appendStride(s, rune(r.Lo), rune(r.Hi), rune(r.Stride)) //nolint:gosec // a table of code points, none beyond 0x10ffff
		}
	}
	return s.normal()
}

func appendStride(s runeSet, lo, hi, stride rune) runeSet {
	if stride == 1 {
		return append(s, lo, hi)
	}
	for r := lo; r <= hi; r += stride {
		s = append(s, r, r)
	}
	return s
}

// propertySet resolves the name inside \p{…}.
func propertySet(name string) (runeSet, error) {
	key, value, found := strings.Cut(name, "=")
	if found {
		switch key {
		case "General_Category", "gc":
			return categorySet(value)
		case "Script", "sc":
			if t := unicode.Scripts[value]; t != nil {
				return tableSet(t), nil
			}
		}
		return nil, fmt.Errorf(`\p{%s} is not a Unicode property that is supported`, name)
	}
	if s, ok := binarySet(name); ok {
		return s, nil
	}
	return categorySet(name)
}

// binarySet gives the binary properties that Unicode tables of Go can express.
func binarySet(name string) (runeSet, bool) {
	switch name {
	case "Any":
		return runeSet{0, maxRune}, true
	case "ASCII":
		return runeSet{0, 0x7f}, true
	case "Assigned":
		return unassigned().not(), true
	case "Alphabetic", "Alpha":
		return tableSet(unicode.L, unicode.Nl, unicode.Other_Alphabetic), true
	case "Lowercase", "Lower":
		return tableSet(unicode.Ll, unicode.Other_Lowercase), true
	case "Uppercase", "Upper":
		return tableSet(unicode.Lu, unicode.Other_Uppercase), true
	case "White_Space", "space":
		return tableSet(unicode.White_Space), true
	case "Hex_Digit", "ASCII_Hex_Digit", "Dash", "Diacritic", "Ideographic", "Quotation_Mark", "Unified_Ideograph", "Variation_Selector":
		return tableSet(unicode.Properties[name]), true
	}
	return nil, false
}

func unassigned() runeSet {
	return tableSet(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C).not()
}

// categoryNames are the long names of the general categories.
var categoryNames = map[string]string{
	"Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt",
	"Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn",
	"Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd",
	"Letter_Number": "Nl", "Other_Number": "No", "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc",
	"Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi",
	"Final_Punctuation": "Pf", "Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc",
	"Modifier_Symbol": "Sk", "Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl",
	"Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs",
	"Private_Use": "Co", "Unassigned": "Cn",
}

func categorySet(name string) (runeSet, error) {
	short := name
	if s, ok := categoryNames[name]; ok {
		short = s
	}
	switch short {
	case "Cn":
		return unassigned(), nil
	case "C":
		return append(tableSet(unicode.C), unassigned()...).normal(), nil
	case "LC":
		return tableSet(unicode.Lu, unicode.Ll, unicode.Lt), nil
	}
	if t := unicode.Categories[short]; t != nil && len(short) <= 2 {
		return tableSet(t), nil
	}
	return nil, fmt.Errorf(`\p{%s} is not a Unicode property that is supported`, name)
}
