package jsonschema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

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

// placed is a location to report, with its path as errors spell it.
type reportEntry struct {
	locus          int32
	location, text string
}

// report renders the violations as the reference does.
func (e *engine) report(budget *Budget) []Violation {
	paths := map[int32]string{}
	var found []reportEntry
	for i := range e.loci {
		l := &e.loci[i]
		if l.best < 0 || !e.reported(l) {
			continue
		}
		location := shown.Path(e.pathOf(int32(i), paths))                                                               //nolint:gosec // bounded by the hits
		found = append(found, reportEntry{int32(i), location, string(codeOrder[e.hits[l.best].code]) + ":" + location}) //nolint:gosec // bounded by the hits
		// A hundred thousand long locations at once would be hundreds of megabytes.
		if len(found) == 2*maxViolations {
			found = e.firstEntries(found)
		}
	}
	var out []Violation
	left := min(maxReport, budget.report)
	for _, r := range e.firstEntries(found) {
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

func (e *engine) firstEntries(found []reportEntry) []reportEntry {
	slices.SortFunc(found, func(a, b reportEntry) int {
		if c := strings.Compare(a.text, b.text); c != 0 {
			return c
		}
		return e.compareLoci(a.locus, b.locus)
	})
	return found[:min(len(found), maxViolations)]
}

// pathOf spells a path as node.extend does, cut where nobody sees more.
func (e *engine) pathOf(id int32, paths map[int32]string) string {
	l := &e.loci[id]
	if l.parent < 0 {
		return ""
	}
	parent, known := paths[l.parent]
	if !known {
		parent = e.pathOf(l.parent, paths)
		paths[l.parent] = parent
	}
	if l.index >= 0 {
		return shown.Cut(parent+"["+strconv.Itoa(int(l.index))+"]", 2*shown.MaxPath)
	}
	if e.loci[l.parent].parent >= 0 {
		parent += "."
	}
	return shown.Cut(parent+e.keyOf(l), 2*shown.MaxPath)
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
