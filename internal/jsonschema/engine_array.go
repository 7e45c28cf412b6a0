package jsonschema

import "github.com/callgate/callgate/internal/rawjson"

func (e *engine) array(p *plan, i int) int {
	if e.depth >= MaxArgumentDepth {
		return e.stop(TooDeep)
	}
	if !e.count() {
		return -1
	}
	if p.byKind != nil {
		p = p.byKind[atArray]
	}
	if p.allowed&(1<<atArray) == 0 {
		return e.wrongContainer(p, atArray, i)
	}
	e.depth++
	end, count := e.items(p.array, i)
	e.depth--
	if end < 0 || !e.arrayRules(p.array, i, count) {
		return -1
	}
	if len(p.values) > 0 && !e.containerValues(p, i, end) {
		return -1
	}
	if p.plain {
		return end
	}
	return e.finish(p, i, end)
}

// items reads from the opening bracket to behind the closing one.
func (e *engine) items(a *arrayPlan, i int) (end, count int) {
	b := e.src
	crumb := &e.path[e.depth-1]
	// from is where the item before ends.
	from := i + 1
	i = rawjson.SkipSpace(b, from)
	if i < len(b) && b[i] == ']' {
		return e.closed(from, i), 0
	}
	for {
		item := &a.rest
		if count < len(a.prefix) {
			item = &a.prefix[count]
		}
		if !e.countAgain(i - from) {
			return -1, 0
		}
		crumb.index, crumb.at, crumb.locus = int32(count), int32(i), -1 //nolint:gosec // at most 512 KiB
		if len(item.unexpected) == 0 {
			i = e.value(item.plan, i)
		} else {
			i = e.item(item, false, i)
		}
		if i < 0 {
			return -1, 0
		}
		count++
		from = i
		i = rawjson.SkipSpace(b, i)
		if i >= len(b) {
			return e.stop(InvalidJSON), 0
		}
		switch b[i] {
		case ']':
			return e.closed(from, i), count
		case ',':
		default:
			return e.stop(InvalidJSON), 0
		}
		i = rawjson.SkipSpace(b, i+1)
	}
}

// arrayRules judges the array as a whole.
func (e *engine) arrayRules(a *arrayPlan, start, count int) bool {
	if len(a.counts) > 0 && !e.counted(a.counts, count, rule{nil, idItems, kwMinItems}, kwMaxItems) {
		return false
	}
	if len(a.unique) > 0 && !e.uniqueItems(a.unique, start, count) {
		return false
	}
	for k := range a.contains {
		if !e.containing(&a.contains[k], start, count) {
			return false
		}
	}
	return true
}

// counted judges how many items or members there are. least is what too few break,
// but for the subschema.
func (e *engine) counted(checks []countCheck, n int, least rule, most keywordID) bool {
	for k := range checks {
		c := &checks[k]
		if n < c.min && !e.note(rule{c.schema, least.code, least.keyword}) {
			return false
		}
		if c.max >= 0 && n > c.max && !e.note(rule{c.schema, least.code, most}) {
			return false
		}
	}
	return true
}

func (e *engine) uniqueItems(by []*schema, start, count int) bool {
	if count < 2 || e.distinctItems(start, count) {
		return true
	}
	for _, s := range by {
		if e.stopped() || !e.note(rule{s, idItems, kwUniqueItems}) {
			return false
		}
	}
	return true
}

// containing counts the items that match.
func (e *engine) containing(c *containsPlan, start, count int) bool {
	rules, matches := c.schema.arr, 0
	i := start
	for n := range count {
		i = e.itemAt(i, n)
		if e.fitsQuietly(c.plan, i) {
			matches++
		} else if e.stopped() {
			return false
		}
		i = e.skip(i)
	}
	ok := true
	switch {
	case rules.minContains >= 0 && matches < rules.minContains:
		ok = e.note(rule{c.schema, idItems, kwMinContains})
	case rules.minContains < 0 && matches == 0:
		ok = e.note(rule{c.schema, idItems, kwContains})
	}
	if ok && rules.maxContains >= 0 && matches > rules.maxContains {
		ok = e.note(rule{c.schema, idItems, kwMaxContains})
	}
	return ok
}

// itemAt gives where the next item of an array starts that has been read before:
// behind its bracket, or behind the item before.
func (e *engine) itemAt(i, n int) int {
	if n > 0 {
		i = rawjson.SkipSpace(e.src, i)
	}
	return rawjson.SkipSpace(e.src, i+1)
}

// skip gives the offset behind a value that has been read before.
func (e *engine) skip(i int) int {
	end, depth := i, 0
	defer func() { e.steps += 1 + (end-i)/bytesPerStep }()
	for {
		switch c := e.src[end]; c {
		case '"':
			end, _ = rawjson.ScanString(e.src, end)
			if depth == 0 {
				return end
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return e.skipped(end, depth)
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return end
			}
		}
		end++
		if end >= len(e.src) {
			return end
		}
	}
}

// skipped tells a closing bracket of the value itself from one around a scalar.
func (e *engine) skipped(end, depth int) int {
	if depth == 0 {
		return end + 1
	}
	return end
}
