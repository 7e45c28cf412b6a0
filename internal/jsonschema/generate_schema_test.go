package jsonschema

import (
	"math/rand/v2"
	"strconv"

	"github.com/callgate/callgate/internal/rawjson"
)

// generatorMode says which keywords a generator dwells on.
type generatorMode uint8

const (
	generateAll generatorMode = iota
	generateNumbers
	generateStrings
	generateUnions
	generatorModes
)

func (m generatorMode) String() string {
	return [...]string{"all", "numbers", "strings", "unions"}[m]
}

// byteSource makes a random source of a text, one byte for each choice, so that a
// fuzzer that changes a byte changes one choice. Behind the text it goes on at random.
type byteSource struct {
	text []byte
	rest rand.Source
}

func newByteSource(text []byte) *byteSource {
	seed := uint64(len(text))
	for _, c := range text {
		seed = seed*1099511628211 + uint64(c)
	}
	return &byteSource{text, rand.NewPCG(seed, 1)}
}

func (s *byteSource) Uint64() uint64 {
	if len(s.text) == 0 {
		return s.rest.Uint64()
	}
	c := s.text[0]
	s.text = s.text[1:]
	return uint64(c)<<56 | s.rest.Uint64()>>8
}

func newRandom(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// schemaGenerator writes a schema document of one draft. Most are valid; the rest
// does not compile.
type schemaGenerator struct {
	*rand.Rand
	mode  generatorMode
	draft Dialect
	keys  []string // that this document uses
	defs  int
	wide  int // how many more properties the root has
	left  int // subschemas that may still be written
	b     []byte
}

// maxGenerated is how many subschemas one document may have, about.
const maxGenerated = 40

// keywordRule is a keyword, the first and the last draft for which it is written so,
// how often in a hundred, and how.
type keywordRule struct {
	name         string
	since, until int
	odds         int
	write        func(g *schemaGenerator, depth int)
}

func generateSchema(r *rand.Rand, mode generatorMode) (doc []byte, draft Dialect) {
	drafts := [...]Dialect{Draft4, Draft6, Draft7, Draft7, Draft2019, Draft2020, Draft2020}
	g := &schemaGenerator{Rand: r, mode: mode, draft: drafts[r.IntN(len(drafts))], left: 1 + r.IntN(maxGenerated), defs: r.IntN(4)}
	keys := 6
	if mode == generateUnions {
		keys = 2 // so that branches speak of the same ones
	}
	for range 2 + r.IntN(keys) {
		g.keys = append(g.keys, pick(r, someKeys))
	}
	if r.IntN(40) == 0 {
		g.wide = pick(r, []int{10, 63, 64, 65, 300})
	}
	g.root()
	return g.b, g.draft
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func (g *schemaGenerator) chance(percent int) bool { return g.IntN(100) < percent }

// someKeys are names of properties, the plain ones more than once.
var someKeys = []string{
	"a", "b", "c", "d", "a", "b", "c", "city", "country", "k1", "k2", "k10", "x-y", "aa", "ab",
	"", " ", "ä", "a\u0308", "😀", `q"`, `s\`, "t/u", "~0", "\n", "\u0000", "A", "__proto__",
}

// root is mostly a schema for objects, because those are what calls have.
func (g *schemaGenerator) root() {
	if g.chance(2) && g.draft != Draft4 {
		g.boolean()
		return
	}
	g.open()
	if g.chance(75) {
		if g.chance(60) {
			g.member("type")
			g.text("object")
		}
		g.keywords(objectKeywords, 1)
		if g.chance(30) {
			g.keywords(logicKeywords, 1)
		}
	} else {
		g.body(0)
	}
	if g.draft == Draft2019 && g.chance(10) {
		g.member("$recursiveAnchor")
		g.boolean()
	}
	if g.draft == Draft2020 && g.chance(10) {
		g.member("$dynamicAnchor")
		g.text("node")
	}
	g.definitions()
	if g.wide > 0 {
		g.wideRoot()
	}
	g.close()
}

// wideRoot adds properties, some of them required, where the root has none.
func (g *schemaGenerator) wideRoot() {
	name := func(i int) string { return "w" + strconv.Itoa(i) }
	if !g.has("properties") {
		g.member("properties")
		g.open()
		for i := range g.wide {
			g.member(name(i))
			g.leafSchema()
		}
		g.close()
	}
	if !g.has("required") {
		g.member("required")
		g.b = append(g.b, '[')
		for i := range g.wide {
			if i == 0 || i == g.wide-1 || g.chance(70) {
				g.comma()
				g.text(name(i))
			}
		}
		g.b = append(g.b, ']')
	}
}

func (g *schemaGenerator) leafSchema() {
	g.open()
	g.leaf(0)
	g.close()
}

func (g *schemaGenerator) definitions() {
	if g.defs == 0 {
		return
	}
	g.member(g.definitionsKeyword())
	g.open()
	for i := range g.defs {
		g.member("d" + strconv.Itoa(i))
		g.left = max(g.left, 3)
		g.schema(2)
		if last := len(g.b) - 1; g.draft.year() >= Draft2019.year() && g.b[last] == '}' {
			g.b = g.b[:last]
			g.member("$anchor")
			g.text("a" + strconv.Itoa(i))
			g.close()
		}
	}
	g.close()
}

func (g *schemaGenerator) definitionsKeyword() string {
	if g.draft.year() >= Draft2019.year() {
		return "$defs"
	}
	return "definitions"
}

// maxSchemaLevels is how deep subschemas are nested.
const maxSchemaLevels = 5

func (g *schemaGenerator) schema(depth int) {
	g.left--
	switch {
	case g.chance(4) && g.draft != Draft4:
		g.boolean()
		return
	case g.chance(1):
		g.b = append(g.b, "{}"...)
		return
	}
	g.open()
	switch {
	case g.left <= 0 || depth >= maxSchemaLevels:
		g.leaf(depth)
	case g.chance(9):
		g.reference(depth)
	default:
		g.body(depth)
	}
	g.close()
}

// leaf has no subschemas.
func (g *schemaGenerator) leaf(depth int) {
	g.keywords(anyKeywords, depth)
	switch g.focus() {
	case atString:
		g.keywords(stringKeywords, depth)
	case atNumber:
		g.keywords(numberKeywords, depth)
	}
}

// focus is the kind of value that a subschema is mostly about; atNull: none.
func (g *schemaGenerator) focus() int {
	switch g.mode {
	case generateNumbers:
		return pick(g.Rand, []int{atNumber, atNumber, atNumber, atNumber, atObject, atArray})
	case generateStrings:
		return pick(g.Rand, []int{atString, atString, atString, atString, atObject, atArray})
	case generateUnions:
		return pick(g.Rand, []int{atNull, atNull, atNull, atObject, atObject, atArray, atNumber, atString})
	}
	return pick(g.Rand, []int{atNull, atObject, atObject, atObject, atArray, atArray, atString, atNumber})
}

func (g *schemaGenerator) body(depth int) {
	focus := g.focus()
	if g.chance(65) {
		g.member("type")
		g.types(focus)
	}
	switch focus {
	case atObject:
		g.keywords(objectKeywords, depth)
	case atArray:
		g.keywords(arrayKeywords, depth)
	case atString:
		g.keywords(stringKeywords, depth)
	case atNumber:
		g.keywords(numberKeywords, depth)
	default:
		g.keywords(logicKeywords, depth)
	}
	if g.chance(8) {
		g.keywords(anyKeywords[1:], depth)
	}
	if g.chance(12) && focus != atNull {
		g.keywords(logicKeywords, depth)
	}
}

var kindTexts = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

func (g *schemaGenerator) types(focus int) {
	name := kindTexts[focus]
	if focus == atNumber && g.chance(50) {
		name = "integer"
	}
	if focus == atNull || g.chance(5) {
		name = pick(g.Rand, kindTexts)
	}
	if g.chance(75) {
		g.text(name)
		return
	}
	list := []string{name}
	for _, i := range g.Perm(len(kindTexts))[:1+g.IntN(2)] {
		if kindTexts[i] != name {
			list = append(list, kindTexts[i])
		}
	}
	g.b = append(g.b, '[')
	for _, kind := range list {
		g.comma()
		g.text(kind)
	}
	g.b = append(g.b, ']')
}

// reference refers to a definition or the root, by the draft's own ways.
func (g *schemaGenerator) reference(depth int) {
	switch {
	case g.draft == Draft2019 && g.chance(10):
		g.member("$recursiveRef")
		g.text("#")
	case g.draft == Draft2020 && g.chance(10):
		g.member("$dynamicRef")
		g.text("#node")
	default:
		g.member("$ref")
		at := g.IntN(g.defs + 1)
		switch {
		case at == g.defs:
			g.text("#")
		case g.draft.year() >= Draft2019.year() && g.chance(15):
			g.text("#a" + strconv.Itoa(at))
		default:
			g.text("#/" + g.definitionsKeyword() + "/d" + strconv.Itoa(at))
		}
	}
	if g.chance(20) {
		g.keywords(anyKeywords, depth)
	}
}

// keywords writes some of a list, at least one where that is easy.
func (g *schemaGenerator) keywords(rules []keywordRule, depth int) {
	year := g.draft.year()
	for _, k := range rules {
		// Now and then a keyword stands where the draft ignores it.
		if (year >= k.since && year <= k.until) && g.chance(k.odds) && !g.has(k.name) {
			g.member(k.name)
			k.write(g, depth+1)
		}
	}
}

// has says that the object being written has the member already. Its own members
// are those at its level.
func (g *schemaGenerator) has(name string) bool {
	level := 0
	quoted := `"` + name + `":`
	for i := len(g.b) - 1; i >= 0; i-- {
		switch g.b[i] {
		case '}', ']':
			level++
		case '{', '[':
			if level--; level < 0 {
				return false
			}
		case '"':
			if level == 0 && len(g.b)-i >= len(quoted) && string(g.b[i:i+len(quoted)]) == quoted {
				return true
			}
		}
	}
	return false
}

func (g *schemaGenerator) open() { g.b = append(g.b, '{') }

func (g *schemaGenerator) close() { g.b = append(g.b, '}') }

// comma separates what comes from what is there.
func (g *schemaGenerator) comma() {
	if last := g.b[len(g.b)-1]; last != '{' && last != '[' && last != ':' {
		g.b = append(g.b, ',')
	}
}

func (g *schemaGenerator) member(name string) {
	g.comma()
	g.text(name)
	g.b = append(g.b, ':')
}

func (g *schemaGenerator) text(s string) { g.b = rawjson.AppendString(g.b, s) }

func (g *schemaGenerator) boolean() { g.b = strconv.AppendBool(g.b, g.chance(60)) }
