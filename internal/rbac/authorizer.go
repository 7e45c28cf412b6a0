package rbac

import (
	"context"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/component-helpers/auth/rbac/validation"

	"github.com/callgate/callgate/internal/review"
)

// Objects are what an Authorizer judges by. They are read, never changed.
type Objects struct {
	Roles               []*rbacv1.Role
	ClusterRoles        []*rbacv1.ClusterRole
	RoleBindings        []*rbacv1.RoleBinding
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding
}

// Request is one thing that somebody wants to do with one object.
type Request struct {
	User   string
	Groups []string
	// Verb, APIGroup and Resource say what, Namespace and Name with which object; an
	// empty Namespace is the cluster.
	Verb, APIGroup, Resource string
	Namespace, Name          string
}

// Authorizer is immutable, and safe for concurrent use. The zero value refuses
// everything.
type Authorizer struct {
	grants      map[key][]grant
	overwritten []string
}

// key is a subject, and the namespace in which it is given something: "" is everywhere.
type key struct{ in, kind, subject string }

// grant is what one binding gives.
type grant struct {
	binding string
	rules   []rbacv1.PolicyRule
}

// New prepares the objects. A binding to a role that is not there gives nothing.
func New(o Objects) *Authorizer {
	a := &Authorizer{grants: map[key][]grant{}}
	clusterRoles := newAggregation(o.ClusterRoles)
	for _, r := range o.ClusterRoles {
		if clusterRoles.overwritten(r) {
			a.overwritten = append(a.overwritten, r.Name)
		}
	}
	type name struct{ namespace, name string }
	roles := make(map[name][]rbacv1.PolicyRule, len(o.Roles))
	for _, r := range o.Roles {
		roles[name{r.Namespace, r.Name}] = r.Rules
	}
	rulesOf := func(ref rbacv1.RoleRef, namespace string) []rbacv1.PolicyRule {
		switch ref.Kind {
		case "ClusterRole":
			return clusterRoles.rules(ref.Name)
		case "Role":
			return roles[name{namespace, ref.Name}]
		}
		return nil
	}
	for _, b := range o.ClusterRoleBindings {
		a.add("", b.Subjects, grant{"ClusterRoleBinding " + b.Name, rulesOf(b.RoleRef, "")})
	}
	for _, b := range o.RoleBindings {
		a.add(b.Namespace, b.Subjects, grant{"RoleBinding " + b.Namespace + "/" + b.Name, rulesOf(b.RoleRef, b.Namespace)})
	}
	slices.Sort(a.overwritten)
	return a
}

func (a *Authorizer) add(namespace string, subjects []rbacv1.Subject, g grant) {
	for _, s := range subjects {
		k := key{namespace, s.Kind, s.Name}
		if s.Kind == rbacv1.ServiceAccountKind {
			// A ServiceAccount is a user with a name of its own form. One that a
			// RoleBinding names without a namespace is of the binding's.
			in := s.Namespace
			if in == "" {
				in = namespace
			}
			if in == "" {
				continue
			}
			k = key{namespace, rbacv1.UserKind, serviceaccount.MakeUsername(in, s.Name)}
		}
		a.grants[k] = append(a.grants[k], g)
	}
}

// Allows says whether somebody may do something, and by which binding.
func (a *Authorizer) Allows(r Request) (binding string, allowed bool) {
	asked := []rbacv1.PolicyRule{{
		Verbs: []string{r.Verb}, APIGroups: []string{r.APIGroup}, Resources: []string{r.Resource}, ResourceNames: []string{r.Name},
	}}
	scopes := []string{""}
	if r.Namespace != "" {
		scopes = append(scopes, r.Namespace)
	}
	for _, in := range scopes {
		subjects := []key{{in, rbacv1.UserKind, r.User}}
		for _, group := range r.Groups {
			subjects = append(subjects, key{in, rbacv1.GroupKind, group})
		}
		for _, s := range subjects {
			for _, g := range a.grants[s] {
				if covered, _ := validation.Covers(g.rules, asked); covered {
					return g.binding, true
				}
			}
		}
	}
	return "", false
}

// Grants answers a review's question, and says which binding grants it.
func (a *Authorizer) Grants(q review.Access) (binding string, granted bool) {
	return a.Allows(Request{
		User: serviceaccount.MakeUsername(q.Namespace, q.ServiceAccount), Groups: Groups(q.Namespace),
		Verb: q.Verb, APIGroup: q.Group, Resource: q.Resource, Namespace: q.In, Name: q.Name,
	})
}

// Groups are those of every ServiceAccount of a namespace, as the API server has them.
func Groups(namespace string) []string {
	return append(serviceaccount.MakeGroupNames(namespace), user.AllAuthenticated)
}

// Answers answers the questions of a review, each with yes or no.
func (a *Authorizer) Answers(questions []review.Access) review.Answers {
	answers := make(review.Answers, len(questions))
	for _, q := range questions {
		answers[q] = review.Refused
		if _, granted := a.Grants(q); granted {
			answers[q] = review.Granted
		}
	}
	return answers
}

// Known answers at once, and always all.
func (a *Authorizer) Known(questions []review.Access) (answers review.Answers, all bool) {
	return a.Answers(questions), true
}

// Ask is Known for who would wait.
func (a *Authorizer) Ask(_ context.Context, questions []review.Access) review.Answers {
	return a.Answers(questions)
}

// Overwritten are the names of the ClusterRoles that aggregate others and were given
// rules which none of those has, sorted. Such rules count for nothing: a cluster's
// controller takes them away.
func (a *Authorizer) Overwritten() []string { return a.overwritten }
