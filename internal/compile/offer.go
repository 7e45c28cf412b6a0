package compile

import (
	"slices"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// disclosure gives the default for an absent value, and the one that tells least for
// one that is not known.
func disclosure(d callgatev1alpha1.Disclosure) callgatev1alpha1.Disclosure {
	switch d {
	case "", callgatev1alpha1.DisclosureFull:
		return callgatev1alpha1.DisclosureFull
	case callgatev1alpha1.DisclosureCode:
		return d
	default:
		return callgatev1alpha1.DisclosureOpaque
	}
}

// semantic is nil where no field is set. With any field set somebody wants a validator,
// and one without an endpoint cannot be asked and so blocks.
func semantic(s *callgatev1alpha1.SemanticValidation) *Semantic {
	set := s.Endpoint != "" || s.Model != "" || s.SecretKeyRef != (callgatev1alpha1.SecretKeyRef{}) ||
		s.TimeoutMilliseconds != 0 || len(s.CABundle) > 0
	if !set {
		return nil
	}
	return &Semantic{
		Endpoint: s.Endpoint, Model: s.Model,
		SecretName: s.SecretKeyRef.Name, SecretKey: s.SecretKeyRef.Key,
		CABundle: s.CABundle, TimeoutMilliseconds: s.TimeoutMilliseconds,
	}
}

func unreadyTools(p *Policy, ns *Namespace) []string {
	var names []string
	for name := range p.declared {
		if tool := ns.Tools[name]; tool != nil && !tool.Ready() && p.SelectsTool(tool) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TakesOffer says whether the policy lets an effective name be offered, and whether it
// counts as undeclared. Unlike a call, an offer needs no ToolSchema; but a tool whose
// ToolSchema the policy does not select is unknown here whatever the lists say.
func (p *Policy) TakesOffer(name string, tool *Tool) (passes, undeclared bool) {
	if tool != nil && !p.SelectsTool(tool) {
		return false, true
	}
	if !p.anyTool {
		_, declared := p.declared[name]
		undeclared = !declared
	}
	return !undeclared || p.AllowUndeclared, undeclared
}

// DeclaredTools are the names on the allow list, sorted; * alone where every name is.
func (p *Policy) DeclaredTools() []string { return sortedKeys(p.declared) }
