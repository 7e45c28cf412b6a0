package lint

import (
	"fmt"
	"slices"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/shown"
)

// property is a name at a location; with the name "" whichever names a pattern matches.
type property struct {
	location int
	name     string
}

// arguments finds the arguments that nothing constrains, at any depth. What another
// schema for the same value asserts of a property counts for it.
func (l *schemaLinter) arguments() {
	d, constrained := l.doc, l.doc.constrained(l.formats())
	for id := range d.nodes {
		n := &d.nodes[id]
		if !n.reached || n.negated || n.keyword != "properties" {
			continue
		}
		location := d.location(n.parent)
		if p := (property{location, n.name}); !constrained[p] && !constrained[property{location, ""}] {
			constrained[p] = true // said once
			l.at(ruleUnconstrained, n.path, fmt.Sprintf("nothing constrains \"%s\", so any value of any size passes: give it a type at least", shown.Name(n.name)))
		}
	}
}

// constrained finds the properties of which some schema refuses any value.
func (d *document) constrained(formats bool) map[property]bool {
	c, found := d.constraints(formats), map[property]bool{}
	for id := range d.nodes {
		n := &d.nodes[id]
		if !n.reached || n.keyword != "properties" && n.keyword != "patternProperties" {
			continue
		}
		p := property{d.location(n.parent), n.name}
		if n.keyword == "patternProperties" {
			p.name = ""
		}
		found[p] = found[p] || c.any(id)
	}
	return found
}

// openness is what is known of the members that a location lets pass.
type openness struct {
	// first is the position to tell of: the first that says that there are objects.
	first int
	// object: some schema is about objects; lists: one has properties or patterns.
	object, lists bool
	// closed: some schema refuses what is not listed.
	closed bool
	// opens is the first position that lets everything else pass, -1 where none does;
	// keyword is which keyword of it does.
	opens   int
	keyword string
	// typed: what is let pass beside the list is held to a schema.
	typed bool
}

// open finds the objects that accept members which nothing lists.
func (l *schemaLinter) open() {
	found, order := l.openness()
	root := l.doc.location(0)
	for _, location := range order {
		o := found[location]
		if location == root {
			l.openRoot(o)
		} else if o.object {
			l.openBelow(o)
		}
	}
	if found[root] == nil && l.object.Spec.Arguments.Undeclared == callgatev1alpha1.UndeclaredFollowSchema {
		l.openRoot(&openness{opens: -1})
	}
}

func (l *schemaLinter) openRoot(o *openness) {
	follow := l.object.Spec.Arguments.Undeclared == callgatev1alpha1.UndeclaredFollowSchema
	switch {
	case o.closed && o.opens < 0:
	case o.opens >= 0:
		l.at(ruleOpenArguments, l.doc.nodes[o.opens].path+"/"+o.keyword,
			o.keyword+" lets arguments pass that the schema does not list: set it to false, or list them in properties")
	case follow:
		l.field(ruleOpenArguments, "/spec/arguments/undeclared",
			"under FollowSchema arguments pass that the schema does not list: set additionalProperties to false in it, or undeclared to Reject")
	}
}

func (l *schemaLinter) openBelow(o *openness) {
	nested := l.object.Spec.Arguments.Undeclared == callgatev1alpha1.UndeclaredRejectNested
	switch {
	case o.typed && !o.lists: // a map, whose values are held to a schema
	case o.opens >= 0:
		l.at(ruleOpenObject, l.doc.nodes[o.opens].path+"/"+o.keyword,
			o.keyword+" lets members pass here that the schema does not list: set it to false, or list them in properties")
	case o.closed || nested && o.lists:
	case o.lists:
		l.at(ruleOpenObject, l.doc.nodes[o.first].path,
			"members pass here that the schema does not list: set additionalProperties to false, or undeclared to RejectNested")
	default:
		l.at(ruleOpenObject, l.doc.nodes[o.first].path, "any object passes here: list its members in properties and set additionalProperties to false")
	}
}

// openness gathers what all schemas say that apply to one value; order has the locations
// in the order of the document.
func (l *schemaLinter) openness() (found map[int]*openness, order []int) {
	d, c := l.doc, l.doc.constraints(l.formats())
	found = map[int]*openness{}
	for id := range d.nodes {
		n := &d.nodes[id]
		if !n.reached || n.negated || n.value.Kind != rawjson.Object || d.shadowed(id) {
			continue
		}
		location := d.location(id)
		o := found[location]
		if o == nil {
			o = &openness{first: id, opens: -1}
			found[location], order = o, append(order, location)
		}
		if about := aboutObjects(n.value); about && !o.object {
			o.object, o.first = true, id
		}
		o.lists = o.lists || n.value.Get("properties") != nil || n.value.Get("patternProperties") != nil
		o.add(c, id)
	}
	return found, order
}

func (o *openness) add(c *constraints, id int) {
	for _, keyword := range [...]string{"additionalProperties", "unevaluatedProperties"} {
		v := c.nodes[id].value.Get(keyword)
		switch {
		case v == nil || !c.draft.knows(keyword):
		case isFalse(v):
			o.closed = true
		default:
			if o.opens < 0 {
				o.opens, o.keyword = id, keyword
			}
			for _, child := range c.below(id, keyword) {
				o.typed = o.typed || c.any(child)
			}
		}
	}
}

// aboutObjects says that a schema says something of objects in particular.
func aboutObjects(v *rawjson.Value) bool {
	if t := v.Get("type"); t != nil {
		if t.Text == "object" {
			return true
		}
		for _, item := range t.Items {
			if item.Text == "object" {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(v.Fields, func(f rawjson.Field) bool { return slices.Contains(objectKeywords, f.Key) })
}

// objectKeywords assert something of objects only.
var objectKeywords = []string{
	"properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames",
	"minProperties", "maxProperties", "required", "dependencies", "dependentRequired", "dependentSchemas",
}
