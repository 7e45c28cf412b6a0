package jsonschema

import "slices"

// planParts are what a plan is made of.
type planParts struct {
	set     []*schema
	closing closing
	kind    uint8 // kindCount: all
	unions  []unionPlan
	fixed   []rule
}

func (q planParts) wants(kind uint8) bool { return q.kind == kindCount || q.kind == kind }

func (pl *planner) fill(p *plan, q planParts) {
	if i := slices.IndexFunc(q.set, (*schema).looksBack); i >= 0 {
		pl.delegate(p, q, q.set[i])
		return
	}
	pl.used |= usedKeywords(q.set)
	p.fixed, p.allowed = q.fixed, q.kinds()
	for _, s := range q.set {
		if !pl.spend(1) {
			return
		}
		pl.fillValues(p, s)
		pl.fillScalars(p, s, q)
	}
	if q.wants(atArray) {
		p.array = pl.arrayPlan(q)
	}
	if q.wants(atObject) {
		p.object = pl.objectPlan(q)
	}
	pl.fillLogic(p, q)
	p.plain = len(p.fixed) == 0 && p.logic == nil
	p.scalars = p.plain && len(p.values)+len(p.texts)+len(p.numbers) == 0
	if p.object != nil && p.logic != nil {
		p.object.dynamic = p.logic.declares()
	}
}

// kinds are those that the plan is for, as bits.
func (q planParts) kinds() uint8 {
	if q.kind == kindCount {
		return everyKind
	}
	return 1 << q.kind
}

// fillScalars takes over what looks at strings and numbers alone.
func (pl *planner) fillScalars(p *plan, s *schema, q planParts) {
	if q.wants(atString) {
		p.fillTexts(s)
	}
	if s.num != nil && (q.wants(atInteger) || q.wants(atNumber)) {
		p.numbers = append(p.numbers, newNumberCheck(s))
	}
}

// declares says that it depends on the value which keys are declared. What stands
// under not declares none.
func (l *logicPlan) declares() bool {
	return len(l.unions)+len(l.conditions)+len(l.dependents)+len(l.delegated) > 0
}

// delegate leaves a location to the reference, with all that applies there. Where
// undeclared properties are refused, what is in place decides more than that.
func (pl *planner) delegate(p *plan, q planParts, s *schema) {
	keyword := "unevaluatedItems"
	if s.obj != nil && s.obj.unevaluated != nil {
		keyword = "unevaluatedProperties"
	}
	if q.closing != open {
		pl.refuse(s, keyword, "it depends on what other keywords have looked at, and so does what is declared")
	}
	p.allowed, p.array, p.object = everyKind, anyPlan.array, anyPlan.object
	p.logic = &logicPlan{delegated: q.set}
	pl.rereads = true
	pl.delegated = append(pl.delegated, refusal{s, keyword, "it depends on what other keywords have looked at"})
}

// fillValues takes over what looks at values of any kind.
func (pl *planner) fillValues(p *plan, s *schema) {
	if s.closed() {
		p.fixed = append(p.fixed, rule{s, idSchema, kwNone})
	}
	if s.types != 0 {
		p.schemas = append(p.schemas, s)
		for kind, of := range kindsAt {
			if s.types&of == 0 {
				p.allowed &^= 1 << kind
			}
		}
	}
	if s.enum != nil {
		p.values = append(p.values, valueCheck{rule{s, idEnum, kwEnum}, pl.enum(s.enum)})
	}
	if s.constant != nil {
		p.values = append(p.values, valueCheck{rule{s, idEnum, kwConst}, pl.enum(s.constant)})
	}
}

func (p *plan) fillTexts(s *schema) {
	if s.str == nil && s.format == nil {
		return
	}
	c := textCheck{min: -1, max: -1, format: s.format, schema: s}
	if s.str != nil {
		c.min, c.max, c.pattern = s.str.minLength, s.str.maxLength, s.str.pattern
	}
	c.content = c.pattern != nil || c.format != nil
	p.texts = append(p.texts, c)
}

// fillLogic plans what reads the value again. Its plans only say whether a value
// fits, and why; nothing is closed by them.
func (pl *planner) fillLogic(p *plan, q planParts) {
	l := &logicPlan{unions: q.unions}
	for i := range l.unions {
		pl.fillUnion(&l.unions[i], q)
	}
	for _, s := range q.set {
		if s.not != nil {
			l.nots = append(l.nots, notPlan{rule{s, idSchema, kwNot}, pl.plan(open, s.not)})
		}
		if s.ifS != nil {
			l.conditions = append(l.conditions, conditionPlan{
				pl.plan(open, s.ifS), pl.optional(s.thenS), pl.optional(s.elseS),
			})
			pl.needOpen(q, s, "if")
		}
		if s.obj == nil || !q.wants(atObject) {
			continue
		}
		for _, d := range s.obj.dependentSchemas {
			l.dependents = append(l.dependents, dependentPlan{d.key, pl.plan(open, d.schema)})
			pl.needOpen(q, s, "dependentSchemas")
		}
	}
	if len(l.unions)+len(l.nots)+len(l.conditions)+len(l.dependents) > 0 {
		p.logic = l
		pl.rereads = true
	}
}

func (pl *planner) optional(s *schema) *plan {
	if s == nil {
		return nil
	}
	return pl.plan(open, s)
}

func (pl *planner) fillUnion(u *unionPlan, q planParts) {
	pl.needOpen(q, u.schema, keywordNames[u.keyword])
	for i := range u.branches {
		b := &u.branches[i]
		b.plan = pl.plan(open, b.schema)
		for _, l := range b.schema.limited {
			b.limits = append(b.limits, limitPlan{l.key, pl.enum(l.values)})
		}
	}
}

// needOpen refuses what makes a closed world depend on more than the location.
func (pl *planner) needOpen(q planParts, s *schema, keyword string) {
	if q.closing >= nested {
		pl.refuse(s, keyword, "it decides what is declared, and undeclared properties are refused at every level")
	}
}

func (pl *planner) arrayPlan(q planParts) *arrayPlan {
	a := &arrayPlan{}
	length := 0
	for _, s := range q.set {
		r := s.arr
		if r == nil {
			continue
		}
		length = max(length, len(r.prefix))
		if r.minItems >= 0 || r.maxItems >= 0 {
			a.counts = append(a.counts, countCheck{r.minItems, r.maxItems, s})
		}
		if r.unique {
			a.unique = append(a.unique, s)
		}
		if r.contains != nil {
			pl.needOpen(q, s, "contains")
			a.contains = append(a.contains, containsPlan{pl.plan(open, r.contains), s})
			pl.rereads = true
		}
	}
	for i := range length {
		a.prefix = append(a.prefix, pl.itemPlan(q, i))
	}
	a.rest = pl.itemPlan(q, length)
	return a
}

// itemPlan is for the items at one place; behind every prefix for all the rest.
func (pl *planner) itemPlan(q planParts, at int) itemPlan {
	var item itemPlan
	var roots []*schema
	for _, s := range q.set {
		switch r := s.arr; {
		case r == nil:
		case at < len(r.prefix):
			roots = append(roots, r.prefix[at])
		case r.rest.closed():
			item.unexpected = append(item.unexpected, rule{s, idUnexpected, keywordNamed(r.restKeyword)})
		default:
			roots = append(roots, r.rest)
		}
	}
	item.plan = pl.plan(q.closing.below(), roots...)
	return item
}
