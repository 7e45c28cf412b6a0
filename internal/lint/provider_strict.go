package lint

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/shown"
)

// The limits of OpenAI's strict mode, as its documentation has them.
const (
	strictProperties = 5_000
	strictLevels     = 10
	strictCharacters = 120_000
	strictEnumValues = 1_000
)

// strictForbidden are the keywords that strict mode refuses, with what to write.
var strictForbidden = map[string]string{
	"allOf": "write the schemas as one", "oneOf": "write anyOf", "not": "say what is allowed",
	"dependentRequired": "check it with a rule of the policy", "dependentSchemas": "check it with a rule of the policy",
	"if": "check it with a rule of the policy", "then": "", "else": "",
}

// strict holds the schema to the subset of OpenAI's strict mode.
func (l *schemaLinter) strict(title string) {
	for id := range l.doc.nodes {
		n := &l.doc.nodes[id]
		for _, f := range n.value.Fields {
			if instead := strictForbidden[f.Key]; instead != "" {
				l.at(ruleProviderSchema, n.path+"/"+f.Key, fmt.Sprintf("%s refuses %s: %s", title, f.Key, instead))
			}
		}
		if aboutObjects(n.value) {
			l.strictObject(title, n)
		}
	}
	l.strictSizes(title)
}

// strictObject: every property is required, and nothing else is let pass.
func (l *schemaLinter) strictObject(title string, n *node) {
	if !isFalse(n.value.Get("additionalProperties")) {
		l.at(ruleProviderSchema, n.path, title+` refuses an object without "additionalProperties": false`)
	}
	properties, required := n.value.Get("properties"), n.value.Get("required")
	if properties == nil {
		return
	}
	for _, p := range properties.Fields {
		if required == nil || !slices.ContainsFunc(required.Items, func(v *rawjson.Value) bool { return v.Text == p.Key }) {
			l.at(ruleProviderSchema, n.path+"/properties/"+rawjson.EscapeToken(p.Key), fmt.Sprintf(
				"%s refuses a property that is not required: list \"%s\" in required, and allow null where it is optional", title, shown.Name(p.Key)))
		}
	}
}

// strictSizes sums up what strict mode limits in all.
func (l *schemaLinter) strictSizes(title string) {
	properties, characters, values := 0, 0, 0
	for id := range l.doc.nodes {
		n := &l.doc.nodes[id]
		switch n.keyword {
		case "properties":
			properties++
			characters += utf8.RuneCountInString(n.name)
		case "definitions", "$defs":
			characters += utf8.RuneCountInString(n.name)
		}
		if e := n.value.Get("enum"); e != nil {
			values += len(e.Items)
			for _, v := range e.Items {
				characters += utf8.RuneCountInString(v.Text)
			}
		}
		characters += utf8.RuneCountInString(text(n.value, "const"))
	}
	for _, limit := range []struct {
		what    string
		is, may int
	}{
		{"properties", properties, strictProperties},
		{"levels of objects", l.doc.levels(), strictLevels},
		{"characters in names and values of enum", characters, strictCharacters},
		{"values of enum", values, strictEnumValues},
	} {
		if limit.is > limit.may {
			l.at(ruleProviderLimit, "", fmt.Sprintf("%s takes %d %s in a schema, and this one has %d", title, limit.may, limit.what, limit.is))
		}
	}
}

// levels counts how deep objects nest, references followed. Recursion has no depth of its
// own.
func (d *document) levels() int { return d.levelsFrom(0, map[int]int{}) }

func (d *document) levelsFrom(id int, known map[int]int) int {
	if levels, ok := known[id]; ok {
		return levels
	}
	known[id] = 0
	n, deepest, own := &d.nodes[id], 0, 0
	if aboutObjects(n.value) && (!inPlace[n.keyword] || !aboutObjects(d.nodes[n.parent].value)) {
		own = 1
	}
	for _, child := range d.children[id] {
		if k := d.nodes[child].keyword; k != "definitions" && k != "$defs" {
			deepest = max(deepest, d.levelsFrom(child, known))
		}
	}
	if target := d.target(n.value, "$ref"); target >= 0 {
		deepest = max(deepest, d.levelsFrom(target, known))
	}
	known[id] = own + deepest
	return own + deepest
}
