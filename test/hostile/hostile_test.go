package hostile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/callgate/callgate/internal/jsonschema"
)

// cpuTime is what the process has used: on a busy machine the clock says little.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (c hostileCase) compile(t testing.TB) *jsonschema.Compiled {
	t.Helper()
	compiled, list, _ := jsonschema.Compile([]byte(c.schema), c.opts)
	if compiled == nil {
		t.Fatalf("%s: %v", c.name, list)
	}
	return compiled
}

// inputs are the calls with a budget that they share.
func (c hostileCase) inputs() []jsonschema.Input {
	budget := jsonschema.NewBudget()
	list := make([]jsonschema.Input, len(c.calls))
	for i, call := range c.calls {
		list[i] = jsonschema.Input{Raw: []byte(call), Budget: budget}
	}
	return list
}

func judgeAll(j jsonschema.Judge, inputs []jsonschema.Input) (last jsonschema.Result) {
	for _, in := range inputs {
		last = j.Judge(in)
	}
	return last
}

func (c hostileCase) check(t *testing.T, res jsonschema.Result) {
	t.Helper()
	if res.Fault != c.fault {
		t.Errorf("%s: fault %q, want %q", c.name, res.Fault, c.fault)
		return
	}
	got := make([]string, len(res.Violations))
	for i, v := range res.Violations {
		got[i] = v.Error()
	}
	for i, want := range c.errors {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("%s: got %.300q, want %q first", c.name, got[:min(len(got), 4)], c.errors)
			return
		}
	}
	if c.count >= 0 && len(got) != c.count || c.count < 0 && len(got) == 0 {
		t.Errorf("%s: %d errors, want %d: %.300q", c.name, len(got), c.count, got[:min(len(got), 4)])
	}
}

// TestHostile checks the answers, of the judge and of the slow judge, and shows the CPU
// time of each. No time is asserted: machines differ.
func TestHostile(t *testing.T) {
	type taken struct {
		name        string
		judge, slow time.Duration
	}
	var times []taken
	for _, c := range hostileCases() {
		compiled := c.compile(t)
		took := taken{name: c.name, judge: time.Hour}
		for range 3 {
			inputs := c.inputs()
			start := cpuTime(t)
			res := judgeAll(compiled, inputs)
			took.judge = min(took.judge, cpuTime(t)-start)
			c.check(t, res)
		}
		start := cpuTime(t)
		res := judgeAll(compiled.Reference(), c.inputs())
		took.slow = cpuTime(t) - start
		c.check(t, res)
		times = append(times, took)
	}
	slices.SortFunc(times, func(a, b taken) int { return cmp.Compare(b.judge, a.judge) })
	var b strings.Builder
	for _, took := range times {
		fmt.Fprintf(&b, "\n%10.2f ms %10.2f ms by the slow judge  %s", took.judge.Seconds()*1000, took.slow.Seconds()*1000, took.name)
	}
	t.Log(b.String())
}

func BenchmarkHostile(b *testing.B) {
	for _, c := range hostileCases() {
		b.Run(c.name, func(b *testing.B) {
			compiled := c.compile(b)
			b.ReportAllocs()
			for b.Loop() {
				judgeAll(compiled, c.inputs())
			}
		})
	}
}
