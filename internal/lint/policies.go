package lint

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/manifest"
)

// policyLinter looks at one ToolPolicy.
type policyLinter struct {
	*linter
	object *callgatev1alpha1.ToolPolicy
	key    manifest.Key
	// ns and policy are what became of it; nil where nothing did.
	ns     *compile.Namespace
	policy *compile.Policy
}

// policies takes over what compiling said of policies.
func (l *linter) policies() {
	for _, p := range l.in.Set.Policies {
		o := l.in.Output.Policies[types.NamespacedName{Namespace: p.Namespace, Name: p.Name}]
		if o == nil {
			continue
		}
		pl := &policyLinter{linter: l, object: p, key: manifest.Key{Kind: manifest.KindToolPolicy, Namespace: p.Namespace, Name: p.Name}}
		if pl.ns = l.in.Output.Namespaces[p.Namespace]; pl.ns != nil {
			for _, c := range pl.ns.Policies {
				if c.Name == p.Name {
					pl.policy = c
				}
			}
		}
		for _, problem := range o.Problems {
			pl.said(pl.problem(path(problem)), problem)
		}
		if !o.Accepted() && len(o.Problems) == 0 {
			l.add(rulePolicyInvalid, pl.key, "/spec", o.Message)
		}
		for _, warning := range o.Warnings {
			pl.said(pl.warning(warning), warning)
		}
	}
}

// said reports what compiling said of a place, within the expression that stands there
// where it says so.
func (l *policyLinter) said(rule string, p callgatev1alpha1.Problem) {
	if rule == ruleNamespaceUnknown {
		l.add(rule, l.key, path(p), "the files do not hold the Namespace "+l.object.Namespace+", so nobody can tell whether it has the label: give it with -f")
		return
	}
	l.expression(rule, l.key, p)
}

// expression reports what compiling said of an expression, at the place in it.
func (l *linter) expression(rule string, key manifest.Key, p callgatev1alpha1.Problem) {
	l.add(rule, key, path(p), p.Message)
	line, column, rest, ok := cutPlace(p.Message)
	if !ok {
		return
	}
	f := &l.list[len(l.list)-1]
	if within := l.in.Set.TextPosition(key, path(p), line, column); within != f.Position {
		// The position says it, so that the message need not.
		f.Position, f.Message = within, strings.TrimPrefix(f.Message, p.Message[:len(p.Message)-len(rest)])
	}
}

// cutPlace reads "line 1, column 2: " off a message about an expression, which is where
// the compiler of expressions puts its places.
func cutPlace(message string) (line, column int, rest string, ok bool) {
	place, rest, found := strings.Cut(message, ": ")
	l, c, two := strings.Cut(place, ", column ")
	l, begins := strings.CutPrefix(l, "line ")
	if !found || !two || !begins {
		return 0, 0, "", false
	}
	line, err := strconv.Atoi(l)
	column, err2 := strconv.Atoi(c)
	return line, column, rest, err == nil && err2 == nil && line > 0 && column > 0
}

func (l *policyLinter) problem(at string) string {
	switch {
	case at == "/spec/schemaSelector":
		return ruleSelectorInvalid
	case strings.HasPrefix(at, "/spec/rules/"):
		return ruleRuleInvalid
	}
	return rulePolicyInvalid
}

func (l *policyLinter) warning(p callgatev1alpha1.Problem) string {
	at := path(p)
	switch {
	case at == "/spec/subjects":
		return ruleNoCommonTool
	case at == "/spec/validationActions":
		return ruleNeverBlocks
	case at == "/spec/schemaSelector":
		return ruleSelectorEmpty
	case at == "/spec/authorization/mode":
		return ruleRBACWithout
	case at == "/spec/tenant/label":
		return l.tenant()
	case strings.HasPrefix(at, "/spec/declaredTools/"):
		return l.declared(at)
	case strings.HasPrefix(at, "/spec/rules/"):
		return l.rule(at, p.Message)
	}
	return rulePolicyWarning
}

// tenant tells a namespace without the label from one that nobody knows.
func (l *policyLinter) tenant() string {
	for _, ns := range l.in.Set.Namespaces {
		if ns.Name == l.object.Namespace {
			return ruleTenantLabel
		}
	}
	return ruleNamespaceUnknown
}

func (l *policyLinter) declared(at string) string {
	_, token := lastToken(at)
	i, err := strconv.Atoi(token)
	if err != nil || i >= len(l.object.Spec.DeclaredTools) || l.ns == nil {
		return rulePolicyWarning
	}
	if l.ns.Tools[string(l.object.Spec.DeclaredTools[i])] == nil {
		return ruleToolWithout
	}
	return ruleToolNotSelected
}

// rule tells the warnings of a rule apart: about its tools, about what the schemas do not
// declare, or about a result that is always the same.
func (l *policyLinter) rule(at, message string) string {
	tokens := strings.Split(strings.TrimPrefix(at, "/spec/rules/"), "/")
	i, err := strconv.Atoi(tokens[0])
	switch _, _, _, placed := cutPlace(message); {
	case err != nil || i >= len(l.object.Spec.Rules) || len(tokens) < 2:
		return rulePolicyWarning
	case tokens[1] == "tools":
		return ruleNeverApplies
	case placed:
		return ruleArgument
	case l.always(l.object.Spec.Rules[i].Name):
		return ruleAlwaysTrue
	}
	return ruleAlwaysFalse
}

// always reports whether the rule of that name is true whatever it reads.
func (l *policyLinter) always(name string) bool {
	if l.policy == nil {
		return false
	}
	for _, r := range l.policy.Rules {
		if r.Name == name && r.Program != nil {
			value, _ := r.Program.Constant()
			holds, _ := value.(bool)
			return holds
		}
	}
	return false
}

// unused finds the tools that no policy of the files lets anybody call. It is not known
// of a namespace of which the files have no policy.
func (l *linter) unused() {
	for _, s := range l.in.Set.Schemas {
		ns := l.in.Output.Namespaces[s.Namespace]
		name := string(s.EffectiveToolName())
		if ns == nil || len(ns.Policies) == 0 || ns.Tools[name] == nil || passes(ns, name) {
			continue
		}
		key := manifest.Key{Kind: manifest.KindToolSchema, Namespace: s.Namespace, Name: s.Name}
		l.add(ruleUnusedSchema, key, "/spec/toolName", "no ToolPolicy of the namespace declares this tool: declare it, or remove the ToolSchema")
	}
}

func passes(ns *compile.Namespace, name string) bool {
	for _, p := range ns.Policies {
		if outcome, _ := p.Takes(name, ns.Tools[name]); outcome != compile.NameUnknown {
			return true
		}
	}
	return false
}
