package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"time"
)

// runner measures one arm.
type runner interface {
	name() string
	role() role
	// version is what the document names beside the arm, or "".
	version() string
	// takes says whether the arm takes calls of this form.
	takes(s *set) bool
	verdicts(s *set) ([]bool, error)
	// measure gives nanoseconds a call, over whole passes of at least d in all.
	measure(s *set, d time.Duration) (float64, error)
	// memory gives what one call allocates; ok is false where that is unknown.
	memory(s *set) (m memory, ok bool)
	close()
}

// memory is what a call allocates, in the mean over the set.
type memory struct{ allocations, bytes float64 }

// newRunners prepares every arm. Why Node is left out, if it is, is skipped.
func newRunners(ctx context.Context, node string, sets []*set) (runners []runner, skipped string, err error) {
	for _, a := range goArms() {
		r, err := newGoRunner(a, sets)
		if err != nil {
			return nil, "", err
		}
		runners = append(runners, r)
	}
	n, skipped, err := newNodeRunner(ctx, node, sets)
	if err != nil {
		return nil, "", err
	}
	if n != nil {
		runners = append(runners, n)
	}
	return runners, skipped, nil
}

func closeAll(runners []runner) {
	for _, r := range runners {
		r.close()
	}
}

// goRunner runs an arm in this process.
type goRunner struct {
	arm
	judges map[string]map[form]judge // by workload
}

func newGoRunner(a arm, sets []*set) (*goRunner, error) {
	r := &goRunner{arm: a, judges: map[string]map[form]judge{}}
	for _, s := range sets {
		if r.judges[s.workload] != nil {
			continue
		}
		j, err := a.prepare(s.schema)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", a.name, s.workload, err)
		}
		r.judges[s.workload] = j
	}
	return r, nil
}

func (r *goRunner) name() string       { return r.arm.name }
func (r *goRunner) role() role         { return r.arm.role }
func (r *goRunner) takes(s *set) bool  { return r.judge(s) != nil }
func (r *goRunner) judge(s *set) judge { return r.judges[s.workload][s.form] }
func (r *goRunner) close()             {}

func (r *goRunner) version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || r.module == "" {
		return ""
	}
	for _, d := range info.Deps {
		if d.Path == r.module {
			return d.Version
		}
	}
	return "of unknown version"
}

func (r *goRunner) verdicts(s *set) ([]bool, error) {
	j := r.judge(s)
	out := make([]bool, len(s.calls))
	for i, call := range s.calls {
		out[i] = j(call)
	}
	return out, nil
}

// pass drops the verdicts: what stands behind a function value is called all the
// same.
func pass(j judge, calls [][]byte) {
	for _, call := range calls {
		_ = j(call)
	}
}

func (r *goRunner) measure(s *set, d time.Duration) (float64, error) {
	j := r.judge(s)
	// The garbage of the arm before is not this one's.
	runtime.GC()
	var spent time.Duration
	passes, batch := 0, 1
	for spent < d {
		start := time.Now()
		for range batch {
			pass(j, s.calls)
		}
		took := time.Since(start)
		spent += took
		passes += batch
		// The clock costs as much as half a small call: read it about ten times.
		if took < d/10 {
			batch *= 2
		}
	}
	return float64(spent.Nanoseconds()) / float64(passes) / float64(len(s.calls)), nil
}

// memoryPasses is how often allocations are counted. The least counts: what the
// runtime allocates meanwhile is not the arm's, nor is what a pool lost to the
// garbage collector.
const memoryPasses = 5

func (r *goRunner) memory(s *set) (memory, bool) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	j := r.judge(s)
	pass(j, s.calls)
	least := memory{math.Inf(1), math.Inf(1)}
	var before, after runtime.MemStats
	for range memoryPasses {
		runtime.ReadMemStats(&before)
		pass(j, s.calls)
		runtime.ReadMemStats(&after)
		n := float64(len(s.calls))
		least.allocations = min(least.allocations, float64(after.Mallocs-before.Mallocs)/n)
		least.bytes = min(least.bytes, float64(after.TotalAlloc-before.TotalAlloc)/n)
	}
	return least, true
}
