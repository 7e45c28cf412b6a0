package jsonschema

// applyLogic judges the keywords that combine subschemas at one location.
func (r *reference) applyLogic(o *outcome, sc *scope) {
	s := o.schema
	for _, sub := range s.allOf {
		o.join(r.eval(sub, o.node, sc), true)
	}
	if len(s.anyOf) > 0 {
		r.applyUnion(o, "anyOf", r.evalAll(s.anyOf, o.node, sc))
	}
	if len(s.oneOf) > 0 {
		r.applyUnion(o, "oneOf", r.evalAll(s.oneOf, o.node, sc))
	}
	if s.not != nil && r.eval(s.not, o.node, sc).valid {
		o.fail(o.node, CodeSchema, "not")
	}
	if s.ifS != nil {
		r.applyCondition(o, sc)
	}
}

func (r *reference) evalAll(list []*schema, n *node, sc *scope) []*outcome {
	out := make([]*outcome, len(list))
	for i, s := range list {
		out[i] = r.eval(s, n, sc)
	}
	return out
}

// applyCondition takes the branch that if chooses. A failed if is not in place.
func (r *reference) applyCondition(o *outcome, sc *scope) {
	s := o.schema
	cond := r.eval(s.ifS, o.node, sc)
	branch := s.elseS
	if cond.valid {
		o.join(cond, false)
		branch = s.thenS
	}
	if branch != nil {
		o.join(r.eval(branch, o.node, sc), false)
	}
}
