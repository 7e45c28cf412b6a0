package jsonschema

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/rawjson"
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
			l.best = int32(i)
		}
	}
}

// unify gives the loci of one location one of them to hold their hits: readings of
// the same value make loci of their own.
func (e *engine) unify() {
	order := make([]int32, len(e.loci))
	for i := range order {
		order[i] = int32(i)
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
		id := int32(i)
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

// span is a part of engine.words.
type span struct{ start, end int }

// reportEntry is a location to report: its error, as the list of errors has it, and
// later the rest of its words.
type reportEntry struct {
	locus                                      int32
	text, location, pointer, expected, message span
}

func (e *engine) word(s span) []byte { return e.words[s.start:s.end] }

// report renders the violations as the reference does. All words stand in one text.
func (e *engine) report(budget *Budget) []Violation {
	left := min(maxReport, budget.report)
	found := e.first(left)
	n := 0
	for ; n < len(found); n++ {
		size := e.describe(&found[n])
		left -= size
		if left < 0 && n > 0 {
			break
		}
		budget.report -= size
	}
	text := string(e.words)
	out := make([]Violation, n)
	for i := range out {
		r := &found[i]
		out[i] = e.violation(r)
		v := &out[i]
		v.Location, v.Pointer = text[r.location.start:r.location.end], text[r.pointer.start:r.pointer.end]
		v.Expected, v.Message = text[r.expected.start:r.expected.end], text[r.message.start:r.message.end]
	}
	e.entries = found[:0]
	return out
}

// describe writes the words of an entry, and gives the size of its violation.
func (e *engine) describe(r *reportEntry) int {
	l := &e.loci[r.locus]
	f := e.hits[l.best].finding()
	r.pointer.start = len(e.words)
	e.appendPointer(r.locus)
	r.pointer.end = len(e.words)
	r.expected.start = len(e.words)
	e.words = f.appendExpected(e.words)
	r.expected.end = len(e.words)
	v := e.violation(r)
	v.Location, v.Pointer = asString(e.word(r.location)), asString(e.word(r.pointer))
	v.Expected = asString(e.word(r.expected))
	r.message.start = len(e.words)
	// The parts of the message stand in what may move as it is written; they are not
	// written to.
	e.words = appendMessage(e.words, &v)
	r.message.end = len(e.words)
	v.Message = asString(e.word(r.message))
	return v.size()
}

// violation is the violation but for the words that are spans.
func (e *engine) violation(r *reportEntry) Violation {
	l := &e.loci[r.locus]
	h := e.hits[l.best].rule
	return Violation{Code: codeOrder[h.code], Keyword: keywordNames[h.keyword], Actual: e.actual(l)}
}

// appendExpected is expected, without a text of its own for what is common.
func (f *finding) appendExpected(dst []byte) []byte {
	if f.code == CodeEnum && f.keyword == "enum" && len(f.schema.enum.shown) < maxShown/2 {
		return append(append(dst, "one of "...), shown.Escape(f.schema.enum.shown)...)
	}
	return append(dst, f.expected()...)
}

// first gives the first entries in order, as many as fit into a report of so many
// bytes, and one more.
func (e *engine) first(room int) []reportEntry {
	limit := min(maxViolations, max(room, 0)/Violation{}.size()+1)
	var paths spelling
	found, last := e.entries[:0], span{}
	e.words = e.words[:0]
	for i := range e.loci {
		l := &e.loci[i]
		if l.best < 0 || !e.reported(l) {
			continue
		}
		r := reportEntry{locus: int32(i)}
		r.text.start = len(e.words)
		e.words = append(append(e.words, codeOrder[e.hits[l.best].code]...), ':')
		r.location.start = len(e.words)
		e.appendLocation(r.locus, &paths)
		r.location.end, r.text.end = len(e.words), len(e.words)
		if last.end > 0 && bytes.Compare(e.word(r.text), e.word(last)) > 0 {
			e.words = e.words[:r.text.start]
			continue
		}
		found = append(found, r)
		// A hundred thousand long locations at once would be hundreds of megabytes.
		if len(found) == 2*limit {
			found = e.compact(e.inOrder(found)[:limit])
			last = found[limit-1].text
		}
	}
	found = e.inOrder(found)
	return found[:min(len(found), limit)]
}

func (e *engine) inOrder(found []reportEntry) []reportEntry {
	slices.SortFunc(found, func(a, b reportEntry) int {
		if c := bytes.Compare(e.word(a.text), e.word(b.text)); c != 0 {
			return c
		}
		return e.compareLoci(a.locus, b.locus)
	})
	return found
}

// compact forgets the words of the entries that did not stay.
func (e *engine) compact(found []reportEntry) []reportEntry {
	kept := make([]byte, 0, len(e.words)/2)
	for i := range found {
		r := &found[i]
		start := len(kept)
		kept = append(kept, e.word(r.text)...)
		r.location.start += start - r.text.start
		r.text = span{start, len(kept)}
		r.location.end = len(kept)
	}
	e.words = kept
	return found
}

// appendLocation writes the path of a location as it is shown.
func (e *engine) appendLocation(id int32, paths *spelling) {
	start := len(e.words)
	if e.appendPath(id) {
		return
	}
	e.words = append(e.words[:start], e.locationOf(id, paths)...)
}

// appendPath writes a path that needs neither a cut nor an escape. It reports whether
// it is one.
func (e *engine) appendPath(id int32) bool {
	var steps [16]int32
	n := 0
	for at := id; e.loci[at].parent >= 0; at = e.loci[at].parent {
		if n == len(steps) {
			return false
		}
		steps[n] = at
		n++
	}
	start := len(e.words)
	for k := n - 1; k >= 0; k-- {
		l := &e.loci[steps[k]]
		if l.index >= 0 {
			e.words = strconv.AppendInt(append(e.words, '['), int64(l.index), 10)
			e.words = append(e.words, ']')
			continue
		}
		if k < n-1 {
			e.words = append(e.words, '.')
		}
		name := e.nameOf(l)
		// Before it is copied: a long key must not cost its length at every location
		// below it.
		if len(e.words)-start+len(name) > shown.MaxPath {
			return false
		}
		e.words = append(e.words, name...)
	}
	for _, c := range e.words[start:] {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return len(e.words)-start <= shown.MaxPath
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

func (e *engine) keyOf(l *locus) string { return strings.Clone(e.nameOf(l)) }

// nameOf is the key of a member, or of what is absent, for as long as the judgement
// lasts.
func (e *engine) nameOf(l *locus) string {
	if l.at < 0 {
		return l.absent.name
	}
	return asString(e.keyBytes(l.key))
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

// appendPointer writes the JSON Pointer of a location.
func (e *engine) appendPointer(id int32) {
	l := &e.loci[id]
	if l.parent < 0 {
		return
	}
	e.appendPointer(l.parent)
	e.words = append(e.words, '/')
	if l.index >= 0 {
		e.words = strconv.AppendInt(e.words, int64(l.index), 10)
		return
	}
	e.words = append(e.words, rawjson.EscapeToken(e.nameOf(l))...)
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
