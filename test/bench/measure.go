package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// table has what was measured.
type table struct {
	arms   []string        // in the order of the document
	roles  map[string]role // by arm
	times  map[point][]float64
	memory map[point]memory
}

// point is an arm on a set.
type point struct {
	arm string
	set *set
}

// measure runs the rounds. In each, every arm is measured on every set, all arms
// on one set before the next, so that what slows the machine down for a while
// slows all of them. Each round begins with another arm.
func measure(ctx context.Context, c config, runners []runner, sets []*set, w io.Writer) (*table, error) {
	t := &table{roles: map[string]role{}, times: map[point][]float64{}, memory: map[point]memory{}}
	for _, r := range runners {
		t.arms = append(t.arms, r.name())
		t.roles[r.name()] = r.role()
	}
	for round := range c.rounds + 1 {
		d := c.slice
		if round == 0 {
			d = c.warm
		}
		fmt.Fprintf(w, "bench: round %d of %d\n", round, c.rounds)
		for _, s := range sets {
			for i := range runners {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				r := runners[(i+round)%len(runners)]
				if err := t.add(r, s, d, round > 0); err != nil {
					return nil, fmt.Errorf("%s, %s: %w", r.name(), s, err)
				}
			}
		}
	}
	t.weigh(runners, sets)
	return t, nil
}

func (t *table) add(r runner, s *set, d time.Duration, keep bool) error {
	if !r.takes(s) {
		return nil
	}
	ns, err := r.measure(s, d)
	if err != nil || !keep {
		return err
	}
	p := point{r.name(), s}
	t.times[p] = append(t.times[p], ns)
	return nil
}

func (t *table) weigh(runners []runner, sets []*set) {
	for _, r := range runners {
		for _, s := range sets {
			if !r.takes(s) {
				continue
			}
			if m, ok := r.memory(s); ok {
				t.memory[point{r.name(), s}] = m
			}
		}
	}
}

// spread is the median, the least and the most of the rounds.
type spread struct{ median, least, most float64 }

func (t *table) spread(arm string, s *set) (spread, bool) {
	sorted := slices.Sorted(slices.Values(t.times[point{arm, s}]))
	n := len(sorted)
	if n == 0 {
		return spread{}, false
	}
	return spread{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]}, true
}

// ratio is how many times as long arm takes as base.
func (t *table) ratio(arm, base string, s *set) (float64, bool) {
	a, ok := t.spread(arm, s)
	b, also := t.spread(base, s)
	if !ok || !also {
		return 0, false
	}
	return a.median / b.median, true
}

// best is the fastest complete library on a set.
func (t *table) best(s *set) (arm string, ok bool) {
	var least float64
	for _, a := range t.arms {
		if t.roles[a] != complete {
			continue
		}
		if sp, measured := t.spread(a, s); measured && (!ok || sp.median < least) {
			arm, least, ok = a, sp.median, true
		}
	}
	return arm, ok
}
