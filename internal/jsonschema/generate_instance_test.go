package jsonschema

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// instanceGenerator writes values for a schema document: what fits, mostly, what
// lies on its bounds and just beyond them, and now and then anything.
type instanceGenerator struct {
	*rand.Rand
	doc *rawjson.Value
	// wrong is how many in a thousand choices go against the schema.
	wrong  int
	wrongs []int // what it is chosen from, for each value
	left   int   // values that may still be written
	spell  rewriter
	b      []byte
}

func newInstanceGenerator(r *rand.Rand, doc []byte) *instanceGenerator {
	root, err := rawjson.Parse(doc, rawjson.Limits{MaxDepth: MaxSchemaDepth, MaxValues: maxSchemaValues})
	if err != nil {
		return nil
	}
	return &instanceGenerator{Rand: r, doc: root, spell: rewriter{Rand: r}, wrongs: []int{0, 0, 0, 10, 30, 100}}
}

// next writes one value.
func (g *instanceGenerator) next(object bool) []byte {
	g.b = g.b[:0]
	g.left = 60
	g.wrong = pick(g.Rand, g.wrongs)
	g.spell.escapes, g.spell.space = g.IntN(6) == 0, g.IntN(6) == 0
	if object {
		g.object(g.parts(g.doc), 0)
	} else {
		g.value(g.doc, 0)
	}
	if g.wrong > 0 && g.IntN(40) == 0 {
		g.damage()
	}
	if g.IntN(300) == 0 {
		g.wrap(object)
	}
	return g.b
}

// damage changes a byte, which mostly makes it no JSON.
func (g *instanceGenerator) damage() {
	if len(g.b) == 0 {
		return
	}
	at := g.IntN(len(g.b))
	switch g.IntN(4) {
	case 0:
		g.b = g.b[:at]
	case 1:
		g.b[at] = pick(g.Rand, []byte("\"\\{}[],:0e-.\x00\xff ntf"))
	case 2:
		g.b = slices.Delete(g.b, at, at+1)
	default:
		g.b = append(g.b, pick(g.Rand, []string{"}", " ", "{}", ",", "\x00"})...)
	}
}

// wrap puts the value so deep that it is near the bound on levels.
func (g *instanceGenerator) wrap(object bool) {
	n := MaxArgumentDepth - 8 + g.IntN(10)
	open, end := "[", "]"
	if g.IntN(2) == 0 {
		open, end = `{"a":`, "}"
	}
	text := strings.Repeat(open, n) + string(g.b) + strings.Repeat(end, n)
	if object {
		text = `{"` + pick(g.Rand, []string{"a", "b", "city"}) + `":` + text + `}`
	}
	g.b = append(g.b[:0], text...)
}

// astray says to go against the schema here.
func (g *instanceGenerator) astray() bool { return g.wrong > 0 && g.IntN(1000) < g.wrong }

func (g *instanceGenerator) value(s *rawjson.Value, depth int) { g.valueOf(g.parts(s), depth) }

// parts are the subschemas that a value is made for: through references and allOf,
// with one branch of each union.
func (g *instanceGenerator) parts(s *rawjson.Value) []*rawjson.Value {
	var list []*rawjson.Value
	var add func(s *rawjson.Value, depth int)
	add = func(s *rawjson.Value, depth int) {
		if s == nil || s.Kind != rawjson.Object || depth > 8 || len(list) > 16 || slices.Contains(list, s) {
			return
		}
		list = append(list, s)
		if ref := s.Get("$ref"); ref != nil {
			add(g.resolve(ref.Text), depth+1)
		}
		if s.Get("$recursiveRef") != nil || s.Get("$dynamicRef") != nil {
			add(g.doc, depth+1)
		}
		for _, sub := range itemsOf(s, "allOf") {
			add(sub, depth+1)
		}
		for _, keyword := range [...]string{"anyOf", "oneOf"} {
			if branches := itemsOf(s, keyword); len(branches) > 0 {
				add(pick(g.Rand, branches), depth+1)
			}
		}
		if g.IntN(2) == 0 {
			add(s.Get("if"), depth+1)
			add(s.Get("then"), depth+1)
		} else {
			add(s.Get("else"), depth+1)
		}
	}
	add(s, 0)
	return list
}

func itemsOf(s *rawjson.Value, keyword string) []*rawjson.Value {
	if v := s.Get(keyword); v != nil {
		return v.Items
	}
	return nil
}

// resolve follows a pointer within the document.
func (g *instanceGenerator) resolve(ref string) *rawjson.Value {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := g.doc
	for _, step := range stepsOf(pointer) {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch {
		case at == nil:
			return nil
		case at.Kind == rawjson.Array:
			n, err := strconv.Atoi(step)
			if err != nil || n >= len(at.Items) {
				return nil
			}
			at = at.Items[n]
		default:
			at = at.Get(step)
		}
	}
	return at
}

// maxInstanceLevels ends recursion.
const maxInstanceLevels = 7

func (g *instanceGenerator) valueOf(parts []*rawjson.Value, depth int) {
	g.left--
	if depth > maxInstanceLevels+1 || g.left < -500 {
		g.b = append(g.b, "null"...)
		return
	}
	if values := allowedValues(parts); len(values) > 0 && !g.astray() {
		g.like(pick(g.Rand, values))
		return
	}
	switch g.kind(parts, depth) {
	case atNull:
		g.b = append(g.b, "null"...)
	case atBoolean:
		g.b = strconv.AppendBool(g.b, g.IntN(2) == 0)
	case atInteger:
		g.number(parts, true)
	case atNumber:
		g.number(parts, false)
	case atString:
		g.string(parts)
	case atArray:
		g.array(parts, depth)
	default:
		g.object(parts, depth)
	}
}

// allowedValues are those of an enum or const; of several, one is as good as another.
func allowedValues(parts []*rawjson.Value) []*rawjson.Value {
	for _, s := range parts {
		if v := s.Get("const"); v != nil {
			return []*rawjson.Value{v}
		}
		if list := itemsOf(s, "enum"); len(list) > 0 {
			return list
		}
	}
	return nil
}

// kind chooses among the kinds that all types allow, led by the keywords.
func (g *instanceGenerator) kind(parts []*rawjson.Value, depth int) int {
	var counts [kindCount]int
	types := 0
	for _, s := range parts {
		v := s.Get("type")
		if v == nil {
			continue
		}
		types++
		for _, name := range append([]*rawjson.Value{v}, v.Items...) {
			if at := slices.Index(kindTexts, name.Text); at >= 0 && name.Kind == rawjson.String {
				counts[at]++
				if at == atNumber {
					counts[atInteger]++
				}
			}
		}
	}
	var open []int
	for kind, n := range counts {
		if n == types && (types > 0 || kind != atObject && kind != atArray || depth < maxInstanceLevels) {
			open = append(open, kind)
		}
	}
	switch led := ledTo(parts); {
	case len(open) == 0 || g.astray():
		return g.IntN(kindCount)
	case types == 0 && led >= 0 && g.IntN(8) > 0:
		return led
	}
	return pick(g.Rand, open)
}

// ledTo is the kind that the keywords speak of; -1: none.
func ledTo(parts []*rawjson.Value) int {
	for _, s := range parts {
		for _, f := range s.Fields {
			for kind, rules := range map[int][]keywordRule{
				atObject: objectKeywords, atArray: arrayKeywords, atString: stringKeywords[:4], atNumber: numberKeywords[:7],
			} {
				if slices.ContainsFunc(rules, func(k keywordRule) bool { return k.name == f.Key }) {
					return kind
				}
			}
		}
	}
	return -1
}

// like writes a value equal to one of the document, or nearly.
func (g *instanceGenerator) like(v *rawjson.Value) {
	switch v.Kind {
	case rawjson.Number:
		g.b = append(g.b, g.spelled(g.near(parseDecimal(string(v.Raw))))...)
	case rawjson.String:
		text := v.Text
		if g.astray() {
			text += "x"
		}
		g.text(text)
	default:
		g.b = g.spell.write(g.b, v)
	}
}

func (g *instanceGenerator) text(s string) { g.b = g.spell.text(g.b, s) }

func (g *instanceGenerator) comma(open byte) {
	if last := g.b[len(g.b)-1]; last != open {
		g.b = append(g.b, ',')
	}
	g.b = g.spell.gap(g.b)
}

// limits gives the largest lower and the smallest upper count that the parts set;
// -1: none.
func limits(parts []*rawjson.Value, lower, upper string) (least, most int) {
	least, most = -1, -1
	for _, s := range parts {
		if v := s.Get(lower); v != nil {
			least = max(least, countOf(v))
		}
		if v := s.Get(upper); v != nil {
			if n := countOf(v); most < 0 || n < most {
				most = n
			}
		}
	}
	return least, most
}

// countOf reads a count, at most a thousand.
func countOf(v *rawjson.Value) int {
	_, n := parseDecimal(string(v.Raw)).wholes()
	return int(min(max(n, 0), 1000))
}

// count chooses how many, on the bounds more often than not, and beyond them when
// astray.
func (g *instanceGenerator) count(least, most, usual int) int {
	n := max(least, 0) + g.IntN(usual+1)
	switch {
	case least >= 0 && g.IntN(3) == 0:
		n = least
	case most >= 0 && (n > most || g.IntN(3) == 0):
		n = most
	}
	if g.astray() {
		if least > 0 && g.IntN(2) == 0 {
			return least - 1
		}
		return max(n, most) + 1
	}
	return n
}
