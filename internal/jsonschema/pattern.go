package jsonschema

import (
	"regexp"
)

// The bounds on patterns. A schema's patterns together may expand to
// maxPatternTotal program steps, one to maxPatternSize: bounded repetition is
// unrolled, and memory and time at compile go with it. Sets cost by their
// ranges, of which a letter class has 650. matchSteps and callSteps
// bound the backtracking engine at some 20 ns a step, for one match and for all
// matches of one value; counted steps, unlike a timer, give the same verdict
// every time.
const (
	maxPatternSize   = 1 << 15
	maxPatternTotal  = 1 << 17
	maxPatternRanges = 1 << 18
	matchSteps       = 1_000_000
	callSteps        = 4_000_000
)

// pattern is an ECMA-262 regular expression in Unicode mode. It runs on a table where
// that is small enough; otherwise on RE2 where it says the same there, and on the
// backtracking engine where it does not.
type pattern struct {
	source string
	size   int
	ranges int
	table  *patternTable
	re2    *regexp.Regexp
	prog   *program
	// probe is for large patterns that run on RE2, whose cost cannot be told from
	// their size: see probeSteps.
	probe *program
}

// newPattern compiles a pattern. The error says what is wrong with it.
func newPattern(source string) (*pattern, error) {
	tree, err := parsePattern(source)
	if err != nil {
		return nil, err
	}
	p := &pattern{source: source, size: tree.size, ranges: tree.ranges}
	if p.table = newPatternTable(tree); p.table != nil {
		return p, nil
	}
	if !tree.backtracks {
		if re, err := regexp.Compile(re2Text(tree.reNode)); err == nil {
			p.re2 = re
			if p.size > smallPattern {
				p.probe = compileProgram(tree)
			}
			return p, nil
		}
	}
	p.prog = compileProgram(tree)
	return p, nil
}

// validPattern says that a text is a pattern, without compiling it.
func validPattern(source string) bool {
	_, err := parsePattern(source)
	return err == nil
}

// backtracking says that the pattern needs the engine with a budget.
func (p *pattern) backtracking() bool { return p.prog != nil }

// Patterns of more than smallPattern steps are mostly bounded repetitions, of which RE2
// keeps one or two steps alive at a byte, and sometimes nested ones, of which it keeps
// hundreds alive at 200 ns each. Size cannot tell one from the other, so such a pattern
// first gets probeSteps for each byte on the engine that counts: the harmless ones are
// decided there, and the others pay for the worst on RE2.
const (
	smallPattern = 100
	probeSteps   = 64
	// stepsPerUnit: a step takes some 20 ns, and a unit of work is a microsecond.
	stepsPerUnit = 50
)

// cost gives the units of work of a match on a text of n bytes, but for steps, which are
// counted as they run. RE2 takes some 15 ns for each byte and step of a small pattern.
func (p *pattern) cost(n int) int {
	if p.table != nil {
		return p.table.cost(n)
	}
	if p.prog != nil || p.probe != nil {
		return 1 + n/64
	}
	return 1 + n*p.size/64
}

// worst gives the units of a match of a large pattern on RE2.
func (p *pattern) worst(n int) int { return 1 + n*p.size/5 }

// try has the probe decide if it can, and tells what that cost.
func (p *pattern) try(text string) (matched, known bool, units int) {
	steps := probeSteps * (len(text) + 16)
	matched, left := p.probe.search([]rune(text), steps)
	return matched, matched || left > 0, (steps - left) / stepsPerUnit
}

// match reports whether the text contains a match, and whether the steps ran out
// before that was known. steps is what is left for the value.
func (p *pattern) match(text string, steps *int) (matched, overrun bool) {
	switch {
	case p.table != nil:
		return p.table.match(text), false
	case p.re2 != nil:
		return p.re2.MatchString(text), false
	}
	budget := min(matchSteps, *steps)
	if budget <= 0 {
		return false, true
	}
	matched, left := p.prog.search([]rune(text), budget)
	*steps -= budget - left
	return matched, !matched && left <= 0
}

// MatchString makes the pattern one that the library can hold. The library judges
// nothing with it but its own meta-schemas, whose patterns need no steps.
func (p *pattern) MatchString(text string) bool {
	steps := matchSteps
	matched, _ := p.match(text, &steps)
	return matched
}

func (p *pattern) String() string { return p.source }
