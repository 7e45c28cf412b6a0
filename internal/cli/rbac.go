package cli

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/component-helpers/auth/rbac/validation"

	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/review"
)

// answers judges the questions by the roles and bindings of the files, as the API
// server's RBAC authorizer would: what nothing there grants is refused. Whether a set of
// rules covers a request is decided by Kubernetes' own code; which rules are the account's
// is not to be had as a library, and so is here.
func answers(set *manifest.Set, questions []review.Access) review.Answers {
	out := make(review.Answers, len(questions))
	for _, q := range questions {
		request := []rbacv1.PolicyRule{{
			Verbs: []string{q.Verb}, APIGroups: []string{q.Group}, Resources: []string{q.Resource}, ResourceNames: []string{q.Name},
		}}
		out[q] = review.Refused
		if covered, _ := validation.Covers(rulesOf(set, q), request); covered {
			out[q] = review.Granted
		}
	}
	return out
}

// rulesOf gives the rules that the account has in the namespace of the object.
func rulesOf(set *manifest.Set, q review.Access) (rules []rbacv1.PolicyRule) {
	for _, b := range set.ClusterRoleBindings {
		if bound(b.Subjects, "", q) {
			rules = append(rules, clusterRules(set, b.RoleRef.Name)...)
		}
	}
	for _, b := range set.RoleBindings {
		if b.Namespace != q.In || !bound(b.Subjects, b.Namespace, q) {
			continue
		}
		if b.RoleRef.Kind == manifest.KindClusterRole {
			rules = append(rules, clusterRules(set, b.RoleRef.Name)...)
			continue
		}
		for _, r := range set.Roles {
			if r.Namespace == b.Namespace && r.Name == b.RoleRef.Name {
				rules = append(rules, r.Rules...)
			}
		}
	}
	return rules
}

func clusterRules(set *manifest.Set, name string) []rbacv1.PolicyRule {
	for _, r := range set.ClusterRoles {
		if r.Name == name {
			return r.Rules
		}
	}
	return nil
}

// bound reports whether a binding in a namespace, "" for the cluster, has the account
// among its subjects.
func bound(subjects []rbacv1.Subject, namespace string, q review.Access) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		switch s.Kind {
		case rbacv1.UserKind:
			return s.Name == serviceaccount.MakeUsername(q.Namespace, q.ServiceAccount)
		case rbacv1.GroupKind:
			return slices.Contains(groupsOf(q.Namespace), s.Name)
		case rbacv1.ServiceAccountKind:
			in := namespace
			if s.Namespace != "" {
				in = s.Namespace
			}
			return in == q.Namespace && s.Name == q.ServiceAccount
		}
		return false
	})
}

func groupsOf(namespace string) []string {
	return append(serviceaccount.MakeGroupNames(namespace), "system:authenticated")
}
