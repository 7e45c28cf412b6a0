package casefile

import (
	"maps"
	"slices"
	"sync"
)

// Coverage collects what cases touch. It is safe for concurrent use.
type Coverage struct {
	mu                  sync.Mutex
	tools, codes, rules map[string]struct{}
}

// NewCoverage has nothing yet.
func NewCoverage() *Coverage {
	return &Coverage{tools: map[string]struct{}{}, codes: map[string]struct{}{}, rules: map[string]struct{}{}}
}

// Call notes a call of a tool, the code that it was answered with, and the rules that were
// asked about it, as policy/rule.
func (c *Coverage) Call(tool, code string, rules []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tools[tool], c.codes[code] = struct{}{}, struct{}{}
	for _, r := range rules {
		c.rules[r] = struct{}{}
	}
}

// Offer notes that a tool was offered, and the code of the answer.
func (c *Coverage) Offer(tool, code string) { c.Call(tool, code, nil) }

// Part is how much of a set is touched, and what is not, sorted.
type Part struct {
	Touched   int      `json:"touched"`
	Whole     int      `json:"whole"`
	Untouched []string `json:"untouched"`
}

// Summary is the coverage of tools, codes and rules.
type Summary struct {
	Tools Part `json:"tools"`
	Codes Part `json:"codes"`
	Rules Part `json:"rules"`
}

// Of holds what was touched against what there is.
func (c *Coverage) Of(tools, codes, rules []string) Summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Summary{Tools: part(tools, c.tools), Codes: part(codes, c.codes), Rules: part(rules, c.rules)}
}

func part(whole []string, touched map[string]struct{}) Part {
	set := map[string]struct{}{}
	for _, name := range whole {
		set[name] = struct{}{}
	}
	p := Part{Whole: len(set), Untouched: []string{}}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if _, ok := touched[name]; ok {
			p.Touched++
		} else {
			p.Untouched = append(p.Untouched, name)
		}
	}
	return p
}
