package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// The seed of the corpus. Any would do; another makes another corpus, whose
// figures are not to be compared with those of this one.
const seedHigh, seedLow = 0x63616c6c, 0x67617465

// corpus gives n calls that fit the medium schema, and of each a variant that
// does not. The same n always gives the same calls, and a smaller n the first of
// them.
func corpus(n int) (good, bad [][]byte) {
	g := newGenerator()
	for range n {
		call := g.call()
		st := g.style()
		good = append(good, st.encode(nil, call))
		bad = append(bad, st.encode(nil, g.spoil(call)))
	}
	return good, bad
}

// object is a JSON object in the order of its text. Values are object, list,
// string or literal.
type object []member

type member struct {
	key   string
	value any
}

type list []any

// literal is a number, true, false or null as it is written.
type literal string

func (o *object) set(key string, v any) {
	for i := range *o {
		if (*o)[i].key == key {
			(*o)[i].value = v
			return
		}
	}
	*o = append(*o, member{key, v})
}

func (o *object) remove(key string) {
	for i := range *o {
		if (*o)[i].key == key {
			*o = append((*o)[:i:i], (*o)[i+1:]...)
			return
		}
	}
}

func (o *object) get(key string) any {
	for _, m := range *o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

type generator struct{ *rand.Rand }

func newGenerator() generator {
	return generator{rand.New(rand.NewPCG(seedHigh, seedLow))}
}

func (g generator) chance(percent int) bool { return g.IntN(100) < percent }

func (g generator) between(low, high int) int { return low + g.IntN(high-low+1) }

func pick[T any](g generator, from []T) T { return from[g.IntN(len(from))] }

// words are what models write about: mostly plain, some with what must be
// escaped, some not in ASCII, one outside the basic plane.
var words = strings.Split("the cache sync times out when a cluster has many pods restart manager expected "+
	"actual timeout config watch informer lease renew deadline node drain rollout image pull backoff "+
	"memory limit probe fails after upgrade from version see log below cannot reproduce on kind "+
	"\"timed-out\" C:\\temp\\log naïve Zürich größer übermäßig température señal 数据 同期 кэш 🚀 — <2m", " ")

// text is between low and high words, with a line break now and then.
func (g generator) text(low, high int) string {
	var b strings.Builder
	for i := range g.between(low, high) {
		if i > 0 {
			b.WriteByte(" \n\t"[max(0, g.IntN(20)-17)])
		}
		b.WriteString(pick(g, words))
	}
	return b.String()
}

// name is between low and high characters of the alphabet.
func (g generator) name(low, high int, alphabet string) string {
	b := make([]byte, g.between(low, high))
	for i := range b {
		b[i] = alphabet[g.IntN(len(alphabet))]
	}
	return string(b)
}

const (
	ownerAlphabet = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-"
	repoAlphabet  = ownerAlphabet + "._"
)

func (g generator) integer(low, high int) literal { return literal(strconv.Itoa(g.between(low, high))) }

func (g generator) decimal(high int) literal {
	return literal(strconv.FormatFloat(float64(g.IntN(high*100))/100, 'f', -1, 64))
}

func (g generator) boolean() literal { return pick(g, []literal{"true", "false"}) }

// call is one call that fits the medium schema, its keys in random order.
func (g generator) call() object {
	o := object{
		{"owner", g.name(3, 20, ownerAlphabet)},
		{"repo", g.name(4, 30, repoAlphabet)},
		{"title", g.text(3, 9)},
		{"state", pick(g, []string{"open", "closed", "draft"})},
	}
	optional := []struct {
		key     string
		percent int
		value   func() any
	}{
		{"body", 80, func() any { return g.text(6, 36) }},
		{"priority", 60, func() any { return pick(g, []string{"p0", "p1", "p2", "p3", "p4"}) }},
		{"milestone", 50, func() any { return g.integer(1, 500) }},
		{"estimate", 50, func() any { return g.decimal(1000) }},
		{"draft", 50, func() any { return g.boolean() }},
		{"labels", 70, func() any { return g.names(0, 5) }},
		{"assignees", 60, func() any { return g.names(0, 3) }},
		{"fields", 65, func() any { return g.fields() }},
		{"parent", 40, func() any { return g.parent() }},
	}
	for _, p := range optional {
		if g.chance(p.percent) {
			o = append(o, member{p.key, p.value()})
		}
	}
	return g.shuffled(o)
}

func (g generator) shuffled(o object) object {
	g.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
	return o
}

func (g generator) names(low, high int) list {
	l := list{}
	for range g.between(low, high) {
		l = append(l, g.name(3, 16, repoAlphabet))
	}
	return l
}

func (g generator) fields() list {
	l := list{}
	for range g.between(1, 4) {
		l = append(l, g.field())
	}
	return l
}

func (g generator) field() object {
	o := object{
		{"name", g.name(3, 12, ownerAlphabet)},
		{"kind", pick(g, []string{"text", "number", "date", "select"})},
	}
	switch g.IntN(5) {
	case 0:
		o.set("value", g.text(1, 3))
	case 1:
		o.set("value", g.decimal(100))
	case 2:
		o.set("value", g.boolean())
	case 3:
		o.set("value", literal("null"))
	}
	return g.shuffled(o)
}

func (g generator) parent() object {
	o := object{{"number", g.integer(1, 9999)}}
	if g.chance(70) {
		o.set("relation", pick(g, []string{"blocks", "blocked_by", "duplicates"}))
	}
	return g.shuffled(o)
}
