package jsonschema

import (
	"sync"

	"github.com/callgate/callgate/internal/rawjson"
)

// How the parts work together. A planner makes a plan for each set of subschemas that
// can meet at one location (plan*.go), with references, allOf and whatever the kind of
// the value decides already merged. The engine then goes over the text once, by the
// plans (engine_value.go, _object, _array, _number). Keywords that need a value more than
// once have it read again, quietly for a yes or no, or noting what is wrong
// (engine_logic.go), and engine_answers.go keeps the answers. What is wrong is a hit, a rule broken
// at a locus (engine_notes.go), and is put into words when all is known
// (engine_report.go). What the engine does not judge, or what costs more than it should,
// it hands over: one value by delegate, or the whole judgement by pass. Both judges give
// the same answer.

// engine judges one value while it reads it: syntax, UTF-8, duplicate keys, bounds
// and schema together, over the bytes as they came. Where nothing is wrong it
// allocates nothing. What needs a value more than once (a union that the kind does
// not decide, not, if) reads that value's bytes again.
//
// Functions that read return the offset behind what they read, or -1 to stop: for a
// fault, for the reference to take over, or because a quiet reading has failed.
type engine struct {
	c       *Compiled
	src     []byte
	fault   Fault
	byValue bool
	nulls   bool // a null may count as absent
	proto   bool // __proto__ is a key like any other
	rereads bool
	// handOver: the reference has to judge.
	handOver bool
	// costly: a pattern overran its steps. The text is read to its end all the same,
	// because what is wrong with the text comes first.
	costly bool

	// base is the one reading that goes over everything and looks after what holds
	// whatever the schema says. The others look at values that it has passed.
	base bool
	// quiet readings stop at the first thing wrong, muted ones note nothing.
	quiet, mute int

	rootAt int32
	depth  int
	path   [MaxArgumentDepth]crumb
	// left is how many values may still be read: of the text, or again by a reading
	// that is not the base one. values are those of the text while that goes on.
	left, values int
	rereadings   int // of values, so far
	// answers of quiet readings: those of this judgement have its turn.
	answers [answerSlots]answer
	turn    uint32
	// steps count what costs as much as reading a value again.
	steps, maxSteps int

	work, patternSteps int // of the budget

	keys []byte // decoded keys, for as long as the judgement lasts
	text []byte // one decoded string
	// decodedAt is where that stands in the source; -1: nowhere.
	decodedAt int
	unknown   []keyRef
	sets      []keySet
	places    []uint32 // those of a set that grows
	bits      []uint64

	hits     []hit
	loci     []locus
	distinct bool // two loci may be one location
	repeats  int  // keys found twice
	pending  []pendingKey
	inPlace  []*plan
	// moreInPlace: inPlace has not all plans that may declare a key.
	moreInPlace bool
	equality    equalityScratch

	words   []byte // of the report
	entries []reportEntry
}

// crumb is one step of the path to the value being read: a member or an item.
type crumb struct {
	key   keyRef
	index int32 // of an item; -1 for a member
	at    int32 // where the value starts
	locus int32 // -1: none yet
}

// keyRef is the text of a key: in the source, or decoded. quote is where it is
// written.
type keyRef struct {
	quote      int32
	start, end int32
	decoded    bool
}

// A schema that reads a value again and again, as nested unions do, is left to the
// reference, which judges each subschema once at each location. Sixteen readings are
// more than any schema in use takes; the rest is for small values, 2 ms of it. A step is
// a value, or bytesPerStep of one: that many escapes take as long to read and decode.
const (
	stepsPerValue = 16
	freeSteps     = 50_000
	bytesPerStep  = 32
)

// stepsPerWork is how many steps of the engine, of some 50 ns each, make one unit of
// work, which is a microsecond.
const stepsPerWork = 16

// Bounds on what the pool keeps between judgements: what one usual call needs. A
// value that needed more gives its scratch back to the collector.
const (
	keptBytes   = 64 << 10
	keptEntries = 4 << 10
)

var engines = sync.Pool{New: func() any { return new(engine) }}

// start prepares the engine for one value.
func (e *engine) start(c *Compiled, in Input, b *Budget) {
	e.c, e.src, e.fault, e.rereads = c, in.Raw, NoFault, c.planned.rereads
	e.byValue, e.nulls, e.proto = c.opts.IntegersByValue || in.IntegersByValue, c.opts.NullsAbsent, c.opts.AllowProto
	e.costly, e.decodedAt = false, -1
	e.handOver, e.base, e.quiet, e.mute, e.depth = false, true, 0, 0, 0
	e.left, e.values, e.rereadings, e.steps = MaxArgumentValues, 0, 0, 0
	e.newTurn()
	e.work, e.patternSteps = b.share()
	e.maxSteps = e.work * stepsPerWork
	if len(e.src) > MaxArgumentBytes {
		e.fault = TooLarge
	}
	e.keys, e.text, e.unknown, e.bits = e.keys[:0], e.text[:0], e.unknown[:0], e.bits[:0]
	e.sets = e.sets[:0]
	e.hits, e.loci = e.hits[:0], e.loci[:0]
	e.distinct, e.repeats = false, 0
	e.pending, e.inPlace, e.moreInPlace = e.pending[:0], e.inPlace[:0], false
}

// release gives the engine back, without what it saw.
func (e *engine) release() {
	e.c, e.src = nil, nil
	if cap(e.keys)+cap(e.text)+cap(e.words)+cap(e.equality.bytes)+cap(e.equality.sorted) > keptBytes ||
		cap(e.unknown)+cap(e.entries)+cap(e.hits)+cap(e.loci)+cap(e.bits)+cap(e.equality.items)+cap(e.equality.members) > keptEntries || e.keptSlots() > keptEntries {
		*e = engine{}
	}
	engines.Put(e)
}

func (e *engine) keptSlots() int {
	n := 0
	for _, s := range e.sets[:cap(e.sets)] {
		n += cap(s.slots)
	}
	return n
}

// read judges the whole text. It reports whether the engine could.
func (e *engine) read(p *plan, anyRoot bool) (judged bool) {
	if e.fault != NoFault {
		return true
	}
	i := rawjson.SkipSpace(e.src, 0)
	e.rootAt = int32(i) //nolint:gosec // at most 512 KiB
	wrongRoot := !anyRoot && (i >= len(e.src) || e.src[i] != '{')
	if wrongRoot {
		e.mute++
	}
	end := e.value(p, i)
	if end >= 0 && rawjson.SkipSpace(e.src, end) < len(e.src) {
		end = e.stop(InvalidJSON)
	}
	return e.conclude(end, wrongRoot)
}

// conclude settles the fault, in the order that Judge states.
func (e *engine) conclude(end int, wrongRoot bool) (judged bool) {
	switch {
	case e.handOver:
		return false
	case e.fault != NoFault:
	case end < 0:
		return false
	case wrongRoot:
		e.fault = NotAnObject
	case e.costly:
		e.fault = TooCostly
	}
	return true
}

// stop ends the judgement with a fault.
func (e *engine) stop(f Fault) int {
	if e.fault == NoFault {
		e.fault = f
	}
	return -1
}

// pass ends the judgement and leaves it to the reference.
func (e *engine) pass() int {
	e.handOver = true
	return -1
}

// count counts one value being read.
func (e *engine) count() bool {
	e.left--
	return e.left >= 0 || e.spent()
}

// spent ends a judgement that has read too much: too many values, or the same ones
// too often.
func (e *engine) spent() bool {
	if e.base {
		e.stop(TooLarge)
	} else {
		e.pass()
	}
	return false
}

// leaveBase begins a reading that is not the base one; enterBase ends it. What they
// may read grows with the text read so far.
func (e *engine) leaveBase() {
	e.base = false
	e.values = e.left
	e.left = e.allowance(e.values) - e.rereadings
}

func (e *engine) enterBase() {
	e.base = true
	e.rereadings = e.allowance(e.values) - e.left
	e.left = e.values
}

// allowance is what may be read again, in steps, where so many values are left to read.
func (e *engine) allowance(left int) int {
	return stepsPerValue*(MaxArgumentValues-left+len(e.src)/bytesPerStep) + freeSteps
}

// lookAgain counts what is looked at again beyond one step a value. It reports whether to
// go on.
func (e *engine) lookAgain(steps int) bool {
	if e.base {
		e.rereadings += steps
		if e.rereadings <= e.allowance(e.left) {
			return true
		}
	} else if e.left -= steps; e.left >= 0 {
		return true
	}
	e.pass()
	return false
}

// step counts what costs as much as reading a small value.
func (e *engine) step(n int) bool {
	e.steps += n
	if e.steps > e.maxSteps {
		e.pass()
		return false
	}
	return true
}

// spend takes units of work off the budget. With none left the reference decides,
// which counts exactly.
func (e *engine) spend(units int) bool {
	e.work -= units
	if e.work < 0 {
		e.pass()
		return false
	}
	return true
}

// settleEngine takes off the budget what the engine used.
func (b *Budget) settleEngine(e *engine) {
	work, steps := b.share()
	b.work -= work - max(e.work, 0)
	b.work -= min(b.work, (MaxArgumentValues-e.left+e.rereadings+e.steps+len(e.src)/bytesPerStep)/stepsPerWork)
	b.steps -= steps - max(e.patternSteps, 0)
	b.exhausted = b.exhausted || b.work <= 0 || e.fault == TooCostly
}
