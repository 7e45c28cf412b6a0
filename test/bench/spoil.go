package main

import (
	"slices"
	"strings"
)

// spoilers are the kinds of fault that a call gets. Each leaves a call that
// does not fit, whatever another did before it.
var spoilers = []func(generator, *object){
	// A required property is left out.
	func(g generator, o *object) { o.remove(pick(g, []string{"owner", "repo", "title", "state"})) },
	// A property that nothing declares.
	func(g generator, o *object) {
		o.set(pick(g, []string{"assignee", "Title", "prio", "due_date"}), g.text(1, 3))
	},
	// A value of another type, as models write them.
	func(g generator, o *object) {
		wrong := pick(g, []member{
			{"milestone", "42"}, {"draft", "true"}, {"estimate", "3.5"}, {"labels", "kind/bug"},
			{"title", literal("7")}, {"body", literal("null")}, {"assignees", object{}}, {"state", list{"open"}},
		})
		o.set(wrong.key, wrong.value)
	},
	// A value that the list does not have.
	func(g generator, o *object) {
		wrong := pick(g, []member{{"state", "Open"}, {"state", "reopened"}, {"priority", "urgent"}, {"priority", "p5"}})
		o.set(wrong.key, wrong.value)
	},
	// A name with a character that its pattern does not admit.
	func(g generator, o *object) {
		o.set(pick(g, []string{"owner", "repo"}), g.name(2, 12, ownerAlphabet)+pick(g, []string{" ", "/", "é", "\n"})+"x")
	},
	// A text that is too short or too long.
	func(g generator, o *object) {
		wrong := pick(g, []member{
			{"title", ""}, {"title", strings.Repeat("überlang ", 32)}, {"owner", g.name(40, 50, ownerAlphabet)},
			{"labels", list{"ok", ""}},
		})
		o.set(wrong.key, wrong.value)
	},
	// A number out of its range.
	func(g generator, o *object) {
		wrong := pick(g, []member{
			{"milestone", literal("0")}, {"milestone", literal("-3")}, {"estimate", literal("1000.5")},
			{"estimate", literal("-0.25")}, {"parent", object{{"number", literal("0")}}},
		})
		o.set(wrong.key, wrong.value)
	},
	// A fraction where an integer belongs.
	func(g generator, o *object) { o.set("milestone", g.integer(1, 90)+".5") },
	// Too many items.
	func(g generator, o *object) { o.set("assignees", g.names(11, 13)) },
	// A fault further down.
	func(g generator, o *object) {
		f := g.field()
		switch g.IntN(3) {
		case 0:
			f.set("kind", "integer")
		case 1:
			f.remove("name")
		default:
			f.set("unit", "h")
		}
		o.set("fields", append(slices.Clone(asList(o.get("fields"))), f))
	},
}

// spoil gives a variant of the call that does not fit, with one or two faults of
// different kinds. The call itself stays as it is.
func (g generator) spoil(call object) object {
	out := slices.Clone(call)
	kinds := g.Perm(len(spoilers))[:g.between(1, 2)]
	for _, k := range kinds {
		spoilers[k](g, &out)
	}
	return g.shuffled(out)
}

// asList is v, or no items where v is something else.
func asList(v any) list {
	l, _ := v.(list)
	return l
}
