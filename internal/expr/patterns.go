package expr

import (
	"regexp"
	"regexp/syntax"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// What a pattern costs depends on the size of the program that it becomes, not on
// its length: (.{1,1000})$ has eleven characters, some 2,000 instructions, and
// takes 30 microseconds for each byte of text.

const (
	// maxPatternSize bounds the instructions of a pattern. Most patterns have fewer than 100;
	// this many take about 1 ms and 1 MiB to compile.
	maxPatternSize = 10_000
	// compileUnits is what an instruction costs to compile: about 200 ns.
	compileUnits = 2
)

// patternSize is about how many instructions a pattern has. The parser keeps
// counted repetitions folded, so that looking costs no more than the pattern is
// long. ok is false where the pattern is none.
func patternSize(pattern string) (size uint64, ok bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, false
	}
	return sizeOf(re), true
}

func sizeOf(re *syntax.Regexp) uint64 {
	sum := uint64(1)
	for _, sub := range re.Sub {
		sum = plus(sum, sizeOf(sub))
	}
	switch re.Op {
	case syntax.OpLiteral:
		sum = plus(sum, uint64(len(re.Rune)))
	case syntax.OpCharClass:
		sum = plus(sum, uint64(len(re.Rune)/8))
	case syntax.OpRepeat:
		// Each optional repetition is an instruction more.
		n := uint64(max(re.Min, re.Max, 1))
		sum = plus(times(sum, n), n)
	}
	return sum
}

// matchCost is the cost of matching a text against a program of a size. Measured:
// 10 to 30 ns for each byte and instruction at worst, 1 to 5 ns as a rule.
func matchCost(s ref.Val, size uint64) uint64 {
	n, ok := s.(types.String)
	if !ok {
		return 0
	}
	return plus(weight(n), times(uint64(len(n))+1, size)/10)
}

// matching is the cost where the pattern is computed: it has to be compiled too.
func matching(args []ref.Val) uint64 {
	if len(args) < 2 {
		return 0
	}
	p, ok := args[1].(types.String)
	if !ok {
		return 0
	}
	if len(p) > maxPatternSize {
		return unaffordable
	}
	size, ok := patternSize(string(p))
	if !ok {
		return uint64(len(p))
	}
	if size > maxPatternSize {
		return unaffordable
	}
	return plus(matchCost(args[0], size), plus(uint64(len(p)), times(compileUnits, size)))
}

// patterns are the constant patterns of one expression, compiled.
type patterns map[string]compiledPattern

type compiledPattern struct {
	re   *regexp.Regexp
	size uint64
}

// matchers are the functions whose second operand is a pattern.
var matchers = map[string]bool{"matches": true, "find": true, "findAll": true}

// plan gives a call with a constant pattern the compiled one.
func (p patterns) plan(c *call, name string) bool {
	if !matchers[name] || len(c.args) < 2 {
		return false
	}
	constant, ok := c.args[1].(interpreter.InterpretableConst)
	if !ok {
		return false
	}
	s, ok := constant.Value().(types.String)
	if !ok {
		return false
	}
	pattern, ok := p[string(s)]
	if !ok {
		return false
	}
	c.strict = true
	c.cost = func(v []ref.Val) uint64 { return matchCost(v[0], pattern.size) }
	c.do = func(v []ref.Val) ref.Val { return match(name, pattern.re, v) }
	return true
}

func match(function string, re *regexp.Regexp, v []ref.Val) ref.Val {
	s, ok := v[0].(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v[0])
	}
	switch function {
	case "matches":
		return types.Bool(re.MatchString(string(s)))
	case "find":
		return types.String(re.FindString(string(s)))
	}
	limit := -1
	if len(v) > 2 {
		n, ok := v[2].(types.Int)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v[2])
		}
		limit = int(n)
	}
	return types.NewStringList(types.DefaultTypeAdapter, re.FindAllString(string(s), limit))
}
