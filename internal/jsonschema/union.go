package jsonschema

import "slices"

// applyUnion judges anyOf and oneOf over the outcomes of their branches, and
// decides whom to blame where they fail (design section 4): branches that fail
// by type right here are set aside; of several left, those are preferred whose
// discriminating properties are all present and right. Exactly one left
// reports its own findings; otherwise the union is the error.
func (r *reference) applyUnion(o *outcome, keyword string, branches []*outcome) {
	var matching []*outcome
	for _, b := range branches {
		if b.valid {
			matching = append(matching, b)
		}
	}
	switch {
	case len(matching) == 0:
		r.blame(o, keyword, branches)
	case keyword == "oneOf" && len(matching) > 1:
		o.fail(o.node, CodeSchema, keyword)
		fallthrough
	default:
		for _, b := range matching {
			o.inPlace = append(o.inPlace, placed{b, reports})
		}
	}
}

func (r *reference) blame(o *outcome, keyword string, branches []*outcome) {
	left := keep(branches, func(b *outcome) bool { return !b.typed })
	if len(left) == 0 {
		o.fail(o.node, CodeType, keyword)
		o.typed = true
		o.silence(branches)
		return
	}
	if len(left) > 1 {
		if preferred := keep(left, r.discriminated); len(preferred) > 0 {
			left = preferred
		}
	}
	if len(left) == 1 {
		o.join(left[0], false)
		return
	}
	o.fail(o.node, CodeSchema, keyword)
	o.silence(branches)
}

// silence puts all branches in place without letting them report.
func (o *outcome) silence(branches []*outcome) {
	for _, b := range branches {
		o.inPlace = append(o.inPlace, placed{b, listed})
	}
}

func keep(list []*outcome, want func(*outcome) bool) []*outcome {
	var out []*outcome
	for _, o := range list {
		if want(o) {
			out = append(out, o)
		}
	}
	return out
}

// discriminated says that the branch limits at least one property by const or
// enum, and that all such properties are present with allowed values.
func (r *reference) discriminated(o *outcome) bool {
	limits := o.schema.limited
	r.spend(len(limits))
	for _, l := range limits {
		m := o.node.member(l.key)
		if m == nil || !l.values.has(m) {
			return false
		}
	}
	return len(limits) > 0
}

// limit is one property that const or enum limits.
type limit struct {
	key    string
	values *enum
}

// limitedProperties lists what a branch limits, through $ref and allOf. Compile
// keeps it with each branch.
func (s *schema) limitedProperties() []limit {
	var out []limit
	parts := s.conjuncts()
	for _, c := range parts {
		if c.obj == nil {
			continue
		}
		for key, sub := range c.obj.properties {
			for _, e := range sub.limits() {
				if len(out) == maxLimits {
					return nil
				}
				out = append(out, limit{key: key, values: e})
			}
		}
	}
	return out
}

// maxLimits and maxConjuncts bound what one branch may cost to tell apart. A
// branch beyond them is never preferred.
const (
	maxLimits    = 64
	maxConjuncts = 64
)

// limits are the const and enum of a schema, through $ref and allOf.
func (s *schema) limits() []*enum {
	var out []*enum
	for _, c := range s.conjuncts() {
		if c.enum != nil {
			out = append(out, c.enum)
		}
		if c.constant != nil {
			out = append(out, c.constant)
		}
	}
	return out
}

// conjuncts lists the schema and all that $ref and allOf add to it, each once;
// nil where there are more than maxConjuncts.
func (s *schema) conjuncts() []*schema {
	list := []*schema{s}
	for i := 0; i < len(list); i++ {
		next := list[i].allOf
		if list[i].ref != nil {
			next = append([]*schema{list[i].ref}, next...)
		}
		for _, sub := range next {
			if !slices.Contains(list, sub) {
				list = append(list, sub)
			}
			if len(list) > maxConjuncts {
				return nil
			}
		}
	}
	return list
}
