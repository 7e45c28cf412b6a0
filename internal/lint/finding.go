package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/callgate/callgate/internal/manifest"
)

// Finding is one thing to say about a place in the files.
type Finding struct {
	// Rule is the ID of one of Rules.
	Rule     string
	Severity Severity
	// Position is where it is: line and column from 1, 0 where unknown, and no file where
	// it is about all of them.
	manifest.Position
	// Object is "ToolSchema namespace/name", or "" where there is no object.
	Object string
	// Pointer is the JSON Pointer of the place in the object; "" is its root.
	Pointer string
	// SchemaPointer is the JSON Pointer of the place in the ToolSchema's document, where
	// that is text in spec.parametersJSON and Pointer cannot lead into it.
	SchemaPointer string
	// Message says what is wrong and what to do. It is escaped for a terminal.
	Message string
}

// Place is where in the object the finding is, for people.
func (f Finding) Place() string {
	if f.SchemaPointer == "" {
		return f.Pointer
	}
	return f.Pointer + "#" + f.SchemaPointer
}

// maxAlike bounds the warnings and notes of one rule about one object: a schema of 4,096
// subschemas can be open in each of them, and nobody reads on after the first few.
const maxAlike = 25

// sorted puts findings into the order of the files, says each once, and bounds those
// that are alike.
func sorted(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Object, b.Object), cmp.Compare(a.Place(), b.Place()), cmp.Compare(a.Message, b.Message),
		)
	})
	type alike struct{ rule, object string }
	type same struct {
		alike
		place, message string
	}
	said, count, last := map[same]bool{}, map[alike]int{}, map[alike]int{}
	kept := make([]Finding, 0, len(list))
	for _, f := range list {
		kind := alike{f.Rule, f.Object}
		once := same{kind, f.Place(), f.Message}
		if f.Severity != Error && f.Object != "" {
			if said[once] {
				continue
			}
			said[once] = true
			if count[kind]++; count[kind] > maxAlike {
				continue
			}
		}
		last[kind] = len(kept)
		kept = append(kept, f)
	}
	for kind, n := range count {
		if n > maxAlike {
			f := &kept[last[kind]]
			f.Message += fmt.Sprintf(" (and %d more places of this object)", n-maxAlike)
		}
	}
	return kept
}

// Count is how many findings there are of each severity.
type Count struct{ Errors, Warnings, Notes int }

// CountOf counts findings.
func CountOf(list []Finding) (c Count) {
	for _, f := range list {
		switch f.Severity {
		case Note:
			c.Notes++
		case Warning:
			c.Warnings++
		default:
			c.Errors++
		}
	}
	return c
}
