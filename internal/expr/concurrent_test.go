package expr

import (
	"strings"
	"sync"
	"testing"
)

// TestConcurrentEvaluations evaluates every rule of the table from several
// goroutines at once, all with the same program and the same arguments.
func TestConcurrentEvaluations(t *testing.T) {
	for _, c := range rules(t) {
		p := mustCompile(t, c.Rule)
		a := c.activation()
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 5 {
					if out := p.Eval(a, NewBudget(PerReviewLimit)); kindNames[out.Kind] != c.Want || out.Reason != c.Reason {
						t.Errorf("%s: %#v %q, want %s", c.Rule, out.Kind, out.Reason, c.Want)
					}
				}
			})
		}
		group.Wait()
	}
}

func TestConcurrentCompiling(t *testing.T) {
	args := ArgsTypeOf([]byte(payment), ClosedRoot)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if got := found(t, "args.amuont <= 100", args); got != "1:5 UnknownName" {
				t.Errorf("issues %s", got)
			}
		})
	}
	group.Wait()
}

// TestCostsAreDeterministic: the cost that a review spends is a function of the
// rule and the call.
func TestCostsAreDeterministic(t *testing.T) {
	p := mustCompile(t, "args.all(k, v, k.size() > 0 && [k, k].map(y, y + k).size() == 2) && tool.labels.all(k, k != '')")
	raw := []byte(`{"a": 1, "b": [1, 2], "c": "` + strings.Repeat("x", 100) + `"}`)
	labels := map[string]string{"a": "1", "b": "2", "c": "3"}
	first := p.Eval(&Activation{Args: NewArgs(raw), Tool: Tool{Labels: labels}}, nil)
	if first.Kind != True {
		t.Fatalf("%#v %q", first.Kind, first.Reason)
	}
	for range 10 {
		if again := p.Eval(&Activation{Args: NewArgs(raw), Tool: Tool{Labels: labels}}, nil); again != first {
			t.Errorf("%+v, then %+v", first, again)
		}
	}
}
