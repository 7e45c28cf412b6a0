package lint

import (
	"fmt"

	"github.com/callgate/callgate/internal/manifest"
)

// notes says once a file what was passed over in it: a chart has many Deployments.
func (l *linter) notes() {
	type kind struct{ file, message string }
	first, count := map[kind]int{}, map[kind]int{}
	for _, n := range l.in.Set.Notes {
		k := kind{n.File, n.Message}
		if n.Rule == manifest.RulePassedOver {
			if count[k]++; count[k] > 1 {
				continue
			}
			first[k] = len(l.list)
		}
		l.list = append(l.list, Finding{Rule: n.Rule, Position: n.Position, Message: n.Message})
	}
	for k, n := range count {
		if n > 1 {
			l.list[first[k]].Message += fmt.Sprintf(" (%d of them in this file)", n)
		}
	}
}
