package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/shown"
)

// maxViolations bounds the list. A value with more has no use for the rest, and
// it is refused all the same; the first by order stay.
const maxViolations = 1024

// codeOrder ranks the codes: of several at one location the first is reported.
var codeOrder = [...]Code{
	CodeDuplicate, CodeUnexpected, CodeType, CodeEnum, CodePattern, CodeFormat,
	CodeLength, CodeRange, CodeItems, CodeProperties, CodeSchema, CodeMissing,
}

func (c Code) rank() int { return slices.Index(codeOrder[:], c) }

// hidesBelow says that a location with this code reports nothing below it.
func (c Code) hidesBelow() bool { return c.rank() <= CodeType.rank() }

// report gives the violations, one per location, sorted by their error string
// and, where two locations are shown alike, by pointer.
func (r *reference) report(root *node) []Violation {
	var found []entry
	var walk func(*node)
	walk = func(n *node) {
		if f := n.gravest(); f != nil {
			found = append(found, entry{f, string(f.code) + ":" + shown.Path(n.path())})
			if f.code.hidesBelow() {
				return
			}
		}
		for _, m := range n.missing {
			walk(m)
		}
		for _, m := range n.members {
			walk(m)
		}
		for _, item := range n.items {
			walk(item)
		}
	}
	walk(root)
	slices.SortFunc(found, func(a, b entry) int {
		if d := strings.Compare(a.text, b.text); d != 0 {
			return d
		}
		return strings.Compare(a.at.pointer(), b.at.pointer())
	})
	found = found[:min(len(found), maxViolations)]
	if len(found) == 0 {
		return nil
	}
	out := make([]Violation, len(found))
	for i, e := range found {
		out[i] = e.violation()
	}
	return out
}

// entry is a finding to report, with its error string.
type entry struct {
	*finding
	text string
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

func (f *finding) violation() Violation {
	v := Violation{
		Code:     f.code,
		Pointer:  f.at.pointer(),
		Location: shown.Path(f.at.path()),
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
			b.WriteString(escapeToken(s.key))
		}
	}
	return b.String()
}

// path is the location as errors spell it, neither cut nor escaped.
func (n *node) path() string {
	var b strings.Builder
	for i, s := range n.steps() {
		switch {
		case s.index >= 0:
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.index))
			b.WriteByte(']')
		case i > 0:
			b.WriteByte('.')
			fallthrough
		default:
			b.WriteString(s.key)
		}
	}
	return b.String()
}
