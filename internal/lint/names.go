package lint

import (
	"fmt"
	"strconv"
	"strings"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/shown"
)

// mention is a place where a tool's name is written.
type mention struct {
	name    string
	key     manifest.Key
	pointer string
}

// register has the names that ToolSchemas of a namespace serve, and what they look like.
type register struct {
	names           map[string]bool
	spelling, looks map[string]mention
}

// names compares the names of each namespace: ToolSchemas with each other, and what
// policies and adapters mention with the ToolSchemas.
func (l *linter) names() {
	served := map[string]*register{}
	for _, s := range l.in.Set.Schemas {
		r := served[s.Namespace]
		if r == nil {
			r = &register{map[string]bool{}, map[string]mention{}, map[string]mention{}}
			served[s.Namespace] = r
		}
		m := mention{string(s.EffectiveToolName()), manifest.Key{Kind: manifest.KindToolSchema, Namespace: s.Namespace, Name: s.Name}, "/spec/toolName"}
		if s.Spec.ToolName == "" {
			m.pointer = "/metadata/name"
		}
		l.odd(m)
		if other, how := r.alike(m.name); how != "" {
			l.add(ruleConfusable, m.key, m.pointer, fmt.Sprintf("\"%s\" and \"%s\" of %s %s: rename one of them",
				shown.Name(m.name), shown.Name(other.name), other.key, how))
		}
		r.add(m)
	}
	for _, m := range l.mentions() {
		r := served[m.key.Namespace]
		if r != nil && r.names[m.name] {
			continue
		}
		l.odd(m)
		if other, how := r.alike(m.name); how != "" {
			l.add(ruleConfusable, m.key, m.pointer, fmt.Sprintf("\"%s\" has no ToolSchema, and \"%s\" of %s has one: they %s; write the one that is meant",
				shown.Name(m.name), shown.Name(other.name), other.key, how))
		}
	}
}

func (r *register) add(m mention) {
	r.names[m.name] = true
	first := func(table map[string]mention, key string) {
		if _, taken := table[key]; !taken {
			table[key] = m
		}
	}
	first(r.spelling, spelling(m.name))
	first(r.looks, looks(m.name))
}

// alike finds a name that is easily taken for another one, and says how.
func (r *register) alike(name string) (other mention, how string) {
	if r == nil {
		return mention{}, ""
	}
	if m, ok := r.looks[looks(name)]; ok && m.name != name {
		return m, "look alike"
	}
	if m, ok := r.spelling[spelling(name)]; ok && m.name != name {
		if latin(m.name) == latin(name) {
			return m, "look alike"
		}
		return m, "differ only in case or separators"
	}
	return mention{}, ""
}

// mentions are the names that policies and adapters write down.
func (l *linter) mentions() (list []mention) {
	for _, p := range l.in.Set.Policies {
		key := manifest.Key{Kind: manifest.KindToolPolicy, Namespace: p.Namespace, Name: p.Name}
		list = append(list, mentioned(key, "/spec/declaredTools", p.Spec.DeclaredTools)...)
		for i := range p.Spec.Rules {
			list = append(list, mentioned(key, "/spec/rules/"+strconv.Itoa(i)+"/tools", p.Spec.Rules[i].Tools)...)
		}
	}
	for _, a := range l.in.Set.Adapters {
		key := manifest.Key{Kind: manifest.KindToolAdapter, Namespace: a.Namespace, Name: a.Name}
		list = append(list, mention{string(a.Spec.ToolName), key, "/spec/toolName"})
	}
	return list
}

func mentioned(key manifest.Key, pointer string, names []callgatev1alpha1.EffectiveToolName) (list []mention) {
	for i, name := range names {
		if name != callgatev1alpha1.AnyTool {
			list = append(list, mention{string(name), key, pointer + "/" + strconv.Itoa(i)})
		}
	}
	return list
}

// odd tells of a name that can pass for another one by itself.
func (l *linter) odd(m mention) {
	found := scripts(m.name)
	switch {
	case strings.ContainsFunc(m.name, hidden):
		l.add(ruleOddName, m.key, m.pointer, fmt.Sprintf("\"%s\" has characters that cannot be seen: write it without them", shown.Name(m.name)))
	case strings.TrimSpace(m.name) != m.name:
		l.add(ruleOddName, m.key, m.pointer, fmt.Sprintf("\"%s\" begins or ends with a space, which counts: write it without", shown.Name(m.name)))
	case len(found) > 1:
		l.add(ruleOddName, m.key, m.pointer, fmt.Sprintf("\"%s\" mixes letters of %s, which look alike: write it in one script", shown.Name(m.name), strings.Join(found, " and ")))
	}
}
