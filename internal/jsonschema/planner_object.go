package jsonschema

import "slices"

// objectPlan plans the members. Which subschemas apply to a key that the schema
// names is known now, patterns among them.
func (pl *planner) objectPlan(q planParts) *objectPlan {
	o := &objectPlan{closed: q.closed(), nested: q.closing >= nested}
	names := pl.keysOf(q)
	if len(names) > maxKeys {
		pl.refuse(nil, "", "it names too many properties")
		return o
	}
	o.keys = newKeyTable(names)
	o.words = (len(names) + 63) / 64
	for _, s := range q.set {
		if s.obj != nil {
			pl.fillGroup(o, s, q)
		}
	}
	o.sumUp()
	for _, name := range names {
		if !pl.spend(len(q.set)) {
			break
		}
		o.members = append(o.members, pl.memberPlan(o, q, name))
	}
	if !o.patterns {
		o.other = pl.otherPlan(q)
	}
	if o.patterns && (len(o.groups) > 1 || len(o.groups[0].patterns) > 1) {
		pl.rereads = true
	}
	return o
}

// sumUp makes of the lists of keys that have to be there what says at a look whether
// they all are, and what it costs to go through them.
func (o *objectPlan) sumUp() {
	o.twice = len(o.depends) > 0
	if len(o.require) > 0 {
		o.required = make([]uint64, o.words)
	}
	for _, q := range o.require {
		bit := uint64(1) << (q.key % 64)
		o.twice = o.twice || o.required[q.key/64]&bit != 0
		o.required[q.key/64] |= bit
	}
	weight := len(o.require)
	for _, d := range o.depends {
		weight += len(d.needs)
	}
	o.weight = weight / (4 * keysPerUnit)
}

// closed says whether undeclared properties are unexpected at the location.
func (q planParts) closed() bool {
	switch q.closing {
	case closedHere, nestedHere:
		return true
	case nested:
		return slices.ContainsFunc(q.set, func(s *schema) bool { return s.obj != nil && s.obj.lists })
	}
	return false
}

// keysOf lists the keys that the schemas name, in the order of their text.
func (pl *planner) keysOf(q planParts) []string {
	var names []string
	known := map[string]bool{}
	add := func(list ...string) {
		for _, name := range list {
			if !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	for _, s := range q.set {
		if s.obj != nil {
			add(s.obj.order...)
		}
	}
	for _, s := range q.set {
		if s.obj == nil {
			continue
		}
		add(s.obj.required...)
		for _, d := range s.obj.dependentRequired {
			add(d.key)
			add(d.needs...)
		}
	}
	return names
}

// fillGroup takes over what one subschema says of the object.
func (pl *planner) fillGroup(o *objectPlan, s *schema, q planParts) {
	r := s.obj
	if r.minProperties >= 0 || r.maxProperties >= 0 {
		o.counts = append(o.counts, countCheck{r.minProperties, r.maxProperties, s})
	}
	o.require = append(o.require, o.requirements(s, r.required, "required")...)
	for _, d := range r.dependentRequired {
		o.depends = append(o.depends, dependPlan{o.keys.find([]byte(d.key)), o.requirements(s, d.needs, d.keyword)})
	}
	if r.names != nil {
		o.names = append(o.names, namesPlan{pl.plan(open, r.names), rule{s, idUnexpected, kwPropertyNames}})
		pl.rereads = true
	}
	g := objectGroup{schema: s, properties: r.properties}
	for _, p := range r.patterns {
		o.patterns = true
		g.patterns = append(g.patterns, patternPlan{p.pattern, pl.plan(q.closing.below(), p.schema)})
	}
	switch {
	case r.additional.closed():
		g.rest = &itemPlan{unexpected: []rule{{s, idUnexpected, kwAdditionalProperties}}}
	case r.additional != nil:
		o.opens = true
		g.rest = &itemPlan{plan: pl.plan(q.closing.below(), r.additional)}
	}
	o.groups = append(o.groups, g)
}

func (o *objectPlan) requirements(s *schema, keys []string, keyword string) []requirePlan {
	list := make([]requirePlan, len(keys))
	for i, key := range keys {
		list[i] = requirePlan{rule{s, idMissing, keywordNamed(keyword)}, o.keys.find([]byte(key)), key}
	}
	return list
}

func (pl *planner) memberPlan(o *objectPlan, q planParts, name string) memberPlan {
	m := memberPlan{quoted: quoted(name)}
	var roots []*schema
	declared := o.opens
	for _, s := range q.set {
		if s.obj == nil {
			continue
		}
		applying := pl.applying(s, name)
		declared = declared || len(applying) > 0
		switch {
		case len(applying) > 0:
			roots = append(roots, applying...)
		case s.obj.additional.closed():
			m.unexpected = append(m.unexpected, rule{s, idUnexpected, kwAdditionalProperties})
		default:
			roots = append(roots, s.obj.additional)
		}
	}
	m.closedOut = o.closed && !declared
	m.plan = pl.plan(q.closing.below(), roots...)
	m.plain = len(o.names)+len(m.unexpected) == 0 && !m.closedOut
	return m
}

// applying are the subschemas that properties and patternProperties apply to a key.
func (pl *planner) applying(s *schema, name string) []*schema {
	var list []*schema
	if sub := s.obj.properties[name]; sub != nil {
		list = append(list, sub)
	}
	for _, p := range s.obj.patterns {
		if !pl.spend(1 + 10*p.pattern.cost(len(name))) {
			break
		}
		steps := matchSteps / 100
		matched, overrun := p.pattern.match(name, &steps)
		if overrun {
			pl.refuse(s, "patternProperties", "a pattern takes many steps on a name of the schema itself")
		}
		if matched {
			list = append(list, p.schema)
		}
	}
	return list
}

// otherPlan is for keys that no list names, where there are no patterns.
func (pl *planner) otherPlan(q planParts) itemPlan {
	var item itemPlan
	var roots []*schema
	for _, s := range q.set {
		if s.obj == nil {
			continue
		}
		if s.obj.additional.closed() {
			item.unexpected = append(item.unexpected, rule{s, idUnexpected, kwAdditionalProperties})
		} else {
			roots = append(roots, s.obj.additional)
		}
	}
	item.plan = pl.plan(q.closing.below(), roots...)
	return item
}

// quoted is a key as it comes where it comes plainly: printable ASCII that needs
// no escape.
func quoted(name string) string {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return ""
		}
	}
	return `"` + name + `"`
}
