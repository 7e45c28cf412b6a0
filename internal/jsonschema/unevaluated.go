package jsonschema

import "github.com/callgate/callgate/internal/rawjson"

// evaluatedProps are the keys that a subschema and those in place with it have
// applied something to.
type evaluatedProps struct {
	all  bool
	keys map[string]struct{}
}

// evaluatedItems are the items that a subschema and those in place with it have
// applied something to: all, the first few, and single ones by contains.
type evaluatedItems struct {
	all   bool
	first int
	also  map[int]struct{}
}

// applyUnevaluated judges unevaluatedProperties and unevaluatedItems, last,
// over everything else at the location. Failed subschemas evaluate too: that
// changes no verdict, because one that must hold has failed, and it keeps their
// keys from being called unexpected on top.
func (r *reference) applyUnevaluated(o *outcome, sc *scope) {
	s := o.schema
	if s.obj != nil && s.obj.unevaluated != nil && o.node.kind == rawjson.Object {
		r.unevaluatedProperties(o, sc)
	}
	if s.arr != nil && s.arr.unevaluated != nil && o.node.kind == rawjson.Array {
		r.unevaluatedItems(o, sc)
	}
}

func (r *reference) unevaluatedProperties(o *outcome, sc *scope) {
	rest := o.schema.obj.unevaluated
	done := r.propsOf(o)
	if !done.all {
		for _, m := range o.node.members {
			if _, ok := done.keys[m.key]; ok {
				continue
			}
			if rest.closed() {
				o.fail(m, CodeUnexpected, "unevaluatedProperties")
			} else {
				o.descend(r.eval(rest, m, sc))
			}
		}
	}
	o.props = &evaluatedProps{all: true}
}

func (r *reference) unevaluatedItems(o *outcome, sc *scope) {
	rest := o.schema.arr.unevaluated
	done := r.itemsOf(o)
	for i := done.first; i < len(o.node.items) && !done.all; i++ {
		if _, ok := done.also[i]; ok {
			continue
		}
		if item := o.node.items[i]; rest.closed() {
			o.fail(item, CodeUnexpected, "unevaluatedItems")
		} else {
			o.descend(r.eval(rest, item, sc))
		}
	}
	o.items = &evaluatedItems{all: true}
}

func (r *reference) propsOf(o *outcome) *evaluatedProps {
	if o.props != nil {
		return o.props
	}
	done := &evaluatedProps{keys: map[string]struct{}{}}
	o.props = done
	if rules := o.schema.obj; rules != nil {
		done.all = rules.additional != nil
		r.spend(len(o.node.members) / keysPerUnit)
		for _, m := range o.node.members {
			if r.applies(rules, m.key) {
				done.keys[m.key] = struct{}{}
			}
		}
	}
	for _, sub := range o.inPlace {
		part := r.propsOf(sub.outcome)
		done.all = done.all || part.all
		r.spend(len(part.keys) / keysPerUnit)
		for key := range part.keys {
			done.keys[key] = struct{}{}
		}
	}
	return done
}

// applies says that properties or patternProperties apply to a key.
func (r *reference) applies(rules *objectRules, key string) bool {
	if rules.properties[key] != nil {
		return true
	}
	for _, p := range rules.patterns {
		if r.match(p.pattern, key) {
			return true
		}
	}
	return false
}

func (r *reference) itemsOf(o *outcome) *evaluatedItems {
	if o.items != nil {
		return o.items
	}
	done := &evaluatedItems{also: map[int]struct{}{}}
	o.items = done
	if rules := o.schema.arr; rules != nil {
		done.all = rules.rest != nil
		done.first = len(rules.prefix)
		// Before 2020-12, contains evaluates nothing.
		if rules.contains != nil && o.schema.draft >= 2020 {
			for _, sub := range o.below {
				if sub.schema == rules.contains && sub.valid {
					done.also[sub.node.index] = struct{}{}
				}
			}
		}
	}
	for _, sub := range o.inPlace {
		part := r.itemsOf(sub.outcome)
		done.all = done.all || part.all
		done.first = max(done.first, part.first)
		r.spend(len(part.also) / keysPerUnit)
		for i := range part.also {
			done.also[i] = struct{}{}
		}
	}
	return done
}
