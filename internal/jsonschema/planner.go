package jsonschema

import (
	"encoding/binary"
	"slices"
)

// closing says what a plan makes of undeclared properties, beyond its schemas.
type closing uint8

const (
	open       closing = iota // nothing, here and below
	closedHere                // they are unexpected here
	nested                    // they are where a schema in place lists properties, here and below
	nestedHere                // here in any case, and below as nested
)

// below is what holds for children.
func (c closing) below() closing {
	if c >= nested {
		return nested
	}
	return open
}

// The bounds on plans. A document has at most a few thousand subschemas, and
// nearly always a plan for each; only sets of them that differ by location can be
// more, and the reference judges where they are.
const (
	maxPlansPerSchema = 8
	minPlans          = 256
	// planWork is some tens of milliseconds: a look at one subschema of one location,
	// or at one key of it. Ordinary schemas take a few for each of their subschemas.
	planWork = 1_000_000
)

// planner makes the plans of one schema.
type planner struct {
	opts    Options
	plans   map[string]*plan
	limit   int
	work    int
	enums   map[*enum]*enumPlan
	typed   map[typedKey]bool
	refused refusal
	// delegated are the places that the reference judges.
	delegated []refusal
	used      keywordSet
	// rereads says that some plan reads a value more than once.
	rereads bool
}

// refusal says why the engine does not judge a schema, and because of what.
type refusal struct {
	schema  *schema
	keyword string
	reason  string
}

type typedKey struct {
	schema *schema
	kind   uint8
}

// planned is the engine's form of a schema.
type planned struct {
	// used are the keywords that the engine judges.
	used    keywordSet
	root    *plan
	rereads bool
}

// newProgram plans a schema. It returns nil where the engine does not judge it.
func newProgram(c *Compiled, list []*schema) (*planned, []refusal) {
	pl := &planner{
		opts: c.opts, plans: map[string]*plan{}, limit: max(minPlans, maxPlansPerSchema*len(list)),
		work: planWork, enums: map[*enum]*enumPlan{}, typed: map[typedKey]bool{},
	}
	for _, s := range list {
		pl.inspect(s)
	}
	if pl.refused.reason != "" {
		return nil, []refusal{pl.refused}
	}
	root := pl.plan(map[Undeclared]closing{Reject: closedHere, RejectNested: nestedHere, FollowSchema: open}[c.undeclared], c.root)
	if pl.refused.reason != "" {
		return nil, []refusal{pl.refused}
	}
	return &planned{root: root, rereads: pl.rereads, used: pl.used}, pl.delegated
}

func (pl *planner) refuse(s *schema, keyword, reason string) {
	if pl.refused.reason == "" {
		pl.refused = refusal{s, keyword, reason}
	}
}

// spend takes off what planning may cost, and reports whether to go on.
func (pl *planner) spend(units int) bool {
	if pl.work -= units; pl.work < 0 {
		pl.refuse(nil, "", "its subschemas combine in too many ways")
	}
	return pl.refused.reason == ""
}

// inspect refuses what the engine leaves to the reference wherever it stands.
func (pl *planner) inspect(s *schema) {
	switch {
	case s.recursive != nil:
		pl.refuse(s, "$recursiveRef", "where it leads depends on the way there")
	case s.dynamic != nil:
		pl.refuse(s, "$dynamicRef", "where it leads depends on the way there")
	case s.obj != nil && !pl.opts.AllowProto && s.obj.mentions(protoKey):
		pl.refuse(s, "properties", "it names "+protoKey)
	}
}

// mentions says that a keyword that lists keys has the key.
func (r *objectRules) mentions(key string) bool {
	return r.properties[key] != nil || slices.Contains(r.required, key) || r.requiresDependent(key)
}

func (r *objectRules) requiresDependent(key string) bool {
	for _, d := range r.dependentRequired {
		if d.key == key || slices.Contains(d.needs, key) {
			return true
		}
	}
	for _, d := range r.dependentSchemas {
		if d.key == key {
			return true
		}
	}
	return false
}

// plan gives the plan for a location where the given subschemas apply.
func (pl *planner) plan(c closing, roots ...*schema) *plan {
	set := pl.closure(roots)
	key := planKey(set, c, kindCount)
	if p := pl.plans[key]; p != nil {
		return p
	}
	p := &plan{}
	if !pl.add(key, p) {
		return p
	}
	if !slices.ContainsFunc(set, (*schema).hasUnion) || slices.ContainsFunc(set, (*schema).looksBack) {
		pl.fill(p, planParts{set: set, closing: c, kind: kindCount})
		return p
	}
	p.byKind = new([kindCount]*plan)
	for k := range uint8(kindCount) {
		p.byKind[k] = pl.kindPlan(set, c, k)
	}
	return p
}

// looksBack says that a schema depends on what other keywords have looked at.
func (s *schema) looksBack() bool {
	return s.obj != nil && s.obj.unevaluated != nil || s.arr != nil && s.arr.unevaluated != nil
}

func (pl *planner) add(key string, p *plan) bool {
	pl.plans[key] = p
	p.id = uint32(len(pl.plans)) //nolint:gosec // at most its limit
	if len(pl.plans) > pl.limit {
		pl.refuse(nil, "", "too many combinations of subschemas apply to its locations")
	}
	return pl.refused.reason == ""
}

// closure adds what $ref and allOf add, and leaves out what says nothing.
func (pl *planner) closure(roots []*schema) []*schema {
	var set schemaSet
	var add func(s *schema)
	add = func(s *schema) {
		if s == nil || s.always != nil && *s.always || !pl.spend(1) || !set.add(s) {
			return
		}
		add(s.ref)
		for _, sub := range s.allOf {
			add(sub)
		}
	}
	for _, s := range roots {
		add(s)
	}
	byID(set.list)
	return set.list
}

// schemaSet keeps subschemas once. Most sets have a few members, which a scan finds
// sooner than a map.
type schemaSet struct {
	list  []*schema
	known map[*schema]bool
}

const fewSchemas = 16

// add reports whether the subschema is new.
func (s *schemaSet) add(sub *schema) bool {
	if len(s.list) < fewSchemas {
		if slices.Contains(s.list, sub) {
			return false
		}
		s.list = append(s.list, sub)
		return true
	}
	if s.known == nil {
		s.known = make(map[*schema]bool, 2*len(s.list))
		for _, old := range s.list {
			s.known[old] = true
		}
	}
	if s.known[sub] {
		return false
	}
	s.known[sub] = true
	s.list = append(s.list, sub)
	return true
}

// byID brings subschemas into the order of the document, in which sets compare.
func byID(list []*schema) {
	slices.SortFunc(list, func(a, b *schema) int { return int(a.id) - int(b.id) })
}

func planKey(set []*schema, c closing, kind uint8) string {
	key := []byte{byte(c), kind}
	for _, s := range set {
		key = binary.AppendUvarint(key, uint64(s.id)) //nolint:gosec // never negative
	}
	return string(key)
}

func (s *schema) hasUnion() bool { return len(s.anyOf) > 0 || len(s.oneOf) > 0 }

// kindPlan is the plan for values of one kind: unions that the kind decides are
// resolved. With one branch left that may admit the kind, that branch has to hold
// as if it were part of allOf: if it fails, it is the one to blame.
func (pl *planner) kindPlan(set []*schema, c closing, kind uint8) *plan {
	set = slices.Clone(set)
	var unions []unionPlan
	var fixed []rule
	for i := 0; i < len(set) && pl.spend(len(set)); i++ {
		for _, u := range set[i].unions() {
			left := pl.candidates(u.branches, kind)
			switch len(left) {
			case 0:
				fixed = append(fixed, rule{set[i], idType, u.keyword})
			case 1:
				for _, s := range pl.closure(left) {
					if !slices.Contains(set, s) {
						set = append(set, s)
					}
				}
			default:
				unions = append(unions, unionPlan{rule{set[i], idSchema, u.keyword}, branches(left)})
			}
		}
	}
	byID(set)
	key := planKey(set, c, kind)
	if p := pl.plans[key]; p != nil {
		return p
	}
	p := &plan{}
	if pl.add(key, p) {
		pl.fill(p, planParts{set: set, closing: c, kind: kind, unions: unions, fixed: fixed})
	}
	return p
}

func branches(list []*schema) []branchPlan {
	out := make([]branchPlan, len(list))
	for i, s := range list {
		out[i].schema = s
	}
	return out
}

type union struct {
	keyword  keywordID
	branches []*schema
}

func (s *schema) unions() []union {
	var list []union
	if len(s.anyOf) > 0 {
		list = append(list, union{kwAnyOf, s.anyOf})
	}
	if len(s.oneOf) > 0 {
		list = append(list, union{kwOneOf, s.oneOf})
	}
	return list
}

// candidates are the branches that do not fail by type for a kind.
func (pl *planner) candidates(list []*schema, kind uint8) []*schema {
	var left []*schema
	for _, b := range list {
		if pl.spend(1) && !pl.failsByType(b, kind) {
			left = append(left, b)
		}
	}
	return left
}

// failsByType says that a schema fails by type at the location itself, through
// $ref, allOf and unions none of whose branches is left.
func (pl *planner) failsByType(s *schema, kind uint8) bool {
	switch {
	case s == nil || s.always != nil:
		return false
	case s.types != 0 && s.types&kindsAt[kind] == 0:
		return true
	}
	key := typedKey{s, kind}
	fails, known := pl.typed[key]
	if known {
		return fails
	}
	pl.typed[key] = false
	fails = pl.failsByType(s.ref, kind)
	for _, sub := range s.allOf {
		fails = fails || pl.failsByType(sub, kind)
	}
	for _, u := range s.unions() {
		fails = fails || len(pl.candidates(u.branches, kind)) == 0
	}
	pl.typed[key] = fails
	return fails
}

func (pl *planner) enum(e *enum) *enumPlan {
	p := pl.enums[e]
	if p == nil {
		p = newEnumPlan(e)
		pl.enums[e] = p
	}
	return p
}
