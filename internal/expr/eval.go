package expr

import (
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Eval evaluates the program. What it costs comes off the budget, which the
// evaluations of one review share; where less is left than it needs, it ends with
// CostExceeded. A nil budget allows PerEvaluationLimit. It never panics, and is
// safe for concurrent use.
func (p *Program) Eval(a *Activation, b *Budget) Outcome {
	if p == nil || a == nil {
		return Outcome{Reason: EvaluationFailed}
	}
	limit := b.allowance()
	if limit == 0 {
		return Outcome{Kind: CostExceeded, Reason: CostLimit}
	}
	out, cost := p.run(a, limit)
	out.Cost = cost
	b.spend(cost)
	return out
}

// run evaluates with some variables, at most at some cost. No activation: the
// variables are unknown.
func (p *Program) run(a *Activation, limit uint64) (out Outcome, cost uint64) {
	in := &inputs{a: a, meter: meter{limit: limit}}
	defer func() {
		if cause := recover(); cause != nil {
			out = ended(cause)
		}
		cost = in.meter.spent
	}()
	frame, err := interpreter.NewExecutionFrame(in)
	if err != nil {
		return Outcome{Reason: EvaluationFailed}, 0
	}
	defer frame.Close()
	return p.outcome(p.plan.Exec(frame)), 0
}

// ended is the outcome of an evaluation that was ended from within.
func ended(cause any) Outcome {
	switch cause.(type) {
	case unsupportedRead:
		return Outcome{Kind: Unsupported, Reason: UnsupportedNumber}
	case costExceeded:
		return Outcome{Kind: CostExceeded, Reason: CostLimit}
	}
	return Outcome{Reason: EvaluationFailed}
}

// outcome takes only a value of the wanted type for a result.
func (p *Program) outcome(v ref.Val) Outcome {
	switch v := v.(type) {
	case types.Bool:
		if p.result == Bool && v == types.True {
			return Outcome{Kind: True}
		}
		if p.result == Bool {
			return Outcome{Kind: False}
		}
	case types.String:
		if p.result == Text && len(v) > MaxTextBytes {
			return Outcome{Reason: TextTooLong}
		}
		if p.result == Text {
			return Outcome{Kind: Produced, Text: string(v)}
		}
	case *types.Err:
		return Outcome{Reason: reasonOf(v)}
	case *types.Unknown:
		return Outcome{Reason: EvaluationFailed}
	}
	return Outcome{Reason: TypeMismatch}
}

// reasons map how the library's errors begin to what may be said of them. Their
// texts go no further, as they quote values; and they are all there is to tell
// them by. What is not listed is EvaluationFailed.
var reasons = []struct {
	begins string
	reason Reason
}{
	{"no such key", NoSuchKey},
	{"no such attribute", NoSuchKey},
	{"optional.none()", NoSuchKey},
	{"index ", IndexOutOfRange},
	{"division by zero", DivisionByZero},
	{"modulus by zero", DivisionByZero},
	{"no such overload", TypeMismatch},
	{"type conversion error", TypeMismatch},
	{"unsupported type", TypeMismatch},
	{"unsupported index type", TypeMismatch},
	{"got '", TypeMismatch},
	{"integer overflow", Overflow},
	{"unsigned integer overflow", Overflow},
	{"duration overflow", Overflow},
	{"timestamp overflow", Overflow},
	{"range error", Overflow},
	{"Illegal regex", BadPattern},
	{"error parsing regexp", BadPattern},
	{string(ArgumentsUnread), ArgumentsUnread},
}

func reasonOf(err *types.Err) Reason {
	said := err.Error()
	for _, r := range reasons {
		if strings.HasPrefix(said, r.begins) {
			return r.reason
		}
	}
	return EvaluationFailed
}
