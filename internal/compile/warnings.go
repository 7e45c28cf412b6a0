package compile

import (
	"fmt"
	"slices"
	"strconv"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// policyWarnings lists what can never match or will surprise, in the order of the
// spec. It counts the declared tools without a ToolSchema on the way.
func policyWarnings(o *PolicyOutcome, p *callgatev1alpha1.ToolPolicy, ns *Namespace, c *Policy, noTool []string) []callgatev1alpha1.Problem {
	var warnings []callgatev1alpha1.Problem
	warn := func(path, message string) { warnings = append(warnings, newProblem(path, "", message)) }
	if len(noTool) > 0 {
		warn("/spec/subjects", noToolMessage(noTool))
	}
	if !c.Deny {
		warn("/spec/validationActions", "without Deny this policy blocks nothing: what it finds wrong is only warned of or recorded")
	}
	if c.Warn && !c.Deny && c.Disclosure != callgatev1alpha1.DisclosureFull {
		warn("/spec/disclosure", "disclosure is about blocked callers: with Warn, callers whose calls are allowed are told what this policy finds; use Audit alone to keep it from them")
	}
	for i, name := range p.Spec.DeclaredTools {
		if message := declaredWarning(o, string(name), ns, c); message != "" {
			warn("/spec/declaredTools/"+strconv.Itoa(i), message)
		}
	}
	if p.Spec.SchemaSelector != nil && o.SelectedSchemas == 0 && len(ns.Tools) > 0 {
		warn("/spec/schemaSelector", "no ToolSchema of the namespace has the labels selected here")
	}
	return warnings
}

func declaredWarning(o *PolicyOutcome, name string, ns *Namespace, c *Policy) string {
	tool := ns.Tools[name]
	switch {
	case name == string(callgatev1alpha1.AnyTool):
		return ""
	case tool == nil && c.AllowUnvalidated:
		o.ToolsWithoutSchema++
		return fmt.Sprintf("%q has no ToolSchema yet: until it has, any object is accepted as its arguments", name)
	case tool == nil:
		o.ToolsWithoutSchema++
		return fmt.Sprintf("%q has no ToolSchema yet: until it has, calls to it are blocked with unknown_tool", name)
	case !c.SelectsTool(tool):
		return fmt.Sprintf("%q has a ToolSchema that schemaSelector does not select: calls to it are blocked with unknown_tool", name)
	default:
		return ""
	}
}

func noToolMessage(callers []string) string {
	who := "ServiceAccount " + callers[0]
	if callers[0] == string(callgatev1alpha1.AnyServiceAccount) {
		who = "a ServiceAccount named by no other policy"
	}
	message := "together with the other policies that select it, this one leaves " + who + " no tool to call"
	if more := len(callers) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more callers)", more)
	}
	return message
}

// maxPassChecks bounds the work of callersWithoutTool in one namespace. A check is
// two map look-ups, so this is some 50 ms; past it the warning is not given, which
// changes no verdict. 100 policies with 50 callers and 200 tools stay below it.
const maxPassChecks = 1_000_000

// callersWithoutTool finds the callers whom several policies select that have no
// tool in common, and gives them by policy, sorted. Policies without Deny take
// nothing away.
func callersWithoutTool(ns *Namespace) map[*Policy][]string {
	budget := maxPassChecks
	found := map[*Policy][]string{}
	candidates := candidateNames(ns)
	for _, caller := range namedCallers(ns) {
		var applying []*Policy
		for _, p := range ns.Policies {
			if p.Deny && !p.Broken && p.Selects(caller) {
				applying = append(applying, p)
			}
		}
		if len(applying) < 2 || agree(applying) && anyPasses(ns, applying, candidates, &budget) {
			continue
		}
		if budget <= 0 {
			return nil
		}
		for _, p := range applying {
			found[p] = append(found[p], caller)
		}
	}
	return found
}

func anyPasses(ns *Namespace, applying []*Policy, candidates []string, budget *int) bool {
	for _, name := range candidates {
		tool := ns.Tools[name]
		passes := tool == nil || tool.Ready()
		for _, p := range applying {
			if *budget--; *budget <= 0 {
				return false
			}
			if !passes {
				break
			}
			outcome, _ := p.Takes(name, tool)
			passes = outcome != NameUnknown
		}
		if passes {
			return true
		}
	}
	return false
}

// namedCallers are the ServiceAccounts that any policy names, and * for all others.
func namedCallers(ns *Namespace) []string {
	seen := map[string]struct{}{}
	for _, p := range ns.Policies {
		for name := range p.callers {
			seen[name] = struct{}{}
		}
	}
	return sortedKeys(seen)
}

// candidateNames are all names that any policy could let pass, but for names that
// nobody wrote down anywhere: those pass only where every policy opens itself to
// undeclared, unvalidated calls, for which the empty name stands.
func candidateNames(ns *Namespace) []string {
	seen := map[string]struct{}{"": {}}
	for _, p := range ns.Policies {
		for name := range p.declared {
			seen[name] = struct{}{}
		}
	}
	for name := range ns.Tools {
		seen[name] = struct{}{}
	}
	return sortedKeys(seen)
}

func sortedKeys(set map[string]struct{}) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
