package jsonschema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/shown"
)

// The bounds on what Compile tells: the list, one more that says how many were
// left out, each message, and paths, which only names without reason exceed.
const (
	maxProblems = 31
	maxMessage  = 512
	maxPath     = 1024
)

// problems collects what a compile has to tell, each place and keyword once.
type problems struct {
	list []Problem
	seen map[[2]string]bool
	more int
}

// maxCollected bounds what is kept before sorting, so that a hostile document
// cannot make the list itself the cost.
const maxCollected = 4096

// add notes a problem, unless the same place has one about the same keyword:
// the first is the more precise.
func (p *problems) add(path, keyword, format string, args ...any) {
	key := [2]string{path, keyword}
	if p.seen[key] {
		return
	}
	if len(p.list) >= maxCollected {
		p.more++
		return
	}
	if p.seen == nil {
		p.seen = map[[2]string]bool{}
	}
	p.seen[key] = true
	message := cutBytes(shown.Escape(fmt.Sprintf(format, args...)), maxMessage)
	p.list = append(p.list, Problem{Path: cutBytes(path, maxPath), Keyword: keyword, Message: message})
}

func (p *problems) any() bool { return len(p.list) > 0 }

// sorted gives the list by path, keyword and message, bounded.
func (p *problems) sorted(what string) []Problem {
	slices.SortFunc(p.list, func(a, b Problem) int {
		for _, d := range [...]int{
			strings.Compare(a.Path, b.Path),
			strings.Compare(a.Keyword, b.Keyword),
			strings.Compare(a.Message, b.Message),
		} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	if len(p.list) <= maxProblems {
		return p.list
	}
	left := len(p.list) + p.more - maxProblems
	out := slices.Clone(p.list[:maxProblems])
	return append(out, Problem{Message: fmt.Sprintf("%d more %s are not listed; repair these first", left, what)})
}
