package jsonschema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/shown"
)

// settle leaves each location its gravest hit. Nothing is rendered yet, and
// nothing allocated.
func (e *engine) settle() {
	if e.distinct {
		e.unify()
	}
	for i := range e.hits {
		h := &e.hits[i]
		l := &e.loci[h.locus]
		if l.best < 0 || h.graver(e.hits[l.best].rule) {
			l.best = int32(i) //nolint:gosec // bounded by the values
		}
	}
}

// unify gives the loci of one location one of them to hold their hits: readings of
// the same value make loci of their own.
func (e *engine) unify() {
	order := make([]int32, len(e.loci))
	for i := range order {
		order[i] = int32(i) //nolint:gosec // bounded by the hits
	}
	// Parents come before children in loci, and stand for all before them.
	stands := make([]int32, len(e.loci))
	byPlace := make(map[int32]int32, len(e.loci))
	type gap struct {
		parent int32
		key    string
	}
	byGap := map[gap]int32{}
	for i := range e.loci {
		l := &e.loci[i]
		if l.parent >= 0 {
			l.parent = stands[l.parent]
		}
		id := int32(i) //nolint:gosec // bounded by the hits
		if l.at >= 0 {
			if first, ok := byPlace[l.at]; ok {
				id = first
			} else {
				byPlace[l.at] = id
			}
		} else if first, ok := byGap[gap{l.parent, l.absent.name}]; ok {
			id = first
		} else {
			byGap[gap{l.parent, l.absent.name}] = id
		}
		stands[i] = id
	}
	for i := range e.hits {
		e.hits[i].locus = stands[e.hits[i].locus]
	}
}

// reported says that nothing above a location hides it.
func (e *engine) reported(l *locus) bool {
	for at := l.parent; at >= 0; at = e.loci[at].parent {
		if best := e.loci[at].best; best >= 0 && e.hits[best].hidesBelow() {
			return false
		}
	}
	return true
}

// found counts what is to be reported.
func (e *engine) found() int {
	n := 0
	for i := range e.loci {
		if l := &e.loci[i]; l.best >= 0 && e.reported(l) {
			n++
		}
	}
	return n
}

// reportEntry is a location to report, with its path as errors spell it.
type reportEntry struct {
	locus          int32
	location, text string
}

// report renders the violations as the reference does.
func (e *engine) report(budget *Budget) []Violation {
	left := min(maxReport, budget.report)
	var out []Violation
	for _, r := range e.first(left) {
		v := e.violation(r)
		left -= v.size()
		if left < 0 && len(out) > 0 {
			break
		}
		budget.report -= v.size()
		out = append(out, v)
	}
	return out
}

// first gives the first entries in order, as many as fit into a report of so many
// bytes, and one more.
func (e *engine) first(room int) []reportEntry {
	limit := min(maxViolations, max(room, 0)/Violation{}.size()+1)
	var paths spelling
	var found []reportEntry
	last := ""
	for i := range e.loci {
		l := &e.loci[i]
		if l.best < 0 || !e.reported(l) {
			continue
		}
		id := int32(i) //nolint:gosec // bounded by the hits
		location := e.locationOf(id, &paths)
		text := string(codeOrder[e.hits[l.best].code]) + ":" + location
		if last != "" && text > last {
			continue
		}
		found = append(found, reportEntry{id, location, text})
		// A hundred thousand long locations at once would be hundreds of megabytes.
		if len(found) == 2*limit {
			found = e.inOrder(found)[:limit]
			last = found[limit-1].text
		}
	}
	found = e.inOrder(found)
	return found[:min(len(found), limit)]
}

func (e *engine) inOrder(found []reportEntry) []reportEntry {
	slices.SortFunc(found, func(a, b reportEntry) int {
		if c := strings.Compare(a.text, b.text); c != 0 {
			return c
		}
		return e.compareLoci(a.locus, b.locus)
	})
	return found
}

// spelling are the paths spelt so far of locations with something below them.
type spelling map[int32]spelt

type spelt struct {
	path string
	// below is how everything below is shown, where the path is too long to show more.
	below string
}

// locationOf gives the path of a location as it is shown.
func (e *engine) locationOf(id int32, paths *spelling) string {
	parent := e.loci[id].parent
	if parent < 0 {
		return ""
	}
	if above := e.spell(parent, paths); above.below != "" {
		return above.below
	}
	return shown.Path(e.pathOf(id, paths))
}

func (e *engine) spell(id int32, paths *spelling) spelt {
	if s, known := (*paths)[id]; known {
		return s
	}
	s := spelt{path: e.pathOf(id, paths)}
	if len(s.path) > shown.MaxPath && utf8.RuneCountInString(s.path) > shown.MaxPath {
		s.below = shown.Path(s.path)
	}
	if *paths == nil {
		*paths = spelling{}
	}
	(*paths)[id] = s
	return s
}

// pathOf spells a path as node.extend does, cut where nobody sees more.
func (e *engine) pathOf(id int32, paths *spelling) string {
	l := &e.loci[id]
	if l.parent < 0 {
		return ""
	}
	if e.loci[l.parent].parent < 0 && l.index < 0 {
		return shown.Cut(e.keyOf(l), 2*shown.MaxPath)
	}
	path := e.spell(l.parent, paths).path
	if l.index >= 0 {
		return shown.Cut(path+"["+strconv.Itoa(int(l.index))+"]", 2*shown.MaxPath)
	}
	return shown.Cut(path+"."+e.keyOf(l), 2*shown.MaxPath)
}

func (e *engine) keyOf(l *locus) string {
	if l.at < 0 {
		return l.absent.name
	}
	return string(e.keyBytes(l.key))
}

// compareLoci orders locations as the reference meets them: what is above first,
// then absent properties by key, then the rest as the text has it.
func (e *engine) compareLoci(a, b int32) int {
	above, below := e.chain(a), e.chain(b)
	for i := range min(len(above), len(below)) {
		x, y := &e.loci[above[i]], &e.loci[below[i]]
		switch {
		case above[i] == below[i]:
			continue
		case x.at < 0 && y.at < 0:
			return strings.Compare(x.absent.name, y.absent.name)
		}
		return cmp.Compare(x.at, y.at)
	}
	return cmp.Compare(len(above), len(below))
}

// chain lists the loci from the root down to one.
func (e *engine) chain(id int32) []int32 {
	var list []int32
	for ; id >= 0; id = e.loci[id].parent {
		list = append(list, id)
	}
	slices.Reverse(list)
	return list
}

func (e *engine) violation(r reportEntry) Violation {
	l := &e.loci[r.locus]
	f := e.hits[l.best].finding()
	v := Violation{
		Code: f.code, Pointer: e.pointer(r.locus), Location: r.location,
		Keyword: f.keyword, Expected: f.expected(), Actual: e.actual(l),
	}
	v.Message = v.message()
	return v
}

func (e *engine) pointer(id int32) string {
	var b strings.Builder
	for _, at := range e.chain(id)[1:] {
		l := &e.loci[at]
		b.WriteByte('/')
		if l.index >= 0 {
			b.WriteString(strconv.Itoa(int(l.index)))
		} else {
			b.WriteString(escapeToken(e.keyOf(l)))
		}
	}
	return b.String()
}

// actual names the kind of the value at a location.
func (e *engine) actual(l *locus) string {
	if l.at < 0 {
		return "absent"
	}
	switch c := e.src[l.at]; c {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	end := e.skip(int(l.at))
	if lexicalInteger(e.src[l.at:end]) {
		return "integer"
	}
	return "number"
}
