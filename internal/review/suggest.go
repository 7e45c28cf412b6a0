package review

import (
	"slices"

	"github.com/callgate/callgate/internal/compile"
)

const (
	// maxSuggested is how many names one feedback offers: more would be a catalogue.
	maxSuggested = 3
	// maxCatalogue is the largest number of tools of a namespace among which close
	// names are looked for: asking the policies about each takes some 0.1 to 0.5 µs.
	maxCatalogue = 2048
)

// suggester finds close names for the calls of one review. It is asked only where a
// name is unknown, so that other reviews do not pay for it.
type suggester struct {
	passing []string
	asked   bool
	work    int
}

// near gives names close to the call's that would pass for this caller: every policy
// that can block takes them, and their ToolSchema is in force. Others are none of
// the model's business.
func (s *suggester) near(c *call) []string {
	if !s.asked {
		s.asked, s.work = true, nearToolWork
		s.passing = passing(c.ns, c.views)
	}
	if s.work < 0 {
		return nil
	}
	return nearest(c.name, s.passing, maxSuggested, &s.work)
}

// passing gives the names that pass, sorted.
func passing(ns *compile.Namespace, views []view) []string {
	// Where RBAC grants tools one by one, a name that is not granted must not be told.
	granting := slices.ContainsFunc(views, func(v view) bool { return v.policy.Deny && v.policy.RBAC })
	if len(ns.Tools) > maxCatalogue || granting {
		return nil
	}
	var names []string
	for name, tool := range ns.Tools {
		if tool.Ready() && passes(name, tool, views) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func passes(name string, tool *compile.Tool, views []view) bool {
	return !slices.ContainsFunc(views, func(v view) bool {
		if !v.policy.Deny {
			return false
		}
		if v.policy.Broken {
			return true
		}
		outcome, _ := v.policy.Takes(name, tool)
		return outcome == compile.NameUnknown
	})
}
