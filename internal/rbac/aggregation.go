package rbac

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// aggregation knows the ClusterRoles by name, and which of them select which.
type aggregation struct {
	roles    []*rbacv1.ClusterRole
	byName   map[string]*rbacv1.ClusterRole
	selected map[string][]*rbacv1.ClusterRole
	known    map[string][]rbacv1.PolicyRule
}

func newAggregation(roles []*rbacv1.ClusterRole) *aggregation {
	a := &aggregation{
		roles: roles, byName: make(map[string]*rbacv1.ClusterRole, len(roles)),
		selected: map[string][]*rbacv1.ClusterRole{}, known: map[string][]rbacv1.PolicyRule{},
	}
	for _, r := range roles {
		a.byName[r.Name] = r
	}
	for _, r := range roles {
		if r.AggregationRule != nil {
			a.selected[r.Name] = a.selectedBy(r.AggregationRule)
		}
	}
	return a
}

// selectedBy are the roles that a rule selects. With a selector that is none, the
// controller leaves the role alone; here it has no rules then.
func (a *aggregation) selectedBy(rule *rbacv1.AggregationRule) (selected []*rbacv1.ClusterRole) {
	for i := range rule.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(&rule.ClusterRoleSelectors[i])
		if err != nil {
			return nil
		}
		for _, r := range a.roles {
			if selector.Matches(labels.Set(r.Labels)) {
				selected = append(selected, r)
			}
		}
	}
	return selected
}

// rules are those of a ClusterRole. The controller overwrites the rules of a role that
// aggregates, again and again, with those of the roles that it selects, aggregated ones
// among them. Where that ends are the rules of all that can be reached, but for what an
// aggregated role was given itself: that is overwritten before it is passed on.
func (a *aggregation) rules(name string) []rbacv1.PolicyRule {
	first := a.byName[name]
	if first == nil {
		return nil
	}
	rules, known := a.known[name]
	if !known {
		rules = a.reach(first)
		a.known[name] = rules
	}
	return rules
}

func (a *aggregation) reach(first *rbacv1.ClusterRole) (rules []rbacv1.PolicyRule) {
	reached := map[string]struct{}{first.Name: {}}
	for next := []*rbacv1.ClusterRole{first}; len(next) > 0; {
		r := next[0]
		next = next[1:]
		if r.AggregationRule == nil {
			rules = append(rules, r.Rules...)
			continue
		}
		for _, s := range a.selected[r.Name] {
			if _, again := reached[s.Name]; !again {
				reached[s.Name] = struct{}{}
				next = append(next, s)
			}
		}
	}
	return rules
}

// overwritten says whether an aggregated role has rules of its own that aggregation
// takes away.
func (a *aggregation) overwritten(r *rbacv1.ClusterRole) bool {
	if r.AggregationRule == nil {
		return false
	}
	kept := a.rules(r.Name)
	return slices.ContainsFunc(r.Rules, func(own rbacv1.PolicyRule) bool {
		return !slices.ContainsFunc(kept, func(rule rbacv1.PolicyRule) bool { return equality.Semantic.DeepEqual(rule, own) })
	})
}
