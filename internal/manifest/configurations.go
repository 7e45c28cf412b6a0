package manifest

import (
	"maps"
	"slices"
	"strings"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/verdictan"
)

// configuration takes the objects that a gateway's configuration stands for, as if a file
// had them: the same rules admit them. What is wrong is told where the configuration has
// it.
func (l *loader) configuration(d document) {
	l.set.Configurations = append(l.set.Configurations, d.exported())
	objects, findings := verdictan.Convert(d.text, verdictan.Options{APIVersion: callgatev1alpha1.GroupVersion.String()})
	for _, f := range findings {
		if f.Severity == verdictan.Error {
			l.refuse(RuleConfiguration, d, f.Pointer, f.Message)
			continue
		}
		at := d.at.pointer(f.Pointer)
		l.set.Notes = append(l.set.Notes, Note{Position{d.file, at.line, at.column}, RuleConfigurationNote, message(f.Message)})
	}
	for _, o := range objects {
		l.admit(document{file: d.file, at: composed(d.at, o.From)}, o.Kind, o.Content)
	}
}

// composed is where the values of an object stand whose parts come from elsewhere: from
// maps the pointers of the object to those of where it comes from.
func composed(at *place, from map[string]string) *place {
	root := at.pointer(from[""])
	root = &place{line: root.line, column: root.column}
	for _, ptr := range slices.Sorted(maps.Keys(from)) {
		if ptr != "" {
			root.graft(ptr, at.pointer(from[ptr]))
		}
	}
	return root
}

// graft puts a place at a pointer. What is between here and there stands where this does.
func (p *place) graft(ptr string, at *place) {
	token, rest := rawjson.CutToken(ptr)
	next := p.field(token)
	if next == nil {
		next = &place{line: p.line, column: p.column}
		if rest == "" {
			next = at
		}
		p.fields = append(p.fields, fieldPlace{key: token, at: next})
	} else if rest == "" {
		next.line, next.column = at.line, at.column
	}
	if rest = strings.TrimPrefix(rest, "/"); rest != "" {
		next.graft("/"+rest, at)
	}
}
