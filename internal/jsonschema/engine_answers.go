package jsonschema

// answer is what a quiet reading of the value at one offset by one plan came to. Nested
// unions ask the same again and again: to find the branch to blame, and at each level
// around it.
type answer struct {
	turn, plan uint32
	at         int32
	fits       bool
}

// The answers kept are the last ones, by hash: what is asked again was mostly asked on
// the way down to the same place, which has at most MaxArgumentDepth levels.
const (
	answerBits  = 8
	answerSlots = 1 << answerBits
)

// answerTo gives the slot for an answer, and whether it is there.
func (e *engine) answerTo(p *plan, i int) (slot *answer, known bool) {
	const mix = 0x9e3779b1
	slot = &e.answers[((uint32(i)*mix^p.id)*mix)>>(32-answerBits)]               //nolint:gosec // at most 512 KiB
	return slot, slot.turn == e.turn && slot.plan == p.id && slot.at == int32(i) //nolint:gosec // at most 512 KiB
}

// newTurn forgets all answers: they hold for one value.
func (e *engine) newTurn() {
	if e.turn++; e.turn == 0 {
		e.answers, e.turn = [answerSlots]answer{}, 1
	}
}
