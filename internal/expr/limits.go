package expr

import "sync/atomic"

const (
	// PerEvaluationLimit is the cost that one evaluation may reach. It is
	// Kubernetes' PerCallLimit, there "roughly 0.1 second"; here it takes 4 to
	// 250 ms (BenchmarkLimit). A rule on a few arguments costs
	// 5 to 50, one that looks at each of 100,000 values about 500,000.
	PerEvaluationLimit = 1_000_000
	// PerReviewLimit is the cost that all evaluations of one review share. It is
	// Kubernetes' RuntimeCELCostBudget, there "roughly 1 second": ten times the
	// above, for rules that a model has found out how to exhaust.
	PerReviewLimit = 10_000_000
)

// Budget is the cost that the evaluations of one review share. It is safe for
// concurrent use; a verdict is a function of its inputs only where the
// evaluations run in a fixed order, one after the other.
type Budget struct {
	left atomic.Int64
}

// NewBudget is a budget of limit cost units.
func NewBudget(limit uint64) *Budget {
	b := &Budget{}
	b.left.Store(int64(min(limit, 1<<62)))
	return b
}

// Left is what remains.
func (b *Budget) Left() uint64 {
	return uint64(max(b.left.Load(), 0))
}

// allowance is what one evaluation may cost. A nil budget is one that holds
// exactly one evaluation.
func (b *Budget) allowance() uint64 {
	if b == nil {
		return PerEvaluationLimit
	}
	return min(b.Left(), PerEvaluationLimit)
}

// spend takes the cost of an evaluation off the budget.
func (b *Budget) spend(cost uint64) {
	if b != nil {
		b.left.Add(-int64(min(cost, 1<<62)))
	}
}
