package jsonschema

import "github.com/callgate/callgate/internal/rawjson"

// Canonical appends the judged tree in canonical form: absent nulls removed,
// keys sorted by code point, no white space, minimal escapes, number literals
// as given. ok is false, and dst unchanged, where there is no such tree.
func (c *Compiled) Canonical(dst []byte, in Input) (out []byte, ok bool) {
	if in.FreeText {
		return c.Reference().Canonical(dst, in)
	}
	w := writers.Get().(*canonicalWriter) //nolint:forcetypeassert // nothing else is in there
	out, ok, known := w.write(dst, in, c.opts.NullsAbsent)
	w.release()
	if known {
		return out, ok
	}
	return c.Reference().Canonical(dst, in)
}

// Canonical is Compiled.Canonical by way of the tree that the reference judges.
func (c slowJudge) Canonical(dst []byte, in Input) (out []byte, ok bool) {
	defer func() {
		if recover() != nil {
			out, ok = dst, false
		}
	}()
	root, fault := c.read(in)
	if fault != NoFault || root.hasDuplicates() {
		return dst, false
	}
	if c.opts.NullsAbsent {
		budget := in.budget()
		r := newReference(c.Compiled, c.opts.IntegersByValue || in.IntegersByValue, budget)
		r.dropNulls(root)
		if budget.settle(r); budget.exhausted {
			return dst, false
		}
	}
	return root.appendCanonical(dst), true
}

func (n *node) hasDuplicates() bool {
	if n.duplicate {
		return true
	}
	for _, m := range n.members {
		if m.hasDuplicates() {
			return true
		}
	}
	for _, item := range n.items {
		if item.hasDuplicates() {
			return true
		}
	}
	return false
}

func (n *node) appendCanonical(dst []byte) []byte {
	switch n.kind {
	case rawjson.String:
		return rawjson.AppendString(dst, n.text)
	case rawjson.Array:
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendCanonical(dst)
		}
		return append(dst, ']')
	case rawjson.Object:
		dst = append(dst, '{')
		// UTF-8 sorts by bytes as by code points.
		for i, m := range n.sortedMembers() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(rawjson.AppendString(dst, m.key), ':')
			dst = m.appendCanonical(dst)
		}
		return append(dst, '}')
	}
	return append(dst, n.raw...)
}
