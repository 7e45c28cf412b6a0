package lint

import (
	"cmp"
	"fmt"
	"strconv"

	rbacv1 "k8s.io/api/rbac/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/manifest"
)

// account is a ServiceAccount.
type account struct{ namespace, name string }

// subjects finds policies for ServiceAccounts that there are not. That is known only of
// a namespace in which the files create ServiceAccounts: elsewhere they come from
// somewhere else.
func (l *linter) subjects() {
	creates, known := l.accounts()
	for _, p := range l.in.Set.Policies {
		if !creates[p.Namespace] {
			continue
		}
		key := manifest.Key{Kind: manifest.KindToolPolicy, Namespace: p.Namespace, Name: p.Name}
		const pointer = "/spec/subjects/serviceAccountNames"
		missing := map[int]callgatev1alpha1.ServiceAccountName{}
		for i, name := range p.Spec.Subjects.ServiceAccountNames {
			if name != callgatev1alpha1.AnyServiceAccount && !known[account{p.Namespace, string(name)}] {
				missing[i] = name
			}
		}
		if len(missing) == len(p.Spec.Subjects.ServiceAccountNames) {
			l.add(ruleSelectsNobody, key, pointer, fmt.Sprintf(
				"the files create ServiceAccounts in %s, and none that this policy names: it selects nobody until one has such a name", p.Namespace))
			continue
		}
		for i, name := range missing {
			l.add(ruleUnknownAccount, key, pointer+"/"+strconv.Itoa(i), fmt.Sprintf(
				"the files create ServiceAccounts in %s, and none is called %q: check the name", p.Namespace, name))
		}
	}
}

// accounts are the ServiceAccounts that the files know of, by creating or binding them,
// and the namespaces in which they create any. Every namespace has the default one.
func (l *linter) accounts() (creates map[string]bool, known map[account]bool) {
	creates, known = map[string]bool{}, map[account]bool{}
	for _, sa := range l.in.Set.ServiceAccounts {
		creates[sa.Namespace] = true
		known[account{sa.Namespace, sa.Name}] = true
		known[account{sa.Namespace, "default"}] = true
	}
	bind := func(namespace string, subjects []rbacv1.Subject) {
		for _, s := range subjects {
			if s.Kind != rbacv1.ServiceAccountKind {
				continue
			}
			known[account{cmp.Or(s.Namespace, namespace), s.Name}] = true
		}
	}
	for _, b := range l.in.Set.RoleBindings {
		bind(b.Namespace, b.Subjects)
	}
	for _, b := range l.in.Set.ClusterRoleBindings {
		bind("", b.Subjects)
	}
	return creates, known
}
