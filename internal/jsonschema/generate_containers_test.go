package jsonschema

import (
	"slices"
	"strconv"

	"github.com/callgate/callgate/internal/rawjson"
)

func (g *instanceGenerator) array(parts []*rawjson.Value, depth int) {
	least, most := limits(parts, "minItems", "maxItems")
	n := g.count(least, most, 3)
	if depth > maxInstanceLevels || g.left <= 0 {
		n = max(least, 0)
	}
	g.b = append(g.b, '[')
	var last []byte
	for i := range min(n, 300) {
		g.comma('[')
		if i > 0 && g.IntN(8) == 0 {
			g.again(last)
			continue
		}
		from := len(g.b)
		g.valueOf(g.itemParts(parts, i), depth+1)
		last = append(last[:0], g.b[from:]...)
	}
	g.b = append(g.b, ']')
}

// again writes an equal value in another spelling.
func (g *instanceGenerator) again(text []byte) {
	v, err := rawjson.Parse(text, rawjson.Limits{MaxDepth: MaxArgumentDepth, MaxValues: MaxArgumentValues})
	if err != nil || g.IntN(3) == 0 {
		g.b = append(g.b, text...)
		return
	}
	if v.Kind == rawjson.Number && !oversized(string(v.Raw), 60, 60) {
		g.b = append(g.b, g.spelled(parseDecimal(string(v.Raw)))...)
		return
	}
	g.b = rewriter{g.Rand, true, g.IntN(4) == 0, g.IntN(4) == 0}.write(g.b, v)
}

func (g *instanceGenerator) itemParts(parts []*rawjson.Value, i int) []*rawjson.Value {
	var list []*rawjson.Value
	for _, s := range parts {
		tuple, rest := itemsOf(s, "prefixItems"), s.Get("items")
		if len(tuple) == 0 && rest != nil && rest.Kind == rawjson.Array {
			tuple, rest = rest.Items, s.Get("additionalItems")
		}
		switch {
		case i < len(tuple):
			list = append(list, g.parts(tuple[i])...)
		case rest != nil:
			list = append(list, g.parts(rest)...)
		default:
			list = append(list, g.parts(s.Get("unevaluatedItems"))...)
		}
		if contains := s.Get("contains"); contains != nil && g.IntN(3) == 0 {
			list = append(list, g.parts(contains)...)
		}
	}
	return distinctParts(list)
}

// maxParts is how many subschemas a value is made for.
const maxParts = 32

// distinctParts keeps recursion through several subschemas from doubling their number
// at every level.
func distinctParts(list []*rawjson.Value) []*rawjson.Value {
	var out []*rawjson.Value
	for _, s := range list {
		if len(out) < maxParts && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (g *instanceGenerator) object(parts []*rawjson.Value, depth int) {
	keys := g.objectKeys(parts, depth)
	g.b = append(g.b, '{')
	for _, key := range keys {
		g.comma('{')
		spell := g.spell
		g.spell.escapes = g.spell.escapes || g.IntN(30) == 0
		g.text(key)
		g.spell = spell
		g.b = g.spell.gap(g.b)
		g.b = append(g.b, ':')
		g.b = g.spell.gap(g.b)
		g.valueOf(g.memberParts(parts, key), depth+1)
	}
	g.b = g.spell.gap(g.b)
	g.b = append(g.b, '}')
}

// objectKeys chooses the keys: what is required, some of what is named, and now and
// then one that is not, or one twice.
func (g *instanceGenerator) objectKeys(parts []*rawjson.Value, depth int) []string {
	var keys []string
	add := func(key string) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, s := range parts {
		for _, name := range itemsOf(s, "required") {
			if !g.astray() {
				add(name.Text)
			}
		}
		if props := s.Get("properties"); props != nil && depth <= maxInstanceLevels && g.left > 0 {
			for _, f := range props.Fields {
				if g.IntN(2) == 0 {
					add(f.Key)
				}
			}
		}
	}
	g.addDependents(parts, add, &keys)
	least, most := limits(parts, "minProperties", "maxProperties")
	extra := 0
	if g.astray() || g.IntN(6) == 0 && !closedTo(parts) {
		extra = 1 + g.IntN(2)
	}
	for range 8 {
		if len(keys) >= least && extra <= 0 {
			break
		}
		extra--
		add(pick(g.Rand, someKeys))
	}
	if g.IntN(60) == 0 {
		for i := range 5 + g.IntN(30) {
			add("u" + strconv.Itoa(i))
		}
	}
	if most >= 0 && len(keys) > most && !g.astray() {
		keys = keys[:most]
	}
	if g.IntN(3) == 0 {
		g.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
	if len(keys) > 0 && g.wrong > 0 && g.IntN(60) == 0 {
		keys = append(keys, pick(g.Rand, keys))
	}
	return keys
}

func (g *instanceGenerator) addDependents(parts []*rawjson.Value, add func(string), keys *[]string) {
	for _, s := range parts {
		for _, keyword := range [...]string{"dependentRequired", "dependencies"} {
			list := s.Get(keyword)
			if list == nil {
				continue
			}
			for _, f := range list.Fields {
				if !slices.Contains(*keys, f.Key) || g.astray() {
					continue
				}
				for _, name := range f.Value.Items {
					add(name.Text)
				}
			}
		}
	}
}

// closedTo says that some part refuses what it does not name.
func closedTo(parts []*rawjson.Value) bool {
	return slices.ContainsFunc(parts, func(s *rawjson.Value) bool {
		for _, keyword := range [...]string{"additionalProperties", "unevaluatedProperties"} {
			if v := s.Get(keyword); v != nil && v.Kind == rawjson.Bool {
				return v.Raw[0] == 'f'
			}
		}
		return false
	})
}

func (g *instanceGenerator) memberParts(parts []*rawjson.Value, key string) []*rawjson.Value {
	var list []*rawjson.Value
	for _, s := range parts {
		named := false
		if props := s.Get("properties"); props != nil {
			if sub := props.Get(key); sub != nil {
				named = true
				list = append(list, g.parts(sub)...)
			}
		}
		if patterns := s.Get("patternProperties"); patterns != nil {
			for _, f := range patterns.Fields {
				if p, err := newPattern(f.Key); err == nil && p.MatchString(key) {
					named = true
					list = append(list, g.parts(f.Value)...)
				}
			}
		}
		if !named {
			list = append(list, g.parts(s.Get("additionalProperties"))...)
		}
	}
	return distinctParts(list)
}
