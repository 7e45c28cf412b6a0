package jsonschema

import (
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// term is what applies to one location before anything is judged: a subschema,
// all of some terms, or one of some terms. nil is nothing.
type term struct {
	schema *schema
	scope  *scope
	subs   []*term
	either bool
}

// scoped is a subschema with its dynamic scope.
type scoped struct {
	schema *schema
	scope  *scope
}

// dropNulls removes the nulls that count as absent: those of a property that
// nothing in place requires and that what applies to the key does not accept.
// Nothing is judged yet, so every branch counts as in place. Of the branches of
// a union that say something about the key, one that accepts the null is enough
// to keep it; a condition with only one side says nothing.
func (r *reference) dropNulls(root *node) {
	if root.hasNull() {
		r.dropBelow(root, &term{schema: r.c.root, scope: r.c.rootScope()})
	}
}

func (r *reference) dropBelow(n *node, t *term) {
	for i, item := range n.items {
		if item.hasNull() {
			r.dropBelow(item, r.childTerm(t, n, item, i))
		}
	}
	drop := map[*node]bool{}
	for _, m := range n.members {
		switch {
		case r.exceeded:
			return
		case m.kind == rawjson.Null:
			drop[m] = r.absentNull(n, m, t)
		case m.hasNull():
			r.dropBelow(m, r.childTerm(t, n, m, -1))
		}
	}
	if len(drop) > 0 {
		n.remove(func(m *node) bool { return drop[m] })
	}
}

// hasNull says that a null property is somewhere at or below the location.
func (n *node) hasNull() bool {
	for _, m := range n.members {
		if m.kind == rawjson.Null || m.hasNull() {
			return true
		}
	}
	return slices.ContainsFunc(n.items, (*node).hasNull)
}

func (r *reference) absentNull(n, m *node, t *term) bool {
	applying := r.childTerm(t, n, m, -1)
	return applying != nil && !m.duplicate && !r.accepts(applying, m, map[*term]bool{}) && !r.requires(t, n, m.key)
}

// accepts says that the terms, all or either, accept the value. Terms are
// shared, so each is asked once.
func (r *reference) accepts(t *term, n *node, known map[*term]bool) bool {
	if t.schema != nil {
		return r.eval(t.schema, n, t.scope).valid
	}
	if ok, asked := known[t]; asked {
		return ok
	}
	ok := !t.either
	for _, sub := range t.subs {
		if r.accepts(sub, n, known) == t.either {
			ok = t.either
			break
		}
	}
	known[t] = ok
	return ok
}

// join makes one term of several; nothing counts for nothing.
func join(subs []*term, either bool) *term {
	var list []*term
	seen := make(map[*term]bool, len(subs))
	for _, t := range subs {
		if t != nil && !seen[t] {
			seen[t] = true
			list = append(list, t)
		}
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return &term{subs: list, either: either}
}

// childTerm gives what applies to a child, from what applies to its parent.
func (r *reference) childTerm(t *term, parent, child *node, index int) *term {
	e := &expansion{reference: r, parent: parent, child: child, index: index, known: map[scoped]*term{}, terms: map[*term]*term{}}
	return e.term(t)
}

type expansion struct {
	*reference
	parent, child *node
	index         int // of an item; -1 for a member
	known         map[scoped]*term
	terms         map[*term]*term
}

func (e *expansion) term(t *term) *term {
	switch {
	case t == nil:
		return nil
	case t.schema != nil:
		return e.schema(scoped{t.schema, t.scope})
	}
	if out, ok := e.terms[t]; ok {
		return out
	}
	var subs []*term
	for _, sub := range t.subs {
		subs = append(subs, e.term(sub))
	}
	out := join(subs, t.either)
	e.terms[t] = out
	return out
}

// schema gives what a subschema of the parent applies to the child.
func (e *expansion) schema(s scoped) *term {
	s.scope = s.scope.enter(s.schema)
	if t, ok := e.known[s]; ok || !e.spend(1) {
		return t
	}
	e.known[s] = nil
	subs := e.direct(s)
	for _, c := range s.conjuncts(e.parent) {
		subs = append(subs, e.schema(c))
	}
	for _, list := range [...][]*schema{s.schema.anyOf, s.schema.oneOf} {
		var branches []*term
		for _, b := range list {
			branches = append(branches, e.schema(scoped{b, s.scope}))
		}
		subs = append(subs, join(branches, true))
	}
	if s.schema.thenS != nil && s.schema.elseS != nil {
		yes, no := e.schema(scoped{s.schema.thenS, s.scope}), e.schema(scoped{s.schema.elseS, s.scope})
		if yes != nil && no != nil {
			subs = append(subs, join([]*term{yes, no}, true))
		}
	}
	t := join(subs, false)
	if t == nil {
		t = e.unevaluated(s)
	}
	e.known[s] = t
	return t
}

// conjuncts are the subschemas at the same location that have to hold.
func (s scoped) conjuncts(n *node) []scoped {
	var list []scoped
	add := func(sub *schema) {
		if sub != nil {
			list = append(list, scoped{sub, s.scope})
		}
	}
	add(s.schema.ref)
	if s.schema.recursive != nil {
		add(s.scope.resolveRecursive(s.schema.recursive))
	}
	if s.schema.dynamic != nil {
		add(s.scope.resolveDynamic(s.schema.dynamic))
	}
	for _, sub := range s.schema.allOf {
		add(sub)
	}
	if s.schema.obj != nil {
		for _, d := range s.schema.obj.dependentSchemas {
			if n.member(d.key) != nil {
				add(d.schema)
			}
		}
	}
	return list
}

// direct gives what the keywords of one schema object apply to the child.
func (e *expansion) direct(s scoped) []*term {
	leaf := func(sub *schema) *term {
		if sub == nil {
			return nil
		}
		return &term{schema: sub, scope: s.scope}
	}
	if e.index >= 0 {
		rules := s.schema.arr
		switch {
		case rules == nil:
			return nil
		case e.index < len(rules.prefix):
			return []*term{leaf(rules.prefix[e.index])}
		}
		return []*term{leaf(rules.rest)}
	}
	rules := s.schema.obj
	if rules == nil {
		return nil
	}
	subs := []*term{leaf(rules.properties[e.child.key])}
	for _, p := range rules.patterns {
		if e.match(p.pattern, e.child.key) {
			subs = append(subs, leaf(p.schema))
		}
	}
	if join(subs, false) == nil {
		subs = append(subs, leaf(rules.additional))
	}
	return subs
}

// unevaluated gives what applies where nothing else does.
func (e *expansion) unevaluated(s scoped) *term {
	switch {
	case e.index >= 0 && s.schema.arr != nil && s.schema.arr.unevaluated != nil:
		return &term{schema: s.schema.arr.unevaluated, scope: s.scope}
	case e.index < 0 && s.schema.obj != nil && s.schema.obj.unevaluated != nil:
		return &term{schema: s.schema.obj.unevaluated, scope: s.scope}
	}
	return nil
}

// requires says that something in place requires the key.
func (r *reference) requires(t *term, n *node, key string) bool {
	q := &requirement{reference: r, node: n, key: key, seen: map[scoped]bool{}, asked: map[*term]bool{}}
	return t != nil && q.term(t)
}

// requirement asks each subschema and each term once.
type requirement struct {
	*reference
	node  *node
	key   string
	seen  map[scoped]bool
	asked map[*term]bool
}

func (q *requirement) term(t *term) bool {
	if t.schema != nil {
		return q.schema(scoped{t.schema, t.scope})
	}
	if q.asked[t] {
		return false
	}
	q.asked[t] = true
	return slices.ContainsFunc(t.subs, q.term)
}

func (q *requirement) schema(s scoped) bool {
	s.scope = s.scope.enter(s.schema)
	if q.seen[s] || !q.spend(1) {
		return false
	}
	q.seen[s] = true
	if rules := s.schema.obj; rules != nil && q.spend(rules.weight) && rules.requiresKey(q.node, q.key) {
		return true
	}
	list := s.conjuncts(q.node)
	for _, one := range [...]*schema{s.schema.ifS, s.schema.thenS, s.schema.elseS} {
		if one != nil {
			list = append(list, scoped{one, s.scope})
		}
	}
	for _, sub := range slices.Concat(s.schema.anyOf, s.schema.oneOf) {
		list = append(list, scoped{sub, s.scope})
	}
	return slices.ContainsFunc(list, q.schema)
}

func (r *objectRules) requiresKey(n *node, key string) bool {
	if slices.Contains(r.required, key) {
		return true
	}
	for _, d := range r.dependentRequired {
		if n.member(d.key) != nil && slices.Contains(d.needs, key) {
			return true
		}
	}
	return false
}
