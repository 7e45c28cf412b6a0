package jsonschema

import (
	"unicode/utf8"
	"unsafe"

	"github.com/callgate/callgate/internal/rawjson"
)

// value reads the value at i.
func (e *engine) value(p *plan, i int) int {
	if i >= len(e.src) {
		return e.stop(InvalidJSON)
	}
	switch c := e.src[i]; {
	case c == '"':
		return e.string(p, i)
	case c == '{':
		return e.object(p, i)
	case c == '[':
		return e.array(p, i)
	case c-'0' <= 9 || c == '-':
		return e.number(p, i)
	default:
		return e.literal(p, i, c)
	}
}

// anyPlan is for values that nothing is said of. What holds whatever the schema
// says is looked after all the same.
var anyPlan = func() *plan {
	p := &plan{allowed: everyKind, plain: true, scalars: true}
	p.array = &arrayPlan{rest: itemPlan{plan: p}}
	p.object = &objectPlan{other: itemPlan{plan: p}}
	return p
}()

// hidden reads a value that is wrong as a whole, so that nothing below it is noted.
func (e *engine) hidden(i int) int {
	e.mute++
	end := e.value(anyPlan, i)
	e.mute--
	return end
}

func (e *engine) literal(p *plan, i int, c byte) int {
	word, kind := wordOf(c)
	end := i + len(word)
	if end > len(e.src) || string(e.src[i:end]) != word {
		return e.stop(InvalidJSON)
	}
	if kind == atNull && e.mayBeAbsent() {
		return e.pass()
	}
	if !e.count() {
		return -1
	}
	if p.byKind != nil {
		p = p.byKind[kind]
	}
	if p.allowed&(1<<kind) != 0 && p.scalars {
		return end
	}
	if !e.allows(p, kind) || !e.literalValues(p, c) {
		return -1
	}
	return e.finish(p, i, end)
}

// wordOf gives the literal that begins with a letter; null, which the text then does
// not have, where there is none.
func wordOf(c byte) (word string, kind int) {
	switch c {
	case 't':
		return "true", atBoolean
	case 'f':
		return "false", atBoolean
	}
	return "null", atNull
}

// mayBeAbsent says that a null here is a member's, which may count as absent: that is
// settled before anything is judged, and so by the reference.
func (e *engine) mayBeAbsent() bool {
	return e.nulls && e.base && e.depth > 0 && e.path[e.depth-1].index < 0
}

func (e *engine) literalValues(p *plan, c byte) bool {
	for k := range p.values {
		v := &p.values[k]
		ok := v.values.null
		switch c {
		case 't':
			ok = v.values.yes
		case 'f':
			ok = v.values.no
		}
		if !ok && !e.note(v.rule) {
			return false
		}
	}
	return true
}

// allows notes which type keywords refuse a kind. It reports whether to go on.
func (e *engine) allows(p *plan, kind int) bool {
	if p.allowed&(1<<kind) != 0 {
		return true
	}
	for _, s := range p.schemas {
		if s.types&kindsAt[kind] == 0 && !e.note(rule{s, idType, kwType}) {
			return false
		}
	}
	return true
}

// finish notes what any value breaks here, and reads again what has to be.
func (e *engine) finish(p *plan, start, end int) int {
	for k := range p.fixed {
		if !e.note(p.fixed[k]) {
			return -1
		}
	}
	if p.logic != nil && !e.again(p, start) {
		return -1
	}
	return end
}

func (e *engine) string(p *plan, i int) int {
	end, form := rawjson.ScanString(e.src, i)
	if form >= rawjson.BadSurrogate {
		return e.stop(InvalidJSON)
	}
	if !e.countLong(end - i) {
		return -1
	}
	if p.byKind != nil {
		p = p.byKind[atString]
	}
	if p.allowed&(1<<atString) == 0 && !e.allows(p, atString) {
		return -1
	}
	if p.scalars {
		return end
	}
	if !e.stringText(p, i, end, form) {
		return -1
	}
	if p.plain {
		return end
	}
	return e.finish(p, i, end)
}

// countLong counts one value, and its length where it is read again.
func (e *engine) countLong(n int) bool { return e.count() && e.countAgain(n) }

// countAgain counts what is longer than a step where it is read again. It is inlined.
func (e *engine) countAgain(n int) bool { return n <= bytesPerStep || e.base || e.longAgain(n) }

// longAgain counts by its length what is read again and is no value of its own, or one
// whose length hangs on nothing else: a string, a number, a key and the blanks around it.
func (e *engine) longAgain(n int) bool { return n <= bytesPerStep || e.lookAgain(n/bytesPerStep) }

func (e *engine) stringText(p *plan, i, end int, form rawjson.StringForm) bool {
	text := e.src[i+1 : end-1]
	if form&rawjson.Escaped != 0 {
		text, form = e.decoded(p, i, text, form)
	}
	return form&rawjson.Escaped != 0 || e.stringRules(p, text, form)
}

// decoded gives the text of a string with escapes; still escaped where the plan does not
// need it.
func (e *engine) decoded(p *plan, i int, text []byte, form rawjson.StringForm) ([]byte, rawjson.StringForm) {
	if !p.needsText(len(text)) {
		return text, form
	}
	return e.decode(i, text), rawjson.NonASCII
}

// decode gives the text of the string at i. The branches of a union ask for the same one
// in turn.
func (e *engine) decode(i int, inner []byte) []byte {
	if e.decodedAt != i {
		e.text, e.decodedAt = rawjson.AppendText(e.text[:0], inner), i
	}
	return e.text
}

// escapedPoint is the longest that one code point is written: two escapes.
const escapedPoint = 12

// needsText says that a string with escapes has to be decoded: for what it says, or
// because the length as it is written does not tell whether it is long or short enough.
func (p *plan) needsText(written int) bool {
	for k := range p.texts {
		c := &p.texts[k]
		if c.content || c.max >= 0 && written > c.max || written < escapedPoint*c.min {
			return true
		}
	}
	return len(p.values) > 0
}

func (e *engine) stringRules(p *plan, text []byte, form rawjson.StringForm) bool {
	for k := range p.values {
		v := &p.values[k]
		if v.values.strings.find(text) < 0 && !e.note(v.rule) {
			return false
		}
	}
	for k := range p.texts {
		c := &p.texts[k]
		if !e.lengthRules(c, text, form) {
			return false
		}
		if c.content && !e.contentRules(c, text) {
			return false
		}
	}
	return true
}

func (e *engine) lengthRules(c *textCheck, text []byte, form rawjson.StringForm) bool {
	n := len(text)
	// The bytes decide mostly: they are at least the code points, and at most four
	// times as many. No bound is -1, which is below every length, and as an unsigned
	// number above.
	if form&rawjson.NonASCII != 0 && (uint(n) > uint(c.max) || n < utf8.UTFMax*c.min) {
		n = utf8.RuneCount(text)
	}
	if n < c.min && !e.note(rule{c.schema, idLength, kwMinLength}) {
		return false
	}
	return uint(n) <= uint(c.max) || e.note(rule{c.schema, idLength, kwMaxLength})
}

func (e *engine) contentRules(c *textCheck, text []byte) bool {
	if c.format != nil && !e.matchesFormat(c.format, text) {
		if e.handOver || !e.note(rule{c.schema, idFormat, kwFormat}) {
			return false
		}
	}
	if c.pattern != nil && !e.matches(c.pattern, text) {
		if e.stopped() || !e.note(rule{c.schema, idPattern, kwPattern}) {
			return false
		}
	}
	return true
}

func (e *engine) stopped() bool { return e.handOver || e.fault != NoFault }

func (e *engine) matchesFormat(f *format, text []byte) bool {
	return e.spend(len(text)/64) && f.match(asString(text))
}

// asString gives the bytes as a string for as long as they do not change.
func asString(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // the bytes' own length, and nobody keeps it
}

// matches runs a pattern and pays for it as the reference does. Where a pattern
// overruns its own steps, so it would there, and the value is too costly; where the
// value has none left, the reference may have, because it asks each question once.
func (e *engine) matches(p *pattern, text []byte) bool {
	if p.table != nil {
		return e.step(len(text)/64) && p.table.matchBytes(text)
	}
	s := asString(text)
	if !e.spend(p.cost(len(s))) {
		return false
	}
	if p.probe != nil {
		matched, known, units := p.try(s)
		if !e.spend(units) || known || !e.spend(p.worst(len(s))) {
			return matched
		}
		return p.re2.MatchString(s)
	}
	if e.costly {
		return true
	}
	whole := e.patternSteps >= matchSteps
	matched, overrun := p.match(s, &e.patternSteps)
	switch {
	case !overrun:
		return matched
	case whole:
		e.costly = true
		return true
	}
	e.pass()
	return false
}
