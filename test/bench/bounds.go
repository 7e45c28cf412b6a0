package main

import (
	"fmt"
	"math"
	"strconv"
)

// The bounds that the project sets itself.
const (
	bestBound = 10  // times as fast as the best complete Go library
	nodeBound = 3   // times as fast as JSON.parse + Ajv
	scanBound = 1.8 // times the time of the strict scan
)

// state says whether a bound holds.
type state uint8

const (
	unknown state = iota
	holds
	fails
)

// bound is one row: a bound, and what was found of it on the workloads.
type bound struct {
	text  string
	cells []cell
}

type cell struct {
	workload, figure string
	state            state
}

func (c cell) String() string {
	switch c.state {
	case holds:
		return "holds: " + c.figure
	case fails:
		return "**does not hold: " + c.figure + "**"
	}
	return c.figure
}

// bounds gives all rows. Peers return their errors as trees or lists of parts, so the
// arm that is held to them is the one that has not put its own into words; what the
// words cost is in the tables of times.
func (r *report) bounds() []bound {
	var out []bound
	for _, f := range forms {
		for _, o := range outcomes {
			out = append(out, r.bound(
				fmt.Sprintf("≥ %d× the best complete Go library, %s, %s", bestBound, o, f), f, o, r.againstBest(armLocated)))
		}
	}
	for _, f := range forms {
		for _, o := range outcomes {
			out = append(out, r.bound(
				fmt.Sprintf("≥ %d× Node's parse + Ajv, %s, %s", nodeBound, o, f), f, o, r.againstNode(armLocated)))
		}
	}
	for _, arm := range []string{armCallgate, armDefaults} {
		b := r.bound(fmt.Sprintf("≤ %v× our own strict scan, %s, %s (%s)", scanBound, fit, asBytes, arm),
			asBytes, fit, func(s *set) cell { return r.againstScan(arm, s) })
		out = append(out, b)
	}
	for _, arm := range []string{armCallgate, armDefaults} {
		b := r.bound(fmt.Sprintf("0 allocations on an allowed call, %s (%s)", asBytes, arm),
			asBytes, fit, func(s *set) cell { return r.allocations(arm, s) })
		out = append(out, b)
	}
	return out
}

// bound judges one row by what judge says of each of its sets.
func (r *report) bound(text string, f form, o outcome, judge func(*set) cell) bound {
	b := bound{text: text}
	for _, name := range workloadNames {
		c := cell{figure: "–"}
		if s := r.set(name, f, o); s != nil {
			c = judge(s)
		}
		c.workload = name
		b.cells = append(b.cells, c)
	}
	return b
}

func (r *report) againstBest(ours string) func(*set) cell {
	return func(s *set) cell {
		best, ok := r.table.best(s)
		if !ok {
			return cell{figure: "not measured"}
		}
		return r.atLeast(bestBound, ours, best, s)
	}
}

func (r *report) againstNode(ours string) func(*set) cell {
	return func(s *set) cell { return r.atLeast(nodeBound, ours, armNode, s) }
}

func (r *report) atLeast(limit float64, ours, arm string, s *set) cell {
	times, ok := r.table.ratio(arm, ours, s)
	if !ok {
		return cell{figure: "not measured"}
	}
	// Rounded down, lest a figure that is short of the bound be shown as the bound.
	return verdict(times >= limit, math.Floor(times*10)/10)
}

// againstScan is a bound on the varied calls alone: a call that is repeated
// teaches the branch predictor the scan and the engine unequally well.
func (r *report) againstScan(arm string, s *set) cell {
	times, ok := r.table.ratio(arm, armScan, s)
	if !ok {
		return cell{figure: "not measured"}
	}
	figure := math.Ceil(times*100) / 100
	if s.workload != varied {
		return cell{figure: fmt.Sprintf("no bound: %.2f×", figure)}
	}
	c := verdict(times <= scanBound, figure)
	c.figure = fmt.Sprintf("%.2f×", figure)
	return c
}

func (r *report) allocations(arm string, s *set) cell {
	m, ok := r.table.memory[point{arm, s}]
	if !ok {
		return cell{figure: "not measured"}
	}
	c := verdict(m.allocations == 0, 0)
	c.figure = amount(m.allocations)
	return c
}

func verdict(ok bool, times float64) cell {
	c := cell{figure: fmt.Sprintf("%.1f×", times), state: fails}
	if ok {
		c.state = holds
	}
	return c
}

// amount writes a mean, so that only nothing at all reads 0.
func amount(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.01:
		return "< 0.01"
	case v < 10 && v != math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return thousands(v)
}
