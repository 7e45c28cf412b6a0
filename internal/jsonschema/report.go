package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/shown"
)

// maxViolations and maxReport bound what is reported of one value, in number and
// in bytes. A value with more has no use for the rest, and it is refused all the
// same; the first by order stay, at least one.
const (
	maxViolations = 1024
	maxReport     = 128 << 10
)

// codeOrder ranks the codes: of several at one location the first is reported.
var codeOrder = [...]Code{
	CodeDuplicate, CodeUnexpected, CodeType, CodeEnum, CodePattern, CodeFormat,
	CodeLength, CodeRange, CodeItems, CodeProperties, CodeSchema, CodeMissing,
}

func (c Code) rank() int { return slices.Index(codeOrder[:], c) }

// hidesBelow says that a location with this code reports nothing below it.
func (c Code) hidesBelow() bool { return c.rank() <= CodeType.rank() }

// report gives the violations, one per location, sorted by their error string
// and, where two locations are shown alike, in the order of the document:
// absent properties first, by key.
func (r *reference) report(root *node, budget *Budget) []Violation {
	var found []entry
	root.collect("", func(e entry) {
		found = append(found, e)
		// A hundred thousand long locations at once would be hundreds of megabytes.
		if len(found) == 2*maxViolations {
			found = first(found)
		}
	})
	var out []Violation
	left := min(maxReport, budget.report)
	for _, e := range first(found) {
		v := e.violation()
		left -= v.size()
		if left < 0 && len(out) > 0 {
			break
		}
		budget.report -= v.size()
		out = append(out, v)
	}
	return out
}

// first gives the first maxViolations of the entries, sorted. Entries that read the
// same keep their order.
func first(found []entry) []entry {
	slices.SortStableFunc(found, func(a, b entry) int { return strings.Compare(a.text, b.text) })
	return found[:min(len(found), maxViolations)]
}

// size is about what the violation takes in an answer, where its location stands in
// the list of errors too.
func (v Violation) size() int {
	const names = 128
	return names + len(v.Pointer) + len(v.Location) + len(v.Expected) + len(v.Message)
}

// entry is a finding to report, with its location and its error string.
type entry struct {
	*finding
	location, text string
}

// collect calls visit for what is to be reported at and below n. path is the
// location as errors spell it, kept only as far as it is shown: a long key
// must not cost its length at every location below it.
func (n *node) collect(path string, visit func(entry)) {
	if f := n.gravest(); f != nil {
		location := shown.Path(path)
		visit(entry{f, location, string(f.code) + ":" + location})
		if f.code.hidesBelow() {
			return
		}
	}
	for _, key := range sortedKeys(n.missing) {
		n.missing[key].collect(n.extend(path, key), visit)
	}
	for _, m := range n.members {
		m.collect(n.extend(path, m.key), visit)
	}
	for i, item := range n.items {
		item.collect(shown.Cut(path+"["+strconv.Itoa(i)+"]", 2*shown.MaxPath), visit)
	}
}

// extend adds a key to the path of n.
func (n *node) extend(path, key string) string {
	if n.parent != nil {
		path += "."
	}
	return shown.Cut(path+key, 2*shown.MaxPath)
}

// gravest is the finding to report: the first code, then the first keyword,
// then the first expectation, so that the order of evaluation does not matter.
func (n *node) gravest() *finding {
	var best *finding
	for i := range n.findings {
		if f := &n.findings[i]; best == nil || f.before(best) {
			best = f
		}
	}
	return best
}

func (f *finding) before(g *finding) bool {
	if f.code != g.code {
		return f.code.rank() < g.code.rank()
	}
	if f.keyword != g.keyword {
		return f.keyword < g.keyword
	}
	return f.schema != g.schema && f.expected() < g.expected()
}

func (f entry) violation() Violation {
	v := Violation{
		Code:     f.code,
		Pointer:  f.at.pointer(),
		Location: f.location,
		Keyword:  f.keyword,
		Expected: f.expected(),
		Actual:   f.at.actual(),
	}
	v.Message = v.message()
	return v
}

// steps lists the nodes from below the root down to n.
func (n *node) steps() []*node {
	var list []*node
	for ; n.parent != nil; n = n.parent {
		list = append(list, n)
	}
	slices.Reverse(list)
	return list
}

func (n *node) pointer() string {
	var b strings.Builder
	for _, s := range n.steps() {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(rawjson.EscapeToken(s.key))
		}
	}
	return b.String()
}
