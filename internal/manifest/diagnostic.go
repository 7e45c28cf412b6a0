package manifest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/internal/shown"
)

// Position is a place in a file. Line and Column count from 1, Column in characters;
// 0 is unknown.
type Position struct {
	File         string
	Line, Column int
}

// String is "file:line:column", as editors and terminals link it.
func (p Position) String() string {
	var b strings.Builder
	b.WriteString(shown.Escape(p.File))
	for _, n := range []int{p.Line, p.Column} {
		if n == 0 {
			break
		}
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// Diagnostic is one reason for which the API server, or this package, refuses what
// a file holds.
type Diagnostic struct {
	Position
	// Rule is one of the rules of this package.
	Rule string
	// Object is "ToolSchema namespace/name", or "" where there is no object yet.
	Object string
	// Path is the JSON Pointer of the place in the object; "" is its root.
	Path string
	// Message says what is wrong and, where it is not plain, what to do.
	Message string
}

// String is the line that a command prints.
func (d Diagnostic) String() string {
	parts := make([]string, 0, 4)
	for _, s := range []string{d.Position.String(), shown.Escape(d.Object), shown.Escape(d.Path), d.Message} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

// Note is something that was passed over, with the reason.
type Note struct {
	Position
	// Rule is one of the rules of this package.
	Rule    string
	Message string
}

// String is the line that a command prints.
func (n Note) String() string { return n.Position.String() + ": " + n.Message }

func comparePositions(a, b Position) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

func sortDiagnostics(ds []Diagnostic) []Diagnostic {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(comparePositions(a.Position, b.Position), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(ds, func(a, b Diagnostic) bool { return a == b })
}

func sortNotes(ns []Note) []Note {
	slices.SortStableFunc(ns, func(a, b Note) int {
		return cmp.Or(comparePositions(a.Position, b.Position), cmp.Compare(a.Message, b.Message))
	})
	return ns
}

// message prepares text that quotes a file for a terminal.
func message(s string) string { return shown.Escape(shown.Cut(s, maxMessage)) }
