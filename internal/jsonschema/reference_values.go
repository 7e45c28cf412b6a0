package jsonschema

import "github.com/callgate/callgate/internal/rawjson"

// applyString judges the lengths and the pattern.
func (r *reference) applyString(o *outcome) {
	rules, n := o.schema.str, o.node
	if rules.minLength >= 0 && n.length() < rules.minLength {
		o.fail(n, CodeLength, "minLength")
	}
	if rules.maxLength >= 0 && n.length() > rules.maxLength {
		o.fail(n, CodeLength, "maxLength")
	}
	if rules.pattern != nil && !r.match(rules.pattern, n.text) {
		o.fail(n, CodePattern, "pattern")
	}
}

// match runs a pattern and pays for it. One that overruns its steps is taken not to
// match, and the value is then too costly whatever follows from that: under a not, an
// if or a key's pattern it would open what it is there to close.
func (r *reference) match(p *pattern, text string) bool {
	if !r.spend(p.cost(len(text))) {
		return false
	}
	if p.probe != nil {
		matched, known, units := p.try(text)
		if !r.spend(units) || known || !r.spend(p.worst(len(text))) {
			return matched
		}
		return p.re2.MatchString(text)
	}
	matched, overrun := p.match(text, &r.steps)
	r.unsure = r.unsure || overrun
	return matched
}

// applyNumber judges the bounds, exactly.
func applyNumber(o *outcome) {
	rules, n := o.schema.num, o.node
	v := n.number()
	if rules.minimum != nil && v.cmp(*rules.minimum) < 0 {
		o.fail(n, CodeRange, "minimum")
	}
	if rules.maximum != nil && v.cmp(*rules.maximum) > 0 {
		o.fail(n, CodeRange, "maximum")
	}
	if rules.exclusiveMinimum != nil && v.cmp(*rules.exclusiveMinimum) <= 0 {
		o.fail(n, CodeRange, "exclusiveMinimum")
	}
	if rules.exclusiveMaximum != nil && v.cmp(*rules.exclusiveMaximum) >= 0 {
		o.fail(n, CodeRange, "exclusiveMaximum")
	}
	applyMultipleOf(o, v)
}

// applyMultipleOf divides only what is within the bounds on numbers; the rest
// is refused anyway.
func applyMultipleOf(o *outcome, v decimal) {
	m := o.schema.num.multipleOf
	if m != nil && (o.node.oversized() || !v.multipleOf(*m)) {
		o.fail(o.node, CodeRange, "multipleOf")
	}
}

// oversized says that the value is a number literal beyond the bounds.
func (n *node) oversized() bool {
	return n.kind == rawjson.Number && oversized(string(n.raw), maxNumberDigits, maxNumberExponent)
}

// applyArray judges the items.
func (r *reference) applyArray(o *outcome, sc *scope) {
	rules, n := o.schema.arr, o.node
	count := len(n.items)
	if rules.minItems >= 0 && count < rules.minItems {
		o.fail(n, CodeItems, "minItems")
	}
	if rules.maxItems >= 0 && count > rules.maxItems {
		o.fail(n, CodeItems, "maxItems")
	}
	// Comparing takes a copy of what is compared: a unit is 250 bytes of it.
	if rules.unique && r.spend(len(n.raw)/250) && !distinct(n.items) {
		o.fail(n, CodeItems, "uniqueItems")
	}
	for i, item := range n.items {
		r.applyItem(o, i, item, sc)
	}
	if rules.contains != nil {
		r.applyContains(o, sc)
	}
}

func (r *reference) applyItem(o *outcome, i int, item *node, sc *scope) {
	rules := o.schema.arr
	switch {
	case i < len(rules.prefix):
		o.descend(r.eval(rules.prefix[i], item, sc))
	case rules.rest.closed():
		o.fail(item, CodeUnexpected, rules.restKeyword)
	case rules.rest != nil:
		o.descend(r.eval(rules.rest, item, sc))
	}
}

func distinct(items []*node) bool {
	if len(items) < 2 {
		return true
	}
	seen := make(map[string]struct{}, len(items))
	for _, item := range items {
		key := item.equalityKey()
		if _, ok := seen[key]; ok {
			return false
		}
		seen[key] = struct{}{}
	}
	return true
}

// applyContains counts the items that match. They declare their keys, as every
// subschema that applies to a value does, and report nothing.
func (r *reference) applyContains(o *outcome, sc *scope) {
	rules, n := o.schema.arr, o.node
	matches := 0
	for _, item := range n.items {
		sub := r.eval(rules.contains, item, sc)
		if sub.valid {
			matches++
			o.below = append(o.below, placed{sub, declares})
		}
	}
	switch {
	case rules.minContains >= 0 && matches < rules.minContains:
		o.fail(n, CodeItems, "minContains")
	case rules.minContains < 0 && matches == 0:
		o.fail(n, CodeItems, "contains")
	}
	if rules.maxContains >= 0 && matches > rules.maxContains {
		o.fail(n, CodeItems, "maxContains")
	}
}

// applyObject judges the members.
func (r *reference) applyObject(o *outcome, sc *scope) {
	rules, n := o.schema.obj, o.node
	r.spend(rules.weight)
	count := len(n.members)
	if rules.minProperties >= 0 && count < rules.minProperties {
		o.fail(n, CodeProperties, "minProperties")
	}
	if rules.maxProperties >= 0 && count > rules.maxProperties {
		o.fail(n, CodeProperties, "maxProperties")
	}
	r.require(o, rules.required, "required")
	for _, d := range rules.dependentRequired {
		if n.member(d.key) != nil {
			r.require(o, d.needs, d.keyword)
		}
	}
	for _, m := range n.members {
		r.applyMember(o, m, sc)
	}
	for _, d := range rules.dependentSchemas {
		if n.member(d.key) != nil {
			o.join(r.eval(d.schema, n, sc), false)
		}
	}
}

// require notes the keys that are absent. Each becomes a location, which is
// dear.
func (r *reference) require(o *outcome, keys []string, keyword string) {
	for _, key := range keys {
		if o.node.member(key) == nil && r.spend(2) {
			o.fail(o.node.absent(key), CodeMissing, keyword)
		}
	}
}

func (r *reference) applyMember(o *outcome, m *node, sc *scope) {
	rules := o.schema.obj
	if rules.names != nil && !r.eval(rules.names, m.name(), sc).valid {
		o.fail(m, CodeUnexpected, "propertyNames")
	}
	matched := false
	if sub := rules.properties[m.key]; sub != nil {
		matched = true
		o.descend(r.eval(sub, m, sc))
	}
	for _, p := range rules.patterns {
		if r.match(p.pattern, m.key) {
			matched = true
			o.descend(r.eval(p.schema, m, sc))
		}
	}
	switch {
	case matched || rules.additional == nil:
	case rules.additional.closed():
		o.fail(m, CodeUnexpected, "additionalProperties")
	default:
		o.descend(r.eval(rules.additional, m, sc))
	}
}

// name is the key as a value of its own, for propertyNames.
func (n *node) name() *node {
	if n.keyNode == nil {
		n.keyNode = &node{parent: n, index: -1, kind: rawjson.String, text: n.key, runes: -1}
	}
	return n.keyNode
}
