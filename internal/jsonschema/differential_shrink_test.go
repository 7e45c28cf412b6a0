package jsonschema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// shrink looks for a smaller schema and value that differ in the same way.
func (f *disagreement) shrink() *disagreement {
	best := f
	for range 200 {
		smaller := best.smaller()
		if smaller == nil {
			return best
		}
		best = smaller
	}
	return best
}

// smaller gives the first smaller case that still differs; nil where none does.
func (f *disagreement) smaller() *disagreement {
	for _, doc := range lesser(f.doc) {
		if g := f.again(doc, f.value); g != nil {
			return g
		}
	}
	for _, value := range lesser(f.value) {
		if g := f.again(f.doc, value); g != nil {
			return g
		}
	}
	return nil
}

// again judges another schema and value as the first were, by all judges.
func (f *disagreement) again(doc, value []byte) *disagreement {
	t := newTrial(doc, f.dialect, f.opts)
	if t == nil || t.library == nil {
		return nil
	}
	d := &differential{explained: map[string]int{}}
	for range 4 {
		if g := d.execute(t, value); g != nil && g.what == f.what {
			return g
		}
	}
	return nil
}

// lesser gives texts with something taken away, the most first.
func lesser(text []byte) [][]byte {
	v, err := rawjson.Parse(text, rawjson.Limits{MaxDepth: MaxArgumentDepth, MaxValues: MaxArgumentValues})
	if err != nil {
		return nil
	}
	var list [][]byte
	for _, less := range lesserValues(v) {
		if out := (rewriter{}).write(nil, less); len(out) < len(text) {
			list = append(list, out)
		}
	}
	slices.SortStableFunc(list, func(a, b []byte) int { return len(a) - len(b) })
	return slices.CompactFunc(list, bytes.Equal)
}

func lesserValues(v *rawjson.Value) []*rawjson.Value {
	var list []*rawjson.Value
	for i, item := range v.Items {
		without := *v
		without.Items = slices.Delete(slices.Clone(v.Items), i, i+1)
		list = append(list, item, &without)
		for _, less := range lesserValues(item) {
			with := *v
			with.Items = slices.Clone(v.Items)
			with.Items[i] = less
			list = append(list, &with)
		}
	}
	for i, f := range v.Fields {
		without := *v
		without.Fields = slices.Delete(slices.Clone(v.Fields), i, i+1)
		list = append(list, f.Value, &without)
		for _, less := range lesserValues(f.Value) {
			with := *v
			with.Fields = slices.Clone(v.Fields)
			with.Fields[i].Value = less
			list = append(list, &with)
		}
	}
	if v.Kind == rawjson.String && len(v.Text) > 1 {
		short := *v
		short.Text = v.Text[:1]
		list = append(list, &short)
	}
	return list
}

// signature is the same for disagreements that are probably one.
func (f *disagreement) signature() string {
	what, _, _ := strings.Cut(f.what, " on ")
	words := []string{what}
	v, err := rawjson.Parse(f.doc, rawjson.Limits{MaxDepth: MaxSchemaDepth, MaxValues: maxSchemaValues})
	if err != nil {
		return what
	}
	var visit func(v *rawjson.Value)
	visit = func(v *rawjson.Value) {
		for _, item := range v.Items {
			visit(item)
		}
		for _, m := range v.Fields {
			if _, keyword := shapes[m.Key]; keyword {
				words = append(words, m.Key)
			}
			visit(m.Value)
		}
	}
	visit(v)
	slices.Sort(words[1:])
	return strings.Join(slices.Compact(words), " ")
}
