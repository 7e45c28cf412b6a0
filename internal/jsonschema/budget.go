package jsonschema

// Budget bounds what several values may cost together, such as the calls of one
// review: a review may hold 128 of them, and 128 times what one value may cost would be
// minutes of work and megabytes of answer for one request. Values are judged in their
// order, so the same review always ends at the same one. It is not for concurrent use.
type Budget struct {
	work, steps, report int
	exhausted           bool
}

// The budget of a review: the work and the steps of two values that use up what a
// value may cost, some two seconds, and an answer of a megabyte. What is left when they
// are gone is arguments:too_costly; a blocked call always names one violation.
const (
	reviewWork   = 2 * workBudget
	reviewSteps  = 2 * callSteps
	reviewReport = 1 << 20
)

// A unit of work takes some 250 bytes while its value is judged, and a step up to 24. The
// small budget keeps a review within 10 MB and some 30 ms, which is a hundred times what
// a usual call takes.
const (
	smallWork  = 20_000
	smallSteps = 200_000
)

// NewBudget gives the whole budget of one review.
func NewBudget() *Budget {
	return &Budget{work: reviewWork, steps: reviewSteps, report: reviewReport}
}

// NewSmallBudget gives a part of it, for whoever wants to know at a small cost whether
// a review is a costly one. Where it is exhausted the results say nothing, and the
// values have to be judged again with the whole budget; where it is not, they are the
// same.
func NewSmallBudget() *Budget {
	return &Budget{work: smallWork, steps: smallSteps, report: reviewReport}
}

// Exhausted reports whether any value was refused, or may have been judged otherwise,
// for want of budget.
func (b *Budget) Exhausted() bool { return b.exhausted }

func (in Input) budget() *Budget {
	if in.Budget != nil {
		return in.Budget
	}
	return NewBudget()
}

// share is what one value may take of the budget.
func (b *Budget) share() (work, steps int) {
	return min(workBudget, b.work), min(callSteps, b.steps)
}

// settle takes off what r has used of its share.
func (b *Budget) settle(r *reference) {
	work, steps := b.share()
	b.work -= work - max(r.work, 0)
	b.steps -= steps - max(r.steps, 0)
	b.exhausted = b.exhausted || r.exceeded || r.unsure
}
