package jsonschema

import (
	"slices"
	"strconv"
)

// These are functions rather than values because the writers refer to the lists.
var anyKeywords, objectKeywords, arrayKeywords, stringKeywords, numberKeywords, logicKeywords []keywordRule

func init() {
	anyKeywords = []keywordRule{
		{"type", 4, 2020, 60, func(g *schemaGenerator, _ int) { g.types(g.focus()) }},
		{"enum", 4, 2020, 25, (*schemaGenerator).enum},
		{"const", 6, 2020, 15, (*schemaGenerator).anything},
	}
	objectKeywords = []keywordRule{
		{"properties", 4, 2020, 80, (*schemaGenerator).properties},
		{"required", 4, 2020, 40, (*schemaGenerator).names},
		{"additionalProperties", 4, 2020, 35, (*schemaGenerator).opening},
		{"patternProperties", 4, 2020, 12, (*schemaGenerator).byPattern},
		{"propertyNames", 6, 2020, 6, (*schemaGenerator).schema},
		{"minProperties", 4, 2020, 10, (*schemaGenerator).count},
		{"maxProperties", 4, 2020, 10, (*schemaGenerator).count},
		{"dependentRequired", 2019, 2020, 12, (*schemaGenerator).dependentNames},
		{"dependentSchemas", 2019, 2020, 8, (*schemaGenerator).properties},
		{"dependencies", 4, 2020, 8, (*schemaGenerator).dependencies},
		{"unevaluatedProperties", 2019, 2020, 5, (*schemaGenerator).opening},
	}
	arrayKeywords = []keywordRule{
		{"items", 4, 2019, 30, (*schemaGenerator).list},
		{"items", 4, 2020, 60, (*schemaGenerator).schema},
		{"prefixItems", 2020, 2020, 30, (*schemaGenerator).list},
		{"additionalItems", 4, 2019, 30, (*schemaGenerator).opening},
		{"minItems", 4, 2020, 20, (*schemaGenerator).count},
		{"maxItems", 4, 2020, 20, (*schemaGenerator).count},
		{"uniqueItems", 4, 2020, 30, func(g *schemaGenerator, _ int) { g.boolean() }},
		{"contains", 6, 2020, 20, (*schemaGenerator).schema},
		{"minContains", 2019, 2020, 10, (*schemaGenerator).count},
		{"maxContains", 2019, 2020, 10, (*schemaGenerator).count},
		{"unevaluatedItems", 2019, 2020, 5, (*schemaGenerator).opening},
	}
	stringKeywords = []keywordRule{
		{"minLength", 4, 2020, 40, (*schemaGenerator).count},
		{"maxLength", 4, 2020, 40, (*schemaGenerator).count},
		{"pattern", 4, 2020, 25, func(g *schemaGenerator, _ int) { g.text(pick(g.Rand, somePatterns).source) }},
		{"format", 4, 2020, 20, func(g *schemaGenerator, _ int) { g.text(pick(g.Rand, someFormats).name) }},
		{"enum", 4, 2020, 8, (*schemaGenerator).enum},
	}
	numberKeywords = []keywordRule{
		{"minimum", 4, 2020, 35, (*schemaGenerator).bound},
		{"maximum", 4, 2020, 35, (*schemaGenerator).bound},
		{"exclusiveMinimum", 4, 4, 10, func(g *schemaGenerator, _ int) { g.boolean() }},
		{"exclusiveMaximum", 4, 4, 10, func(g *schemaGenerator, _ int) { g.boolean() }},
		{"exclusiveMinimum", 6, 2020, 18, (*schemaGenerator).bound},
		{"exclusiveMaximum", 6, 2020, 18, (*schemaGenerator).bound},
		{"multipleOf", 4, 2020, 25, func(g *schemaGenerator, _ int) { g.b = append(g.b, pick(g.Rand, someSteps)...) }},
		{"enum", 4, 2020, 8, (*schemaGenerator).enum},
	}
	logicKeywords = []keywordRule{
		{"anyOf", 4, 2020, 35, (*schemaGenerator).list},
		{"oneOf", 4, 2020, 30, (*schemaGenerator).list},
		{"allOf", 4, 2020, 25, (*schemaGenerator).list},
		{"not", 4, 2020, 12, (*schemaGenerator).schema},
		{"if", 7, 2020, 18, (*schemaGenerator).schema},
		{"then", 7, 2020, 15, (*schemaGenerator).schema},
		{"else", 7, 2020, 15, (*schemaGenerator).schema},
	}
}

func (g *schemaGenerator) list(depth int) {
	g.b = append(g.b, '[')
	for range 1 + g.IntN(3) {
		g.comma()
		g.schema(depth)
	}
	g.b = append(g.b, ']')
}

// someOfKeys are distinct.
func (g *schemaGenerator) someOfKeys(atMost int) []string {
	var list []string
	for range 1 + g.IntN(atMost) {
		if key := pick(g.Rand, g.keys); !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	return list
}

func (g *schemaGenerator) names(_ int) {
	g.b = append(g.b, '[')
	for _, key := range g.someOfKeys(3) {
		g.comma()
		g.text(key)
	}
	g.b = append(g.b, ']')
}

func (g *schemaGenerator) properties(depth int) {
	g.open()
	for _, key := range g.someOfKeys(5) {
		g.member(key)
		g.schema(depth)
	}
	g.close()
}

func (g *schemaGenerator) dependentNames(depth int) {
	g.open()
	for _, key := range g.someOfKeys(2) {
		g.member(key)
		g.names(depth)
	}
	g.close()
}

func (g *schemaGenerator) dependencies(depth int) {
	g.open()
	for _, key := range g.someOfKeys(2) {
		g.member(key)
		if g.chance(50) {
			g.names(depth)
		} else {
			g.schema(depth)
		}
	}
	g.close()
}

// byPattern has patterns that stand for some of the keys, mostly.
func (g *schemaGenerator) byPattern(depth int) {
	g.open()
	for _, at := range g.Perm(len(keyPatterns))[:1+g.IntN(2)] {
		g.member(keyPatterns[at])
		g.schema(depth)
	}
	g.close()
}

// opening is a schema that is often a boolean.
func (g *schemaGenerator) opening(depth int) {
	if g.chance(60) {
		g.b = strconv.AppendBool(g.b, g.chance(30))
		return
	}
	g.schema(depth)
}

func (g *schemaGenerator) count(_ int) {
	g.b = append(g.b, pick(g.Rand, []string{"0", "1", "1", "2", "2", "3", "4", "7", "16", "1.0", "2e0", "200"})...)
}

func (g *schemaGenerator) bound(_ int) { g.b = append(g.b, g.number()...) }

func (g *schemaGenerator) number() string {
	if g.chance(75) {
		return pick(g.Rand, someNumbers)
	}
	return strconv.Itoa(g.IntN(2001) - 1000)
}

func (g *schemaGenerator) enum(depth int) {
	var list []string
	for range 1 + g.IntN(5) {
		from := len(g.b)
		g.anything(depth)
		list = append(list, string(g.b[from:]))
		g.b = g.b[:from]
	}
	slices.Sort(list)
	g.b = append(g.b, '[')
	for _, v := range slices.Compact(list) {
		g.comma()
		g.b = append(g.b, v...)
	}
	g.b = append(g.b, ']')
}

// anything is a value of any kind.
func (g *schemaGenerator) anything(depth int) {
	kind := g.IntN(10)
	switch {
	case kind < 4 && g.mode != generateNumbers:
		g.text(pick(g.Rand, someTexts))
	case kind < 6 || g.mode == generateNumbers && kind < 9:
		g.b = append(g.b, g.number()...)
	case kind == 6:
		g.boolean()
	case kind == 7 || depth > maxSchemaLevels+2:
		g.b = append(g.b, "null"...)
	case kind == 8:
		g.b = append(g.b, '[')
		for range g.IntN(3) {
			g.comma()
			g.anything(depth + 1)
		}
		g.b = append(g.b, ']')
	default:
		g.open()
		for _, key := range g.someOfKeys(3)[g.IntN(2):] {
			g.member(key)
			g.anything(depth + 1)
		}
		g.close()
	}
}

// someNumbers are where readers of numbers go wrong.
var someNumbers = []string{
	"0", "1", "-1", "2", "3", "5", "10", "-10", "100", "0.1", "0.01", "1.1", "-1.1", "19.99", "1e2", "1.5e1", "1E-3", "0.5", "2.5",
	"9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "999999999999999999",
	"1000000000000000000", "1e18", "1e19", "1e-18", "1e-19", "100000000000000000000.000000001", "0.000000000000000000000000001",
	"123456789012345678", "1234567890123456789", "-0", "-0.0", "0e5", "1e30", "1e-30", "4.35", "3.14159265358979323846264338327950288",
}

var someSteps = []string{
	"1", "2", "3", "7", "10", "0.5", "0.1", "0.01", "1e-3", "2.5", "1e2", "1e10", "0.3", "1e-20", "9007199254740993", "1.0", "12345678901234567890", "1e18", "1e19",
}

// somePatterns have texts that match them.
var somePatterns = []struct {
	source  string
	matches []string
}{
	{`^[a-z]+$`, []string{"a", "abc", "zzzzzzzz"}},
	{`^[A-Za-z0-9._-]+$`, []string{"a-b", "X.1_2"}},
	{`^\d{2,4}$`, []string{"12", "1234"}},
	{`a`, []string{"a", "ba", "bab"}},
	{`^a.c$`, []string{"abc", "a😀c", "aäc"}},
	{`^(?:GET|PUT|POST)$`, []string{"GET", "POST"}},
	{`^(?=.*\d)[a-z\d]{3,}$`, []string{"ab1", "1abc"}},
	{`^(?!x)`, []string{"", "y", "abc"}},
	{`(a|b)\1`, []string{"aa", "bb"}},
	{`^\S+@\S+$`, []string{"a@b", "ä@😀"}},
	{`^[^\x00-\x1f"\\]*$`, []string{"", "plain"}},
	{`^.{3}$`, []string{"abc", "ä😀c"}},
	{`\bcat\b`, []string{"a cat", "cat"}},
	{`^(a+)+$`, []string{"a", "aaaa"}},
	{`^$`, []string{""}},
	{`[äöü]`, []string{"ä", "aö"}},
	{`^\u{1F600}$`, []string{"😀"}},
	{`^\uD83D\uDE00`, []string{"😀"}},
	{`^[\u{1F600}-\u{1F64F}a]+$`, []string{"😀a", "a"}},
	{`^a{2}(b|cd)?e*$`, []string{"aa", "aab", "aacdee"}},
	{`\p{L}`, []string{"a", "ä"}},
	{`^\s*$`, []string{"", " ", "\t\u00a0"}},
}

// keyPatterns match some of someKeys, and several of them the same ones.
var keyPatterns = []string{`^a`, `b$`, `^k\d+$`, `^[a-c]$`, `^[a-z]{1,2}$`, `.`, `^(?!a)`, `😀`, `^x-`, `^$`, `^\w+$`, `c`}
