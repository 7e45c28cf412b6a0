package jsonschema

import "github.com/callgate/callgate/internal/rawjson"

// protoKey is the key by which JavaScript programs are attacked.
const protoKey = "__proto__"

// place walks the graph of outcomes from the root's and notes at every location
// what is in place there and what was found. Each outcome counts once, in its
// greatest role.
func (r *reference) place(o *outcome, as role, seen map[*outcome]role) {
	before := seen[o]
	if before >= as {
		return
	}
	seen[o] = as
	if before == 0 {
		o.node.inPlace = append(o.node.inPlace, o)
	}
	if as == reports {
		for _, f := range o.findings {
			f.at.findings = append(f.at.findings, f)
		}
	}
	for _, sub := range o.inPlace {
		r.place(sub.outcome, min(as, sub.role), seen)
	}
	for _, sub := range o.below {
		r.place(sub.outcome, min(as, sub.role), seen)
	}
}

// envelope notes, at every location, what breaks a rule of its own whatever the
// schema says: duplicate keys, numbers beyond the bounds, and properties that
// nothing in place declares.
func (r *reference) envelope(n *node, seen map[*outcome]role) {
	if n.duplicate {
		n.note(CodeDuplicate, "")
	}
	if n.oversized() {
		n.note(CodeRange, "")
	}
	switch n.kind {
	case rawjson.Array:
		for _, item := range n.items {
			r.envelope(item, seen)
		}
	case rawjson.Object:
		closed := r.closes(n, seen)
		for _, m := range n.members {
			if !r.admits(n, m.key, closed) {
				m.note(CodeUnexpected, "additionalProperties")
			}
			r.envelope(m, seen)
		}
	}
}

// admits says that a key may be where it is.
func (r *reference) admits(n *node, key string, closed bool) bool {
	if key == protoKey && !r.c.opts.AllowProto {
		return n.declaresByName(protoKey)
	}
	return !closed || r.declared(n, key)
}

// note adds a finding of the envelope's.
func (n *node) note(code Code, keyword string) {
	n.findings = append(n.findings, finding{at: n, code: code, keyword: keyword})
}

// closes says whether a location admits declared properties only: the root,
// unless the schema is followed as it is, and under RejectNested every location
// where a subschema in place lists properties.
func (r *reference) closes(n *node, seen map[*outcome]role) bool {
	switch r.c.undeclared {
	case FollowSchema:
		return false
	case Reject:
		return n.parent == nil
	}
	if n.parent == nil {
		return true
	}
	for _, o := range n.inPlace {
		if seen[o] >= listed && o.schema.obj != nil && o.schema.obj.lists {
			return true
		}
	}
	return false
}

// declared says that something in place at n applies to the key, whether or not
// the value is valid. What is false opens nothing.
func (r *reference) declared(n *node, key string) bool {
	r.spend(len(n.inPlace) / keysPerUnit)
	for _, o := range n.inPlace {
		rules := o.schema.obj
		if rules == nil {
			continue
		}
		if opens(rules.additional) || opens(rules.unevaluated) || r.applies(rules, key) {
			return true
		}
	}
	return false
}

func opens(s *schema) bool { return s != nil && !s.closed() }

// declaresByName says that some properties in place names the key.
func (n *node) declaresByName(key string) bool {
	for _, o := range n.inPlace {
		if o.schema.obj != nil && o.schema.obj.properties[key] != nil {
			return true
		}
	}
	return false
}
