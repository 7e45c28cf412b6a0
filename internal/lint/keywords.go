package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/shown"
)

// keywords finds the keywords that check nothing: of another draft, without what they go
// with, misspelt, or of nobody's. Those that compiling tells of are left to it.
func (l *schemaLinter) keywords() {
	for id := range l.doc.nodes {
		n := &l.doc.nodes[id]
		if l.doc.shadowed(id) {
			continue
		}
		for _, f := range n.value.Fields {
			if l.doc.draft.knows(f.Key) {
				l.alone(n, f)
			} else {
				l.foreign(n, f)
			}
		}
	}
}

// companions are the keywords without which others say nothing.
var companions = map[string]string{"then": "if", "else": "if", "minContains": "contains", "maxContains": "contains"}

// alone tells of a keyword that says nothing without another.
func (l *schemaLinter) alone(n *node, f rawjson.Field) {
	at := n.path + "/" + rawjson.EscapeToken(f.Key)
	needs, ok := companions[f.Key]
	switch items := n.value.Get("items"); {
	case ok && n.value.Get(needs) == nil:
		l.at(ruleIgnoredKeyword, at, fmt.Sprintf("%s checks nothing without %s beside it", f.Key, needs))
	case f.Key == "if" && n.value.Get("then") == nil && n.value.Get("else") == nil:
		l.at(ruleIgnoredKeyword, at, "if checks nothing without then or else beside it")
	case f.Key == "additionalItems" && (items == nil || items.Kind != rawjson.Array):
		l.at(ruleIgnoredKeyword, at, "additionalItems checks nothing unless items is a list")
	case f.Key == "format" && !l.formats():
		l.at(ruleIgnoredKeyword, at, "format checks nothing under spec.arguments.formats: Annotate")
	}
}

// renamed says what took the place of a keyword in later drafts.
var renamed = map[string]string{"additionalItems": "items", "$recursiveRef": "$dynamicRef"}

// elsewhere are well-known keywords of other languages, with what JSON Schema has for
// them; "" where they are annotations.
var elsewhere = map[string]string{
	"nullable":      `write "type": ["string", "null"], with the type that is meant`,
	"discriminator": "",
	"xml":           "",
	"externalDocs":  "",
	"example":       "",
	"optional":      `leave the name out of "required" of the object around it`,
	"min":           "write minimum, minLength or minItems",
	"max":           "write maximum, maxLength or maxItems",
	"regex":         "write pattern",
	"values":        "write enum",
	"choices":       "write enum",
	"options":       "write enum",
	"propertyOrder": "",
	"enumNames":     "",
}

// foreign tells of a keyword that the dialect in force does not have.
func (l *schemaLinter) foreign(n *node, f rawjson.Field) {
	at, draft := n.path+"/"+rawjson.EscapeToken(f.Key), l.doc.draft
	k, standard := vocabulary[f.Key]
	switch {
	case !standard:
		l.unknown(n, f, at)
	case !k.asserts || draft < draft2019 && newer[f.Key]:
		// An annotation, or told of by compiling.
	case draft > k.last:
		l.at(ruleIgnoredKeyword, at, fmt.Sprintf("%s ignores %s, so it checks nothing: write %s", draft, f.Key, renamed[f.Key]))
	default:
		l.at(ruleIgnoredKeyword, at, fmt.Sprintf("%s ignores %s, so it checks nothing: %s is the first draft that has it", draft, f.Key, k.first))
	}
}

// unknown tells of a keyword that no draft has.
func (l *schemaLinter) unknown(n *node, f rawjson.Field, at string) {
	advice, known := elsewhere[f.Key]
	near := nearest(f.Key)
	switch name := shown.Name(f.Key); {
	case strings.HasPrefix(f.Key, "x-") || known && advice == "":
	case known:
		l.at(ruleUnknownKeyword, at, fmt.Sprintf("JSON Schema has no %s, so it checks nothing: %s", name, advice))
	case near != "":
		l.at(ruleMisspelt, at, fmt.Sprintf("\"%s\" is no keyword, so it checks nothing: write %s if that is meant", name, near))
	case f.Value.Kind == rawjson.Object && f.Value.Get("type") != nil && aboutObjects(n.value):
		l.at(ruleMisspelt, at, fmt.Sprintf("\"%s\" stands where keywords stand, so it declares nothing: put it into properties if it is an argument", name))
	default:
		l.at(ruleUnknownKeyword, at, fmt.Sprintf("\"%s\" is no keyword of JSON Schema, so it checks nothing: begin it with x- if it is your own", name))
	}
}

// nearest finds the one keyword that a misspelt one is meant for, "" where none is near.
func nearest(name string) string {
	const longest = 32 // no keyword has more than 21 letters
	if len(name) < 4 || len(name) > longest {
		return ""
	}
	plain := plainKeyword(name)
	best, distance := "", 2
	if len(plain) >= 6 {
		distance = 3
	}
	for _, k := range keywordNames {
		if plainKeyword(k) == plain {
			return k
		}
		if d := editDistance(plain, plainKeyword(k), distance); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// plainKeyword leaves case and separators out of a name.
func plainKeyword(name string) string {
	return strings.NewReplacer("_", "", "-", "", "$", "", " ", "").Replace(strings.ToLower(name))
}

var keywordNames = func() (names []string) {
	for name := range vocabulary {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// editDistance counts the letters to insert, remove, change or swap with the next, up to
// limit.
func editDistance(a, b string, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= limit {
		return limit
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		swapped := before
		before, row = row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(before[j+1]+1, row[j]+1, before[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], swapped[j-1]+1)
			}
		}
	}
	return min(row[len(b)], limit)
}
