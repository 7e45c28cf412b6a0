package compile

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// NameOutcome says how a policy takes a tool's name. The zero value blocks.
type NameOutcome uint8

const (
	// NameUnknown blocks: unknown_tool.
	NameUnknown NameOutcome = iota
	// NameJudged: the call is judged against the tool's schema.
	NameJudged
	// NameUnvalidated: the tool has no schema, and only the envelope's rules apply.
	NameUnvalidated
)

func compilePolicy(p *callgatev1alpha1.ToolPolicy) *Policy {
	c := &Policy{
		Namespace:        p.Namespace,
		Name:             p.Name,
		callers:          make(map[string]struct{}, len(p.Spec.Subjects.ServiceAccountNames)),
		declared:         make(map[string]struct{}, len(p.Spec.DeclaredTools)),
		selector:         labels.Everything(),
		AllowUndeclared:  p.Spec.UndeclaredTools == callgatev1alpha1.PassAllow,
		AllowUnvalidated: p.Spec.UnvalidatedCalls == callgatev1alpha1.PassAllow,
		Warn:             slices.Contains(p.Spec.ValidationActions, callgatev1alpha1.ActionWarn),
		Audit:            slices.Contains(p.Spec.ValidationActions, callgatev1alpha1.ActionAudit),
		UID:              p.UID,
		Generation:       p.Generation,
		Disclosure:       disclosure(p.Spec.Disclosure),
		Semantic:         semantic(&p.Spec.SemanticValidation),
	}
	// Anything but a plain Warn or Audit denies: an absent, emptied or unknown
	// action must not open the policy.
	c.Deny = slices.ContainsFunc(p.Spec.ValidationActions, func(a callgatev1alpha1.ValidationAction) bool {
		return a != callgatev1alpha1.ActionWarn && a != callgatev1alpha1.ActionAudit
	}) || len(p.Spec.ValidationActions) == 0
	for _, name := range p.Spec.Subjects.ServiceAccountNames {
		c.callers[string(name)] = struct{}{}
	}
	for _, name := range p.Spec.DeclaredTools {
		c.declared[string(name)] = struct{}{}
	}
	_, c.anyCaller = c.callers[string(callgatev1alpha1.AnyServiceAccount)]
	_, c.anyTool = c.declared[string(callgatev1alpha1.AnyTool)]
	if p.Spec.SchemaSelector != nil {
		selector, err := metav1.LabelSelectorAsSelector(p.Spec.SchemaSelector)
		if err != nil {
			c.Broken, selector = true, labels.Nothing()
		}
		c.selector = selector
	}
	return c
}

// Selects reports whether the policy governs the ServiceAccount of that name in its
// namespace.
func (p *Policy) Selects(serviceAccount string) bool {
	if p.anyCaller {
		return true
	}
	_, ok := p.callers[serviceAccount]
	return ok
}

// Takes says how the policy takes an effective name, and whether the name is
// outside its allow list. tool is the name's entry in Namespace.Tools, or nil.
func (p *Policy) Takes(name string, tool *Tool) (outcome NameOutcome, undeclared bool) {
	if !p.anyTool {
		_, declared := p.declared[name]
		undeclared = !declared
	}
	switch {
	case tool != nil && !p.SelectsTool(tool):
		return NameUnknown, undeclared
	case undeclared && !p.AllowUndeclared:
		return NameUnknown, undeclared
	case tool != nil:
		return NameJudged, undeclared
	case p.AllowUnvalidated:
		return NameUnvalidated, undeclared
	default:
		return NameUnknown, undeclared
	}
}

// SelectsTool reports whether the schema selector selects any ToolSchema that
// claims the tool's name.
func (p *Policy) SelectsTool(tool *Tool) bool {
	return slices.ContainsFunc(tool.Labels, func(set labels.Set) bool { return p.selector.Matches(set) })
}

// TenantLabel is the label of the namespace that tenants are read from, "" where they
// come from elsewhere.
func (p *Policy) TenantLabel() string { return p.tenantLabel }

// String is the policy as verdicts name it.
func (p *Policy) String() string { return p.Namespace + "/" + p.Name }

func policyOutcome(p *callgatev1alpha1.ToolPolicy, ns *Namespace, c *Policy, noTool map[*Policy][]string) *PolicyOutcome {
	o := &PolicyOutcome{UID: p.UID, Generation: p.Generation, DeclaredTools: len(p.Spec.DeclaredTools)}
	if c.Broken {
		o.Reason = callgatev1alpha1.ReasonInvalidSpec
		_, err := metav1.LabelSelectorAsSelector(p.Spec.SchemaSelector)
		o.Problems = []callgatev1alpha1.Problem{newProblem("/spec/schemaSelector", "",
			fmt.Sprintf("the label selector cannot be used: %v; until it is mended the policy blocks with policy_error", err))}
		o.Message = "The policy cannot be evaluated and blocks every call of its subjects: " + o.Problems[0].Message
		return o
	}
	o.Message = "The policy is in force"
	if o.Problems = c.ruleProblems; len(o.Problems) > 0 {
		o.Reason = callgatev1alpha1.ReasonInvalidSpec
		o.Message = "The policy is in force, but for what does not compile: at " + *o.Problems[0].Path + ": " + o.Problems[0].Message
	}
	countSchemas(o, ns, c)
	o.Warnings = slices.Concat(policyWarnings(o, p, ns, c, noTool[c]), factWarnings(c, ns), c.ruleWarnings)
	return o
}

func countSchemas(o *PolicyOutcome, ns *Namespace, c *Policy) {
	for name, tool := range ns.Tools {
		for _, set := range tool.Labels {
			if !c.selector.Matches(set) {
				continue
			}
			o.SelectedSchemas++
			if !tool.Ready() {
				o.InvalidSchemas++
			}
		}
		if !tool.Ready() && c.SelectsTool(tool) {
			o.InvalidNames = append(o.InvalidNames, callgatev1alpha1.EffectiveToolName(name))
		}
	}
	slices.Sort(o.InvalidNames)
}
