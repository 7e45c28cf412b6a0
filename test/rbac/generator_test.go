package rbac_test

import (
	"fmt"
	"math/rand/v2"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/callgate/callgate/internal/rbac"
)

// generator makes roles, bindings and questions out of few words, so that many of them
// meet.
type generator struct {
	*rand.Rand
	prefix     string
	namespaces []string
}

func newGenerator(seed uint64, namespaces ...string) *generator {
	return &generator{
		Rand: rand.New(rand.NewPCG(seed, 0)), prefix: fmt.Sprintf("seed-%d-", seed), namespaces: namespaces,
	}
}

var (
	verbs     = []string{"call", "use", "reviewas", "get"}
	groups    = []string{"callgate.dev", ""}
	resources = []string{"toolschemas", "tenants", "serviceaccounts", "toolschemas/status"}
	names     = []string{"x", "y"}
	accounts  = []string{"agent", "other"}
)

// some are one or two of the words, and now and then a star.
func (g *generator) some(words []string, star string) []string {
	if star != "" && g.IntN(6) == 0 {
		return []string{star}
	}
	list := []string{pick(g.Rand, words...)}
	if g.IntN(2) == 0 {
		list = append(list, pick(g.Rand, words...))
	}
	return list
}

func (g *generator) rules(namespaced bool) (rules []rbacv1.PolicyRule) {
	for range 1 + g.IntN(3) {
		if !namespaced && g.IntN(8) == 0 {
			rules = append(rules, rbacv1.PolicyRule{Verbs: g.some(verbs, "*"), NonResourceURLs: []string{"*"}})
			continue
		}
		r := rbacv1.PolicyRule{Verbs: g.some(verbs, "*"), APIGroups: g.some(groups, "*"), Resources: g.some(append([]string{"*/status"}, resources...), "*")}
		if g.IntN(2) == 0 {
			r.ResourceNames = g.some(names, "*")
		}
		rules = append(rules, r)
	}
	return rules
}

func (g *generator) subjects(namespaced bool) (subjects []rbacv1.Subject) {
	for range 1 + g.IntN(2) {
		namespace, account := pick(g.Rand, g.namespaces...), pick(g.Rand, accounts...)
		group := rbacv1.Subject{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName}
		user := rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName}
		s := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account}
		switch g.IntN(10) {
		case 0:
			user.Name = "system:serviceaccount:" + namespace + ":" + account
			s = user
		case 1:
			user.Name = account
			s = user
		case 2:
			group.Name = "system:serviceaccounts:" + namespace
			s = group
		case 3:
			group.Name = pick(g.Rand, "system:unauthenticated", "system:serviceaccounts:none", account)
			s = group
		case 4:
			if namespaced {
				s.Namespace = ""
			}
		}
		subjects = append(subjects, s)
	}
	return subjects
}

// objects are few, so that most questions are not granted by the first of them.
func (g *generator) objects() (o rbac.Objects) {
	for i := range 4 {
		name := fmt.Sprintf("%srole-%d", g.prefix, i)
		o.Roles = append(o.Roles, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: pick(g.Rand, g.namespaces...), Name: name}, Rules: g.rules(true)})
		o.ClusterRoles = append(o.ClusterRoles, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: g.rules(false)})
	}
	// A fifth name has no role.
	for i := range 12 {
		ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: pick(g.Rand, "Role", "ClusterRole"), Name: fmt.Sprintf("%srole-%d", g.prefix, g.IntN(5))}
		o.RoleBindings = append(o.RoleBindings, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: pick(g.Rand, g.namespaces...), Name: fmt.Sprintf("%sbinding-%d", g.prefix, i)},
			RoleRef:    ref, Subjects: g.subjects(true),
		})
	}
	o.ClusterRoleBindings = append(o.ClusterRoleBindings, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: g.prefix + "binding"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: fmt.Sprintf("%srole-%d", g.prefix, g.IntN(5))},
		Subjects:   g.subjects(false),
	})
	return o
}

// aggregated are ClusterRoles of which some select others by a label, themselves and each
// other among them, and bindings to those that select.
func (g *generator) aggregated() (o rbac.Objects) {
	labels := []string{"p", "q", "r"}
	for i := range 8 {
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%srole-%d", g.prefix, i), Labels: map[string]string{}}}
		if g.IntN(5) > 0 {
			role.Labels[g.prefix+"to"] = pick(g.Rand, labels...)
		}
		if i < 4 {
			role.AggregationRule = &rbacv1.AggregationRule{}
			for range 1 + g.IntN(2) {
				role.AggregationRule.ClusterRoleSelectors = append(role.AggregationRule.ClusterRoleSelectors, g.selector(labels))
			}
			o.ClusterRoleBindings = append(o.ClusterRoleBindings, &rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%sbinding-%d", g.prefix, i)},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}, Subjects: g.subjects(false),
			})
		} else {
			role.Rules = g.rules(false)
		}
		o.ClusterRoles = append(o.ClusterRoles, role)
	}
	return o
}

// selector never selects the roles that every cluster has.
func (g *generator) selector(labels []string) metav1.LabelSelector {
	key := g.prefix + "to"
	switch g.IntN(3) {
	case 0:
		return metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: key, Operator: metav1.LabelSelectorOpExists}, {Key: key, Operator: metav1.LabelSelectorOpNotIn, Values: g.some(labels, "")},
		}}
	case 1:
		return metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: metav1.LabelSelectorOpIn, Values: g.some(labels, "")}}}
	}
	return metav1.LabelSelector{MatchLabels: map[string]string{key: pick(g.Rand, labels...)}}
}

func (g *generator) questions(n int) (questions []rbac.Request) {
	for range n {
		namespace := pick(g.Rand, g.namespaces...)
		q := rbac.Request{
			User: "system:serviceaccount:" + namespace + ":" + pick(g.Rand, accounts...), Groups: rbac.Groups(namespace),
			Verb: pick(g.Rand, verbs...), APIGroup: pick(g.Rand, groups...), Resource: pick(g.Rand, resources[:3]...),
			Namespace: pick(g.Rand, append([]string{""}, append(g.namespaces, g.namespaces...)...)...), Name: pick(g.Rand, append([]string{""}, append(names, names...)...)...),
		}
		questions = append(questions, q)
	}
	return questions
}
